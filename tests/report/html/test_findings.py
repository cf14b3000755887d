"""What a public page may not tell is not in its findings."""

from dataclasses import replace

import pytest
from helpers.findings import AGE, INTERNAL, PUBLIC
from helpers.joint_risks import JOINT
from helpers.learned_values import ILLNESS
from helpers.matchings import MATCHING
from helpers.small_reports import LOSS, RISK, RISK_REPORT
from helpers.small_summary import SUMMARY
from helpers.solved_statistics import FOUND

from toolbox.report.html.findings import Original, UntoldModel


@pytest.mark.parametrize(
    "told",
    [
        {"summary": SUMMARY},
        {"losses": LOSS},
        {"original": Original(5, 4, 3, 2)},
        {"configuration": "<config/>"},
        {"command": "toolbox"},
        {"data": (("Input", "people.csv"),)},
        {"has_seed": True},
        {"risk": RISK},
        {"notes": ("5 lines could not be read.",)},
        {"pictures": (AGE,)},
        {"matching": MATCHING},
        {"joint": JOINT},
        {"statistics": FOUND},
        {"sensitive": (ILLNESS,)},
        {"advice": RISK_REPORT.advice},
    ],
    ids=lambda told: next(iter(told)),
)
def test_what_only_those_inside_know_has_no_place_in_a_public_report(told: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="public"):
        replace(PUBLIC, **told)  # type: ignore[arg-type]


def test_counts_below_k_are_not_told_to_everybody() -> None:
    public, internal = replace(PUBLIC, k=5), replace(INTERNAL, k=5)
    assert [public.count_records(count) for count in (0, 1, 4)] == ["0 records", *["fewer than 5 records"] * 2]
    assert public.count_records(5) == "5 records"
    assert [internal.number(count) for count in (0, 4)] == ["0", "4"]
    assert public.number(4) == "fewer than 5"


def test_a_release_holds_where_all_models_do() -> None:
    (model,) = INTERNAL.models
    assert INTERNAL.holds
    assert replace(INTERNAL, models=(model, replace(model, holds=False))).holds is False


def test_nobody_knows_whether_a_release_holds_where_a_model_could_not_be_judged() -> None:
    untold = (UntoldModel("k-map", None, {"k": 5}, 5),)
    assert replace(INTERNAL, untold=untold).holds is None
    fails = (replace(INTERNAL.models[0], holds=False),)
    assert replace(INTERNAL, untold=untold, models=fails).holds is False
