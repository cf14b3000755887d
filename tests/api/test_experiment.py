"""The public call `experiment`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_study import FRAME, plan_of

import toolbox


@pytest.mark.slow
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


def test_wrong_arguments_are_said_in_words(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, parameters={"k": 4})
    zero = plan_of(tmp_path, data=[{"table": "a\0b", "quasi_identifiers": ["age"]}])
    for wrong, said, expected in (
        (None, {}, "A plan is no NoneType."),
        (5, {}, "A plan is no int."),
        (zero, {}, "table is 'a\\x00b'"),
        (plan, {"output": 5}, "output"),
        (plan, {"output": "a\0b"}, "a\0b: results cannot be kept there ("),
        (plan, {"jobs": None}, "jobs is None; write a whole number of at least 1."),
        (plan, {"jobs": "2"}, "jobs is '2'; write a whole number of at least 1."),
        (plan, {"jobs": True}, "jobs is True"),
        (plan, {"watcher": 5}, "watcher is 'int'; write an object of a class that extends Watcher, or None."),
        (plan, {"watcher": print}, "watcher is 'builtin_function_or_method'"),
        (plan, {"limits": 5}, "limits is 5;"),
        ([plan], {}, "A plan is no list."),
        ({"data": FRAME}, {}, "data is 'an object of type DataFrame'."),
        ({"data": None}, {}, "it names no data set."),
    ):
        with pytest.raises(toolbox.UsageError) as caught:
            toolbox.experiment(wrong, **said)  # type: ignore[arg-type]
        assert expected in str(caught.value), said
