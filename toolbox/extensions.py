"""Classes that other people add: imported by an entry point or by ``package.module:Class``, and checked before use."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import Field, fields
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeGuard, TypeVar

from toolbox.errors import SettingError, UsageError, did_you_mean, quote

_Class = TypeVar("_Class")


def is_reference(text: str) -> bool:
    """Return whether a text is a reference to import, ``package.module:Class``, instead of an installed name."""
    return ":" in text


def load_reference(text: str, base: type[_Class], what: str) -> type[_Class]:
    """Import the class that ``package.module:Class`` names; the working directory is searched first.

    Parameters
    ----------
    text : str
    base : type
        What it must be a subclass of.
    what : str
        What messages call such a class, as in ``method``.

    Raises
    ------
    UsageError
        If there is no such module or class, if importing it fails, or if it cannot be used as it is.
    """
    module, name, imported = _referred(text, what, "Class")
    if not hasattr(imported, name):
        known = [
            label for label, value in vars(imported).items() if _is_subclass(value, base) and value.__module__ == module
        ]
        listed = f"It has: {', '.join(known)}." if known else f"It has no subclass of {base.__name__}."
        raise UsageError(
            f"The {what} {text.strip()!r} cannot be loaded: {module} has no class {name!r}."
            f"{did_you_mean(name, known)} {listed}"
        )
    return usable(getattr(imported, name), base, f"The {what} {text.strip()!r}")


def load_function(text: str, what: str) -> Callable[..., Any]:
    """Import what ``package.module:function`` names; the working directory is searched first.

    Raises
    ------
    UsageError
        If there is no such module or function, or if importing it fails.
    """
    module, name, imported = _referred(text, what, "function")
    found: Callable[..., Any] | None = getattr(imported, name, None)
    if not callable(found):
        known = [label for label, value in vars(imported).items() if callable(value) and not label.startswith("_")]
        raise UsageError(
            f"The {what} {text.strip()!r} cannot be loaded: {module} has no function {name!r}."
            f"{did_you_mean(name, known)}"
        )
    return found


def _referred(text: str, what: str, thing: str) -> tuple[str, str, object]:
    """Import the module of a reference; return its name, the name of the thing, and the module."""
    module, _, name = text.strip().partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(f"The {what} {quote(text)} is no reference. Write package.module:{thing}.")
    with _working_directory_first():
        return module, name, _imported(f"The {what} {text.strip()!r}", module)


def load_installed(group: str, base: type[_Class], what: str) -> list[tuple[EntryPoint, type[_Class]]]:
    """Load all entry points of a group.

    Raises
    ------
    UsageError
        If one leads to no class that can be used.
    """
    return list(_installed(group, base, what, tuple(sys.path)))  # type: ignore[arg-type]


@cache
def _installed(
    group: str, base: type[_Class], what: str, _path: tuple[str, ...]
) -> tuple[tuple[EntryPoint, type[_Class]], ...]:
    """Load them once for each path that is searched: looking through all packages takes longer than many a step."""
    return tuple((entry, _loaded(entry, base, what)) for entry in entry_points(group=group))


def by_name(loaded: Iterable[tuple[EntryPoint, type[_Class], Iterable[str]]], what: str) -> dict[str, type[_Class]]:
    """Index classes by all their names, in lower case.

    Raises
    ------
    UsageError
        If two of them share a name; the message names both entry points.
    """
    classes: dict[str, tuple[EntryPoint, type[_Class]]] = {}
    for entry, class_, names in loaded:
        for name in names:
            other, holder = classes.setdefault(name.lower(), (entry, class_))
            if holder is not class_:
                raise UsageError(
                    f"Two installed {what}s are called {name!r}: {_described(other)} and {_described(entry)}. "
                    "Uninstall one of them, or give it another name."
                )
    return {name: class_ for name, (_, class_) in classes.items()}


def usable(class_: object, base: type[_Class], called: str) -> type[_Class]:
    """Return another author's class, if it can be used as it is.

    Raises
    ------
    UsageError
        If it is no subclass of ``base``, lacks a name, lacks what the base class leaves to it, or was meant to be a
        dataclass and is none.
    """
    if not _is_subclass(class_, base):
        raise UsageError(f"{called} is no subclass of {base.__name__}.")
    if inspect.isabstract(class_):
        lacking = ", ".join(
            member for member in dir(class_) if getattr(getattr(class_, member), "__isabstractmethod__", False)
        )
        raise UsageError(f"{called} is abstract: it lacks {lacking}. Define what is missing in {class_.__name__}.")
    if not (isinstance(name := getattr(class_, "name", None), str) and name.strip() and not is_reference(name)):
        raise UsageError(f"{called} has no name that users could write. Add name = {class_.__name__!r} to the class.")
    if any(isinstance(member, Field) for member in vars(class_).values()):
        raise UsageError(
            f"{called} has settings and lacks the line @dataclass(frozen=True, kw_only=True). Add it above."
        )
    return class_


def refuse_truth_values(instance: Any) -> None:
    """Stop where a dataclass has True or False as a number: Python treats them as 1 and 0.

    Raises
    ------
    SettingError
    """
    for setting in fields(instance):
        value = getattr(instance, setting.name)
        if isinstance(value, bool) and "bool" not in str(setting.type):
            raise SettingError(setting.name, value, "a number, which True and False are not")


def _is_subclass(value: object, base: type[_Class]) -> TypeGuard[type[_Class]]:
    return isinstance(value, type) and issubclass(value, base)


def _described(entry: EntryPoint) -> str:
    package = f" of the package {entry.dist.name}" if entry.dist else ""
    return f"the entry point {entry.name!r} ({entry.value}){package}"


def _loaded(entry: EntryPoint, base: type[_Class], what: str) -> type[_Class]:
    called = f"The {what} {entry.name!r} ({entry.value})"
    try:
        module = entry.module
    except AttributeError as error:
        raise UsageError(f"{called} is no reference. Its package must name package.module:Class.") from error
    value: object = _imported(called, module)
    for part in filter(None, (entry.attr or "").split(".")):
        if not hasattr(value, part):
            raise UsageError(f"{called} cannot be loaded: {entry.module} has no {entry.attr!r}.")
        value = getattr(value, part)
    return usable(value, base, called)


@contextmanager
def _working_directory_first() -> Iterator[None]:
    """Search modules in the working directory first while the block runs."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    # A file may be younger than what Python remembers of its folder.
    invalidate_caches()
    try:
        yield
    finally:
        # What is imported may have tidied up already.
        with suppress(ValueError):
            sys.path.remove(here)


def _imported(called: str, module: str) -> object:
    """Import a module; any error becomes one sentence with the line that raised it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        position = _place(error)
        if position or not error.name or not f"{module}.".startswith(f"{error.name}."):
            raise UsageError(f"{called} cannot be loaded: {position}{error}.") from error
        remedy = f"Start in the folder that holds {error.name}, or install it."
        raise UsageError(f"{called} cannot be loaded: there is no module {error.name!r}. {remedy}") from error
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UsageError(f"{called} cannot be loaded: {_place(error)}{reason}.") from error


def last_line(error: BaseException, module: str) -> tuple[str, int]:
    """Find the innermost line of a module that an error came through: its file and number.

    Parameters
    ----------
    error : BaseException
    module : str
        Name of an imported module; where the error did not come through it, the line that raised it counts.
    """
    frames = extract_tb(error.__traceback__)
    file = getattr(sys.modules.get(module), "__file__", None)
    own = [frame for frame in frames if frame.filename == file] or frames
    return own[-1].filename, own[-1].lineno or 0


def _place(error: BaseException) -> str:
    """Return the line of the imported module that raised: the innermost of the file whose code ran first."""
    frames = extract_tb(error.__traceback__)
    outermost = next((frame.filename for frame in frames if frame.name == "<module>"), None)
    if outermost is not None:
        line = [frame.lineno for frame in frames if frame.filename == outermost][-1]
        return f"{outermost}, line {line}: "
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: "
    return ""
