"""Classes that other people add: imported by an entry point or by ``package.module:Class``, and checked before use."""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from dataclasses import Field, dataclass, fields
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar

from toolbox.errors import SettingError, ToolboxError, UsageError, did_you_mean, quote
from toolbox.messages import is_asked_in_python, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_Class = TypeVar("_Class")
_Facts = TypeVar("_Facts")
_REFUSAL: ContextVar[str] = ContextVar("refusal_of_references", default="")


def is_reference(text: str) -> bool:
    """Return whether a text is a reference to import, ``package.module:Class``, instead of an installed name."""
    return ":" in text


@contextmanager
def refuse_references(remedy: str) -> Iterator[None]:
    """Refuse every reference while the block runs: what is read there came from others, and must not choose code.

    Parameters
    ----------
    remedy : str
        What messages propose besides an installed name.
    """
    token = _REFUSAL.set(remedy)
    try:
        yield
    finally:
        _REFUSAL.reset(token)


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
    module, name, imported = _import_reference(text, what, "Class")
    if not hasattr(imported, name):
        known = [
            label for label, value in vars(imported).items() if _is_subclass(value, base) and value.__module__ == module
        ]
        listed = f"It has: {', '.join(known)}." if known else f"It has no subclass of {base.__name__}."
        raise UsageError(
            f"The {what} {text.strip()!r} cannot be loaded: {module} has no class {name!r}."
            f"{did_you_mean(name, known)} {listed}"
        )
    return require_usable(getattr(imported, name), base, f"The {what} {text.strip()!r}")


def load_function(text: str, what: str) -> Callable[..., Any]:
    """Import what ``package.module:function`` names; the working directory is searched first.

    Raises
    ------
    UsageError
        If there is no such module or function, or if importing it fails.
    """
    module, name, imported = _import_reference(text, what, "function")
    found: Callable[..., Any] | None = getattr(imported, name, None)
    if not callable(found):
        known = [label for label, value in vars(imported).items() if callable(value) and not label.startswith("_")]
        raise UsageError(
            f"The {what} {text.strip()!r} cannot be loaded: {module} has no function {name!r}."
            f"{did_you_mean(name, known)}"
        )
    return found


def _import_reference(text: str, what: str, thing: str) -> tuple[str, str, object]:
    """Import the module of a reference; return its name, the name of the thing, and the module."""
    module, _, name = text.strip().partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(f"The {what} {quote(text)} is no reference. Write package.module:{thing}.")
    if remedy := _REFUSAL.get():
        raise UsageError(f"The {what} {text.strip()!r} would import code. {remedy}")
    with _search_working_directory():
        return module, name, _import_module(f"The {what} {text.strip()!r}", module)


@dataclass(frozen=True)
class Broken:
    """A plug-in that cannot be used."""

    what: str
    """What it should be, such as ``method``."""
    name: str
    """That of its entry point."""
    package: str
    """The package that installs it; empty if that is unknown."""
    reason: str
    """One sentence or more, with a remedy."""
    names: tuple[str, ...] = ()
    """What users could call it, in lower case."""

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"{self.what} {self.name!r}" + (f" of the package {self.package}" if self.package else "")


@dataclass(frozen=True)
class Installed(Generic[_Class]):
    """The classes that are installed for one purpose, and the plug-ins that cannot be used."""

    classes: Mapping[str, type[_Class]]
    """By all their names, in lower case."""
    entries: Mapping[str, type[_Class]]
    """By the names of their entry points."""
    broken: tuple[Broken, ...] = ()

    def require_sound(self, name: str) -> None:
        """Stop where a name is that of a plug-in which cannot be used.

        Raises
        ------
        UsageError
        """
        if (called := name.strip().lower()) not in self.classes:
            for plug_in in self.broken:
                if called in plug_in.names:
                    raise UsageError(plug_in.reason)


class KnownNames(dict[str, _Facts]):
    """What is known of installed classes, by names in lower case; who asks for a broken plug-in gets its reason."""

    def __init__(self, facts: Mapping[str, _Facts], installed: Installed[Any]) -> None:
        super().__init__(facts)
        self._installed = installed

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is known of a name.

        Raises
        ------
        UsageError
            If a plug-in of that name cannot be used.
        """
        self._installed.require_sound(name)
        return super().get(name, default)


def load_installed(
    group: str, base: type[_Class], what: str, names: Callable[[type[_Class]], Iterable[str]]
) -> Installed[_Class]:
    """Load all entry points of a group; a plug-in that cannot be used is left out, and its reason is kept.

    Parameters
    ----------
    base : type
        What the classes must be subclasses of.
    what : str
        What messages call such a class, as in ``method``.
    names : callable
        Returns what users call a class. It also does with it what every run does: a class that fails there is left out.
    """
    return _load_plug_ins(group, base, what, names, tuple(sys.path))  # type: ignore[arg-type]


class Registry(Generic[_Class]):
    """The classes that are installed for one purpose, each of which is imported when somebody asks for it by its name.

    An entry point is called as its class, so that names are known, and listed in messages, before anything is imported.

    Parameters
    ----------
    group : str
        That of the entry points.
    base : type
        What the classes must be subclasses of.
    what : str
        What messages call such a class, as in ``release format``.
    look : callable, optional
        Raises `UsageError` for another author's class that lacks what a run would need; it is given the class, and what
        messages call it.
    """

    def __init__(
        self,
        group: str,
        base: type[_Class],
        what: str,
        look: Callable[[type[_Class], str], object] = lambda class_, called: None,
    ) -> None:
        self.group, self._base, self._what, self._look = group, base, what, look
        self._own: dict[tuple[str, ...], tuple[type[_Class], ...]] = {}
        """By the folders that were searched."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that are installed, in their order."""
        return tuple(sorted(self._entries()))

    def __contains__(self, name: object) -> bool:
        return name in self._entries()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> type[_Class]:
        """Import the class of a name that is known.

        Raises
        ------
        UsageError
            If a plug-in of that name cannot be used, or two have it.
        """
        first, *others = self._entries()[name]
        if others and not _is_ours(first):
            raise UsageError(self._find_clash(name))
        class_ = _load_entry(first, self._base, self._what)
        if not _is_ours(first):
            self._look_at(class_, first)
        return class_

    def own(self) -> tuple[type[_Class], ...]:
        """Import ours, and nobody else's.

        Raises
        ------
        UsageError
            If there are none: what is installed is older than the code.
        """
        searched = tuple(sys.path)
        if searched not in self._own:
            found = tuple(self[name] for name, (first, *_) in self._entries().items() if _is_ours(first))
            if not found:
                raise UsageError(
                    f"The installation names no {self._what}: it is older than the code. "
                    "Install it again. Write in the folder of the code: pip install --no-deps -e ."
                )
            self._own[searched] = found
        return self._own[searched]

    def find(self, holds: Callable[[type[_Class]], object]) -> type[_Class] | None:
        """Return the class of which something holds; others' are imported only if it holds of none of ours.

        One that fails when it is asked is passed over: nobody has named it.

        Raises
        ------
        UsageError
            If it holds of several.
        """
        for class_ in self.own():
            if holds(class_):
                return class_
        found = []
        for class_ in self.every().classes.values():
            with suppress(Exception):
                found += [class_] if holds(class_) else []
        if len(found) > 1:
            both = " and ".join(f"{class_.__module__}:{class_.__qualname__}" for class_ in found[:2])
            raise UsageError(f"Two installed {self._what}s are for the same: {both}. Uninstall one of them.")
        return found[0] if found else None

    def every(self) -> Installed[_Class]:
        """Import them all, for lists; a plug-in that cannot be used is left out, and its reason is kept."""
        classes, broken = {}, []
        for name in self.names:
            entries = self._entries()[name]
            try:
                classes[name] = self[name]
            except UsageError as error:
                broken += [_make_broken(entry, self._what, str(error), name) for entry in entries]
            else:
                broken += [_make_broken(entry, self._what, self._find_clash(name), name) for entry in entries[1:]]
        _BROKEN[tuple(sys.path), self.group] = tuple(broken)
        return Installed(classes, classes, tuple(broken))

    def _entries(self) -> Mapping[str, Sequence[EntryPoint]]:
        return _find_named_entries(self.group, tuple(sys.path))

    def _find_clash(self, name: str) -> str:
        both = sorted(map(_describe_entry, self._entries()[name]))
        return f"Two installed {self._what}s are called {name!r}: {' and '.join(both[:2])}. {_OTHER_NAME}"

    def _look_at(self, class_: type[_Class], entry: EntryPoint) -> None:
        called = _format_entry(entry, self._what)
        if (name := getattr(class_, "name", "")) != entry.name:
            raise UsageError(f"{called} leads to a class that is called {name!r}. Give both one name.")
        try:
            self._look(class_, called)
        except (KeyboardInterrupt, UsageError):
            raise
        except BaseException as error:
            raise UsageError(f"{called} cannot be used: {_format_error(error)}.") from error


@cache
def _find_named_entries(group: str, path: tuple[str, ...]) -> Mapping[str, Sequence[EntryPoint]]:
    """Find the entry points of a group by their names, ours first, once for each path that is searched."""
    found: dict[str, dict[str, EntryPoint]] = defaultdict(dict)
    for entry in sorted(_list_entries(group), key=lambda entry: (not _is_ours(entry), entry.value)):
        found[entry.name].setdefault(entry.value, entry)
    return {name: tuple(entries.values()) for name, entries in found.items()}


def _list_entries(group: str) -> Iterable[EntryPoint]:
    found: EntryPoints = _scan_entries(tuple(sys.path)).select(group=group)
    return found


@cache
def _scan_entries(path: tuple[str, ...]) -> Any:
    """Look through all packages, once for the groups of all kinds; Python 3.11 and 3.12 return different classes."""
    # Takes as long as all else that shows a help, which names nothing that is installed.
    from importlib.metadata import entry_points

    return entry_points()


def list_broken_plug_ins() -> tuple[Broken, ...]:
    """Return the plug-ins that this process has left out so far, without those of folders that it searches no more."""
    searched = set(sys.path)
    return tuple(dict.fromkeys(each for (path, _), found in _BROKEN.items() if searched >= set(path) for each in found))


_OTHER_NAME = "Uninstall one of them, or give it another name."
_BROKEN: dict[tuple[tuple[str, ...], str], tuple[Broken, ...]] = {}
"""By the folders that were searched, and the group."""


@cache
def _load_plug_ins(
    group: str,
    base: type[_Class],
    what: str,
    names: Callable[[type[_Class]], Iterable[str]],
    path: tuple[str, ...],
) -> Installed[_Class]:
    """Load them once for each path that is searched: looking through all packages takes longer than many a step."""
    loaded: list[tuple[EntryPoint, type[_Class], tuple[str, ...]]] = []
    broken: list[Broken] = []
    for entry in _list_entries(group):
        try:
            class_ = _load_entry(entry, base, what)
            loaded.append((entry, class_, _list_plug_in_names(class_, names, _format_entry(entry, what))))
        except UsageError as error:
            broken.append(_make_broken(entry, what, str(error), entry.name))
    sound = _drop_clashes(loaded, what, broken)
    _BROKEN[path, group] = tuple(broken)
    if is_asked_in_python():
        for plug_in in broken:
            warn(f"{plug_in.reason} It is left out.")
    return Installed(
        classes={name: class_ for _, class_, own in sound for name in own},
        entries={entry.name: class_ for entry, class_, _ in sound},
        broken=tuple(broken),
    )


def _list_plug_in_names(
    class_: type[_Class], names: Callable[[type[_Class]], Iterable[str]], called: str
) -> tuple[str, ...]:
    try:
        return tuple(name.lower() for name in names(class_))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{called} cannot be used: {_format_error(error)}.") from error


def _drop_clashes(
    loaded: list[tuple[EntryPoint, type[_Class], tuple[str, ...]]], what: str, broken: list[Broken]
) -> list[tuple[EntryPoint, type[_Class], tuple[str, ...]]]:
    """Leave out plug-ins that share a name: with one of ours, which keeps it, or with each other."""
    holders: dict[str, dict[type[_Class], EntryPoint]] = defaultdict(dict)
    for entry, class_, names in loaded:
        for name in names:
            holders[name].setdefault(class_, entry)
    sound = []
    for entry, class_, names in loaded:
        clash = next((name for name in names if len(holders[name]) > 1), None)
        if clash is None or _is_ours(entry):
            sound.append((entry, class_, names))
            continue
        both = sorted(map(_describe_entry, holders[clash].values()))
        reason = f"Two installed {what}s are called {clash!r}: {' and '.join(both[:2])}."
        broken.append(_make_broken(entry, what, f"{reason} {_OTHER_NAME}", entry.name, *names))
    return sound


def _make_broken(entry: EntryPoint, what: str, reason: str, *names: str) -> Broken:
    package = entry.dist.name if entry.dist else ""
    return Broken(what, entry.name, package, reason, tuple(name.lower() for name in names))


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.partition(".")[0] == "toolbox"


def require_usable(class_: object, base: type[_Class], called: str) -> type[_Class]:
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
    if undefined := [name for name in _list_declared_facts(class_) if not hasattr(class_, name)]:
        raise UsageError(f"{called} has no {undefined[0]}. Add {undefined[0]} = .. to {class_.__name__}.")
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


def _list_declared_facts(class_: type) -> Iterator[str]:
    """Yield the facts that a class must have, because a base class of it declares them without a value."""
    for base in class_.__mro__:
        notes = vars(base).get("__annotations__", {})
        yield from (name for name, note in notes.items() if str(note).removeprefix("typing.").startswith("ClassVar"))


def _format_entry(entry: EntryPoint, what: str) -> str:
    return f"The {what} {entry.name!r} ({entry.value})"


def _describe_entry(entry: EntryPoint) -> str:
    package = f" of the package {entry.dist.name}" if entry.dist else ""
    return f"the entry point {entry.name!r} ({entry.value}){package}"


def _load_entry(entry: EntryPoint, base: type[_Class], what: str) -> type[_Class]:
    called = _format_entry(entry, what)
    try:
        module = entry.module
    except (AttributeError, AssertionError) as error:  # as Python 3.11 and 3.13 say it
        raise UsageError(f"{called} is no reference. Its package must name package.module:Class.") from error
    value: object = _import_module(called, module)
    for part in filter(None, (entry.attr or "").split(".")):
        if not hasattr(value, part):
            raise UsageError(f"{called} cannot be loaded: {entry.module} has no {entry.attr!r}.")
        value = getattr(value, part)
    return require_usable(value, base, called)


@contextmanager
def _search_working_directory() -> Iterator[None]:
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


def _import_module(called: str, module: str) -> object:
    """Import a module; any error becomes one sentence with the line that raised it.

    What the module prints goes to standard error, because standard output holds what the user has asked for.
    """
    try:
        with redirect_stdout(sys.stderr):
            return import_module(module)
    except ModuleNotFoundError as error:
        position = _place(error)
        if position or not error.name or not f"{module}.".startswith(f"{error.name}."):
            raise UsageError(f"{called} cannot be loaded: {position}{error}.") from error
        remedy = f"Start in the folder that holds {error.name}, or install it."
        raise UsageError(f"{called} cannot be loaded: there is no module {error.name!r}. {remedy}") from error
    except BaseException as error:
        # What is exactly this comes from the user's keyboard; all else is the module's own. Where it arrives while a
        # class gives its attributes their names, Python before 3.12 raises an error of its own from it.
        if KeyboardInterrupt in (type(error), type(error.__cause__)):
            raise KeyboardInterrupt from error
        raise UsageError(f"{called} cannot be loaded: {_place(error)}{_format_error(error)}.") from error


def _format_error(error: BaseException) -> str:
    """Return what an error says, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def find_last_line(error: BaseException, module: str) -> tuple[str, int]:
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


@contextmanager
def raise_named_errors(class_: type, make: Callable[[str], ToolboxError]) -> Iterator[None]:
    """Raise an error that names the line in which other people's class fails; errors of ours are told already.

    Parameters
    ----------
    make : callable
        Returns the error; it is given what has failed where, which quotes no value.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, ToolboxError) or class_.__module__.startswith("toolbox."):
            raise
        file, line = find_last_line(error, class_.__module__)
        raise make(f"{class_.__name__} failed with {type(error).__name__} in {file}, line {line}") from error


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
