"""The words of builders: what the command line and the attributes of ``<vgh>`` say, as a builder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_args

from toolbox.errors import ConfigurationError, UsageError, did_you_mean, quote
from toolbox.extensions import Registry
from toolbox.hierarchy.builders.builder import BadSettingError, Builder, BuilderError, Takes, Wrong
from toolbox.messages import say

_OPTION: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)
_NEEDED: Final[Mapping[Takes, str]] = {"numbers": "bands", "texts": "naming", "dates": "labels"}
"""What a run asks of a builder, by what it takes."""


def _look(kind: type[Builder], called: str) -> None:
    """Stop where a builder of another author could not be written, or makes a hierarchy of nothing that a run has."""
    made, written = {field.name for field in fields(kind)}, kind.list_all_settings()
    if strange := [setting for setting in written if setting not in made]:
        raise UsageError(
            f"{called} has no field {strange[0]!r}. Add it to {kind.__name__}, or take it out of settings."
        )
    if unwritten := {kind.main, *kind.form} - {None, *written}:
        raise UsageError(f"{called} has no setting {min(map(str, unwritten))!r}. Say in settings how it is written.")
    if kind.takes not in get_args(Takes):
        raise UsageError(f"{called} takes {kind.takes!r}. Write one of {', '.join(get_args(Takes))}.")
    if not hasattr(kind, needed := _NEEDED.get(kind.takes, "of")):
        raise UsageError(
            f"{called} takes {kind.takes}, and has no {needed}(). Make it a subclass of a builder of these."
        )


BUILDERS: Final = Registry("toolbox.hierarchy_builders", Builder, "hierarchy builder", _look)  # type: ignore[type-abstract]
"""The builders that are installed, ours and those of others."""


def parse_builder_words(text: str) -> dict[str, str] | None:
    """Read a builder as the command line writes it: ``BUILDER[:VALUES][:option=value]..``.

    Parameters
    ----------
    text : str
        What stands behind ``--hierarchy NAME=``.

    Returns
    -------
    dict of str to str, optional
        The attributes of ``<vgh>`` that say the same, `make_builder` reads them; None if the text names a file.

    Raises
    ------
    BuilderError
        If something is said twice.

    Examples
    --------
    >>> parse_builder_words("intervals:5,10:top=90")
    {'build': 'intervals', 'width': '5,10', 'top': '90'}
    >>> parse_builder_words("tree:C:/places.csv:other=root")
    {'build': 'tree', 'file': 'C:/places.csv', 'other': 'root'}
    >>> parse_builder_words("ages.csv") is None
    True
    """
    name, *parts = text.split(":")
    if name not in BUILDERS:
        return None
    kind = BUILDERS[name]
    attributes: dict[str, str] = {"build": name}
    wrong = []
    for option, value in _split_options(parts, kind):
        if option in attributes:
            found = say("%(text)s says %(option)s= twice.", text=quote(text), option=option)
            wrong.append(Wrong(found, say("Say it once.")))
        attributes[option] = value
    if wrong:
        raise BuilderError(name, wrong)
    return attributes


def format_builder_words(attributes: Mapping[str, str]) -> str:
    """Write the attributes of ``<vgh>`` as the command line does; `parse_builder_words` reads them.

    Examples
    --------
    >>> format_builder_words({"build": "intervals", "width": "5,10", "top": "90"})
    'intervals:5,10:top=90'
    """
    name, main = attributes["build"], BUILDERS[attributes["build"]].main
    first = [] if main is None or main not in attributes else [attributes[main]]
    others = [f"{option}={text}" for option, text in attributes.items() if option not in ("build", main)]
    return ":".join([name, *first, *others])


def _split_options(parts: list[str], kind: type[Builder]) -> Iterator[tuple[str, str]]:
    """Yield each option with its value; a part that begins no option goes on with the value before it."""
    joined: list[list[str]] = []
    for position, part in enumerate(parts):
        match = _OPTION.fullmatch(part)
        if match is not None and (match[1] in kind.list_all_settings() or not _takes_text(kind)):
            joined.append([match[1], match[2]])
        elif position == 0:
            joined.append([kind.main or "values", part])
        else:
            joined[-1][1] += f":{part}"
    # A builder without a value may be followed by a colon.
    yield from ((option, value) for option, value in joined if value or option != (kind.main or "values"))


def _takes_text(kind: type[Builder]) -> bool:
    """Return whether the main setting may hold anything, an equals sign too."""
    return kind.main is not None and kind.list_all_settings()[kind.main].takes_any_text


def make_builder(attributes: Mapping[str, str], folder: Path = Path()) -> Builder:
    """Make a builder from the attributes of ``<vgh>``.

    Parameters
    ----------
    attributes : mapping of str to str
        Among them ``build``.
    folder : Path, optional
        Where the paths of files begin.

    Raises
    ------
    BuilderError
        With all that is wrong with the attributes.
    ConfigurationError
        With all faults of a file that they name, by line.

    Examples
    --------
    >>> make_builder({"build": "prefix", "keep": "3,1"}).rows(["24700", "24981"])
    [('24700', '247**', '2****', '*'), ('24981', '249**', '2****', '*')]
    """
    name = attributes["build"].strip()
    if name not in BUILDERS:
        one_of = say("Write one of: %(words)s.", words=", ".join(BUILDERS.names))
        remedy = f"{did_you_mean(name, BUILDERS.names)} {one_of}".strip()
        raise BuilderError(name or "build", [Wrong(say("build=%(name)s is unknown.", name=quote(name)), remedy)])
    kind = BUILDERS[name]
    given = {option: text for option, text in attributes.items() if option != "build"}
    wrong = list(_find_unknown_options(kind, given))
    values: dict[str, Any] = {}
    for option, setting in kind.list_all_settings().items():
        if option not in given:
            continue
        try:
            values[option] = setting.read(given[option])
        except BadSettingError as error:
            said = f"{option}={quote(given[option])}"
            wrong.append(Wrong(f"{said} {error.args[0]}.", error.args[1]))
    if kind.is_needed and kind.main is not None and kind.main not in given and not kind.is_said(given):
        found = say("build=%(name)s lacks %(option)s=.", name=quote(name), option=kind.main)
        wrong.append(Wrong(found, say("Write %(example)s.", example=kind.example())))
    builder = _make_checked_builder(kind, values, wrong)
    if builder is not None and not wrong:
        return builder.opened(folder)
    raise BuilderError(name, wrong, None if builder is None else _find_file_error(builder, folder))


def _find_file_error(builder: Builder, folder: Path) -> ConfigurationError | None:
    """Return what is wrong with the file of a builder, beside its settings."""
    try:
        builder.opened(folder)
    except ConfigurationError as error:
        return error
    return None


def _find_unknown_options(kind: type[Builder], given: Mapping[str, str]) -> Iterator[Wrong]:
    known = list(kind.list_all_settings())
    for option in given:
        if option not in known:
            hint = did_you_mean(option, known)
            found = say("build=%(name)s has no %(option)s=.", name=quote(kind.name), option=option)
            takes = say("It takes: %(words)s.", words=", ".join(f"{name}=" for name in known))
            yield Wrong(f"{found}{hint}", takes)


def _make_checked_builder(kind: type[Builder], values: Mapping[str, Any], wrong: list[Wrong]) -> Builder | None:
    """Make the builder, or note why its settings contradict each other."""
    try:
        return kind(**values)
    except BuilderError as error:
        wrong.extend(error.wrong)
    except TypeError:  # the main setting is missing, which is noted
        if not wrong:
            raise
    return None
