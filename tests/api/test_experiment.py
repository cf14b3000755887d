"""The public call `experiment`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_study import plan_of

import toolbox


def test_a_mapping_is_a_plan_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    report = toolbox.experiment(plan_of(tmp_path, parameters={"k": 4}), limits="500MB")
    assert (report.cells, report.folder) == (1, None)
    assert list((tmp_path / "here").iterdir()) == []


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    for plan, said in (({"data": []}, {}), (plan_of(tmp_path), {"jobs": 0}), (tmp_path / "no.toml", {})):
        with pytest.raises(toolbox.UsageError):
            toolbox.experiment(plan, **said)  # type: ignore[arg-type]


def test_arguments_that_are_none_are_said_in_words(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, parameters={"k": 4})
    zero = plan_of(tmp_path, data=[{"table": "a\0b", "quasi_identifiers": ["age"]}])
    for wrong, said, expected in (
        (None, {}, "A plan is no NoneType."),
        (5, {}, "A plan is no int."),
        (zero, {}, "table is 'a\\x00b'"),
        (plan, {"output": 5}, "output"),
        (plan, {"output": "a\0b"}, "results cannot be kept there (embedded null byte)"),
        (plan, {"jobs": None}, "jobs"),
    ):
        with pytest.raises(toolbox.UsageError) as caught:
            toolbox.experiment(wrong, **said)  # type: ignore[arg-type]
        assert expected in str(caught.value), said
