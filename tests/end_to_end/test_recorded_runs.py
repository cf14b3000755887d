"""Recorded runs of the toolbox of 2010, repeated with compatibility='utd': the same bytes, the same groups.

Every third by default, of all methods; all of them with ``--slow``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.amounts import some
from helpers.recorded import RecordedRun, anatomy_groups, recorded_names
from helpers.releases import read_text_table
from helpers.running import run_in_process

pytestmark = [pytest.mark.real, pytest.mark.sampled(2)]
NAMES = recorded_names()
ANATOMY = [name for name in NAMES if name.endswith("_anatomy")]


def repeat(shared: Path, name: str, folder: Path, *more: str) -> RecordedRun:
    """Run the toolbox as the original was run, but for the option that asks for its notation."""
    run = RecordedRun(shared / "fixtures" / "utd" / name, shared / "data" / "census-income_463.data")
    arguments = [*run.arguments, "-compatibility", "utd", *more]
    run_in_process("-config", run.copy_to(folder), *arguments, "--quiet").succeeded()
    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", some([name for name in NAMES if name not in ANATOMY], every=3))
def test_the_release_is_that_of_2010_byte_for_byte(shared: Path, name: str, tmp_path: Path) -> None:
    run = repeat(shared, name, tmp_path)
    assert (tmp_path / "out.data").read_bytes() == (run.folder / "out.data").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", some(ANATOMY, every=3))
def test_the_groups_of_anatomy_are_those_of_2010_but_stand_in_their_order_not_that_of_the_records(
    shared: Path, name: str, tmp_path: Path
) -> None:
    """In 2010 line n of the one file and line n of the other were the same record."""
    run = repeat(shared, name, tmp_path)
    assert anatomy_groups(tmp_path) == anatomy_groups(run.folder)
    qit, st = (read_text_table(tmp_path / f"out_{part}.data", header=False).rows for part in ("QIT", "ST"))
    groups = [row[-1] for row in qit]
    assert groups == [row[0] for row in st] == sorted(groups, key=int)


def test_a_setting_of_the_user_wins_over_that_of_2010(shared: Path, tmp_path: Path) -> None:
    repeat(shared, "hand_base_Mondrian_k3", tmp_path, "--set", "naming=values")
    rows = (tmp_path / "out.data").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "[0.0],[20.0:22.0],flu"
