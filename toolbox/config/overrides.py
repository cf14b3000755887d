"""What the command line says besides the XML file, as raw text, and the limits of a Python call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolbox.config.given import BadValueError, RawSetting
from toolbox.config.model import Limits
from toolbox.config.values import parse_memory
from toolbox.errors import SettingError, UsageError

# What the command line says besides the XML file: every option as raw text, checked by the reader.

OPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "method": "-method",
        "k": "-k",
        "l": "-l",
        "c": "-c",
        "t": "-t",
        "supp_threshold": "-suppThreshold",
        "input": "-input",
        "separator": "-separator",
        "decimal": "--decimal",
        "thousands": "--thousands",
        "encoding": "--encoding",
        "header": "--header",
        "missing": "--missing",
        "on_missing": "--on-missing",
        "input_query": "--input-query",
        "input_format": "--input-format",
        "input_table": "--input-table",
        "population": "--population",
        "output": "-output",
        "output_table": "--output-table",
        "replace": "--replace",
        "engine": "--engine",
        "engine_url": "--engine-url",
        "engine_settings": "--engine-set",
        "output_format": "-outputFormat",
        "output_separator": "--output-separator",
        "split_size": "--split-size",
        "escape_formulas": "--escape-formulas",
        "order": "--order",
        "statistics": "--statistics",
        "suppressed": "--suppressed",
        "max_rejects": "--max-rejects",
        "seed": "--seed",
        "compatibility": "--compatibility",
        "undeclared": "--undeclared",
        "rows_are_people": "--rows-are-people",
        "rejects": "--rejects",
        "report": "--report",
        "html": "--html",
        "report_kind": "--report-kind",
        "lattice": "--lattice",
        "input_digest": "--input-digest",
        "memory_limit": "--memory-limit",
        "threads": "--threads",
        "store": "--store",
        "temp_dir": "--temp-dir",
        "lock_timeout": "--lock-timeout",
        "save_config": "--save-config",
    }
)


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Options that take precedence over the configuration; None leaves the value of the configuration.

    Paths are relative to the working directory.
    """

    method: str | None = None
    k: str | None = None
    l: str | None = None  # noqa: E741 - the option's name
    c: str | None = None
    t: str | None = None
    supp_threshold: str | None = None
    input: str | Sequence[str] | None = None
    """One name or several, each of a file, a folder or a pattern."""
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    header: str | None = None
    missing: str | None = None
    on_missing: str | None = None
    input_query: str | None = None
    input_format: str | None = None
    input_table: str | None = None
    population: str | None = None
    output: str | None = None
    output_table: str | None = None
    replace: str | None = None
    """``true`` or ``false``."""
    engine: str | None = None
    engine_url: str | None = None
    output_format: str | None = None
    output_separator: str | None = None
    split_size: str | None = None
    escape_formulas: str | None = None
    """``true`` or ``false``."""
    order: str | None = None
    statistics: str | None = None
    suppressed: str | None = None
    max_rejects: str | None = None
    seed: str | None = None
    compatibility: str | None = None
    undeclared: str | None = None
    rows_are_people: str | None = None
    """``true`` or ``false``."""
    rejects: str | None = None
    report: str | None = None
    html: str | None = None
    report_kind: str | None = None
    lattice: str | None = None
    input_digest: str | None = None
    memory_limit: str | None = None
    threads: str | None = None
    store: str | None = None
    temp_dir: str | None = None
    lock_timeout: str | None = None
    save_config: str | None = None
    """Where the configuration that does the same is to be written."""
    engine_settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Settings of the engine; they are added to those of the configuration."""
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The method's own settings, such as ``cut``; messages call one ``--cut``."""

    def given(self, name: str) -> RawSetting | None:
        """Return one option with its name as users write it, or None if it was not given."""
        text: str | None = getattr(self, name)
        return None if text is None else RawSetting(self.called(name), text)

    def list_given_inputs(self) -> list[RawSetting]:
        """Return the options that name inputs, in their order."""
        names = [self.input] if isinstance(self.input, str) else self.input or ()
        return [RawSetting(self.called("input"), text) for text in names]

    def list_given_settings(self) -> dict[str, RawSetting]:
        """Return the method's settings by their names."""
        return {name: RawSetting(self.called(name), text) for name, text in self.settings.items()}

    @staticmethod
    def called(name: str) -> str:
        """Return what messages call an option, or a setting of the method."""
        return OPTIONS.get(name, f"--{name.replace('_', '-')}")


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
