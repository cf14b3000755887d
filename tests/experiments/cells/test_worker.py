"""A worker reads a data set once, and what is wrong with it is said of each of its cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_study import data_of, plan_of

from toolbox.config.model import Limits
from toolbox.experiments import study as module
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.study import Worker, _list_cells


def test_a_data_set_is_read_once_and_a_broken_one_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.csv").write_text("")
    monkeypatch.setenv("STUDY_SECRET", str(tmp_path))
    broken = data_of(tmp_path, name="broken", table="$STUDY_SECRET/empty.csv")
    data = [data_of(tmp_path, name="people"), broken]
    plan = read_plan(plan_of(tmp_path, methods=["Datafly"], data=data))
    opened = []
    real = module.OpenedData.of

    def counting(*arguments: object, **said: object) -> object:
        opened.append(arguments[1].name)  # type: ignore[attr-defined]
        return real(*arguments, **said)  # type: ignore[arg-type]

    monkeypatch.setattr(module.OpenedData, "of", counting)
    with Worker(plan, Limits()) as worker:
        found = {str(cell): worker.run(cell, cell.tasks[:1]) for cell in _list_cells(plan)}
    assert opened == ["people", "broken"]
    reasons = {name: {row["reason"] for rows in tasks.values() for row in rows} for name, tasks in found.items()}
    (unread,) = reasons["broken, Datafly, k=2"]
    assert "$STUDY_SECRET/empty.csv" in unread
    assert str(tmp_path) not in unread
    (read,) = reasons["people, Datafly, k=2"]
    assert "needs a hierarchy" in read
    assert list(reasons) == [f"{name}, Datafly, k={k}" for name in ("people", "broken") for k in (2, 5)]
