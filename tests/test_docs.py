"""Examples in docstrings, README.md and docs/ are run as they stand."""

import doctest
import importlib
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import toolbox

PACKAGE = Path(toolbox.__file__).parent
TOP = PACKAGE.parent
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)
PAGES = [path.relative_to(TOP).as_posix() for path in (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")))]
_BLOCK = re.compile(r"^([ ]*)```python[^\n]*\n(.*?)^\1```", flags=re.MULTILINE | re.DOTALL)
_FLAGS = doctest.NORMALIZE_WHITESPACE


def blocks(text: str) -> list[tuple[int, str]]:
    """Return each python block with the line that it begins in."""
    return [
        (text[: found.start(2)].count("\n") + 1, _dedented(found[2], len(found[1]))) for found in _BLOCK.finditer(text)
    ]


def _dedented(block: str, blanks: int) -> str:
    return "\n".join(line[blanks:] for line in block.split("\n"))


def run_block(source: str, *, name: str, line: int, names: dict[str, Any]) -> None:
    """Run one block: a dialogue is compared with what it prints, all else is executed."""
    if ">>>" not in source:
        exec(compile("\n" * (line - 1) + source, name, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(source, names, name, name, line - 1)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=_FLAGS)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a page names files of configs/, it means a copy in the folder of the test."""
    shutil.copytree(TOP / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, source in blocks((TOP / page).read_text(encoding="utf-8")):
        run_block(source, name=page, line=line, names=names)


def test_the_readme_shows_python() -> None:
    assert blocks((TOP / "README.md").read_text(encoding="utf-8"))


def test_a_block_is_found_where_it_stands() -> None:
    text = "# Page\n\n```python\na = 1\n```\n\n- item\n\n  ```python\n  b = 2\n  if b:\n      b = 3\n  ```\n```bash\nls\n```\n"
    assert blocks(text) == [(4, "a = 1\n"), (10, "b = 2\nif b:\n    b = 3\n")]


def test_a_wrong_example_fails() -> None:
    names: dict[str, Any] = {}
    run_block(">>> n = 1\n>>> n\n1\n", name="page", line=1, names=names)
    assert names["n"] == 1
    with pytest.raises(AssertionError, match="Expected"):
        run_block(">>> n + 1\n3\n", name="page", line=5, names=names)
    with pytest.raises(NameError):
        run_block("missing\n", name="page", line=9, names=names)
