"""Publish personal data safely: k-anonymous releases, proved in SQL.

The public interface: `detect` finds the columns that identify people, `singletons` how little must change for those
who stand out, `compare` what each method costs, and `experiment` studies that on many tables; `open` reads a table to
try out many; `anonymize` makes a release, and `generalise` helps to make one of records that stay in a database;
`check`, `measure` and `risk` judge one, whoever made it; `load_config` reads a configuration. `Result`, `Summary` and
reports are what comes back, `Config`, `Limits` and the privacy models what goes in, and every error is a
`ToolboxError`. The module `toolbox.hierarchies` builds hierarchies. Methods, models and metrics of your own subclass
`Anonymizer`, `PrivacyModel` and `LossMetric`.
Before all that, `sniff` finds out how a table is read, and `suggest` guesses what each column of it is. A configuration
that is edited is a `Project`.
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
    from toolbox.api.compare import compare
    from toolbox.api.detect import detect
    from toolbox.api.experiment import experiment
    from toolbox.api.generalise import generalise
    from toolbox.api.load_config import load_config
    from toolbox.api.measure import measure
    from toolbox.api.open import open  # noqa: A004 - as toolbox.open
    from toolbox.api.risk import risk
    from toolbox.api.singletons import singletons
    from toolbox.api.sniff import sniff
    from toolbox.api.suggest import suggest
    from toolbox.config.model import Config, Limits
    from toolbox.errors import (
        CancelledError,
        ConfigurationError,
        EngineError,
        InputError,
        MethodError,
        ModelError,
        OutputError,
        ProofError,
        SettingError,
        ToolboxError,
        UnknownColumnError,
        UnsatisfiableError,
        UsageError,
    )
    from toolbox.experiments.report import ExperimentReport
    from toolbox.flows.generalisation import Generalisation
    from toolbox.flows.result import Result
    from toolbox.flows.session import Session
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
    from toolbox.projects.columns import ProjectColumn
    from toolbox.projects.project import Project
    from toolbox.projects.snapshot import Snapshot
    from toolbox.report.check import CheckReport
    from toolbox.report.compare import ComparisonReport
    from toolbox.report.detect import DetectionReport
    from toolbox.report.measure import LossReport
    from toolbox.report.risk import RiskReport
    from toolbox.report.singletons import SingletonsReport
    from toolbox.report.sniffed import Sniffed
    from toolbox.report.suggestion import Suggestion
    from toolbox.report.summary import Summary
    from toolbox.report.variant import Variant

__all__ = [
    "AlphaKAnonymity",
    "Anonymizer",
    "BasicBetaLikeness",
    "CancelledError",
    "CheckReport",
    "ComparisonReport",
    "Config",
    "ConfigurationError",
    "DeltaDisclosure",
    "DeltaPresence",
    "DetectionReport",
    "DistinctLDiversity",
    "EngineError",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "ExperimentReport",
    "Generalisation",
    "InputError",
    "KAnonymity",
    "KMap",
    "Limits",
    "LossMetric",
    "LossReport",
    "MethodError",
    "ModelError",
    "OutputError",
    "PSensitiveKAnonymity",
    "PrivacyModel",
    "Project",
    "ProjectColumn",
    "ProofError",
    "RecursiveLDiversity",
    "Result",
    "RiskReport",
    "Session",
    "SettingError",
    "SingletonsReport",
    "Snapshot",
    "Sniffed",
    "Suggestion",
    "Summary",
    "TCloseness",
    "ToolboxError",
    "UnknownColumnError",
    "UnsatisfiableError",
    "UsageError",
    "Variant",
    "anonymize",
    "check",
    "compare",
    "detect",
    "experiment",
    "generalise",
    "load_config",
    "measure",
    "open",
    "risk",
    "singletons",
    "sniff",
    "suggest",
]

_HOMES = {
    "AlphaKAnonymity": "toolbox.privacy.alpha_k_anonymity",
    "Anonymizer": "toolbox.methods.anonymizer",
    "BasicBetaLikeness": "toolbox.privacy.beta_likeness",
    "CheckReport": "toolbox.report.check",
    "ComparisonReport": "toolbox.report.compare",
    "Config": "toolbox.config.model",
    "DeltaDisclosure": "toolbox.privacy.delta_disclosure",
    "DeltaPresence": "toolbox.privacy.delta_presence",
    "DetectionReport": "toolbox.report.detect",
    "DistinctLDiversity": "toolbox.privacy.l_diversity",
    "EnhancedBetaLikeness": "toolbox.privacy.beta_likeness",
    "EntropyLDiversity": "toolbox.privacy.l_diversity",
    "ExperimentReport": "toolbox.experiments.report",
    "Generalisation": "toolbox.flows.generalisation",
    "KAnonymity": "toolbox.privacy.k_anonymity",
    "KMap": "toolbox.privacy.k_map",
    "Limits": "toolbox.config.model",
    "LossMetric": "toolbox.loss.metric",
    "LossReport": "toolbox.report.measure",
    "PSensitiveKAnonymity": "toolbox.privacy.p_sensitive",
    "PrivacyModel": "toolbox.privacy.model",
    "RecursiveLDiversity": "toolbox.privacy.l_diversity",
    "Project": "toolbox.projects.project",
    "ProjectColumn": "toolbox.projects.columns",
    "Result": "toolbox.flows.result",
    "RiskReport": "toolbox.report.risk",
    "Session": "toolbox.flows.session",
    "SingletonsReport": "toolbox.report.singletons",
    "Snapshot": "toolbox.projects.snapshot",
    "Sniffed": "toolbox.report.sniffed",
    "Suggestion": "toolbox.report.suggestion",
    "Summary": "toolbox.report.summary",
    "TCloseness": "toolbox.privacy.t_closeness",
    "Variant": "toolbox.report.variant",
    "anonymize": "toolbox.api.anonymize",
    "check": "toolbox.api.check",
    "compare": "toolbox.api.compare",
    "detect": "toolbox.api.detect",
    "experiment": "toolbox.api.experiment",
    "generalise": "toolbox.api.generalise",
    "load_config": "toolbox.api.load_config",
    "measure": "toolbox.api.measure",
    "open": "toolbox.api.open",
    "risk": "toolbox.api.risk",
    "singletons": "toolbox.api.singletons",
    "sniff": "toolbox.api.sniff",
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
