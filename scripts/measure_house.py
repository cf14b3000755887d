"""Counts how the package is built: how deep its modules are, how much they import, how its functions are named.

Run it before and after a change of the layout: ``python scripts/measure_house.py``; with ``--runs`` it also counts the
files in which a function runs. `tests/test_house.py` holds what must not become worse.
"""

from __future__ import annotations

import ast
import io
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "toolbox"
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_VERBS = frozenset(
    """
    accept add adopt agree allow anonymise anonymize answer apply ask assert attach begin bind build call can
    cancel cast change check choose cite clean clear close collect combine compare compile compute connect
    convert copy count cover create cut decide declare decode define delete describe detect determine differ
    do does draw drop edit encode end ensure enter escape estimate evaluate execute exit expand
    explain export extend extract fail fall fetch fill filter find finish fit fix flush fold follow format free
    freeze generalise generalize generate get give go group guess handle has hash have hear hide hold holds
    import include infer insert install interpret interrupt invert is join judge keep know knows label lay
    lead learn leave let link list load lock log look lose make map mark match may measure merge move
    must name need needs normalise offer open order pack pair parse pass pick place plot pop post
    prepare print propose protect prove publish pull push put query quote raise rank read reads recode record
    redo reduce refuse register reject release reload remove rename render reorder repeat replace require
    reset resolve restart restore return rewrite round run sample save say says scan search see seek
    select send serve set settle shift should show shuffle shut simplify skip solve sort spill split start stay
    stop store stream strip submit sum suppress swap take takes tell tells test trace track transform
    translate treat trim try turn undo unite unlock update upload use validate verify visit wait walk warn watch
    weigh widen will work would wrap write yield
    """.split()  # noqa: SIM905
)
"""Words with which the name of a function that acts begins, or of one that tests."""
_PARTICIPLES = frozenset(
    """
    begun bound built chosen done drawn found given gone grown held hidden kept known laid left lost made meant
    met paid said seen sent shown sold sorted spent stood taken thought told torn understood won worn written
    """.split()  # noqa: SIM905
)
"""Those that do not end in -ed."""
_NO_PARTICIPLES = {"bed", "embed", "exceed", "feed", "need", "proceed", "red", "seed", "shed", "speed"}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def sources() -> dict[str, ast.Module]:
    """Return the tree of each module, by its path in the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def _statements(module: str) -> list[ast.AST]:
    """Return the tree of a module and each statement in it; expressions, most of a tree, hold none."""
    found: list[ast.AST] = [sources()[module]]
    for node in found:
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            found += getattr(node, field, ())
    return found


@cache
def _imports(module: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the statements of a module that import, wherever they stand."""
    return tuple(node for node in _statements(module) if isinstance(node, (ast.Import, ast.ImportFrom)))


def _imports_from(module: str) -> Iterator[ast.ImportFrom]:
    return (node for node in _imports(module) if isinstance(node, ast.ImportFrom))


@cache
def code_lines(module: str) -> frozenset[int]:
    """Return the lines of a module that hold code: no comments, no docstrings, nothing blank."""
    documented: set[int] = set()
    for node in _statements(module):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            documented |= _lines(node.body[0])
    found: set[int] = set()
    text = (PACKAGE / module).read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found |= set(range(token.start[0], token.end[0] + 1))
    return frozenset(found - documented)


def real_modules() -> list[str]:
    """Return the modules that hold code, without those that only say that a folder is a package."""
    return [module for module in sources() if not module.endswith("__init__.py") or len(code_lines(module)) > 3]


def imports_inside(module: str) -> int:
    """Count the statements of a module that import from the package."""
    return sum((node.module or "").partition(".")[0] == "toolbox" for node in _imports_from(module))


def entries_of_rooms() -> dict[str, int]:
    """Count the files and sub-rooms of each room."""
    rooms: dict[str, set[str]] = defaultdict(set)
    for module in sources():
        *folders, name = module.split("/")
        for depth, folder in enumerate(folders):
            rooms["/".join(folders[:depth])].add(folder)
        if name != "__init__.py":
            rooms["/".join(folders)].add(name)
    return {room: len(entries) for room, entries in rooms.items() if room}


def arrows_between_rooms(room: str) -> set[tuple[str, str]]:
    """Return which sub-rooms of a room import from which others."""
    return {
        (module.split("/")[1], there.split(".")[2])
        for module, there in _imports_within(room)
        if module.count("/") > 1 and module.split("/")[1] != there.split(".")[2]
    }


def _imports_within(room: str) -> Iterator[tuple[str, str]]:
    """Yield each import of a module of a room from a sub-room of it."""
    rooms = {module.split("/")[1] for module in sources() if module.startswith(f"{room}/") and module.count("/") > 1}
    for module in sources():
        if module.startswith(f"{room}/"):
            for node in _imports_from(module):
                parts = (node.module or "").split(".")
                if parts[:2] == ["toolbox", room] and len(parts) > 2 and parts[2] in rooms:
                    yield module, node.module or ""


def classes_defined_twice() -> list[str]:
    """Return the names of public classes that several modules define."""
    names = Counter(
        node.name
        for tree in sources().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sorted(name for name, count in names.items() if count > 1)


def names_of_one_user() -> tuple[int, int]:
    """Count the public names of modules that at most one other module uses, and all public names."""
    users: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in sources():
        for node in _imports_from(module):
            for alias in node.names:
                users[node.module or "", alias.name].add(module)
    public = [
        (_dotted(module), node.name)
        for module, tree in sources().items()
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
    ]
    return sum(len(users[name]) == 1 for name in public), len(public)


def names_of_functions() -> list[str]:
    """Return the name of each function and method; what Python calls, and properties, which are nouns, aside."""
    return [
        node.name
        for tree in sources().values()
        for node in _functions(tree.body)
        if not node.name.startswith("__") and not any("property" in ast.unparse(each) for each in node.decorator_list)
    ]


def begins_with_verb(name: str) -> bool:
    """Return whether the first word of a name is a verb in its base form."""
    return name.strip("_").partition("_")[0] in _VERBS


def begins_with_participle(name: str) -> bool:
    """Return whether the first word of a name is a past participle."""
    word = name.strip("_").partition("_")[0]
    return word in _PARTICIPLES or (word.endswith("ed") and word not in _NO_PARTICIPLES)


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


@cache
def measures() -> dict[str, float]:
    """Return all figures by their names."""
    modules = real_modules()
    sizes = {module: len(code_lines(module)) for module in sources()}
    total, inside = sum(sizes.values()), sum(map(imports_inside, sources()))
    importing = sum(len(_lines(node) & code_lines(module)) for module in sources() for node in _imports(module))
    one, public = names_of_one_user()
    functions = names_of_functions()
    return {
        "files": len(sources()),
        "real modules": len(modules),
        "median code lines of a real module": statistics.median(sizes[module] for module in modules),
        "code lines": total,
        "% of code in modules of at most 100 lines": _share(sum(size for size in sizes.values() if size <= 100), total),
        "imports inside the package per 1,000 lines of code": round(1000 * inside / total, 1),
        "% of code that is import lines": _share(importing, total),
        "% of public names that only one module uses": _share(one, public),
        "% of functions whose name begins with a verb": _share(sum(map(begins_with_verb, functions)), len(functions)),
        "% of functions named by a participle": _share(sum(map(begins_with_participle, functions)), len(functions)),
        "public class names defined more than once": len(classes_defined_twice()),
        "rooms of more than ten entries": sum(count > 10 for count in entries_of_rooms().values()),
        "arrows between the sub-rooms of flows": len(arrows_between_rooms("flows")),
        "arrows between the sub-rooms of store": len(arrows_between_rooms("store")),
        "modules of more than 15 imports inside": sum(imports_inside(module) > 15 for module in modules),
    }


def _lines(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _dotted(module: str) -> str:
    return "toolbox." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _share(part: int, whole: int) -> float:
    return round(100 * part / whole, 1)


_TRACED = """
import sys
files, before = {}, []
def watch(frame, event, _):
    code = frame.f_code
    # Bodies of modules and classes are run too, and are no functions.
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(sys.argv[1]):
        if code.co_filename.endswith("flows/release/anonymize.py") and not before:
            before.append(len(files))
        files[code.co_filename] = None
import threading
from toolbox.cli.main import main
threading.setprofile(watch)
sys.setprofile(watch)
status = main(sys.argv[2:])
sys.setprofile(None)
print(status, len(files), *before, file=sys.stderr)
"""
"""Runs a command line, and counts the files in which one of its functions ran."""


def measure_runs() -> dict[str, float]:
    """Count the files in which a function runs: in one run by configuration, and in `toolbox risk` on its release."""
    configs = PACKAGE.parent / "configs"
    with tempfile.TemporaryDirectory() as folder:
        copied = shutil.copytree(configs, Path(folder) / "configs", ignore=shutil.ignore_patterns("output"))
        (copied / "output").mkdir()
        given = ("-config", str(copied / "census_mondrian.xml"), "--quiet")
        run, risk = _count_files(*given), _count_files("risk", *given)
    return {
        "files in which a function runs, in one run by configuration": run[0],
        "of these before the flow": run[1],
        "files in which a function runs, in toolbox risk": risk[0],
    }


def _count_files(*words: str) -> list[int]:
    command = [sys.executable, "-c", _TRACED, str(PACKAGE), *words]
    traced = subprocess.run(command, cwd=PACKAGE.parent, check=True, capture_output=True, text=True)
    status, *counts = map(int, traced.stderr.splitlines()[-1].split())
    assert status == 0, traced.stderr
    return counts


if __name__ == "__main__":
    found = measures() | (measure_runs() if "--runs" in sys.argv else {})
    if "--json" in sys.argv:
        print(json.dumps(found, indent=2))
    else:
        for label, figure in found.items():
            print(f"{figure:>10,}  {label}")
