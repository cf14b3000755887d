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
    from toolbox.privacy.alpha_k_anonymity import AlphaKAnonymity
    from toolbox.privacy.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
    from toolbox.privacy.delta_disclosure import DeltaDisclosure
    from toolbox.privacy.delta_presence import DeltaPresence
    from toolbox.privacy.k_anonymity import KAnonymity
    from toolbox.privacy.k_map import KMap
    from toolbox.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
    from toolbox.privacy.model import PrivacyModel
    from toolbox.privacy.p_sensitive import PSensitiveKAnonymity
    from toolbox.privacy.t_closeness import TCloseness
    from toolbox.report.summary import Summary

__all__ = [
    "AlphaKAnonymity",
    "Anonymizer",
    "BasicBetaLikeness",
    "Config",
    "ConfigurationError",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "InputError",
    "KAnonymity",
    "KMap",
    "Limits",
    "MethodError",
    "OutputError",
    "PSensitiveKAnonymity",
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
    "AlphaKAnonymity": "toolbox.privacy.alpha_k_anonymity",
    "Anonymizer": "toolbox.methods.anonymizer",
    "BasicBetaLikeness": "toolbox.privacy.beta_likeness",
    "Config": "toolbox.config.model",
    "DeltaDisclosure": "toolbox.privacy.delta_disclosure",
    "DeltaPresence": "toolbox.privacy.delta_presence",
    "DistinctLDiversity": "toolbox.privacy.l_diversity",
    "EnhancedBetaLikeness": "toolbox.privacy.beta_likeness",
    "EntropyLDiversity": "toolbox.privacy.l_diversity",
    "KAnonymity": "toolbox.privacy.k_anonymity",
    "KMap": "toolbox.privacy.k_map",
    "Limits": "toolbox.config.model",
    "PSensitiveKAnonymity": "toolbox.privacy.p_sensitive",
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
