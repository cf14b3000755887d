"""What metrics of cells have in common: averages of columns, and of the table."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.comparisons import measured, reasons, unpaired
from helpers.small_tables import quasi_identifier
from sqlalchemy import case, literal, select

from toolbox.loss.cells import CellMetric
from toolbox.loss.metric import Direction
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.dialect import Query
from toolbox.store.engine.store import Store

ATTRIBUTES = [quasi_identifier(name, kind="category") for name in ("first", "second")]


@dataclass(frozen=True, kw_only=True)
class Unchanged(CellMetric):
    """The share of cells that are values; the second column counts three times."""

    name: ClassVar[str] = "unchanged"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"

    leave_out: str = ""

    def costs(self, comparison: Comparison, place: int) -> Query:
        meanings = comparison.cells[place].meanings
        return select(meanings.c.cell_id, case((meanings.c.form == "value", 0.0), else_=1.0).label("cost"))

    def suppressed_cost(self, comparison: Comparison, place: int) -> float:
        return 1.0

    def share(self, domain: Domain) -> float:
        return 3.0 if domain.name == "second" else 1.0

    def unmeasured(self, comparison: Comparison, place: int) -> str | None:
        return "no idea" if comparison.people.domains[place].name == self.leave_out else None


@pytest.mark.slow
def test_columns_count_by_their_shares(store: Store) -> None:
    beside = unpaired(store, "a b\nb b\nc d\nc d", "a *\n* b\nc *\n* *", ATTRIBUTES)
    assert measured(Unchanged(), beside) == {"first": 0.5, "second": 0.25, None: 1 - (0.5 + 3 * 0.75) / 4}
    classes = store.rows(Unchanged().of_classes(beside))
    assert sorted(cost for _, cost in classes) == [0.25, 0.75, 0.75, 1]


def test_records_that_the_release_lacks_cost_as_suppressed_ones(store: Store) -> None:
    beside = unpaired(store, "a b\nb b\nc d\nc d", "a b", ATTRIBUTES)
    assert measured(Unchanged(), beside) == {"first": 0.25, "second": 0.25, None: 0.25}
    assert Unchanged().total(beside, 0) == 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("column", ["first", "second"])
def test_without_one_of_its_columns_a_table_has_no_average(store: Store, column: str) -> None:
    beside = unpaired(store, "a b\nb b", "a b\nb b", ATTRIBUTES)
    metric = Unchanged(leave_out=column)
    assert measured(metric, beside) == {({"first", "second"} - {column}).pop(): 1}
    assert reasons(metric, beside) == [f"{column}: no idea"]


@dataclass(frozen=True, kw_only=True)
class Priced(Unchanged):
    """Every cell costs the same."""

    price: float = 1.0

    def costs(self, comparison: Comparison, place: int) -> Query:
        return select(comparison.cells[place].meanings.c.cell_id, literal(self.price).label("cost"))


@dataclass(frozen=True, kw_only=True)
class Renamed(Priced):
    """The same under another name."""

    name: ClassVar[str] = "renamed"


def test_what_costs_the_same_is_summed_up_once_and_other_settings_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = unpaired(store, "a b\nb b\nc d\nc d", "a *\n* b\nc *\n* *", ATTRIBUTES)
    assert [Priced(price=price).total(beside, 0) for price in (1.0, 2.0)] == [4, 8]
    monkeypatch.setattr(store, "prepare_statement", None)
    assert Renamed(price=2.0).total(beside, 0) == 8
