"""The settings of a configuration by the names that Python gives them, and by those of its attributes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolbox.config import values
from toolbox.config.settings import SETTINGS, list_settings
from toolbox.errors import BadValueError, UsageError, did_you_mean, quote

# The settings of a configuration by the names that Python gives them, and by those of its attributes.


@dataclass(frozen=True)
class Settings:
    """The settings of one element."""

    element: str
    """What messages call it."""
    attributes: Mapping[str, str]
    """The attribute of each setting."""

    def known(self, name: str) -> str:
        """Return the name of a setting.

        Raises
        ------
        UsageError
            If there is no such one.
        """
        if name not in self.attributes:
            known = list(self.attributes)
            hint = did_you_mean(name, known)
            raise UsageError(f"{self.element} has no setting {quote(name)}.{hint} It has: {', '.join(known)}.")
        return name

    def written(self, settings: Mapping[str, object]) -> dict[str, str | None]:
        r"""Return settings as attributes; None takes one back.

        Raises
        ------
        UsageError
            If there is no such setting.

        Examples
        --------
        >>> INPUT.written({"header": True, "separator": "\t", "on_missing": None})
        {'header': 'true', 'separator': '\\t', 'onMissing': None}
        """
        return {self.attributes[self.known(name)]: _format_setting(name, value) for name, value in settings.items()}


def _list_attributes(element: str, *places: str) -> dict[str, str]:
    """Return the attributes of an element by the names of their settings, which need not name the element again."""
    known = [*list_settings(element), *(SETTINGS[place] for place in places)]
    return {
        setting.field.removeprefix(f"{element}_"): setting.attribute for setting in known if setting.group != "engine"
    }


INPUT: Final = Settings("The input", _list_attributes("input", "input_table"))
OUTPUT: Final = Settings("The release", {"filename": "filename", **_list_attributes("output")})
ROOT: Final = Settings(
    "A project",
    {
        {"supp_threshold": "suppression"}.get(name, name): attribute
        for name, attribute in _list_attributes("config").items()
        if SETTINGS[name].holder != "apart"
    },
)


def name_settings(settings: Settings, attributes: Mapping[str, str]) -> dict[str, str]:
    """Return what attributes say by the names of settings; an attribute in any case is the same one."""
    names = {attribute.lower(): name for name, attribute in settings.attributes.items()}
    return {names[name.lower()]: text for name, text in attributes.items() if name.lower() in names}


def _format_setting(name: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("\t", "\\t") if name == "separator" else str(value)


# Texts of a configuration from what Python gives: kinds of columns, and paths.


def format_column_kind(text: str) -> str:
    """Return the kind of a column as a configuration writes it.

    Raises
    ------
    UsageError
        If there is no such kind.
    """
    try:
        return values.parse_kind(text)
    except BadValueError as error:
        raise UsageError(f"kind={quote(text)} {error.args[0]}. {error.args[1]}") from None


def make_relative_path(path: Path, folder: Path) -> str:
    """Return a path as a configuration in a folder writes it: relative to that."""
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())
