"""What the command line says besides the XML file, as raw text, the limits of a Python call, and child tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from toolbox.config.file_names import add_suffix_to_stem
from toolbox.config.model import Attribute, Column, Config, Input, Limits, Output, QuasiIdentifier
from toolbox.config.settings import SETTINGS, name_option
from toolbox.config.values import parse_memory
from toolbox.errors import BadValueError, RawSetting, SettingError, UsageError

# What the command line says besides the XML file: every option as raw text, checked by the reader.

_Texts: Any = make_dataclass("_Texts", [(name, "str | None", None) for name in SETTINGS], frozen=True, kw_only=True)
"""The text of each setting, by its name; None leaves the value of the configuration. Switches are ``true`` or
``false``; `input` and `earlier` are one name or several, each of a file, a folder or a pattern."""


@dataclass(frozen=True, kw_only=True)
class Overrides(_Texts):  # type: ignore[misc]
    """Options that take precedence over the configuration. Paths are relative to the working directory."""

    engine_settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Settings of the engine; they are added to those of the configuration."""
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The method's own settings, such as ``cut``; messages call one ``--cut``."""

    def say(self, **texts: Any) -> Self:
        """Return the same with other texts."""
        return replace(self, **texts)

    def given(self, name: str) -> RawSetting | None:
        """Return one option with its name as users write it, or None if it was not given."""
        text: str | None = getattr(self, name)
        return None if text is None else RawSetting(self.called(name), text)

    def list_given(self, name: str) -> list[RawSetting]:
        """Return what the options say that name several files, in their order."""
        said = getattr(self, name)
        return [RawSetting(self.called(name), text) for text in ([said] if isinstance(said, str) else said or ())]

    def list_given_settings(self) -> dict[str, RawSetting]:
        """Return the method's settings by their names."""
        return {name: RawSetting(self.called(name), text) for name, text in self.settings.items()}

    @staticmethod
    def called(name: str) -> str:
        """Return what messages call an option, or a setting of the method."""
        return name_option(name)


class NamedOverrides(Overrides):
    """The same of a Python call, whose arguments have no dashes."""

    @staticmethod
    def called(name: str) -> str:
        """Return what messages call an argument."""
        return name


# The limits of memory and threads in a Python call.


def parse_limits(declared: Limits | str | None) -> Limits | None:
    """Read the limits of a call, where an amount of memory stands for the limit of memory.

    Raises
    ------
    UsageError
        If they are none.

    Examples
    --------
    >>> parse_limits("2GB").memory
    '2GB'
    """
    limits = Limits(memory=declared) if isinstance(declared, str) else declared
    if limits is None:
        return None
    if not isinstance(limits, Limits):
        raise SettingError("limits", limits, "an amount of memory such as '2GB', or Limits(memory='2GB', threads=2)")
    if limits.threads is not None and (not isinstance(limits.threads, int) or limits.threads < 1):
        raise SettingError("limits.threads", limits.threads, "a whole number of at least 1")
    limits = replace(limits, temp_dir=_parse_folder(limits.temp_dir))
    if limits.memory is None:
        return limits
    try:
        return replace(limits, memory=parse_memory(str(limits.memory)))
    except BadValueError as error:
        raise UsageError(f"limits is {limits.memory!r}, which {error.args[0]}. {error.args[1]}") from None


def _parse_folder(folder: object) -> Path | None:
    """Return the folder for temporary files, which many write as a text."""
    if folder is None or isinstance(folder, Path):
        return folder
    if not isinstance(folder, str) or not folder:
        raise SettingError("limits.temp_dir", folder, "the path of a folder, or None")
    return Path(folder)


# The configuration of a child table, which follows from that of the main table.

ORPHANS = ("refuse", "drop")
"""What becomes of rows of a child table whose person is not in the main table; the first is usual."""


def make_child_config(
    config: Config,
    name: str,
    *,
    key: Column,
    source: Input | None,
    identifiers: tuple[Column, ...] = (),
    quasi_identifiers: tuple[QuasiIdentifier, ...] = (),
    sensitive: tuple[Attribute, ...] = (),
    treated: tuple[tuple[Column, str], ...] = (),
    orphans: str = ORPHANS[0],
) -> Config:
    """Return the configuration of a child table: its person is its key, which is treated as that of the main table.

    Parameters
    ----------
    config : Config
        Of the main table.
    """
    output, of_person = config.output, dict(config.treated)
    path = None if output.path is None or not output.path.name else add_suffix_to_stem(output.path, f"_{name}")
    treatment = of_person.get(config.person[0])
    return replace(
        config,
        # What one run alone says, and where a file stands, is said of the main table.
        path=None,
        limits=Limits(),
        input=source,
        population=None,
        output=Output(
            path=path,
            separator=output.separator,
            split_size=output.split_size,
            order=output.order,
            escapes_formulas=output.escapes_formulas,
            # Where rows are judged, those of persons who are left out are suppressed.
            suppressed="drop" if quasi_identifiers else "keep",
        ),
        identifiers=(*identifiers, key),
        person=(key,),
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        treated=(*treated, *([] if treatment is None else [(key, treatment)])),
        requirements=(),
        others=MappingProxyType({"orphans": orphans}),
        warnings=(),
    )
