"""One file of a release as a query: what many records share is moved as a small number, and comes out as its text."""

import pytest
from sqlalchemy import String, cast, select

from toolbox.release.files.part import (
    Notation,
    has_only_numbers,
    join_record_pieces,
    prepare_shared_texts,
    restore_texts,
)
from toolbox.store.engine.statements import Enumeration
from toolbox.store.engine.store import Store

COMMA = Notation(",")


def classes(store: Store):
    """Return a key beside two texts of its class."""
    columns = {"id": (int, [1, 2]), "age": (str, ["[20:29]", "a,b"]), "town": (str, ["Graz", None])}
    return select(store.create_constant("classes", columns))


def is_enumeration(column) -> bool:
    return isinstance(column.type, Enumeration)


@pytest.mark.parametrize(("records", "is_number"), [(1600, True), (999, False)])
def test_texts_become_numbers_where_eight_records_or_more_show_each(
    store: Store, records: int, is_number: bool
) -> None:
    table = prepare_shared_texts(store, classes(store), [["age"], ["town"]], None, records=records)
    assert table.columns.keys() == ["id", "piece_1", "piece_2"]
    assert [is_enumeration(column) for column in table.c] == [False, is_number, is_number]
    assert sorted(store.rows(select(table))) == [(1, "[20:29]", "Graz"), (2, "a,b", None)]


def test_numbers_and_enumerations_are_numbers_and_texts_are_none(store: Store) -> None:
    numbered, texts = (
        prepare_shared_texts(store, classes(store), [["age"], ["town"]], None, records=many) for many in (1000, 0)
    )
    assert has_only_numbers(select(numbered))
    assert has_only_numbers(select(numbered.c.piece_2))
    assert not has_only_numbers(select(numbered.c.id, texts.c.piece_2))
    assert not has_only_numbers(select(cast(numbered.c.piece_2, String)))


def test_with_a_notation_neighbours_are_one_piece_that_is_written_already(store: Store) -> None:
    table = prepare_shared_texts(store, classes(store), [["age", "town"]], COMMA, records=0)
    assert sorted(store.rows(select(table))) == [(1, "[20:29],Graz"), (2, '"a,b",')]


@pytest.mark.parametrize("records", [0, 1000])
def test_records_are_written_out_around_what_is_ready(store: Store, records: int) -> None:
    table = prepare_shared_texts(store, classes(store), [["age", "town"]], COMMA, records=records)
    notes = store.create_constant("notes", {"id": (int, [1, 2]), "note": (str, ['say "x"', None])})
    ordered = (
        select(notes.c.note, table.c.piece_1, notes.c.id)
        .join_from(notes, table, table.c.id == notes.c.id)
        .order_by(notes.c.id.desc())
    )
    pieces = restore_texts(ordered, COMMA, [["note"], ["age", "town"], ["id"]], [1])
    assert [piece.name for piece in pieces.selected_columns] == ["note", "age,town", "id"]
    lines = [line for (line,) in store.rows(join_record_pieces(COMMA, pieces))]
    assert lines == [',"a,b",,2', '"say ""x""",[20:29],Graz,1']


def test_without_a_notation_numbers_become_their_texts_and_other_types_stay(store: Store) -> None:
    table = prepare_shared_texts(store, classes(store), [["age"], ["town"]], None, records=1000)
    rows = restore_texts(select(table.c.id, table.c.piece_2).order_by(table.c.id), None, [["id"], ["town"]])
    assert not any(map(is_enumeration, rows.selected_columns))
    assert store.rows(rows) == [(1, "Graz"), (2, None)]
    assert store.rows(select(cast(table.c.piece_2, table.c.piece_2.type)).where(table.c.id == 1)) == [("Graz",)]
