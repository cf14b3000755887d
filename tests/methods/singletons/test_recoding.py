"""From what becomes of each value to the classes that a reader sees."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_tables import declared, load, quasi_identifier, released
from sqlalchemy import select

from toolbox.methods.singletons.columns import SingletonsRows, read_rows
from toolbox.methods.singletons.comparing import _recode_rows
from toolbox.store.engine.store import Store
from toolbox.store.load.loading import Loaded

TOWNS = "Graz south *\nLinz north *\nWels north *"
TABLE = "town born\nGraz 1918\nLinz 1920\nLinz 1920\nWels 1921\nWels 1950"
K = 2


@pytest.fixture(scope="module")
def loaded(store: Store) -> Loaded:
    columns = [quasi_identifier("town", hierarchy=TOWNS), quasi_identifier("born", kind="number")]
    return load(store, TABLE, declared(columns))


def recoded(loaded: Loaded, made: dict[str, tuple[str, str]], suppressed: str = "") -> tuple[list[str], list[int]]:
    """Release the table, and return its records and the sizes of its classes.

    For each town, by which rules its town and its year are generalised; an empty text leaves it as it is.
    """
    rows = read_rows(loaded.tables, K)
    towns = [rows.columns[0].labels[value] for value in rows.values[0]]
    how = [
        np.array([_which(rows, place, made.get(town, ("", ""))[place]) for town in towns], np.int16)
        for place in range(2)
    ]
    finished = _recode_rows(loaded.tables, rows, how, np.array([town == suppressed for town in towns]))
    sizes = loaded.tables.store.rows(select(finished.equivalence.c.size).order_by(finished.equivalence.c.size))
    return [" ".join(map(str, row)) for row in released(finished, loaded)], [size for (size,) in sizes]


def _which(rows: SingletonsRows, place: int, rule: str) -> int:
    return 1 + [way.rule for way in rows.columns[place].generalisations].index(rule) if rule else 0


def test_what_is_not_changed_is_released_as_it_is(loaded: Loaded) -> None:
    lines = ["Graz 1918", "Linz 1920", "Linz 1920", "Wels 1921", "Wels 1950"]
    assert recoded(loaded, {}) == (lines, [1, 1, 1, 2])


def test_each_combination_is_generalised_in_its_own_way(loaded: Loaded) -> None:
    lines, sizes = recoded(loaded, {"Graz": ("any", ""), "Wels": ("parent", "any")})
    assert lines == ["* 1918", "Linz 1920", "Linz 1920", "north *", "north *"]
    assert sizes == [1, 2, 2]


def test_new_ranges_are_released_under_their_names(loaded: Loaded) -> None:
    """With k = 2 the years 1918 and 1920 make a range, and 1921 and 1950."""
    lines, sizes = recoded(
        loaded, {"Graz": ("any", "row-ranges"), "Linz": ("any", "row-ranges"), "Wels": ("", "ranges")}
    )
    assert lines == ["* [1918:1920]"] * 3 + ["Wels [1918:1950]"] * 2
    assert sizes == [2, 3]


def test_suppressed_records_show_their_roots_and_are_one_class(loaded: Loaded) -> None:
    lines, sizes = recoded(loaded, {"Wels": ("parent", "ranges")}, suppressed="Wels")
    assert lines == ["Graz 1918", "Linz 1920", "Linz 1920", "* *", "* *"]
    assert sizes == [1, 2, 2]


def test_one_label_makes_one_class_whatever_it_came_from(store: Store) -> None:
    """Aosta is a town and the province around it: the town itself and a village under its parent look alike."""
    towns = quasi_identifier("town", hierarchy="Aosta Aosta *\nCogne Aosta *\nTurin Piedmont *")
    loaded = load(store, "town\nAosta\nCogne\nTurin", declared([towns]))
    rows = read_rows(loaded.tables, K)
    labels = [rows.columns[0].labels[value] for value in rows.values[0]]
    how = np.array([int(label == "Cogne") for label in labels], np.int16)
    finished = _recode_rows(loaded.tables, rows, [how], np.zeros(3, np.bool_))
    assert [town for (town,) in released(finished, loaded)] == ["Aosta", "Aosta", "Turin"]
    assert sorted(size for (size,) in store.rows(select(finished.equivalence.c.size))) == [1, 2]
