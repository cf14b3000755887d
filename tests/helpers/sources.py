"""The sources of the package, read and parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar

import toolbox

T = TypeVar("T")

PACKAGE = Path(toolbox.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@cache
def read(module: str) -> str:
    return (PACKAGE / module).read_text(encoding="utf-8")


@cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """List all nodes of a source, those above before those below."""
    return tuple(ast.walk(tree_of(source)))


def where(check: Callable[[str], T], modules: Iterable[str] = MODULES) -> dict[str, T]:
    """Map each module in whose source a check finds something to what it finds.

    One test for all modules, as hundreds of tests would cost more than they check.
    """
    return {module: found for module in modules if (found := check(read(module)))}
