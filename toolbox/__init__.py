"""Publish personal data safely: k-anonymous releases, proved in SQL.

The public interface: `detect` finds the columns that identify people, `singletons` how little must change for those
who stand out, `compare` what each method costs, and `experiment` studies that on many tables; `open` reads a table to
try out many; `anonymize` makes a release, and `generalise` helps to make one of records that stay in a database;
`check`, `measure` and `risk` judge one, whoever made it; `loss_bound` proves what every release loses at least;
`load_config` reads a configuration. `Result`, `Summary` and reports are what comes back, `Config`, `Limits` and the
privacy models what goes in, and every error is a `ToolboxError`. The module `toolbox.hierarchies` builds hierarchies.
Methods, models and metrics of your own subclass `Anonymizer`, `PrivacyModel` and `LossMetric`.
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
    from toolbox.api.explore import (
        compare,
        detect,
        experiment,
        open,  # noqa: A004 - as toolbox.open
        sniff,
        suggest,
    )
    from toolbox.api.judges import check, loss_bound, measure, risk, singletons
    from toolbox.api.recoding import Recoding
    from toolbox.api.release import anonymize, generalise, load_config
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
    from toolbox.experiments.results.report import ExperimentReport
    from toolbox.flows.release.counted import Generalisation
    from toolbox.flows.release.python import Result
    from toolbox.flows.session.session import Session
    from toolbox.loss.bound import LossBound
    from toolbox.loss.metric import LossMetric
    from toolbox.methods.anonymizer import Anonymizer
    from toolbox.privacy.model import PrivacyModel, ReleaseModel
    from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KAnonymity, KMAnonymity
    from toolbox.privacy.models.k_map import DeltaPresence, KMap
    from toolbox.privacy.models.k_with_values import AlphaKAnonymity, PSensitiveKAnonymity
    from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
    from toolbox.privacy.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
    from toolbox.privacy.models.release_risk import AverageRisk, PopulationUniqueness, SampleUniqueness
    from toolbox.privacy.models.t_closeness import TCloseness
    from toolbox.projects.edited_columns import ProjectColumn
    from toolbox.projects.project import Project
    from toolbox.projects.state import Snapshot
    from toolbox.report.explore.detect import DetectionReport
    from toolbox.report.explore.singletons import SingletonsReport
    from toolbox.report.explore.suggestion import Sniffed, Suggestion
    from toolbox.report.judges.check import CheckReport
    from toolbox.report.judges.measure import LossReport
    from toolbox.report.judges.risk import RiskReport
    from toolbox.report.runs.compare import ComparisonReport, Variant
    from toolbox.report.runs.summary import Summary

__all__ = [
    "AlphaKAnonymity",
    "Anonymizer",
    "AverageRisk",
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
    "FewColumnsKAnonymity",
    "Generalisation",
    "InputError",
    "KAnonymity",
    "KMAnonymity",
    "KMap",
    "Limits",
    "LossBound",
    "LossMetric",
    "LossReport",
    "MethodError",
    "ModelError",
    "OutputError",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "PrivacyModel",
    "Project",
    "ProjectColumn",
    "ProofError",
    "Recoding",
    "RecursiveLDiversity",
    "ReleaseModel",
    "Result",
    "RiskReport",
    "SampleUniqueness",
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
    "loss_bound",
    "measure",
    "open",
    "risk",
    "singletons",
    "sniff",
    "suggest",
]

_HOMES = {
    "AlphaKAnonymity": "toolbox.privacy.models.k_with_values",
    "Anonymizer": "toolbox.methods.anonymizer",
    "AverageRisk": "toolbox.privacy.models.release_risk",
    "BasicBetaLikeness": "toolbox.privacy.models.likeness",
    "CheckReport": "toolbox.report.judges.check",
    "ComparisonReport": "toolbox.report.runs.compare",
    "Config": "toolbox.config.model",
    "DeltaDisclosure": "toolbox.privacy.models.likeness",
    "DeltaPresence": "toolbox.privacy.models.k_map",
    "DetectionReport": "toolbox.report.explore.detect",
    "DistinctLDiversity": "toolbox.privacy.models.l_diversity",
    "EnhancedBetaLikeness": "toolbox.privacy.models.likeness",
    "EntropyLDiversity": "toolbox.privacy.models.l_diversity",
    "ExperimentReport": "toolbox.experiments.results.report",
    "FewColumnsKAnonymity": "toolbox.privacy.models.k_anonymity",
    "Generalisation": "toolbox.flows.release.counted",
    "KAnonymity": "toolbox.privacy.models.k_anonymity",
    "KMAnonymity": "toolbox.privacy.models.k_anonymity",
    "KMap": "toolbox.privacy.models.k_map",
    "Limits": "toolbox.config.model",
    "LossBound": "toolbox.loss.bound",
    "LossMetric": "toolbox.loss.metric",
    "LossReport": "toolbox.report.judges.measure",
    "PSensitiveKAnonymity": "toolbox.privacy.models.k_with_values",
    "PopulationUniqueness": "toolbox.privacy.models.release_risk",
    "PrivacyModel": "toolbox.privacy.model",
    "Recoding": "toolbox.api.recoding",
    "RecursiveLDiversity": "toolbox.privacy.models.l_diversity",
    "Project": "toolbox.projects.project",
    "ProjectColumn": "toolbox.projects.edited_columns",
    "Result": "toolbox.flows.release.python",
    "ReleaseModel": "toolbox.privacy.model",
    "RiskReport": "toolbox.report.judges.risk",
    "SampleUniqueness": "toolbox.privacy.models.release_risk",
    "Session": "toolbox.flows.session.session",
    "SingletonsReport": "toolbox.report.explore.singletons",
    "Snapshot": "toolbox.projects.state",
    "Sniffed": "toolbox.report.explore.suggestion",
    "Suggestion": "toolbox.report.explore.suggestion",
    "Summary": "toolbox.report.runs.summary",
    "TCloseness": "toolbox.privacy.models.t_closeness",
    "Variant": "toolbox.report.runs.compare",
    "anonymize": "toolbox.api.release",
    "check": "toolbox.api.judges",
    "compare": "toolbox.api.explore",
    "detect": "toolbox.api.explore",
    "experiment": "toolbox.api.explore",
    "generalise": "toolbox.api.release",
    "load_config": "toolbox.api.release",
    "loss_bound": "toolbox.api.judges",
    "measure": "toolbox.api.judges",
    "open": "toolbox.api.explore",
    "risk": "toolbox.api.judges",
    "singletons": "toolbox.api.judges",
    "sniff": "toolbox.api.explore",
    "suggest": "toolbox.api.explore",
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
