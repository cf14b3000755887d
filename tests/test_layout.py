"""Who is new finds the way: the table of rooms is true, and each room has its tests where its path says."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from helpers.sources import MODULES, read
from test_import_direction import imported, room

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
TESTS = Path(__file__).parent
FOR_EVERYBODY = {"errors", "messages"}
WITHOUT_ROOM = {"__init__", "__main__"}
WITHOUT_TESTS: set[str] = set()
"""Rooms that the tests of others cover. The list only shrinks: a new room gets its tests."""
_ROW = re.compile(r"^\| `(?P<room>\w+)(?:\.py|/)` \|[^|]*\|(?P<imports>[^|]*)\|$", flags=re.MULTILINE)


def real_imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports, but for those that everybody may."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        names = {room(name) for name in imported(read(module)) if name.partition(".")[0] == "toolbox"}
        found[room(module)] |= names - FOR_EVERYBODY - {room(module)}
    return {name: rooms for name, rooms in found.items() if name not in WITHOUT_ROOM}


def imports_of(cell: str) -> set[str]:
    return {"__init__" if name == "the package" else name for name in cell.strip().split(", ") if name}


def test_the_table_of_rooms_says_what_each_room_imports() -> None:
    rows = {row["room"]: imports_of(row["imports"]) for row in _ROW.finditer(CONTRIBUTING.read_text())}
    assert rows == real_imports()


def test_each_room_has_its_tests_where_its_path_says() -> None:
    rooms = {Path(module).parent for module in MODULES if "/" in module and "__" not in module}
    assert {str(room) for room in rooms if not any((TESTS / room).rglob("test_*.py"))} == WITHOUT_TESTS
