"""The tables of the guides say what is measured today; the seconds alone are of the machine that wrote them."""

import compare_methods
import generate_census
import pandas as pd
import pytest
from compare_methods import TABLES

ROWS = [(name, row) for name, table in TABLES.items() for row in table.rows]


def rows_of(table):
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_row_of_a_guide_is_what_is_measured(name, row):
    table = TABLES[name]
    (written,) = (cells for cells in rows_of(compare_methods.shown(name)) if cells[0] == row)
    compared = slice(len(table.heading) - table.seconds)
    assert table.row(row)[compared] == written[compared]


@pytest.mark.parametrize("name", TABLES)
def test_a_guide_has_each_row_once_below_the_heading(name):
    heading, line, *rows = rows_of(compare_methods.shown(name))
    assert heading == TABLES[name].heading
    assert set("".join(line)) == {"-", ":"}
    assert [cells[0] for cells in rows] == list(TABLES[name].rows)


@pytest.mark.slow
def test_ten_times_as_many_people_pay_less_for_k_20_than_these_for_k_5(monkeypatch):
    people = pd.concat([batch.to_pandas() for batch in generate_census.generate(50_000, 1)], ignore_index=True)
    columns = [*compare_methods.QUASI_IDENTIFIERS, compare_methods.SENSITIVE]
    words = {name: str for name in columns if name != "age"}
    monkeypatch.setattr(compare_methods, "_people", lambda: people[columns].astype(words))
    lost = compare_methods.measured(compare_methods.Question("Mondrian", {"k": 20})).lost
    assert f"{lost:.2f}" == "0.23"
    page = (compare_methods.TOP / "docs" / "which_k.md").read_text(encoding="utf-8")
    assert "k = 20 loses 0.23" in " ".join(page.split())


def test_what_a_class_gives_away_is_counted_without_those_who_are_suppressed():
    hidden = dict.fromkeys(compare_methods.QUASI_IDENTIFIERS, "*")
    young, old = ({**hidden, "age": age} for age in ("20", "60"))
    people = [(young, "flu"), (young, "flu"), (old, "flu"), (old, "gout"), (old, "gout"), (hidden, "flu")]
    release = pd.DataFrame([{**cells, "diagnosis": illness} for cells, illness in people])
    assert compare_methods._given_away(release) == {"told": 2, "surest": 1.0}
    assert compare_methods._given_away(release[2:]) == {"told": 0, "surest": 2 / 3}


def test_a_table_is_written_in_its_place_and_nothing_else_changes(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / TABLES["k"].page
    page.write_text(
        "# Before\n<!-- measured: k -->\n\nold\n\n<!-- end -->\nbehind\n<!-- measured: models -->x<!-- end -->\n"
    )
    monkeypatch.setattr(compare_methods, "TOP", tmp_path)
    compare_methods.write("k", "| new |")
    assert compare_methods.shown("k") == "| new |"
    assert page.read_text() == (
        "# Before\n<!-- measured: k -->\n\n| new |\n\n<!-- end -->\nbehind\n<!-- measured: models -->x<!-- end -->\n"
    )
