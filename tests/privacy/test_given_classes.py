"""Classes of records as they stand in a table: formed by texts, with numbers and categories in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import FromClause, column, select, table

from toolbox.config.model import Attribute, Column, Kind
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.privacy.classes import Classes, form_classes
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.risks.sensitive import AttributeInClasses, measure_sensitive_risk
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(6, slow=25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
Cell = str | None


def relation(store: Store, **columns: Sequence[Cell]) -> FromClause:
    given = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return table(store.register("given", given), *(column(name) for name in columns))


def attribute(name: str, kind: Kind | None = None, **more: object) -> Attribute:
    return Attribute(column=Column(index=None, name=name), kind=kind, **more)


def histograms(store: Store, shown: Classes) -> list[list[int]]:
    """Return the counts of each class, in the order of the values, the classes sorted."""
    assert shown.histogram is not None
    found: dict[int, list[int]] = {}
    for key, _, records in store.rows(select(shown.histogram).order_by(shown.histogram.c.value)):
        found.setdefault(key, []).append(records)
    sizes = dict(map(tuple, store.rows(select(shown.sizes.c.equivalence_id, shown.sizes.c.size))))
    assert {key: sum(counts) for key, counts in found.items()} == sizes
    return sorted(found.values())


def values(store: Store, shown: Classes) -> list[tuple[float, int]]:
    """Return each value with its records in all."""
    assert shown.overall is not None
    return sorted(map(tuple, store.rows(select(shown.overall))))


def test_records_that_agree_in_all_quasi_identifiers_are_one_class(store: Store) -> None:
    given_table = relation(store, age=["20", "20", "30", "20"], city=["G", "G", "G", "W"], ill=["b", "a", "a", "b"])
    shown = form_classes(store, given_table, ["age", "city"], {"ill": attribute("ill")})["ill"]
    assert histograms(store, shown) == [[1], [1], [1, 1]]
    assert values(store, shown) == [(1, 2), (2, 2)]
    assert shown.kind == "category"
    assert sorted(store.rows(select(shown.sizes.c.size))) == [(1,), (1,), (2,)]


def test_a_null_is_a_value_like_any_other(store: Store) -> None:
    """Of quasi-identifiers and of sensitive attributes; an empty text is another one."""
    given_table = relation(store, age=[None, None, "", "20"], ill=["a", None, None, ""])
    shown = form_classes(store, given_table, ["age"], {"ill": attribute("ill")})["ill"]
    assert histograms(store, shown) == [[1], [1], [1, 1]]
    assert [count for _, count in values(store, shown)] == [1, 1, 2]


def test_numbers_are_ordered_as_numbers_and_told_apart_as_such(store: Store) -> None:
    given_table = relation(store, age=["x"] * 5, salary=["10", "9", "9.0", "-1", "1e1"])
    shown = form_classes(store, given_table, ["age"], {"salary": attribute("salary")})["salary"]
    assert shown.kind == "number"
    assert values(store, shown) == [(1, 1), (2, 2), (3, 2)]


def test_a_column_with_other_texts_holds_categories_unless_it_is_said_to_hold_numbers(store: Store) -> None:
    given_table = relation(store, age=["x"] * 5, salary=["10", "9", "none", "1_000", None])
    by_itself = form_classes(store, given_table, ["age"], {"salary": attribute("salary")})["salary"]
    assert by_itself.kind == "category"
    declared = form_classes(store, given_table, ["age"], {"salary": attribute("salary", "number")})["salary"]
    assert declared.kind == "number"
    assert values(store, declared) == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]


def test_categories_are_ordered_by_their_codes(store: Store) -> None:
    given_table = relation(store, age=["x", "x", "y", "y"], stage=["late", "early", "middle", "late"])
    ordered = attribute("stage", "category", categories={"early": 0, "middle": 5, "late": 7})
    shown = form_classes(store, given_table, ["age"], {"stage": ordered})["stage"]
    assert values(store, shown) == [(1, 1), (2, 1), (3, 2)]


@pytest.mark.slow
def test_a_hierarchy_tells_how_far_values_are_apart_and_others_are_as_far_as_can_be(store: Store) -> None:
    read = read_hierarchy_rows([("flu", "lungs", "*"), ("asthma", "lungs", "*"), ("ulcer", "stomach", "*")], "ill")
    known = attribute("ill", "category", categories=read.categories, hierarchy=read.hierarchy)
    near = TCloseness(t=0.5, distance="hierarchical", attribute="ill")
    for other, expected in (("asthma", 0.25), ("ulcer", 0.5), ("new", 0.5), (None, 0.5)):
        shown = form_classes(store, relation(store, age=["x", "y"], ill=["flu", other]), ["age"], {"ill": known})["ill"]
        assert worst(store, near, shown) == pytest.approx(expected)


def test_a_hierarchy_of_numbers_finds_them_however_they_are_written(store: Store) -> None:
    read = read_hierarchy_rows([(1, "low", "*"), (2, "low", "*"), (9, "high", "*")], "salary")
    known = attribute("salary", "number", hierarchy=read.hierarchy, listed=read.listed)
    shown = form_classes(
        store, relation(store, age=["x", "y", "y"], salary=["1", "2.0", "1.00"]), ["age"], {"salary": known}
    )
    near = TCloseness(t=0.5, distance="hierarchical", attribute="salary")
    # all of x is 1, which two thirds of all are: a third moves one of two levels
    assert worst(store, near, shown["salary"]) == pytest.approx(1 / 6)


def test_harmonised_the_other_sensitive_attributes_are_known(store: Store) -> None:
    given_table = relation(store, age=["x"] * 4, ill=["a", "b", "a", "b"], pay=["1", "1", "2", "2"])
    attributes = {"ill": attribute("ill"), "pay": attribute("pay")}
    alone = form_classes(store, given_table, ["age"], attributes)
    together = form_classes(store, given_table, ["age"], attributes, harmonised=True)
    assert [histograms(store, alone[name]) for name in ("ill", "pay")] == [[[2, 2]], [[2, 2]]]
    assert [histograms(store, together[name]) for name in ("ill", "pay")] == [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]


def test_columns_may_be_called_as_what_is_counted_and_attributes_otherwise_than_their_columns(store: Store) -> None:
    given_table = relation(store, equivalence_id=["1", "1"], records=["x", "x"], value=["x", "y"])
    (name, shown), *none = form_classes(
        store, given_table, ["equivalence_id", "records"], {"value": attribute('the "illness"')}
    ).items()
    assert (name, histograms(store, shown), none) == ('the "illness"', [[1, 1]], [])


@RUNS
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "2", None]), st.sampled_from(["x", "", None]), st.sampled_from(["a", "b", None])
        ),
        min_size=1,
        max_size=30,
    )
)
def test_they_are_the_classes_of_a_plain_program(store: Store, rows: list[tuple[Cell, Cell, Cell]]) -> None:
    given_table = relation(store, **dict(zip(("age", "city", "ill"), zip(*rows, strict=True), strict=True)))
    shown = form_classes(store, given_table, ["age", "city"], {"ill": attribute("ill")})["ill"]
    members: dict[tuple[Cell, Cell], list[Cell]] = {}
    for age, city, ill in rows:
        members.setdefault((age, city), []).append(ill)
    expected = sorted(sorted(Counter(one).values()) for one in members.values())
    assert sorted(sorted(counts) for counts in histograms(store, shown)) == expected
    distinct = DistinctLDiversity(l=1, attribute="ill")
    assert worst(store, distinct, shown) == min(map(brute.distinct_l, members.values()))


def many_classes(store: Store, count: int) -> Classes:
    """Return classes of three people, by turns with twice flu and once gout, the other way round, and flu alone."""
    held = {0: [("flu", 2), ("gout", 1)], 1: [("flu", 1), ("gout", 2)], 2: [("flu", 3)]}
    rows = [(number, text, records) for number in range(count) for text, records in held[number % 3]]
    # Suppressed people are in the whole table, and in no class.
    numbers, texts, records = zip(*rows, (count, "gout", 7), strict=True)
    given = store.create_constant(
        "held", {"equivalence_id": (int, numbers), "text_1": (str, texts), "records": (int, records)}
    )
    classes = store.create_constant(
        "classes",
        {
            "equivalence_id": (int, range(count + 1)),
            "size": (int, [3] * count + [7]),
            "suppressed": (bool, [False] * count + [True]),
        },
    )
    return form_classes(store, given, ["equivalence_id"], {"text_1": attribute("ill")}, formed=classes)["ill"]


def test_one_of_very_many_classes_stands_for_all_that_hold_the_same(store: Store) -> None:
    shown = many_classes(store, 12_000)
    assert histograms(store, shown) == [[1, 2], [2, 1], [3]]
    assert sorted(map(tuple, store.rows(select(shown.sizes.c.size, shown.sizes.c.classes)))) == [(3, 4_000)] * 3
    assert values(store, shown) == [(1, 24_000), (2, 12_007)]


@pytest.mark.parametrize("count", [12, 12_000])
def test_few_and_very_many_classes_tell_as_much_of_their_people(store: Store, count: int) -> None:
    shown = many_classes(store, count)
    histogram, overall = shown.judged
    told = AttributeInClasses(
        name="ill", sizes=shown.sizes, histogram=histogram, overall=overall, is_number=False, tree=None
    )
    found = measure_sensitive_risk(store, told)
    assert found is not None
    assert (found.people, found.certain, found.largest) == (3 * count, count, 1.0)
    assert found.believed_above == ((0.5, 3 * count), (0.9, count))
    assert found.expected_hits == pytest.approx(count * 7 / 3)
