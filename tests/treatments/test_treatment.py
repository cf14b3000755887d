"""What each of our treatments makes of a value, and how its promise is recounted on what was released."""

from __future__ import annotations

import pytest
from sqlalchemy import func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import UsageError
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import (
    DROP,
    ESCAPE,
    PASS,
    ReleasedColumn,
    Treatment,
    list_treatment_names,
    parse_treatment,
)

READ = [("=1+1", 2), ("-5", 3), ("'=a", 1), ("plain", 4), (None, 1)]


def broken(
    store: Store, treatment: Treatment, read: list[tuple[str | None, int]], shown: list[tuple[str | None, int]]
) -> int:
    tables = [
        store.create_constant(
            "counted", {name: (str, [text for text, _ in rows]), "size": (int, [size for _, size in rows])}
        )
        for name, rows in (("value", read), ("text", shown))
    ]
    return int(store.scalar(treatment.count_broken(*tables)))


@pytest.mark.parametrize(
    ("shown", "count"),
    [
        (READ, 0),
        ([*READ[:-1], ("", 1)], 0),
        # A cell that became another one is missing here and too many there.
        ([("=1+1", 1), ("=1+2", 1), *READ[1:]], 2),
        (READ[1:], 2),
        ([*READ, ("plain", 5)], 5),
    ],
)
def test_what_passes_is_the_same_and_as_often(store: Store, shown: list[tuple[str | None, int]], count: int) -> None:
    assert broken(store, PASS, READ, shown) == count


@pytest.mark.parametrize(
    ("shown", "holds"),
    [
        ([("'=1+1", 2), ("-5", 3), ("''=a", 1), ("plain", 4), (None, 1)], True),
        # Nothing was escaped; too much was; an apostrophe is lost, so that two texts were one.
        (READ, False),
        ([("'=1+1", 2), ("'-5", 3), ("''=a", 1), ("plain", 4), (None, 1)], False),
        ([("'=1+1", 2), ("-5", 3), ("'=a", 1), ("plain", 4), (None, 1)], False),
    ],
)
def test_what_is_escaped_runs_nowhere_and_can_be_taken_back(
    store: Store, shown: list[tuple[str | None, int]], holds: bool
) -> None:
    assert (broken(store, ESCAPE, READ, shown) == 0) is holds


def test_what_is_left_out_is_in_no_release() -> None:
    assert (DROP.releases, PASS.releases, ESCAPE.releases) == (False, True, True)


def test_an_engine_gets_its_own_expression_or_words() -> None:
    value = literal("x")
    assert ReleasedColumn("a", source="a").select_in_postgresql(value) is value
    with pytest.raises(UsageError, match="'escape' has no expression of PostgreSQL, where the records stay"):
        ReleasedColumn("a", source="a", treatment=ESCAPE).select_in_postgresql(value)
    with pytest.raises(UsageError, match="'escape' has no expression of Spark"):
        ReleasedColumn("a", source="a", treatment=ESCAPE).select_in_spark(None, None)  # type: ignore[arg-type]


def test_treated_values_are_texts_unless_the_treatment_says_otherwise(store: Store) -> None:
    class Shorten(Treatment):
        name = "shorten"

        def treat(self, value: ColumnElement[int]) -> ColumnElement[int]:
            return func.round(value, -3)

    class ShortenNumber(Shorten):
        keeps_type = True

    rows = store.create_constant("numbers", {"c4": (int, [1234])})
    shown = [ReleasedColumn("n", "n", position=4, treatment=each()) for each in (Shorten, ShortenNumber)]
    assert store.row(select(*(each.select_from_records(rows) for each in shown))) == ("1000", 1000)
    assert [each.unmodified_position for each in shown] == [None, None]


def test_treatments_are_found_by_their_names() -> None:
    assert [parse_treatment(name) for name in ("pass", "drop", "escape")] == [PASS, DROP, ESCAPE]
    assert list_treatment_names()[:3] == ["pass", "drop", "escape"]
