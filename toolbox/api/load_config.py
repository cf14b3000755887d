"""The public call `load_config`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolbox.config.model import Config
from toolbox.flows.arguments import one_path
from toolbox.flows.configuration import named_overrides, read_configuration


def load_config(path: str | Path, **overrides: Any) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    path : str or Path
    **overrides
        What the command line could say, by the names of `toolbox.config.overrides.Overrides`, such as ``k=5`` or
        ``input=["2019.csv", "2020.csv"]``.

    Returns
    -------
    Config

    Raises
    ------
    ConfigurationError
        With every fault of the file.
    """
    return read_configuration(one_path("path", path), named_overrides(overrides))
