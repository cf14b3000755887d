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


def test_thirteen_changes_are_listed() -> None:
    assert len(ROWS) == 13


def test_each_file_and_folder_that_the_page_names_is_there() -> None:
    """Paths begin at the top, in the package, or in the room of their row; some are only the last part of one."""
    named = set(re.findall(r"`((?:[\w.]+/)*[\w.]+(?:\.py|/))`", PAGE))
    files = [
        path.relative_to(TOP).as_posix() for top in ("toolbox", "scripts", "tests") for path in (TOP / top).rglob("*")
    ]
    known = {
        f"/{path}{'/' if (TOP / path).is_dir() else ''}" for path in [*files, "toolbox", "scripts", "tests", "docs"]
    }
    assert sorted(name for name in named if not any(each.endswith(f"/{name}") for each in known)) == []


@pytest.mark.parametrize(("change", "files", "shown"), ROWS, ids=[row[0] for row in ROWS])
def test_its_files_and_the_test_that_shows_it_are_there(change: str, files: str, shown: str) -> None:
    assert [path for path in re.findall(r"`([^`]+)`", files) if not (TOP / path).exists()] == []
    path, _, name = shown.strip("`").partition("::")
    tree = ast.parse((TOP / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
