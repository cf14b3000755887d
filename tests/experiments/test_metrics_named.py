"""Loss metrics by their names, and those of other people."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolbox.loss.precision
from toolbox.errors import UsageError
from toolbox.experiments.metrics_named import Guarded, Raised, metrics_of

OWN = """
from dataclasses import dataclass
from typing import ClassVar
from toolbox import LossMetric

@dataclass(frozen=True, kw_only=True)
class Broken(LossMetric):
    name: ClassVar[str] = "broken"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[str] = "lower"

    def values(self, comparison):
        yield self.measure(1 / 0)

@dataclass(frozen=True, kw_only=True)
class Needy(Broken):
    share: float

class Exits(Broken):
    def values(self, comparison):
        raise SystemExit(0)

class NotMade(Broken):
    def __init__(self):
        raise SystemExit("Graz")
"""


def test_names_first_letters_and_classes_are_known() -> None:
    named = metrics_of(["NCP", "precision", "toolbox.loss.precision:Precision", "ncp"])
    assert [metric.name for metric in named] == ["normalised certainty penalty", "precision", "precision"]
    assert isinstance(named[2], Guarded)
    assert named[2].inner == toolbox.loss.precision.Precision()


def test_an_error_of_somebody_elses_metric_is_its_failure_and_quotes_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_metric.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    (metric,) = metrics_of(["broken_metric:Broken"])
    (said,) = metric.values(None)  # type: ignore[arg-type]
    assert isinstance(said, Raised)
    assert said == ("broken", f"ZeroDivisionError in {tmp_path / 'broken_metric.py'}, line 14")
    (metric,) = metrics_of(["broken_metric:Exits"])
    (said,) = metric.values(None)  # type: ignore[arg-type]
    assert said == ("broken", f"SystemExit in {tmp_path / 'broken_metric.py'}, line 22")
    with pytest.raises(UsageError, match=r"cannot be made: SystemExit in .*, line 26\.$"):
        metrics_of(["broken_metric:NotMade"])
    with pytest.raises(UsageError, match="Give each setting a default"):
        metrics_of(["broken_metric:Needy"])
