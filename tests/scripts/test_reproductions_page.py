"""How numbers are written side by side, and that no table of a source is left out of its text."""

from pathlib import Path

import pytest
from reproductions import page as written
from reproductions.frame import Number, Source, Table
from reproductions.page import document, page, shown

NUMBERS = [
    Number("S, M_loc", "MR", 87_464, 64_957, why="one name"),
    Number("S, M_loc", "%S", 1.45, 1.4452, within=0.005, digits=2),
    Number("*", "MR", 3, None, why="not at hand"),
    Number("*", "%S", 0.0, -2.7e-11, within=0.005, digits=2),
]


def test_a_table_shows_each_number_beside_ours_and_each_reason_once() -> None:
    assert shown(Table([*NUMBERS, Number("S", "MR", 2, 1, why="one name")])).splitlines() == [
        "Equal means: fractions differ by 0.005 at most, counts not at all.",
        "",
        "|  | MR: published | ours | %S: published | ours |",
        "| --- | --: | --: | --: | --: |",
        r"| S, M\_loc | 87,464 | 64,957 (a) | 1.45 | 1.45 |",
        r"| \* | 3 | – (b) | 0.00 | 0.00 |",
        "| S | 2 | 1 (a) |  |  |",
        "",
        "- (a) one name",
        "- (b) not at hand",
    ]


def test_a_compact_table_shows_equal_numbers_once() -> None:
    assert shown(Table(NUMBERS, is_compact=True)).splitlines()[4:6] == [
        r"| S, M\_loc | 87,464, ours 64,957 (a) | 1.45 |",
        r"| \* | 3 (b) | 0.00 |",
    ]


def test_a_count_is_a_whole_number_on_both_sides() -> None:
    numbers = [
        Number("levels", "of age", 4, 4.0),
        Number("levels", "of sex", 1.0, 1.0),
        Number("l", "of sex", 3, 2.5, 1),
    ]
    assert shown(Table(numbers)).splitlines()[-2:] == [
        "| levels | 4 | 4 | 1.0000 | 1.0000 |",
        "| l |  |  | 3 | 2.5000 |",
    ]


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the texts of a page in another folder."""
    monkeypatch.setattr(written, "TEXTS", tmp_path)
    (tmp_path / "head.md").write_text("# All\n")
    (tmp_path / "paper.md").write_text("## A paper: tables\n\n<!-- table1 -->\n\nBehind it.\n")
    return tmp_path


def test_the_page_begins_with_a_summary(texts: Path) -> None:
    source = Source("paper", {"table1": Table([Number("S", "MR", 1, 1), NUMBERS[0]])}, lacking=3)
    assert page([source]).splitlines()[:9] == [
        "# All",
        "",
        "| document | numbers | equal | explained | not reproducible |",
        "| --- | --: | --: | --: | --: |",
        "| [A paper: tables](#a-paper-tables) | 5 | 1 | 1 | 3 |",
        "| all | 5 | 1 | 1 | 3 |",
        "",
        "## A paper: tables",
        "",
    ]
    assert page([source]).endswith("- (a) one name\n\nBehind it.\n")


def test_each_table_has_one_place(texts: Path) -> None:
    table = Table([Number("S", "MR", 1, 1)])
    with pytest.raises(ValueError, match=r"paper\.md has not just one place for: table2"):
        document(Source("paper", {"table1": table, "table2": table}))
    assert "left out" in document(Source("paper", {}))
