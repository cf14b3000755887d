"""The table of CONTRIBUTING.md that says what a change touches: its files are there, and so are the tests that show it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
PAGE = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## What must I touch?\n")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in SECTION.splitlines() if line.startswith("|")][
    2:
]


def test_twelve_changes_are_listed() -> None:
    assert len(ROWS) == 12


@pytest.mark.parametrize(("change", "files", "shown"), ROWS, ids=[row[0] for row in ROWS])
def test_its_files_and_the_test_that_shows_it_are_there(change: str, files: str, shown: str) -> None:
    assert [path for path in re.findall(r"`([^`]+)`", files) if not (TOP / path).exists()] == []
    path, _, name = shown.strip("`").partition("::")
    tree = ast.parse((TOP / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
