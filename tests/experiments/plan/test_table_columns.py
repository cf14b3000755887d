"""Columns that are not in a table, told before anything runs, with all else that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_study import FRAME, data_of, plan_of, write_people

from toolbox.errors import ConfigurationError
from toolbox.experiments.plan.reader import read_plan

CONFIG = "<config k='2'><input filename='people.csv' header='true' separator=','/><qid><att name='age'/></qid></config>"
PLAN = """<plan sed='1'>
<parameters k='5'/>
<data table='people.csv' label='il'>
  <qid>
    <att name='agee'/>
  </qid>
  <sens><att name='ill'/></sens>
  <feature name='vists'/>
</data>
</plan>"""


def test_all_columns_that_are_not_there_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG.replace("'age'", "'agee'"))
    configured = {"configuration": str(tmp_path / "c.xml"), "name": "c", "label": "il", "features": ["visits"]}
    gone = data_of(tmp_path, name="gone", table=str(tmp_path / "gone.csv"))
    people = data_of(tmp_path, quasi_identifiers=["age", "towns"], features=["visits", "sick"])
    with pytest.raises(ConfigurationError) as caught:
        read_plan(plan_of(tmp_path, data=[people, configured, gone]))
    remedy = "which is no column of the table. Write it as the header has it."
    assert str(caught.value).splitlines() == [
        "the plan: 5 faults",
        f"  [[data]] 1: features names 'sick', {remedy}",
        f"  [[data]] 1: quasi_identifiers names 'towns', {remedy} Did you mean 'town'?",
        f"  [[data]] 2: configuration names 'agee', {remedy} Did you mean 'age'?",
        f"  [[data]] 2: label names 'il', {remedy} Did you mean 'ill'?",
        f"  the data set 'gone': {tmp_path}/gone.csv cannot be read: No such file or directory. Name a file that exists.",
    ]


def test_where_no_name_is_known_the_first_line_may_be_no_header(tmp_path: Path) -> None:
    said = data_of(tmp_path, quasi_identifiers=["postcode"], sensitive=[], label="salary")
    with pytest.raises(ConfigurationError) as caught:
        read_plan(plan_of(tmp_path, data=[said]))
    assert [str(fault).partition("table. ")[2] for fault in caught.value.faults] == 2 * [
        "None of the names is in its first line: is that a header?"
    ]


def test_columns_of_an_xml_plan_are_told_with_their_lines_and_with_all_other_faults(tmp_path: Path) -> None:
    write_people(tmp_path)
    path = tmp_path / "study.xml"
    path.write_text(PLAN)
    with pytest.raises(ConfigurationError) as caught:
        read_plan(path)
    assert str(caught.value).startswith(f"{path}: 4 faults")
    starts = ["line 1: <plan> has no attribute 'sed'.", "line 3: <data>: label names 'il', which is no column"]
    starts += [
        "line 5: <data>: <qid> names 'agee', which is no",
        "line 8: <data>: <feature> names 'vists', which is no",
    ]
    assert [str(fault)[: len(start)] for fault, start in zip(caught.value.faults, starts, strict=True)] == starts


def test_what_is_there_or_cannot_be_known_is_no_fault(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "c.xml").write_text(
        CONFIG.replace("header='true'", "header='false'").replace("name='age'", "index='0'")
    )
    FRAME.to_parquet(tmp_path / "parquet.csv")
    read_plan(
        plan_of(
            tmp_path,
            data=[
                data_of(tmp_path, features=["visits"]),
                {"configuration": str(tmp_path / "c.xml"), "name": "by place", "label": "3"},
                data_of(tmp_path, name="absent", table=str(tmp_path / "absent.csv")),
                data_of(tmp_path, name="called as a text", table=str(tmp_path / "parquet.csv")),
                data_of(tmp_path, name="a folder", table=str(tmp_path / "people*")),
            ],
        )
    )
