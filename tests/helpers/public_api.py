"""Everything that a program of a user may call or read, a line each: names, arguments and their defaults."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import toolbox
from toolbox import hierarchies


def list_public_api() -> list[str]:
    """List the names of the package and of its module of hierarchies, and the members of public classes."""
    named = {name: getattr(toolbox, name) for name in toolbox.__all__}
    named |= {f"hierarchies.{name}": getattr(hierarchies, name) for name in hierarchies.__all__}
    return [line for name, found in named.items() for line in _list_lines(name, found)]


def _list_lines(name: str, found: Any) -> Iterator[str]:
    yield f"{name}{_show_arguments(found)}"
    if inspect.isclass(found):
        for member in _list_members(found):
            raw = inspect.getattr_static(found, member)
            function = raw.__func__ if isinstance(raw, (staticmethod, classmethod)) else raw
            yield f"{name}.{member}{_show_arguments(function) if inspect.isfunction(function) else ''}"


def _list_members(of: type) -> list[str]:
    """List the public members of a class that no public base of it has: those stand there."""
    public = [base for base in of.__mro__[1:] if base.__name__ in toolbox.__all__ or not _is_ours(base)]
    above = {member for base in public for member in vars(base)}
    ours = {member for base in of.__mro__ if _is_ours(base) for member in vars(base)}
    return sorted(member for member in ours - above if not member.startswith("_"))


def _is_ours(of: type) -> bool:
    return of.__module__.partition(".")[0] == "toolbox"


def _show_arguments(of: Any) -> str:
    """Return the arguments of a call, without their types."""
    try:
        signature = inspect.signature(of)
    except (TypeError, ValueError):  # an exception, or what takes anything
        return ""
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
