"""The rooms of the house import in one direction only: the judge does not know the accused."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest
from helpers import children
from helpers.sources import MODULES, PACKAGE, nodes_of, read, tree_of, where

# A room may import itself and the floors below it; rooms of one floor do not know each other.
FLOORS = (
    {"messages"},
    {"errors"},
    {"charts", "extensions", "steps"},
    {"hierarchy"},
    {"config"},
    {"queries"},
    {"knowledge", "treatments"},
    {"store"},
    {"published"},
    {"privacy", "loss", "risks", "detection", "suggestions"},
    {"methods"},
    {"recodings"},
    {"engines", "release", "report"},
    {"flows"},
    {"experiments"},
    {"api", "hierarchies", "projects"},
    {"__init__"},
    {"checks", "app", "sklearn"},
    {"cli", "ui"},
    {"__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


@cache
def imported(source: str) -> tuple[str, ...]:
    """List every module that a source imports, anywhere in it."""
    return tuple(_imported(source))


def _imported(source: str) -> Iterator[str]:
    for node in nodes_of(source):
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
    waiting: list[ast.AST] = [tree_of(source)]
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


def test_a_module_imports_only_from_its_room_and_the_floors_below() -> None:
    assert {module: wrong for module in MODULES if (wrong := climbs(module, read(module)))} == {}


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("privacy/proof/proof.py", "from toolbox.methods.datafly import Datafly", ["methods"]),
        (
            "privacy/proof/proof.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toolbox.flows.release.anonymize",
            ["flows"],
        ),
        ("store/load/loading.py", "def late():\n    from toolbox.release import writer", ["release"]),
        ("release/release.py", "import toolbox.report.runs.summary", ["report"]),
        ("methods/datafly.py", "from toolbox import anonymize", ["__init__"]),
        ("methods/datafly.py", "from toolbox import flows, store", ["flows"]),
        ("methods/datafly.py", "from toolbox.privacy.model import PrivacyModel\nimport sqlalchemy", []),
    ],
)
def test_a_wrong_direction_would_be_found(module: str, source: str, wrong: list[str]) -> None:
    assert climbs(module, source) == wrong


def graph() -> dict[str, set[str]]:
    """Map each module to the modules that it imports, also within functions and for type checkers."""
    names = {
        "toolbox." + module.removesuffix(".py").removesuffix("/__init__").replace("/", "."): module
        for module in MODULES
    }
    found = {}
    for name, module in names.items():
        nodes = [node for node in nodes_of(read(module)) if isinstance(node, ast.ImportFrom)]
        targets = [(node.module or "", alias.name) for node in nodes for alias in node.names]
        found[name] = {f"{source}.{part}" if f"{source}.{part}" in names else source for source, part in targets} - {
            name
        }
    return {name: targets & set(names) for name, targets in found.items()}


def circles(imports: dict[str, set[str]]) -> set[str]:
    """List the modules that import each other, directly or by way of others, and those above them."""
    left = dict(imports)
    while free := {name for name, targets in left.items() if not targets & set(left)}:
        left = {name: targets for name, targets in left.items() if name not in free}
    return set(left)


def test_no_modules_import_each_other() -> None:
    assert circles(graph()) == set()


def test_a_circle_would_be_found() -> None:
    assert graph()["toolbox.report.judges.check"] >= {"toolbox.report.console", "toolbox.report.advice"}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("library", "only"),
    [("lxml", "config"), ("duckdb", "store"), ("duckdb_sqlalchemy", "store"), ("psycopg", "engines")],
)
def test_only_one_room_knows_the_library(library: str, only: str) -> None:
    users = {room(module) for module in MODULES if library in {name.split(".")[0] for name in imported(read(module))}}
    assert users == {only}


# Methods stand side by side on one base, which knows none of them: so a method can be read, and go, alone.
# A method is a package with a `method.py`, or a module of its own; those of `lattice` share one search.
METHODS = {path.parent.name for path in (PACKAGE / "methods").glob("*/method.py")} | {
    "anatomy",
    "datafly",
    "lattice",
    "mdav",
}


def other_methods(module: str, source: str) -> list[str]:
    """List the methods that a module of the room `methods` imports, except its own."""
    own = module.removesuffix(".py").split("/")[1]
    parts = [name.split(".") for name in imported(source)]
    # `from toolbox.methods import ..` names no module, and is not allowed.
    if ["toolbox", "methods"] in parts:
        return ["toolbox.methods"]
    return sorted(METHODS & {names[2] for names in parts if names[:2] == ["toolbox", "methods"]} - {own})


def test_no_method_imports_another() -> None:
    modules = [name for name in MODULES if name.startswith("methods/")]
    assert {module: others for module in modules if (others := other_methods(module, read(module)))} == {}


def test_every_installed_method_is_one_of_them() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = project["entry-points"]["toolbox.methods"].values()
    assert {target.split(":")[0].split(".")[2] for target in targets} == METHODS


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        (
            "methods/prioprivacy/search.py",
            "from toolbox.methods.mondrian.partitions import PartitionCuts",
            ["mondrian"],
        ),
        ("methods/arrays/combinations.py", "def late():\n    import toolbox.methods.datafly", ["datafly"]),
        ("methods/arrays/combinations.py", "from toolbox.methods import mondrian", ["toolbox.methods"]),
        ("methods/mondrian/search.py", "from toolbox.methods.mondrian.partitions import PartitionCuts", []),
        ("methods/lattice/incognito.py", "from toolbox.methods.lattice.searching import LatticeSearch", []),
    ],
)
def test_a_method_that_imports_another_would_be_found(module: str, source: str, wrong: list[str]) -> None:
    assert other_methods(module, source) == wrong


# The rooms of these searches are entered when one begins; they, what places intervals among numbers, and what counts a
# text that is not short and plain, need numpy at once; so does what tries all values that statistics could be of, and a
# class of scikit-learn.
SEARCHES = (
    *(f"methods/{room}/" for room in ("arrays", "lattice", "local_recoding", "mondrian", "prioprivacy", "singletons")),
    *(f"experiments/cells/{name}.py" for name in ("analysing", "learning")),
    *(f"risks/matching/{name}.py" for name in ("graph", "matching")),
    *(f"risks/statistics/{name}.py" for name in ("fitting", "published", "solving")),
    "detection/",
    "release/formats/solvable.py",
    "recodings/",
    "sklearn.py",
    "store/input/text_count.py",
    "store/input/text_records.py",
)


# A method is loaded to be listed, its search is not.
LISTED = (
    *("/__init__.py", "/method.py", "arrays/memory.py", "arrays/full_domain.py"),
    *("lattice/optimal.py", "lattice/incognito.py", "lattice/loss_input.py"),
    "recodings/applying.py",
)


def heavy_at_once(source: str) -> set[str]:
    loaded = {name.split(".")[0] for name in imported_at_once(source)}
    return loaded & {"pandas", "numpy", "pyarrow", "matplotlib", "plotly"}


def test_no_module_loads_the_heavy_libraries_of_the_edges_when_it_is_imported() -> None:
    light = [name for name in MODULES if not name.startswith(SEARCHES) or name.endswith(LISTED)]
    assert where(heavy_at_once, light) == {}


def test_imports_for_type_checkers_and_within_functions_are_not_at_once() -> None:
    source = (
        "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\n"
        "def f():\n    import d\nclass C:\n    import e\ntry:\n    import g\nexcept ImportError:\n    pass\n"
    )
    assert set(imported_at_once(source)) == {"a", "c", "e", "g"}


def test_a_run_without_a_search_never_loads_numpy() -> None:
    program = (
        "import sys, toolbox.flows.release.anonymize, toolbox.methods.anonymizer as r; "
        "r.list_installed_methods(); print('numpy' in sys.modules)"
    )
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_command_line_starts_without_the_libraries_that_take_long() -> None:
    heavy = "sqlalchemy duckdb lxml rich.table pandas numpy pyarrow importlib.metadata"
    program = f"import sys, toolbox.cli.main, toolbox.cli.options.options; print(*(name for name in {heavy.split()} if name in sys.modules))"
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_importing_the_package_loads_none_of_its_rooms() -> None:
    program = "import sys, toolbox; print(*(name for name in sys.modules if name.startswith('toolbox.')))"
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
