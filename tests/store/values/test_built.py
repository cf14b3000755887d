"""Hierarchies that are built when a column was read."""

from dataclasses import replace

import pytest
from helpers.built import built
from helpers.small_tables import declared, load, quasi_identifier
from sqlalchemy import select

from toolbox.config.built_columns import declare_builder
from toolbox.config.model import QuasiIdentifier
from toolbox.errors import InputError, UsageError
from toolbox.store.engine.store import Store


def levels(store: Store, values: str, text: str, kind: str | None = None, **options: object) -> list[tuple[str, ...]]:
    """Return the label of each value on each level."""
    attribute = declare_builder(quasi_identifier("a", kind=kind), built(text))  # type: ignore[arg-type]
    return of(store, values, attribute, **options)


def of(store: Store, values: str, attribute: QuasiIdentifier, **options: object) -> list[tuple[str, ...]]:
    loaded = load(store, "\n".join(["a", *values.split()]), declared([attribute], **options))
    column = loaded.tables.quasi_identifiers[0]
    called = dict(map(tuple, store.rows(select(column.intervals.c.interval_id, column.intervals.c.label))))
    rows = store.rows(select(*(column.level(level) for level in range(column.height + 1))).order_by("level_0"))
    return [tuple(called[number] for number in row) for row in rows]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("intervals:5,10:top=40", "21 22 38 44 -3"), ("cuts:18,65/18", "7 18 70"), ("quantiles:4,2", "1 2 3 4 5 6 7 8 8"),
        ("dates:month,year,decade", "1971-03-05 1971-04-01 2000-02-29"), ("prefix:3,1", "24700 24981 SW1 A"),
        ("ages:2026-01-01:width=5,10:top=90", "1930-05-01 1971-03-05 2000-02-29 2026-01-01"), ("suffix", "247 34 1"),
        ("icd10", "E11.9 e119 C50 U07.1"), ("telephone", "+43316123456 +4315860 +12125550100"), ("email", "b@x.at a@y.org"),
        ("ip", "10.0.0.1 10.0.1.1 2001:db8::1"), ("order:low,mid,high", "low mid high"), ("auto", "17 18 19 22 40 44 61 88"),
        ("auto:2", "Graz Graz Graz Wien Bern Linz"), ("auto", "1971-03-05 2000-02-29"),
    ],
)  # fmt: skip
def test_a_column_has_the_rows_that_its_builder_shows(store: Store, text: str, values: str) -> None:
    assert levels(store, values, text) == built(text).rows(values.split())


def test_records_count_where_frequencies_matter(store: Store) -> None:
    assert levels(store, "1 1 1 1 2 3", "quantiles:2") == [("1", "<2", "*"), ("2", ">=2", "*"), ("3", ">=2", "*")]


def test_decimal_commas_stand_in_labels_too(store: Store) -> None:
    attribute = declare_builder(quasi_identifier("a"), built("intervals:0.5"))
    config = declared([attribute])
    assert config.input is not None
    comma = replace(config, input=replace(config.input, decimal=","))
    loaded = load(store, "a\n0,25\n0,7", comma)
    assert [label for (label,) in store.rows(select(loaded.tables.quasi_identifiers[0].intervals.c.label))][2:] == [
        "*", "[0:0,5)", "[0,5:1)",
    ]  # fmt: skip


def test_a_kept_missing_value_stays_below_the_root_and_an_unknown_one_goes_there(store: Store) -> None:
    rows = levels(store, "10.0.0.1 ? x", "ip:other=root", on_missing="keep", missing="?")
    assert rows == [
        ("10.0.0.1", "10.0.0.0/24", "10.0.0.0/16", "10.0.0.0/8", "*"),
        ("x", "*", "*", "*", "*"),
        ("?", "?", "?", "?", "*"),
    ]


def test_an_unlisted_value_of_a_file_goes_to_its_root(store: Store) -> None:
    towns = replace(quasi_identifier("a", hierarchy="Graz Styria *\nWien Vienna *"), other="root")
    assert of(store, "Graz Rome Wien", towns) == [
        ("Graz", "Styria", "*"),
        ("Wien", "Vienna", "*"),
        ("Rome", "*", "*"),
    ]
    ages = replace(quasi_identifier("a", hierarchy="20 20s *\n24 20s *\n30 30s *"), other="root")
    assert of(store, "5 22 24 27 99", ages) == [
        ("5", "*", "*"),
        ("22", "*", "*"),
        ("24", "20s", "*"),
        ("27", "*", "*"),
        ("99", "*", "*"),
    ]


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        (
            "ip",
            "10.0.0.1 x",
            "column a: pattern 'a' (row 2) is outside the hierarchy. Correct them: an address is four",
        ),
        (
            "ages:2026-01-01",
            "2020-01-01 2026-01-02",
            "pattern '9999-99-99' (row 2) is outside the hierarchy. Nobody is born",
        ),
        (
            "intervals:5",
            "7 x",
            "is no number. Correct it, name it in missing=, or choose another builder than intervals",
        ),
        (
            "cuts:5",
            "1971-03-05 1972-01-01",
            "is no number. They are dates: choose the builder dates, or ages, instead of cuts.",
        ),
        (
            "order:low,mid",
            "low high",
            "is outside the hierarchy. Add them to values=, or correct them. Or say other='root'",
        ),
    ],
)
def test_a_value_without_a_place_is_told_without_being_shown(
    store: Store, text: str, values: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        levels(store, values, text)
    assert message in str(caught.value)


def test_a_builder_that_can_make_nothing_names_the_column(store: Store) -> None:
    with pytest.raises(UsageError, match=r"^a, intervals: Numbers as large as some of these"):
        levels(store, "1e300 7", "intervals:5")
    with pytest.raises(UsageError, match=r"^a, prefix: It would make 79 levels"):
        levels(store, "x" * 80, "prefix")


def test_timestamps_have_ages_too(store: Store) -> None:
    rows = levels(
        store, "2007-12-31T23:59:59 2008-01-01T00:00:00 2008-01-02T00:00:00", "ages:2026-01-01:width=1", "timestamp"
    )
    assert [row[1] for row in rows] == ["18", "18", "17"]
