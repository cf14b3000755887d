"""What a privacy model is shown: sizes and sensitive values of classes, whatever made them."""

from __future__ import annotations

import pyarrow as pa
from helpers.small_tables import declared
from sqlalchemy import FromClause, select

from toolbox.config.model import Attribute, Column
from toolbox.privacy.classes import describe_classes, make_single_class, members_of
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

AGES, ILLNESSES = [1, 1, 2, 3, 3, 3], ["flu", "cold", "flu", "flu", "flu", "gout"]


def tables(store: Store) -> Tables:
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    source = open_arrow_source(store, pa.table({"age": AGES, "illness": ILLNESSES}))
    return Loader(declared("age", sensitive=[illness]), source, store, {"illness": False}).load().tables


def rows(store: Store, given: FromClause | None) -> list[tuple[object, ...]]:
    assert given is not None
    return sorted(store.rows(select(given)))


def members(store: Store) -> FromClause:
    """Put ages 1 and 2 into class 7, age 3 into class 8."""
    return store.create_constant(
        "members", {"combination_id": (int, [0, 1, 2]), "equivalence_id": (int, [7, 7, 8]), "size": (int, [2, 1, 3])}
    )


def test_classes_of_combinations_have_the_sizes_and_values_of_their_records(store: Store) -> None:
    shown = members_of(tables(store), members(store), "illness")
    assert rows(store, shown.sizes) == [(7, 3), (8, 3)]
    # cold 0, flu 1, gout 2
    assert rows(store, shown.histogram) == [(7, 0, 1), (7, 1, 2), (8, 1, 2), (8, 2, 1)]
    assert rows(store, shown.overall) == [(0, 1), (1, 4), (2, 1)]
    assert shown.kind == "category"


def test_a_model_of_sizes_is_shown_sizes_alone(store: Store) -> None:
    shown = members_of(tables(store), members(store), None)
    assert rows(store, shown.sizes) == [(7, 3), (8, 3)]
    assert (shown.histogram, shown.overall, shown.kind) == (None, None, None)


def test_the_whole_table_is_one_class(store: Store) -> None:
    shown = make_single_class(tables(store), "illness")
    assert rows(store, shown.sizes) == [(0, 6)]
    assert rows(store, shown.histogram) == [(0, 0, 1), (0, 1, 4), (0, 2, 1)]


def test_a_frequency_set_with_values_tells_the_sizes_too(store: Store) -> None:
    columns = {"equivalence_id": (int, [4, 4, 5]), "value": (float, [0.0, 1.0, 1.0]), "records": (int, [2, 3, 1])}
    shown = describe_classes(tables(store).sensitive["illness"], store.create_constant("set", columns))
    assert rows(store, shown.sizes) == [(4, 5), (5, 1)]
