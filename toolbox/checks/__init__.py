"""Checks that any method, privacy model or loss metric must pass, for the tests of whoever writes one.

No test framework is needed. ``check_method(MyMethod)`` runs all checks of methods, ``check_model(MyModel)`` those of
privacy models, and ``check_metric(MyMetric)`` those of loss metrics, of which ``MODEL_CHECKS`` and ``METRIC_CHECKS``
are the lists. ``CHECKS`` lists them, each to be called with a method, so that a test can
be parametrised::

    @pytest.mark.parametrize("check", CHECKS, ids=str)
    def test_contract(check):
        check(MyMethod)
"""

from __future__ import annotations

from collections.abc import Sequence

from toolbox import Anonymizer, LossMetric, PrivacyModel
from toolbox.checks.check import Check, CheckFailed
from toolbox.checks.of_metrics import METRIC_CHECKS, MetricCheck
from toolbox.checks.of_models import MODEL_CHECKS, ModelCheck
from toolbox.checks.promises import CHECKS
from toolbox.checks.tables import supported_models

__all__ = [
    "CHECKS",
    "METRIC_CHECKS",
    "MODEL_CHECKS",
    "Check",
    "CheckFailed",
    "MetricCheck",
    "ModelCheck",
    "check_method",
    "check_metric",
    "check_model",
    "supported_models",
]


def check_method(method: type[Anonymizer], *, models: Sequence[PrivacyModel] | None = None) -> None:
    """Run every check against a method.

    Parameters
    ----------
    method : subclass of Anonymizer
        It need not be installed.
    models : sequence of PrivacyModel, optional
        What every class must satisfy, all of them at once; their sensitive attribute is ``illness`` (categories) or
        ``stage`` (numbers). Without it, in turn, whatever the method says it supports of the package's own models.

    Raises
    ------
    CheckFailed
        At the first promise that is broken: which, with what input, and what was seen.
    """
    for check in CHECKS:
        check(method, models=models)


def check_model(model: type[PrivacyModel] | PrivacyModel) -> None:
    """Run every check against a privacy model, on many small classes.

    Parameters
    ----------
    model : subclass of PrivacyModel, or one of its objects
        It need not be installed. A class is tried with some values for each of its parameters, an object with its own.

    Raises
    ------
    CheckFailed
        At the first promise that is broken: which, with what parameters, and what was seen.
    """
    for check in MODEL_CHECKS:
        check(model)


def check_metric(metric: type[LossMetric] | LossMetric) -> None:
    """Run every check against a loss metric, on releases of a small table.

    Parameters
    ----------
    metric : subclass of LossMetric, or one of its objects
        It need not be installed. A class is made with its defaults.

    Raises
    ------
    CheckFailed
        At the first promise that is broken: which, and what was seen.
    """
    for check in METRIC_CHECKS:
        check(metric)
