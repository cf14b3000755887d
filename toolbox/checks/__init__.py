"""Checks that any method must pass, for the tests of whoever writes one; no test framework is needed.

``check_method(MyMethod)`` runs them all. ``CHECKS`` lists them, each to be called with a method, so that a test can
be parametrised::

    @pytest.mark.parametrize("check", CHECKS, ids=str)
    def test_contract(check):
        check(MyMethod)
"""

from __future__ import annotations

from collections.abc import Sequence

from toolbox import Anonymizer, PrivacyModel
from toolbox.checks.check import Check, CheckFailed
from toolbox.checks.models import supported_models
from toolbox.checks.promises import CHECKS

__all__ = ["CHECKS", "Check", "CheckFailed", "check_method", "supported_models"]


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
