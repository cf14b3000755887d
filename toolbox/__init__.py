"""Publish personal data safely: k-anonymous releases, proved in SQL.

The public interface: `anonymize` makes a release, `load_config` reads a configuration, `Result` and `Summary` are what
comes back, `Config`, `Limits` and the privacy models what goes in, and every error is a `ToolboxError`. Methods and
models of your own subclass `Anonymizer` and `PrivacyModel`.
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
    from toolbox.methods.anonymizer import Anonymizer
    from toolbox.privacy.k_anonymity import KAnonymity
    from toolbox.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
    from toolbox.privacy.model import PrivacyModel
    from toolbox.privacy.t_closeness import TCloseness
    from toolbox.report.summary import Summary

__all__ = [
    "Anonymizer",
    "Config",
    "ConfigurationError",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "InputError",
    "KAnonymity",
    "Limits",
    "MethodError",
    "OutputError",
    "PrivacyModel",
    "ProofError",
    "RecursiveLDiversity",
    "Result",
    "SettingError",
    "Summary",
    "TCloseness",
    "ToolboxError",
    "UnknownColumnError",
    "UnsatisfiableError",
    "UsageError",
    "anonymize",
    "load_config",
]

_HOMES = {
    "Anonymizer": "toolbox.methods.anonymizer",
    "Config": "toolbox.config.model",
    "DistinctLDiversity": "toolbox.privacy.l_diversity",
    "EntropyLDiversity": "toolbox.privacy.l_diversity",
    "KAnonymity": "toolbox.privacy.k_anonymity",
    "Limits": "toolbox.config.model",
    "PrivacyModel": "toolbox.privacy.model",
    "RecursiveLDiversity": "toolbox.privacy.l_diversity",
    "Result": "toolbox.api",
    "Summary": "toolbox.report.summary",
    "TCloseness": "toolbox.privacy.t_closeness",
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
