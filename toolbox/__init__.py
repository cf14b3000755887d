"""Publish personal data safely: k-anonymous releases, proved in SQL.

The public interface: `anonymize` makes a release, `load_config` reads a configuration, `Result` and `Summary` are what
comes back, `Config` and `Limits` what goes in, and every error is a `ToolboxError`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolbox.api import Result, anonymize, load_config
    from toolbox.config.model import Config, Limits
    from toolbox.errors import (
        ConfigurationError,
        InputError,
        MethodError,
        OutputError,
        ProofError,
        SettingError,
        ToolboxError,
        UnknownColumnError,
        UnsatisfiableError,
        UsageError,
    )
    from toolbox.report.summary import Summary

__all__ = [
    "Config",
    "ConfigurationError",
    "InputError",
    "Limits",
    "MethodError",
    "OutputError",
    "ProofError",
    "Result",
    "SettingError",
    "Summary",
    "ToolboxError",
    "UnknownColumnError",
    "UnsatisfiableError",
    "UsageError",
    "anonymize",
    "load_config",
]

_HOMES = {
    "Config": "toolbox.config.model",
    "Limits": "toolbox.config.model",
    "Result": "toolbox.api",
    "Summary": "toolbox.report.summary",
    "anonymize": "toolbox.api",
    "load_config": "toolbox.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts at once."""
    if name not in __all__:
        raise AttributeError(f"module 'toolbox' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "toolbox.errors")), name)


def __dir__() -> list[str]:
    return __all__
