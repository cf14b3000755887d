"""What is required is never dropped from a page, and what only a population tells is for those inside."""

from __future__ import annotations

from toolbox import KAnonymity, KMap
from toolbox.flows.judge.report import describe_required_models
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.results import ModelResult
from toolbox.report.html.findings import UntoldModel

REQUIRED = [KAnonymity(k=2), KMap(k=3)]
UNTOLD = (UntoldModel("k-map", None, {"k": 3}, 3),)


def result(model: PrivacyModel, achieved: float) -> ModelResult:
    return ModelResult(
        name=model.name,
        attribute=None,
        parameters=model.parameters(),
        required=model.required,
        achieved=achieved,
        holds=True,
    )


CLASSES, PEOPLE = (result(model, achieved) for model, achieved in zip(REQUIRED, (2, 7), strict=True))


def test_what_judges_have_measured_is_told() -> None:
    assert describe_required_models(REQUIRED, [CLASSES, PEOPLE], [], tells_all=True) == ((CLASSES, PEOPLE), (), ())


def test_what_judges_cannot_compare_is_told_inside_as_the_run_has_proved_it() -> None:
    results, untold, (note,) = describe_required_models(REQUIRED, [CLASSES], [CLASSES, PEOPLE], tells_all=True)
    assert (results, untold) == ((CLASSES, PEOPLE), ())
    assert note.startswith("k-map is told as the run has proved it")
    assert describe_required_models(REQUIRED, [CLASSES], [], tells_all=True) == ((CLASSES,), UNTOLD, ())


def test_nobody_outside_learns_a_figure_of_a_population() -> None:
    for measured in ([CLASSES], None):
        assert describe_required_models(REQUIRED, measured, [CLASSES, PEOPLE], tells_all=False) == (
            (CLASSES,),
            UNTOLD,
            (),
        )
    assert describe_required_models(REQUIRED, None, [CLASSES, PEOPLE], tells_all=True).results == (CLASSES, PEOPLE)
