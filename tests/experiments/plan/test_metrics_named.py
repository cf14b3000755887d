"""Loss metrics by their names, and those of other people."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.own_code import OwnCode

import toolbox.loss.cells
from toolbox.errors import UsageError
from toolbox.experiments.plan.plan import Guarded, Raised, load_metrics

MORE = """
@dataclass(frozen=True, kw_only=True)
class Needy(Broken):
    share: float

class NotMade(Broken):
    def __init__(self):
        raise SystemExit("Graz")
"""


def test_names_first_letters_and_classes_are_known() -> None:
    named = load_metrics(["NCP", "precision", "toolbox.loss.cells:Precision", "ncp"])
    assert [metric.name for metric in named] == ["normalised certainty penalty", "precision", "precision"]
    assert isinstance(named[2], Guarded)
    assert named[2].inner == toolbox.loss.cells.Precision()


def test_an_error_of_somebody_elses_metric_is_its_failure_and_quotes_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = {"Broken": "yield self.measure(1 / 0)", "Exits": "raise SystemExit(0)"}
    own = OwnCode("broken_metric", tmp_path, monkeypatch, metrics=metrics, more=MORE)
    for name, error, text in (("Broken", "ZeroDivisionError", "1 / 0"), ("Exits", "SystemExit", "SystemExit(0)")):
        (metric,) = load_metrics([f"broken_metric:{name}"])
        (said,) = metric.values(None)  # type: ignore[arg-type]
        assert isinstance(said, Raised)
        assert said == (f"my {name}", f"{error} in {own.file}, line {own.line(text)}")
    line = own.line('SystemExit("Graz")')
    with pytest.raises(UsageError, match=rf"cannot be made: SystemExit in .*, line {line}\.$"):
        load_metrics(["broken_metric:NotMade"])
    with pytest.raises(UsageError, match="Give each setting a default"):
        load_metrics(["broken_metric:Needy"])
