"""Datafly: the most varied column goes up, one level at a time, until few enough records are left to suppress."""

from collections import Counter
from dataclasses import replace

import pytest
from helpers.amounts import times
from helpers.small_tables import anonymized, load, released
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.methods.datafly import Datafly
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(3)

HIERARCHIES = {
    "age": "20 20-29 *\n25 20-29 *\n31 30-39 *\n38 30-39 *\n44 40-49 *",
    "zip": "75001 7500* 750** *\n75002 7500* 750** *\n75011 7501* 750** *\n76001 7600* 760** *",
    "sex": "F person\nM person",
}


def datafly(k: int, threshold: int | None = None) -> Datafly:
    return Datafly(models=(KAnonymity(k=k),), suppression_threshold=k if threshold is None else threshold)


def levels(store: Store, method: Datafly, table: str, names: str, **options: object) -> tuple[int, ...] | None:
    return method.run(load(store, table, names, **options).tables).tables.levels


@pytest.mark.slow
def test_what_is_anonymous_enough_stays_as_it_is(store: Store) -> None:
    table = "age sex\n20 F\n20 F\n31 M\n31 M\n"
    assert anonymized(store, datafly(2, 0), table, "age sex", hierarchies=HIERARCHIES) == [
        "20 F",
        "20 F",
        "31 M",
        "31 M",
    ]


@pytest.mark.slow
def test_the_column_with_most_distinct_values_goes_up_first(store: Store) -> None:
    """Three ages, two zips: age goes up, and that is enough."""
    table = "zip age\n75001 20\n75001 25\n75002 31\n75002 38\n75001 20\n"
    assert anonymized(store, datafly(2, 0), table, "zip age", hierarchies=HIERARCHIES) == [
        "75001 20-29",
        "75001 20-29",
        "75002 30-39",
        "75002 30-39",
        "75001 20-29",
    ]


@pytest.mark.parametrize(("names", "expected"), [("sex2 sex", (1, 0)), ("sex sex2", (1, 0))])
def test_of_columns_with_equally_many_the_first_in_the_configuration_goes_up(
    store: Store, names: str, expected: tuple[int, ...]
) -> None:
    """One step of either column makes two classes of two."""
    hierarchies = {"sex": "F person\nM person", "sex2": "F person\nM person"}
    table = "sex sex2\nF F\nF M\nM F\nM M\n"
    assert levels(store, datafly(2, 0), table, names, hierarchies=hierarchies) == expected


@pytest.mark.slow
def test_values_are_counted_anew_at_every_level(store: Store) -> None:
    """Age (4) goes up to 2 values, then zip (3) goes up, and only then age again."""
    hierarchies = {
        "age": "20 20-29 *\n25 20-29 *\n31 30-39 *\n38 30-39 *",
        "zip": "75001 7500* 750**\n75002 7500* 750**\n75011 7501* 750**",
    }
    table = "age zip\n20 75001\n25 75002\n31 75011\n38 75011\n"
    assert levels(store, datafly(2, 0), table, "age zip", hierarchies=hierarchies) == (1, 1)
    assert anonymized(store, datafly(2, 0), table, "age zip", hierarchies=hierarchies) == [
        "20-29 7500*",
        "20-29 7500*",
        "30-39 7501*",
        "30-39 7501*",
    ]


@pytest.mark.slow
def test_as_many_records_as_the_threshold_are_suppressed_instead(store: Store) -> None:
    table = "age sex\n20 F\n20 F\n31 M\n38 F\n20 F\n"
    assert anonymized(store, datafly(2, 2), table, "age sex", hierarchies=HIERARCHIES) == [
        "20 F",
        "20 F",
        "* person",
        "* person",
        "20 F",
    ]


@pytest.mark.slow
def test_one_record_more_than_the_threshold_and_a_column_goes_up(store: Store) -> None:
    table = "age sex\n20 F\n20 F\n31 M\n38 F\n20 F\n"
    assert levels(store, datafly(2, 1), table, "age sex", hierarchies=HIERARCHIES) != (0, 0)
    assert levels(store, datafly(2, 2), table, "age sex", hierarchies=HIERARCHIES) == (0, 0)


@pytest.mark.slow
def test_threshold_0_suppresses_nobody(store: Store) -> None:
    """A single old man brings everybody to the roots."""
    table = "age sex\n20 F\n20 F\n20 F\n44 M\n"
    proof = datafly(2, 0).run(load(store, table, "age sex", hierarchies=HIERARCHIES).tables).proof
    assert (proof.records_suppressed, proof.classes, proof.smallest_class) == (0, 1, 4)
    assert anonymized(store, datafly(2, 0), table, "age sex", hierarchies=HIERARCHIES) == ["* person"] * 4


@pytest.mark.slow
def test_the_threshold_counts_records_not_classes(store: Store) -> None:
    """A class of two and one of three are five records below k = 4."""
    table = "age\n" + "20\n" * 4 + "31\n" * 2 + "44\n" * 3
    hierarchies = {"age": HIERARCHIES["age"]}
    assert levels(store, datafly(4, 5), table, "age", hierarchies=hierarchies) == (0,)
    assert levels(store, datafly(4, 4), table, "age", hierarchies=hierarchies) == (2,)


def test_suppressed_records_stay_in_their_places_with_all_else_unchanged(store: Store) -> None:
    table = "age illness\n44 flu\n20 cold\n20 gout\n"
    expected = ["* flu", "20 cold", "20 gout"]
    assert anonymized(store, datafly(2, 1), table, "age", hierarchies={"age": HIERARCHIES["age"]}) == expected


def test_a_column_at_its_root_goes_up_no_more(store: Store) -> None:
    """Age is at its root with one value, and sex has two: then sex goes up."""
    hierarchies = {"age": "20 *\n25 *\n31 *", "sex": "F person\nM person"}
    table = "age sex\n20 F\n25 F\n31 M\n"
    assert anonymized(store, datafly(3, 0), table, "age sex", hierarchies=hierarchies) == ["* person"] * 3


@pytest.mark.slow
def test_k_1_changes_nothing(store: Store) -> None:
    table = "age sex\n20 F\n25 F\n31 M\n"
    assert anonymized(store, datafly(1, 0), table, "age sex", hierarchies=HIERARCHIES) == ["20 F", "25 F", "31 M"]


@pytest.mark.slow
def test_each_step_is_told(store: Store) -> None:
    told: list[str] = []
    tables = load(store, "age sex\n20 F\n25 F\n31 M\n", "age sex", hierarchies=HIERARCHIES).tables
    datafly(3, 0).run(replace(tables, report=told.append))
    assert told == ["step 1 of 3", "step 2 of 3", "step 3 of 3"]


# Against the published rule, written anew

PATHS = {
    "age": {
        "20": ("20", "20-29", "*"),
        "25": ("25", "20-29", "*"),
        "31": ("31", "30-39", "*"),
        "44": ("44", "40-49", "*"),
    },
    "zip": {
        "75001": ("75001", "7500*", "750**", "*"),
        "75002": ("75002", "7500*", "750**", "*"),
        "75011": ("75011", "7501*", "750**", "*"),
        "76001": ("76001", "7600*", "760**", "*"),
    },
    "sex": {"F": ("F", "person"), "M": ("M", "person")},
}
RECORDS = st.lists(st.tuples(*(st.sampled_from(sorted(values)) for values in PATHS.values())), min_size=5, max_size=25)


def published(records: list[tuple[str, ...]], k: int, threshold: int) -> list[str]:
    """Generalise as Sweeney's algorithm says, on lists."""
    paths = list(PATHS.values())
    level = [0] * len(paths)
    while True:
        rows = [tuple(path[value][at] for path, value, at in zip(paths, row, level, strict=True)) for row in records]
        sizes = Counter(rows)
        if sum(size for size in sizes.values() if size < k) <= threshold:
            root = tuple(next(iter(path.values()))[-1] for path in paths)
            return [" ".join(row if sizes[row] >= k else root) for row in rows]
        can_rise = [at < len(next(iter(path.values()))) - 1 for path, at in zip(paths, level, strict=True)]
        distinct = [len(set(column)) * rises for column, rises in zip(zip(*rows, strict=True), can_rise, strict=True)]
        level[distinct.index(max(distinct))] += 1


@pytest.mark.slow
@settings(max_examples=times(3, slow=12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS, st.integers(1, 5), st.integers(0, 6))
def test_it_releases_what_the_published_rule_gives(
    store: Store, records: list[tuple[str, ...]], k: int, threshold: int
) -> None:
    table = "\n".join(["age zip sex", *map(" ".join, records)])
    hierarchies = {name: "\n".join(" ".join(path) for path in paths.values()) for name, paths in PATHS.items()}
    loaded = load(store, table, "age zip sex", hierarchies=hierarchies)
    finished = datafly(k, threshold).run(loaded.tables).tables
    assert [" ".join(map(str, row)) for row in released(finished, loaded)] == published(records, k, threshold)
