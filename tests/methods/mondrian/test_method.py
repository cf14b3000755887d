"""Mondrian: cuts at the median, the widest column first, as long as both sides satisfy the model."""

import math
from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.small_tables import anonymized, declared, load, quasi_identifier, released
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError, UsageError
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)


def mondrian(k: int, **settings: str) -> Mondrian:
    return Mondrian(models=(KAnonymity(k=k),), **settings)


def classes(store: Store, method: Mondrian, values: str) -> str:
    """Anonymise one column; return its released values once each, in the order of their first records."""
    return " ".join(dict.fromkeys(anonymized(store, method, "\n".join(["a", *values.split()]), "a")))


# The median


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ("1 2 3 4", 2, "[1:2] [3:4]"),
        ("1 2 3 4 5", 2, "[1:3] [4:5]"),
        ("4 1 3 2 5 6 7 8", 2, "[3:4] [1:2] [5:6] [7:8]"),
        ("1 1 1 2 3 9", 2, "1 [2:9]"),
        ("1 2 2 2", 1, "[1:2]"),
        ("1 2 2 3", 2, "[1:3]"),
        ("1 2 3", 2, "[1:3]"),
        ("7 7 7 7", 2, "7"),
    ],
    ids=[
        "even",
        "odd: the middle goes left",
        "again and again",
        "skewed",
        "none above",
        "ties",
        "too few",
        "one value",
    ],
)
def test_up_to_the_first_value_with_half_of_the_records_goes_left(
    store: Store, values: str, k: int, expected: str
) -> None:
    assert classes(store, mondrian(k, cut="classic"), values) == expected


def test_a_record_is_never_separated_from_one_with_the_same_values(store: Store) -> None:
    """Half of the records are up to 2, so the first side is 1 2 2 2 and the second 3 3."""
    assert classes(store, mondrian(2, cut="classic"), "1 2 2 2 3 3") == "[1:2] 3"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("values", "k", "classic", "fallback"),
    [
        ("0 0 1 1 1 1 1", 2, "[0:1]", "0 1"),
        ("0 1 1 1", 1, "[0:1]", "0 1"),
        ("0 1 1 1", 2, "[0:1]", "[0:1]"),
        ("0 0 0 0 1 1", 2, "0 1", "0 1"),
        ("1 2 3 3 3 4", 2, "[1:4]", "[1:2] [3:4]"),
    ],
)
def test_fallback_also_cuts_below_the_median(store: Store, values: str, k: int, classic: str, fallback: str) -> None:
    assert classes(store, mondrian(k, cut="classic"), values) == classic
    assert classes(store, mondrian(k), values) == fallback
    assert mondrian(k) == mondrian(k, cut="fallback")


def test_where_both_cuts_are_allowable_the_one_after_the_median_is_made(store: Store) -> None:
    """Median 2: ``<= 2`` gives 3 and 2 records, ``< 2`` would give 2 and 3."""
    assert classes(store, mondrian(2), "1 1 2 3 3") == "[1:2] 3"


# The column


@pytest.mark.slow
@pytest.mark.parametrize(("b", "left"), [("9", ["0 [0:9]", "10 [0:9]"]), ("30", ["[0:10] 0", "[0:10] 30"])])
def test_the_column_with_the_widest_range_is_cut(store: Store, b: str, left: list[str]) -> None:
    """Once the part of 90 is cut off, a spans 10 of 90, b 9 or 30 of 101."""
    table = f"a b\n0 0\n0 {b}\n10 0\n10 {b}\n90 100\n90 101\n"
    for names in ("a b", "b a"):
        released = anonymized(store, mondrian(2), table, names)
        assert list(dict.fromkeys(released)) == [*left, "90 [100:101]"]


def test_the_range_is_a_share_of_the_column_s_own_in_the_whole_table(store: Store) -> None:
    """In the left part a spans 4 of 10, b 30 of 1000: a is cut there, though 30 is more than 4."""
    table = "a b\n0 0\n0 30\n4 0\n4 30\n10 1000\n10 1000\n10 1000\n10 1000\n"
    left = anonymized(store, mondrian(2), table, "b a")[:4]
    assert left == ["0 [0:30]", "0 [0:30]", "4 [0:30]", "4 [0:30]"]


@pytest.mark.slow
def test_distinct_cuts_the_column_with_most_of_its_distinct_values(store: Store) -> None:
    """Of the left part a has 2 of 3 values and b 3 of 5; by their ranges b is wider, 90 of 100 against 1 of 100."""
    table = "a b\n0 0\n0 90\n1 0\n1 80\n100 99\n100 100\n100 99\n100 100\n"
    by_range = anonymized(store, mondrian(2), table, "a b")[:4]
    by_distinct = anonymized(store, mondrian(2, dimension="distinct"), table, "a b")[:4]
    assert by_range == ["[0:1] 0", "[0:1] [80:90]", "[0:1] 0", "[0:1] [80:90]"]
    assert by_distinct == ["0 [0:90]", "0 [0:90]", "1 [0:80]", "1 [0:80]"]


@pytest.mark.slow
@pytest.mark.parametrize("dimension", ["range", "distinct"])
def test_of_equally_wide_columns_the_first_in_the_configuration_is_cut(store: Store, dimension: str) -> None:
    table = "a b\n0 0\n0 1\n1 0\n1 1\n"
    method = mondrian(2, dimension=dimension)
    assert anonymized(store, method, table, "a b") == ["0 [0:1]", "0 [0:1]", "1 [0:1]", "1 [0:1]"]
    assert anonymized(store, method, table, "b a") == ["[0:1] 0", "[0:1] 1", "[0:1] 0", "[0:1] 1"]


@pytest.mark.slow
def test_a_column_that_cannot_be_cut_gives_way_to_the_next(store: Store) -> None:
    """a is wide, but one record alone would stand aside; b is cut."""
    table = "a b\n0 1\n0 1\n0 2\n0 2\n100 1\n"
    assert anonymized(store, mondrian(2), table, "a b") == ["[0:100] 1", "[0:100] 1", "0 2", "0 2", "[0:100] 1"]


# Values


@pytest.mark.slow
def test_categories_are_cut_in_the_order_of_their_hierarchy(store: Store) -> None:
    """By their letters it would be {Iowa,Maine} {Ohio,Paris}."""
    hierarchy = {"a": "Paris Europe *\nOhio America *\nMaine America *\nIowa America *"}
    table = "a\nIowa\nMaine\nOhio\nParis\n"
    assert anonymized(store, mondrian(2), table, "a") == ["{Iowa,Maine}"] * 2 + ["{Ohio,Paris}"] * 2
    assert anonymized(store, mondrian(2), table, "a", hierarchies=hierarchy) == [
        "{Maine,Iowa}",
        "{Maine,Iowa}",
        "{Paris,Ohio}",
        "{Paris,Ohio}",
    ]


@pytest.mark.slow
def test_numbers_are_cut_in_the_order_of_their_values(store: Store) -> None:
    table = pa.table({"a": ["10", "9", "-1", "1e2"]})
    loaded = load(store, table, declared([quasi_identifier("a", kind="number")]))
    assert released(mondrian(2).run(loaded.tables).tables, loaded) == [
        ("[10:1e2]",),
        ("[-1:9]",),
        ("[-1:9]",),
        ("[10:1e2]",),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dimension", ["range", "distinct"])
def test_numbers_of_the_greatest_range_are_cut_too(store: Store, dimension: str) -> None:
    """The difference of the two ends is no number any more."""
    assert math.isinf(1.5e308 - -1.5e308)
    table = pa.table({"a": ["-1.5e308", "-1e308", "1e308", "1.5e308"], "b": ["1", "2", "1", "2"]})
    numbers = [quasi_identifier("a", kind="number"), quasi_identifier("b", kind="number")]
    loaded = load(store, table, declared(numbers))
    assert released(mondrian(2, dimension=dimension).run(loaded.tables).tables, loaded) == [
        ("[-1.5e308:-1e308]", "[1:2]"),
        ("[-1.5e308:-1e308]", "[1:2]"),
        ("[1e308:1.5e308]", "[1:2]"),
        ("[1e308:1.5e308]", "[1:2]"),
    ]


def test_nothing_is_suppressed_and_all_else_passes_through(store: Store) -> None:
    loaded = load(store, "id age illness\nx 1 flu\ny 9 cold\nz 2 gout\n", "age", identifiers="id")
    anonymization = mondrian(2).run(loaded.tables)
    assert released(anonymization.tables, loaded) == [("[1:9]", "flu"), ("[1:9]", "cold"), ("[1:9]", "gout")]
    assert (anonymization.proof.records_suppressed, anonymization.tables.levels) == (0, None)


def test_too_many_combinations_for_the_memory_are_said_to_be(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("toolbox.methods.mondrian.partitions.make_one_partition", fails)
    with pytest.raises(UsageError, match=r"^3 distinct combinations .* Declare fewer quasi-identifiers, or choose"):
        anonymized(store, mondrian(2), "a\n1\n2\n3\n3\n", "a")


def test_each_round_is_told(store: Store) -> None:
    told: list[str] = []
    tables = load(store, "a\n1\n2\n3\n4\n5\n6\n7\n8\n", "a").tables
    mondrian(2).run(replace(tables, report=told.append))
    assert told == ["1 cuts", "2 cuts", "0 cuts"]


# Against the rule, written anew


def by_rule(records: list[tuple[int, ...]], k: int, *, cut: str, dimension: str) -> list[frozenset[int]]:
    """Cut lists of record numbers as the docstring of Mondrian says."""
    columns = list(zip(*records, strict=True))

    def width(part: list[int], column: tuple[int, ...]) -> float:
        values = {column[number] for number in part}
        if dimension == "distinct":
            return len(values) / len(set(column))
        whole = max(column) - min(column)
        return (max(values) - min(values)) / whole if whole else 0.0

    def sides(part: list[int], column: tuple[int, ...]) -> tuple[list[int], list[int]] | None:
        ordered = sorted(column[number] for number in part)
        median = ordered[(len(ordered) + 1) // 2 - 1]
        for goes_left in (lambda value: value <= median, lambda value: value < median)[: 1 if cut == "classic" else 2]:
            left = [number for number in part if goes_left(column[number])]
            right = [number for number in part if not goes_left(column[number])]
            if len(left) >= k and len(right) >= k:
                return left, right
        return None

    def parts(part: list[int]) -> list[frozenset[int]]:
        for column in sorted(columns, key=lambda column: -width(part, column)):
            if (found := sides(part, column)) is not None:
                return parts(found[0]) + parts(found[1])
        return [frozenset(part)]

    return parts(list(range(len(records))))


@pytest.mark.slow
@settings(max_examples=times(3, slow=15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3), st.integers(0, 1)), min_size=6, max_size=24),
    st.integers(1, 4),
    st.sampled_from(["classic", "fallback"]),
    st.sampled_from(["range", "distinct"]),
)
def test_it_makes_the_classes_that_the_rule_gives(
    store: Store, records: list[tuple[int, int, int]], k: int, cut: str, dimension: str
) -> None:
    a, b, c = zip(*records, strict=True)
    loaded = load(store, pa.table({"a": a, "b": b, "c": c, "number": range(len(records))}), "a b c")
    found: dict[tuple[str, ...], set[int]] = {}
    for *values, number in released(mondrian(k, cut=cut, dimension=dimension).run(loaded.tables).tables, loaded):
        found.setdefault(tuple(values), set()).add(int(number))
    expected: dict[tuple[str, ...], set[int]] = {}
    for part in by_rule(records, k, cut=cut, dimension=dimension):
        ends = [(min(column[n] for n in part), max(column[n] for n in part)) for column in (a, b, c)]
        shown = tuple(str(low) if low == high else f"[{low}:{high}]" for low, high in ends)
        expected.setdefault(shown, set()).update(part)
    assert found == expected


@pytest.mark.slow
def test_an_objective_cuts_where_most_is_gained_in_all_columns(store: Store) -> None:
    """Both columns are as wide as can be. Cutting b leaves nothing of it on either side; cutting a leaves b as it is."""
    table = "a b\n0 1\n1 9\n5 1\n5 9\n5 1\n5 9\n9 1\n10 9"
    k2 = (KAnonymity(k=2),)
    by_gain = anonymized(store, Mondrian(models=k2, objective="lm"), table, "a b")
    assert by_gain == ["[0:9] 1", "[1:10] 9"] * 4
    by_width = anonymized(store, Mondrian(models=k2), table, "a b")
    assert by_width[-2:] == ["[9:10] [1:9]"] * 2


def test_an_objective_leaves_no_choice_to_a_dimension() -> None:
    k2 = (KAnonymity(k=2),)
    with pytest.raises(SettingError, match="dimension is 'distinct'; write nothing beside objective='lm'"):
        Mondrian(models=k2, objective="lm", dimension="distinct")
    with pytest.raises(SettingError, match="objective is 'precision'; write one of lm, granularity"):
        Mondrian(models=k2, objective="precision")
