"""Sensitive attributes: their values checked, and counted by combination where a privacy model judges them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from sqlalchemy import select

from toolbox.config.model import Attribute, Column, Config, Input, Kind
from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.input.text import DelimitedSource
from toolbox.store.load.loading import Loader
from toolbox.store.tables import SensitiveTables, Tables


def attribute(kind: Kind | None, codes: dict[str, int] | None = None) -> Attribute:
    return Attribute(column=Column(index=None, name="illness"), kind=kind, categories=codes)


def load(
    store: Store,
    illness: list[object],
    *,
    kind: Kind | None = None,
    codes: dict[str, int] | None = None,
    ages: list[int] | None = None,
    judged: dict[str, bool] | None = None,
    **options: object,
) -> Tables:
    """Load a table of two columns, one of them sensitive."""
    table = pa.table({"age": ages or [1] * len(illness), "illness": illness})
    config = declared("age", sensitive=[attribute(kind, codes)], **options)
    return (
        Loader(config, open_arrow_source(store, table), store, {"illness": False} if judged is None else judged)
        .load()
        .tables
    )


def read_text(store: Store, folder: Path, lines: str, *, needs_kind: bool, kind: Kind | None = None) -> Tables:
    """Load delimited text, which does not say what its columns hold."""
    path = folder / "in.csv"
    path.write_text("age,illness\n" + lines, encoding="utf-8")
    config: Config = declared("age", sensitive=[attribute(kind)])
    source = DelimitedSource(Input(path=path, header=True), store)
    return Loader(config, source, store, {"illness": needs_kind}).load().tables


def overall(tables: Tables) -> list[tuple[float, int]]:
    return sorted(tables.store.rows(select(tables.sensitive["illness"].overall)))


def codes(tables: Tables) -> dict[str | None, float]:
    return dict(tables.store.rows(select(tables.sensitive["illness"].codes)))


def test_values_are_counted_by_combination_and_in_all(store: Store) -> None:
    tables = load(store, ["flu", "cold", "flu", "flu"], ages=[30, 20, 30, 20])
    one: SensitiveTables = tables.sensitive["illness"]
    assert (one.name, one.position, one.kind) == ("illness", 1, "category")
    # Combinations are numbered by age, illnesses by their names: 20 has a cold (0) and a flu (1), 30 two flus.
    assert sorted(store.rows(select(one.histogram))) == [(0, 0, 1), (0, 1, 1), (1, 1, 2)]
    assert overall(tables) == [(0, 1), (1, 3)]
    assert codes(tables) == {"cold": 0, "flu": 1}


def test_declared_codes_are_kept(store: Store) -> None:
    tables = load(store, ["flu", "cold"], kind="category", codes={"cold": 7, "flu": 3, "gout": 9})
    assert (overall(tables), codes(tables)) == ([(3, 1), (7, 1)], {"cold": 7, "flu": 3})


def test_a_number_written_in_several_ways_is_one_value(store: Store) -> None:
    tables = load(store, ["1", "1.0", "1e0", "-0", "0"], kind="number")
    assert overall(tables) == [(0, 2), (1, 3)]
    assert codes(tables) == {"1": 1, "1.0": 1, "1e0": 1, "-0": 0, "0": 0}


def test_an_attribute_that_nobody_judges_is_not_counted(store: Store) -> None:
    assert load(store, ["flu", "cold"], judged={}).sensitive == {}


@pytest.mark.slow
@pytest.mark.parametrize("judged", [{}, {"illness": False}])
def test_a_value_that_is_no_declared_category_is_an_error_that_does_not_quote_it(
    store: Store, judged: dict[str, bool]
) -> None:
    with pytest.raises(InputError) as caught:
        load(store, ["flu", "Plague"], kind="category", codes={"flu": 0}, judged=judged)
    assert "column illness: pattern 'aaaaaa' (row 2) is no declared category." in str(caught.value)
    assert "Plague" not in str(caught.value)


def test_a_text_in_a_column_of_numbers_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match=r"column illness: pattern 'aa' \(row 2\) is no number"):
        load(store, ["1", "xy"], kind="number")


@pytest.mark.slow
def test_records_without_a_value_are_skipped_or_form_a_category(store: Store) -> None:
    assert overall(load(store, ["flu", None, "?", ""])) == [(0, 1)]
    kept = load(store, ["flu", None, "?", ""], on_missing="keep")
    assert overall(kept) == [(0, 3), (1, 1)]
    assert codes(kept) == {"flu": 1, None: 0, "?": 0, "": 0}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("lines", "kind", "counted"),
    [("1,10\n2,9\n", "number", [(9, 1), (10, 1)]), ("1,10\n2,flu\n", "category", [(0, 1), (1, 1)])],
)
def test_plain_text_is_numbers_if_all_values_are(
    own_store: Store, tmp_path: Path, lines: str, kind: Kind, counted: list[tuple[float, int]]
) -> None:
    tables = read_text(own_store, tmp_path, lines, needs_kind=False)
    assert (tables.sensitive["illness"].kind, overall(tables)) == (kind, counted)


def test_a_model_that_must_know_the_kind_takes_plain_text_for_numbers(own_store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'aaa' \(line 3\) is no number.* write type='category'"):
        read_text(own_store, tmp_path, "1,10\n2,flu\n", needs_kind=True)


def test_a_declared_kind_settles_it(own_store: Store, tmp_path: Path) -> None:
    tables = read_text(own_store, tmp_path, "1,10\n2,flu\n", needs_kind=True, kind="category")
    assert tables.sensitive["illness"].kind == "category"
