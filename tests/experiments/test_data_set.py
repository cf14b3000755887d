"""A data set: by a configuration or as it is described, its columns, and the digest of all that it is made of."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from helpers.small_study import PEOPLE, data_of, plan_of, write_people

from toolbox.config.model import Limits
from toolbox.errors import InputError, UnknownColumnError
from toolbox.experiments.data_set import OpenedData, digest_of_data
from toolbox.experiments.plan import DataSet
from toolbox.experiments.plan_reader import read_plan

CONFIG = """<config k='2'><input filename='people.csv' header='true'/>
<qid><att name='age'/><att name='town' type='category'/></qid><sens><att name='ill' type='category'/></sens></config>"""


def described(folder: Path, **said: object) -> DataSet:
    (data,) = read_plan(plan_of(folder, data=[data_of(folder, **said)])).data
    return data


def test_a_configuration_and_a_description_are_the_same_table(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "people.xml").write_text(CONFIG)
    configured = DataSet(name="c", configuration=tmp_path / "people.xml", label="ill", features=("visits",))
    for data in (configured, described(tmp_path, features=["visits"])):
        with ExitStack() as stack:
            opened = OpenedData.of(stack, data, Limits(), with_records=True)
            assert opened.original().loaded.tables.record_count == 40
            texts = opened.texts(["ill", "visits"])
            assert texts.to_numpy().tolist() == [[ill, str(visits)] for _, _, visits, ill in PEOPLE]
            with pytest.raises(UnknownColumnError, match="Did you mean 'visits'"):
                opened.texts(["visit"])


def test_a_label_that_is_no_column_is_a_fault_also_where_nobody_learns(tmp_path: Path) -> None:
    write_people(tmp_path)
    with ExitStack() as stack, pytest.raises(UnknownColumnError, match=r"has no column 'il'\. Did you mean 'ill'"):
        OpenedData.of(stack, described(tmp_path, label="il"), Limits(), with_records=False)


def test_a_table_takes_the_place_of_the_input_of_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "people.xml").write_text(CONFIG.replace("people.csv", "absent.csv"))
    data = DataSet(name="c", configuration=tmp_path / "people.xml", table=write_people(tmp_path))
    with ExitStack() as stack:
        opened = OpenedData.of(stack, data, Limits(), with_records=False)
        assert opened.original().loaded.tables.record_count == 40


def test_the_digest_is_that_of_what_is_declared_and_of_every_file(tmp_path: Path) -> None:
    towns = tmp_path / "towns.csv"
    towns.write_text("Graz;*\nLinz;*\nWien;*\n")
    data = described(tmp_path, hierarchies={"town": str(towns)})
    before = digest_of_data(data)
    assert digest_of_data(described(tmp_path, hierarchies={"town": str(towns)})) == before
    assert digest_of_data(described(tmp_path, hierarchies={"town": str(towns)}, kinds={"age": "category"})) != before
    towns.write_text("Graz;South;*\nLinz;North;*\nWien;North;*\n")
    changed = digest_of_data(data)
    assert changed != before
    with (tmp_path / "people.csv").open("a") as file:
        file.write("99,Wien,0,no\n")
    assert digest_of_data(data) not in (before, changed)
    (tmp_path / "people.csv").unlink()
    with pytest.raises(InputError, match=r"people\.csv cannot be read"):
        digest_of_data(data)
