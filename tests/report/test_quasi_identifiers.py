"""How far finished tables generalise each quasi-identifier."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_tables import load, shared_store

from toolbox.methods.arrays.full_domain import at_node
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.report.columns import QuasiIdentifierResult, measure_quasi_identifiers
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

__all__ = ["shared_store"]

TABLE = "age sex\n21 f\n22 f\n34 m\n35 f\n"
HIERARCHIES = {"age": "21 twenties *\n22 twenties *\n34 thirties *\n35 thirties *", "sex": "f any\nm any"}


def result(name: str, level: int | None, height: int | None, values: tuple[int, int], span: str | None) -> object:
    before, after = values
    return QuasiIdentifierResult(
        name=name, level=level, height=height, original_values=before, generalised_values=after, range=span
    )


def initial(store: Store, hierarchies: dict[str, str]) -> Tables:
    return load(store, TABLE, "age sex", hierarchies=hierarchies).tables


def test_of_whole_columns_the_level_is_told_and_suppressed_records_are_left_out(shared_store: Store) -> None:
    """The man of 34 and the woman of 35 are alone at these levels: only the twenties are released, only women."""
    finished = at_node(initial(shared_store, HIERARCHIES), (1, 0), (KAnonymity(k=2),))
    assert measure_quasi_identifiers(finished) == (
        result("age", 1, 2, (4, 1), "twenties"),
        result("sex", 0, 1, (2, 1), None),
    )


def test_of_classes_the_range_is_told_from_the_lowest_to_the_highest(shared_store: Store) -> None:
    finished = Mondrian(models=(KAnonymity(k=2),)).run(initial(shared_store, {})).tables
    assert measure_quasi_identifiers(finished) == (
        result("age", None, None, (4, 2), "[21:22] .. [34:35]"),
        result("sex", None, None, (2, 2), None),
    )


def test_groups_of_anatomy_show_values_as_they_were(shared_store: Store) -> None:
    grouped = replace(initial(shared_store, HIERARCHIES), by_number=True)
    assert measure_quasi_identifiers(grouped) == (
        result("age", None, None, (4, 4), None),
        result("sex", None, None, (2, 2), None),
    )


def test_a_column_is_at_its_root_where_one_value_stands_for_several() -> None:
    column = QuasiIdentifierResult(name="sex", level=1, height=1, original_values=2, generalised_values=1, range=None)
    assert column.is_at_root
    assert not replace(column, generalised_values=2).is_at_root
    assert not replace(column, original_values=1).is_at_root
