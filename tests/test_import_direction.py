"""The rooms of the house import in one direction only: the judge does not know the accused."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers import children

import toolbox

PACKAGE = Path(toolbox.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))

# A room may import itself and the floors below it; rooms of one floor do not know each other.
FLOORS = (
    {"wording"},
    {"errors"},
    {"extensions", "notices", "steps"},
    {"hierarchy"},
    {"config"},
    {"queries"},
    {"store"},
    {"published"},
    {"privacy", "loss", "risks"},
    {"methods"},
    {"release", "report"},
    {"run", "description", "result"},
    {"judging"},
    {"api"},
    {"checks"},
    {"__init__"},
    {"cli", "ui"},
    {"__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


@cache
def imported(source: str) -> tuple[str, ...]:
    """List every module that a source imports, anywhere in it."""
    return tuple(_imported(source))


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides the room that it enters"
            assert node.module is not None
            # `from toolbox import store` enters the room store, `from toolbox import anonymize` the front door.
            rooms = [f"toolbox.{alias.name}" for alias in node.names if alias.name in FLOOR]
            yield from (rooms or ["toolbox.__init__"]) if node.module == "toolbox" else [node.module]


def imported_at_once(source: str) -> Iterator[str]:
    """Yield the modules that importing a source imports: not within functions, nor for type checkers."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from imported(ast.unparse(node))
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting.extend(node.orelse)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def room(module: str) -> str:
    """Name the room of a module of ours, given by its path or its dotted name."""
    parts = module.removesuffix(".py").replace("/", ".").removeprefix("toolbox.").split(".")
    return parts[0]


def climbs(module: str, source: str) -> list[str]:
    """List the imports that lead to a floor above, or to another room of the same one."""
    here = room(module)
    targets = {room(name) for name in imported(source) if name.split(".")[0] == "toolbox"}
    return sorted(there for there in targets if there != here and FLOOR[there] >= FLOOR[here])


def read(module: str) -> str:
    return (PACKAGE / module).read_text(encoding="utf-8")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_its_room_and_the_floors_below(module: str) -> None:
    assert climbs(module, read(module)) == []


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("privacy/proof.py", "from toolbox.methods.datafly import Datafly", ["methods"]),
        ("privacy/proof.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toolbox.run", ["run"]),
        ("store/load.py", "def late():\n    from toolbox.release import writer", ["release"]),
        ("release/writer.py", "import toolbox.report.summary", ["report"]),
        ("methods/datafly.py", "from toolbox import anonymize", ["__init__"]),
        ("methods/datafly.py", "from toolbox import run, store", ["run"]),
        ("methods/datafly.py", "from toolbox.privacy.model import PrivacyModel\nimport sqlalchemy", []),
    ],
)
def test_a_wrong_direction_would_be_found(module: str, source: str, wrong: list[str]) -> None:
    assert climbs(module, source) == wrong


@pytest.mark.parametrize(("library", "only"), [("lxml", "config"), ("duckdb", "store"), ("duckdb_sqlalchemy", "store")])
def test_only_one_room_knows_the_library(library: str, only: str) -> None:
    users = {room(module) for module in MODULES if library in {name.split(".")[0] for name in imported(read(module))}}
    assert users == {only}


# The rooms of these searches are entered when one begins; they, what places intervals among numbers, and what counts a
# text that is not short and plain, need numpy at once; so does what tries all values that statistics could be of.
SEARCHES = (
    *(f"methods/{room}/" for room in ("lattice", "local", "partitions", "prioritised", "sparing")),
    *(f"release/{name}.py" for name in ("class_values", "rounding", "solvable")),
    *("published/ranks.py", "risks/detection/", "store/audit.py", "store/counting.py", "store/lines.py"),
)


@pytest.mark.parametrize("module", [module for module in MODULES if not module.startswith(SEARCHES)])
def test_no_module_loads_the_heavy_libraries_of_the_edges_when_it_is_imported(module: str) -> None:
    loaded = {name.split(".")[0] for name in imported_at_once(read(module))}
    assert loaded.isdisjoint({"pandas", "numpy", "pyarrow", "matplotlib", "plotly"})


def test_imports_for_type_checkers_and_within_functions_are_not_at_once() -> None:
    source = (
        "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\n"
        "def f():\n    import d\nclass C:\n    import e\ntry:\n    import g\nexcept ImportError:\n    pass\n"
    )
    assert set(imported_at_once(source)) == {"a", "c", "e", "g"}


def test_a_run_without_a_search_never_loads_numpy() -> None:
    program = (
        "import sys, toolbox.run, toolbox.methods.registry as r; r.installed_methods(); print('numpy' in sys.modules)"
    )
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_command_line_starts_without_the_libraries_that_take_long() -> None:
    heavy = "sqlalchemy duckdb lxml rich.table pandas numpy pyarrow"
    program = f"import sys, toolbox.cli.main; print(*(name for name in {heavy.split()} if name in sys.modules))"
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_importing_the_package_loads_none_of_its_rooms() -> None:
    program = "import sys, toolbox; print(*(name for name in sys.modules if name.startswith('toolbox.')))"
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
