"""Which cells a plan has, and what their seeds and digests depend on."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from toolbox.experiments.cells.rows import ORIGINAL, Cell, Task, compute_digest
from toolbox.experiments.plan.plan import DataSet, Learning, Plan, Wish
from toolbox.experiments.study import _list_cells

PLAN = Plan(
    name="study",
    data=(DataSet(name="a", label="ill"), DataSet(name="b", label="ill", methods=("Datafly",))),
    methods=("Mondrian", "OLA"),
    wishes=(Wish(k=2), Wish(k=5)),
    metrics=("NCP",),
    repetitions=2,
    learning=Learning(learners=("decision tree",)),
)


def test_every_data_set_has_every_method_requirement_and_repetition_after_the_original() -> None:
    cells = list(_list_cells(PLAN))
    assert [str(cell) for cell in cells[:4]] == [
        f"a, {ORIGINAL}",
        "a, Mondrian, k=2",
        "a, Mondrian, k=2, repetition 2",
        "a, Mondrian, k=5",
    ]
    assert [cell.data.name for cell in cells] == ["a"] * 9 + ["b"] * 5
    assert cells[0].tasks == (Task("learn", "decision tree"),)
    assert cells[1].tasks == (Task("run"), Task("loss", "NCP"), Task("learn", "decision tree"))
    assert not any(cell.is_original for cell in _list_cells(replace(PLAN, learning=None)))


def test_each_cell_has_a_seed_of_its_own_that_follows_from_the_plan() -> None:
    seeds = [cell.seed for cell in _list_cells(PLAN)]
    assert len(set(seeds)) == len(seeds) - 1, "only the two originals share one"
    assert seeds == [cell.seed for cell in _list_cells(replace(PLAN, metrics=()))]
    assert not set(seeds) & {cell.seed for cell in _list_cells(replace(PLAN, seed=1))}


def digests(plan: Plan, records: str = "x", **others: str) -> dict[tuple[str, Task], str]:
    versions = {"toolbox": "1", **others}
    return {
        (str(cell), task): compute_digest(plan, cell, task, records, versions)
        for cell in _list_cells(plan)
        for task in cell.tasks
    }


def test_a_digest_changes_with_what_its_result_depends_on_and_with_nothing_else() -> None:
    before = digests(PLAN)
    assert len(set(before.values())) == len(before)

    def changed(plan: Plan, **others: str) -> set[str]:
        after = digests(plan, **others)
        return {task.kind for (cell, task), digest in after.items() if before.get((cell, task)) not in (None, digest)}

    assert changed(replace(PLAN, metrics=("NCP", "precision"), wishes=(*PLAN.wishes, Wish(k=9)), name="x")) == set()
    assert changed(replace(PLAN, threshold=0.5)) == {"run"}
    assert changed(replace(PLAN, learning=Learning(learners=("decision tree", "random forest")))) == set()
    assert changed(replace(PLAN, learning=Learning(learners=("decision tree",), splits=9))) == {"learn"}
    assert changed(replace(PLAN, seed=9)) == changed(replace(PLAN, suppression_threshold=0)) == {"run", "loss", "learn"}
    assert not set(digests(PLAN, records="y").values()) & set(before.values())
    assert changed(PLAN, toolbox="2") == {"run", "loss", "learn"}
    assert changed(PLAN, sklearn="1.9") == {"learn"}


def test_what_a_class_at_hand_did_before_it_was_changed_is_not_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for number in (1, 2):
        # Each content has a module of its own, as a process imports one only once.
        (tmp_path / f"changed_{number}.py").write_text(f"class Mine: number = {number}")
        os.utime(tmp_path / f"changed_{number}.py")
        cell = Cell(PLAN.data[0], f"changed_{number}:Mine", Wish(k=2), 1, 7, ())
        found.append(compute_digest(PLAN, replace(cell), Task("run"), "x", {}))
    assert found[0] != found[1]
    assert "changed_1" in sys.modules
