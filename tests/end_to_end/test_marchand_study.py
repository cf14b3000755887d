"""The plan of Marchand's study on his credit data: what gradient boosting loses there is next to nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import toolbox

PLAN = Path(toolbox.__file__).parents[1] / "configs" / "marchand_study.toml"


@pytest.mark.real
@pytest.mark.slow
def test_gradient_boosting_loses_less_than_15_thousandths_of_its_auroc_on_the_credit_data(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLBOX_DATA", str(shared))
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    credit = next(data for data in plan["data"] if data["name"] == "credit")
    summary = toolbox.experiment({**plan, "parameters": {"k": [2, 10]}, "data": [credit]}).summary
    scores = summary[(summary["metric"] == "AUROC") & (summary["learner"] == "gradient boosting")]
    assert len(scores) == 5
    assert (scores["drop"].abs() < 0.015).all()
    # He has .79 throughout.
    assert ((scores["value"] - 0.79).abs() < 0.015).all()
