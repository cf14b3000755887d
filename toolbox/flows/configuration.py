"""Reading a configuration, with all methods and privacy models that are installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from toolbox.config.model import Config
from toolbox.config.overrides import NamedOverrides, Overrides
from toolbox.errors import SettingError, UsageError, did_you_mean
from toolbox.methods.registry import method_facts
from toolbox.privacy.requirements import model_facts


def read_configuration(path: Path, overrides: Overrides | None = None, *, is_run: bool = True) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    overrides : Overrides, optional
        What the caller or the command line says instead.
    is_run : bool
        Whether a release is to be made; otherwise nothing is written, and the output need not be there.

    Raises
    ------
    ConfigurationError
        With every fault of the file.
    """
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reader import read_config

    chosen = overrides or Overrides()
    return read_config(path, overrides=chosen, methods=method_facts(), models=model_facts(), is_run=is_run)


def named_overrides(options: Mapping[str, Any]) -> Overrides:
    """Return the overrides that the arguments of a call name; values may be of any type that has a text.

    Raises
    ------
    UsageError
        If there is no such option.
    """
    values = dict(options)
    settings, engine_settings = (
        {name: str(value) for name, value in values.pop(group, {}).items()} for group in ("settings", "engine_settings")
    )
    known = sorted(field.name for field in fields(Overrides) if field.name != "save_config")
    for name in values:
        if name not in known:
            there = f"There are: {', '.join(known)}."
            raise UsageError(f"load_config() has no argument {name!r}.{did_you_mean(name, known)} {there}")
    paths = values.get("input")
    if isinstance(paths, type) or not isinstance(paths, (Iterable, Path, type(None))):
        raise SettingError("input", paths, "the path of a file, or a list of them")
    texts: dict[str, Any] = {name: str(value) for name, value in values.items() if value is not None}
    if not isinstance(paths, (str, Path, type(None))):
        texts["input"] = tuple(map(str, paths))
    return NamedOverrides(settings=settings, engine_settings=engine_settings, **texts)
