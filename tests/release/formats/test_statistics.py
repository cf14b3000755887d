"""What genValsDist tells of a class, against the statistics module."""

import statistics
from collections import Counter

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.small_tables import declared, load, quasi_identifier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Integer, cast, literal, select

import toolbox
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.release.formats.gen_vals_dist import describe_class_statistics
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

pytestmark = pytest.mark.sampled(2)


def in_one_class(tables: Tables, *, suppressed: bool = False) -> Tables:
    roots = zip(tables.quasi_identifiers, tables.interval_names, strict=True)
    return tables.recoded(
        select(
            tables.combinations.c.combination_id,
            tables.combinations.c.size,
            literal(suppressed).label("suppressed"),
            *(cast(literal(one.root), Integer).label(name) for one, name in roots),
        )
    )


def described(
    store: Store, values: list[str], one: QuasiIdentifier, *, suppressed: bool = False, least: int = 0
) -> str:
    loaded = load(store, pa.table({"a": values}), declared([one]))
    tables = describe_class_statistics(in_one_class(loaded.tables, suppressed=suppressed), least_suppressed=least).table
    return store.scalar(select(tables.c.statistics_1))


NUMBER = quasi_identifier("a", kind="number")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["1", "2", "3", "4"], "2.5:1.25"),
        (["5"], "5.0:0.0"),
        (["1", "1", "1", "5"], "2.0:3.0"),
        (["1", "1.0", "01", "5"], "2.0:3.0"),
        (["-0.5", "0.5"], "0.0:0.25"),
        (["1000000001", "1000000002", "1000000003"], f"1000000002.0:{2 / 3}"),
    ],
    ids=["even", "one", "weighted", "one value in three ways", "negative", "large numbers close together"],
)
def test_numbers_have_their_mean_and_population_variance(store: Store, values: list[str], text: str) -> None:
    assert described(store, values, NUMBER) == text


def test_the_mean_of_the_greatest_numbers_is_a_number(store: Store) -> None:
    mean, _ = described(store, ["1e308", "1.5e308"], NUMBER).split(":")
    assert float(mean) == pytest.approx(1.25e308)


def test_categories_have_their_shares_in_code_order_zeros_included(store: Store) -> None:
    column = Column(index=None, name="a")
    codes = {"z": 0, "y": 5, "x": 9, "w": -1}
    declared_ones = QuasiIdentifier(column=column, kind="category", categories=codes)
    assert described(store, ["x", "x", "z", "x"], declared_ones) == "0.0:0.25:0.0:0.75"


def test_categories_from_the_data_have_their_shares_in_the_order_of_their_names(store: Store) -> None:
    assert described(store, ["b", "a", "b", "b"], quasi_identifier("a", kind="category")) == "0.25:0.75"


@pytest.mark.slow
def test_a_suppressed_class_is_described_when_it_has_enough_records(store: Store) -> None:
    assert described(store, ["1", "3"], NUMBER, suppressed=True, least=2) == "2.0:1.0"
    assert described(store, ["1", "3"], NUMBER, suppressed=True, least=3) is None
    assert described(store, ["1", "3"], NUMBER, suppressed=False, least=3) == "2.0:1.0"


@pytest.mark.parametrize(
    ("persons", "ages", "told"), [("xxxxx", [90] * 5, ""), ("xxyyz", [70, 70, 80, 80, 90], "78.0:56.0")]
)
def test_suppressed_records_are_described_where_they_are_of_k_persons(persons: str, ages: list[int], told: str) -> None:
    """The mean of all records of one person is the value of this person."""
    people = {"pid": [*"abcdef", *persons], "age": [20, 21, 22, 20, 21, 22, *ages], "ill": [*"abcabc", *"aabcc"]}
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "hierarchies": {"age": "intervals:10,40"}, "k": 3}
    options = {"method": "Datafly", "suppression_threshold": 5, "output_format": "genValsDist", "order": "input"}
    release = toolbox.anonymize(pa.table(people), person="pid", **asked, **options).tables[0]
    shown = release.to_pandas().iloc[:, :2].fillna("")
    assert shown.to_numpy().tolist() == [["[20:30)", f"21.0:{2 / 3}"]] * 6 + [["*", told]] * 5


@pytest.mark.slow
@settings(max_examples=times(4, slow=20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(-1000, 1000), st.sampled_from("abc")), min_size=1, max_size=12))
def test_statistics_are_those_of_the_records_of_the_class(store: Store, records: list[tuple[int, str]]) -> None:
    numbers, words = zip(*records, strict=True)
    loaded = load(store, pa.table({"n": numbers, "w": words}), "n w")
    found = describe_class_statistics(in_one_class(loaded.tables), least_suppressed=0).table
    moments, shares = store.row(select(found.c.statistics_1, found.c.statistics_2))
    mean, variance = map(float, moments.split(":"))
    assert mean == pytest.approx(statistics.fmean(numbers), abs=1e-9)
    assert variance == pytest.approx(statistics.pvariance(numbers), rel=1e-9, abs=1e-9)
    counts = Counter(words)
    assert [float(share) for share in shares.split(":")] == [counts[word] / len(words) for word in sorted(counts)]
