"""A release that stays in memory: what the engine made, and what goes around it."""

import numpy as np
import pyarrow as pa
from sqlalchemy import select

from toolbox.release.files.part import Part
from toolbox.release.returned import ReleasedPart, fetch_part, prepare_for_engine, sort_by_value, to_arrow
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import ReleasedColumn

CALLER = pa.table({"age": [31, 22], "note": [["x"], ["y"]]})


def part(store: Store, columns: dict, headers: tuple[str, ...], positions: tuple[int | None, ...] = ()) -> Part:
    shown = tuple(
        ReleasedColumn(header, text="label_1")
        if position is None
        else ReleasedColumn(header, header, position=position)
        for header, position in zip(headers, positions, strict=bool(positions))
    )
    return Part(suffix="", headers=headers, rows=select(store.create_constant("rows", columns)), columns=shown)


def test_only_declared_columns_reach_the_engine_and_each_record_knows_its_row() -> None:
    given = prepare_for_engine(CALLER, ["age"])
    assert given.to_pydict() == {"age": [31, 22], "note": [None, None], "toolbox row": [0, 1]}
    assert prepare_for_engine(CALLER, ["age", "note"]).column("note").to_pylist() == [["x"], ["y"]]


def test_headers_may_be_equal_and_stay_in_their_order(store: Store) -> None:
    columns = {"a": (str, ["1", "2"]), "b": (str, ["x", "y"]), "c": (str, ["p", None])}
    released = to_arrow(store, part(store, columns, ("h", "h", "H")))
    assert released.column_names == ["h", "h", "H"]
    assert [column.to_pylist() for column in released.columns] == [["1", "2"], ["x", "y"], ["p", None]]


def test_a_table_of_which_nothing_passes_through_is_all_the_engine_s(store: Store) -> None:
    found = fetch_part(store, part(store, {"a": (str, ["1"]), "b": (str, ["x"])}, ("age", "group")), 3)
    assert (found.headers, found.passed, found.rows) == (("age", "group"), (None, None), None)
    assert found.made.to_pydict() == {"age": ["1"], "group": ["x"]}


def test_what_passes_through_is_left_to_the_caller_s_table_and_the_rows_are_told(store: Store) -> None:
    columns = {"a": (str, ["[20:29]", "[30:39]"]), "b": (str, [None, None]), "c": (int, [1, 0])}
    found = fetch_part(store, part(store, columns, ("age", "note", "toolbox row"), (None, 1, 2)), 2)
    assert (found.headers, found.passed) == (("age", "note"), (None, 1))
    assert found.made.to_pydict() == {"age": ["[20:29]", "[30:39]"]}
    assert found.rows.tolist() == [1, 0]


def test_records_are_sorted_by_all_that_is_shown_from_left_to_right() -> None:
    caller = pa.table({"n": [10, 9, 9, 9], "list": [["z"], ["y"], ["x"], ["w"]]})
    made = pa.table({"age": ["b", "b", "a", "b"], "town": ["p", "q", "r", "p"]})
    released = ReleasedPart(("age", "n", "list", "town"), (None, 0, 1, None), made, np.arange(4))
    found = sort_by_value(released, caller)
    assert found.rows.tolist() == [2, 3, 1, 0]
    assert found.made.to_pydict() == {"age": ["a", "b", "b", "b"], "town": ["r", "p", "q", "p"]}


def test_equal_records_keep_their_chance_order_and_words_are_sorted_by_their_texts() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1]), ["b", "a"])
    released = ReleasedPart(("w",), (0,), pa.table({"none": [0] * 4}).select([]), np.array([3, 2, 1, 0]))
    assert sort_by_value(released, pa.table({"w": words})).rows.tolist() == [3, 1, 2, 0]


def test_what_has_no_order_at_all_stays_as_it_is() -> None:
    released = ReleasedPart(("list",), (1,), pa.table({"none": [0, 0]}).select([]), np.array([1, 0]))
    assert sort_by_value(released, CALLER) is released
