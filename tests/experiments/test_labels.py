"""Labels and features that are no columns, told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_study import data_of, plan_of, write_people

from toolbox.errors import ConfigurationError
from toolbox.experiments.labels import require_columns
from toolbox.experiments.plan_reader import read_plan

CONFIG = "<config k='2'><input filename='people.csv' header='true' separator=','/><qid><att name='age'/></qid></config>"


def test_all_columns_that_are_not_there_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG)
    configured = {"configuration": str(tmp_path / "c.xml"), "name": "c", "label": "il"}
    plan = plan_of(tmp_path, name="study", data=[data_of(tmp_path, features=["visits", "vists", "sick"]), configured])
    with pytest.raises(ConfigurationError) as caught:
        require_columns(read_plan(plan))
    assert str(caught.value).splitlines() == [
        "the plan study: 3 faults",
        "  features: the data set 'people' has no column 'sick'. Write features as the header of the table has it.",
        "  features: the data set 'people' has no column 'vists'. "
        "Write features as the header of the table has it. Did you mean 'visits'?",
        "  label: the data set 'c' has no column 'il'. "
        "Write label as the header of the table has it. Did you mean 'ill'?",
    ]


def test_what_is_there_or_cannot_be_known_is_no_fault(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "c.xml").write_text(
        CONFIG.replace("header='true'", "header='false'").replace("name='age'", "index='0'")
    )
    by_place = {"configuration": str(tmp_path / "c.xml"), "name": "c", "label": "3"}
    absent = data_of(tmp_path, name="absent", table=str(tmp_path / "absent.csv"))
    require_columns(read_plan(plan_of(tmp_path, data=[data_of(tmp_path, features=["visits"]), by_place, absent])))
