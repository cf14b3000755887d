"""Publish personal data safely: k-anonymous releases, proved in SQL.

The public interface: `detect` finds the columns that identify people, `singletons` how little must change for those who
stand out; `anonymize` makes a release, and `generalise` helps to make one of records that stay in a database; `check`,
`measure` and `risk` judge one, whoever made it; `load_config` reads a configuration. `Result`, `Summary` and the
reports are what comes back, `Config`, `Limits` and the privacy models what goes in, and every error is a
`ToolboxError`. The module `toolbox.hierarchies` builds hierarchies. Methods, models and metrics of your own subclass
`Anonymizer`, `PrivacyModel` and `LossMetric`.
Before all that, `suggest` guesses what each column of a table is.
"""

from __future__ import annotations

from importlib import import_module

# As in `typing`, which takes longer to import than all else that is needed here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    import toolbox.hierarchies  # noqa: F401 - a module, which is no name of this one
    from toolbox.api.anonymize import anonymize
    from toolbox.api.check import check
    from toolbox.api.detect import detect
    from toolbox.api.generalise import generalise
    from toolbox.api.load_config import load_config
    from toolbox.api.measure import measure
    from toolbox.api.risk import risk
    from toolbox.api.singletons import singletons
    from toolbox.api.suggest import suggest
    from toolbox.config.model import Config, Limits
    from toolbox.errors import (
        ConfigurationError,
        EngineError,
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
    from toolbox.flows.generalisation import Generalisation
    from toolbox.flows.result import Result
    from toolbox.loss.metric import LossMetric
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
    from toolbox.report.check import CheckReport
    from toolbox.report.detect import DetectionReport
    from toolbox.report.measure import LossReport
    from toolbox.report.risk import RiskReport
    from toolbox.report.singletons import SingletonsReport
    from toolbox.report.suggestion import Suggestion
    from toolbox.report.summary import Summary

__all__ = [
    "AlphaKAnonymity",
    "Anonymizer",
    "BasicBetaLikeness",
    "CheckReport",
    "Config",
    "ConfigurationError",
    "DeltaDisclosure",
    "DeltaPresence",
    "DetectionReport",
    "DistinctLDiversity",
    "EngineError",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Generalisation",
    "InputError",
    "KAnonymity",
    "KMap",
    "Limits",
    "LossMetric",
    "LossReport",
    "MethodError",
    "OutputError",
    "PSensitiveKAnonymity",
    "PrivacyModel",
    "ProofError",
    "RecursiveLDiversity",
    "Result",
    "RiskReport",
    "SettingError",
    "SingletonsReport",
    "Suggestion",
    "Summary",
    "TCloseness",
    "ToolboxError",
    "UnknownColumnError",
    "UnsatisfiableError",
    "UsageError",
    "anonymize",
    "check",
    "detect",
    "generalise",
    "load_config",
    "measure",
    "risk",
    "singletons",
    "suggest",
]

_HOMES = {
    "AlphaKAnonymity": "toolbox.privacy.alpha_k_anonymity",
    "Anonymizer": "toolbox.methods.anonymizer",
    "BasicBetaLikeness": "toolbox.privacy.beta_likeness",
    "CheckReport": "toolbox.report.check",
    "Config": "toolbox.config.model",
    "DeltaDisclosure": "toolbox.privacy.delta_disclosure",
    "DeltaPresence": "toolbox.privacy.delta_presence",
    "DetectionReport": "toolbox.report.detect",
    "DistinctLDiversity": "toolbox.privacy.l_diversity",
    "EnhancedBetaLikeness": "toolbox.privacy.beta_likeness",
    "EntropyLDiversity": "toolbox.privacy.l_diversity",
    "Generalisation": "toolbox.flows.generalisation",
    "KAnonymity": "toolbox.privacy.k_anonymity",
    "KMap": "toolbox.privacy.k_map",
    "Limits": "toolbox.config.model",
    "LossMetric": "toolbox.loss.metric",
    "LossReport": "toolbox.report.measure",
    "PSensitiveKAnonymity": "toolbox.privacy.p_sensitive",
    "PrivacyModel": "toolbox.privacy.model",
    "RecursiveLDiversity": "toolbox.privacy.l_diversity",
    "Result": "toolbox.flows.result",
    "RiskReport": "toolbox.report.risk",
    "SingletonsReport": "toolbox.report.singletons",
    "Suggestion": "toolbox.report.suggestion",
    "Summary": "toolbox.report.summary",
    "TCloseness": "toolbox.privacy.t_closeness",
    "anonymize": "toolbox.api.anonymize",
    "check": "toolbox.api.check",
    "detect": "toolbox.api.detect",
    "generalise": "toolbox.api.generalise",
    "load_config": "toolbox.api.load_config",
    "measure": "toolbox.api.measure",
    "risk": "toolbox.api.risk",
    "singletons": "toolbox.api.singletons",
    "suggest": "toolbox.api.suggest",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts at once."""
    if name == "__version__":
        from importlib.metadata import version

        return version("anonymisation-toolbox")
    if name == "hierarchies":
        return import_module("toolbox.hierarchies")
    if name not in __all__:
        raise AttributeError(f"module 'toolbox' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "toolbox.errors")), name)


def __dir__() -> list[str]:
    return __all__
