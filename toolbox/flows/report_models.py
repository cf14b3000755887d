"""What a page says of each required model: as judges measured it, as the run proved it, or that it tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.results import ModelResult
from toolbox.report.html.findings import UntoldModel


class ToldModels(NamedTuple):
    """The required models of a page."""

    results: tuple[ModelResult, ...]
    untold: tuple[UntoldModel, ...]
    """Those without a result."""
    notes: tuple[str, ...]
    """Which results come from the run."""


def told_models(
    required: Sequence[PrivacyModel],
    measured: Sequence[ModelResult] | None,
    proved: Sequence[ModelResult],
    *,
    tells_all: bool,
) -> ToldModels:
    """Return what is said of models that are required.

    Parameters
    ----------
    required : sequence of PrivacyModel
    measured : sequence of ModelResult or None
        By the judges, who may have had no population to compare with; None where they could not read the release.
    proved : sequence of ModelResult
        By the run. What follows from a population is for those inside alone.
    tells_all : bool
        Whether the page is for them.
    """
    compared = {model.name for model in required if model.needs_population}
    told = {model.name for model in measured or ()}
    added = [model for model in proved if model.name not in told and (tells_all or model.name not in compared)]
    told |= {model.name for model in added}
    untold = [
        UntoldModel(model.name, model.attribute, model.parameters(), model.required)
        for model in required
        if model.needs_population and model.name not in told
    ]
    notes = [
        f"{model.name} is told as the run has proved it: the population was not there to be compared with once more."
        for model in added
        if measured is not None and model.name in compared
    ]
    return ToldModels((*(measured or ()), *added), tuple(untold), tuple(notes))
