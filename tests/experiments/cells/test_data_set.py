"""A data set: by a configuration or as it is described, its columns, and the digest of all that it is made of."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_study import PEOPLE, data_of, plan_of, write_people

from toolbox.config.model import Limits
from toolbox.errors import InputError, UnknownColumnError
from toolbox.experiments.cells.data_set import OpenedData, compute_data_digest
from toolbox.experiments.plan.plan import DataSet
from toolbox.experiments.plan.reader import read_plan

CONFIG = """<config k='2'><input filename='people.csv' header='true'/>
<qid><att name='age'/><att name='town' type='category'/></qid><sens><att name='ill' type='category'/></sens></config>"""


def described(folder: Path, **said: object) -> DataSet:
    (data,) = read_plan(plan_of(folder, data=[data_of(folder, **said)])).data
    return data


@pytest.mark.slow
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
        OpenedData.of(stack, replace(described(tmp_path), label="il"), Limits(), with_records=False)


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
    before = compute_data_digest(data)
    assert compute_data_digest(described(tmp_path, hierarchies={"town": str(towns)})) == before
    assert (
        compute_data_digest(described(tmp_path, hierarchies={"town": str(towns)}, kinds={"age": "category"})) != before
    )
    towns.write_text("Graz;South;*\nLinz;North;*\nWien;North;*\n")
    changed = compute_data_digest(data)
    assert changed != before
    with (tmp_path / "people.csv").open("a") as file:
        file.write("99,Wien,0,no\n")
    assert compute_data_digest(data) not in (before, changed)
    (tmp_path / "people.csv").unlink()
    with pytest.raises(InputError, match=r"people\.csv cannot be read"):
        compute_data_digest(data)


def test_the_digest_does_not_depend_on_the_order_in_which_columns_are_described(tmp_path: Path) -> None:
    said = {
        "hierarchies": {"age": "intervals:5", "town": "prefix:1"},
        "kinds": {"age": "number", "town": "category"},
        "weights": {"age": 2, "town": 1},
    }
    turned = {word: dict(reversed(table.items())) for word, table in said.items()}
    assert compute_data_digest(described(tmp_path, **turned)) == compute_data_digest(described(tmp_path, **said))
    other = {**said, "weights": {"age": 1, "town": 2}}
    assert compute_data_digest(described(tmp_path, **other)) != compute_data_digest(described(tmp_path, **said))


def test_the_digest_of_a_configuration_is_that_of_its_population_too(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "all.csv").write_text("age,town\n20,Graz\n")
    (tmp_path / "towns.csv").write_text("Graz;*\nLinz;*\nWien;*\n")
    path, data = tmp_path / "people.xml", DataSet(name="c", configuration=tmp_path / "people.xml")
    before = (
        CONFIG.replace("<qid>", "<population filename='all.csv' header='true'/><qid>")
        .replace("<att name='town' type='category'/>", "<att name='town'><vgh file='towns.csv'/></att>")
        .replace("</config>", "<output filename='release.csv'/></config>")
    )
    path.write_text(before)
    digest = compute_data_digest(data)
    path.write_text(before.replace("release.csv", "elsewhere.csv"))
    assert compute_data_digest(data) == digest, "nothing is released"
    path.write_text(before)
    found = {digest}
    for name, line in (("all.csv", "21,Graz\n"), ("towns.csv", "Bern;*\n"), ("people.csv", "99,Wien,0,no\n")):
        with (tmp_path / name).open("a") as file:
            file.write(line)
        found.add(compute_data_digest(data))
    path.write_text(before.replace("header='true'/><qid>", "header='true' separator=';'/><qid>"))
    found.add(compute_data_digest(data))
    assert len(found) == 5


def test_the_file_of_a_builder_a_folder_and_a_pattern_are_in_the_digest(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Graz;South\nLinz;North\nWien;North\n")
    (tmp_path / "parts").mkdir()
    write_people(tmp_path / "parts")
    tables = [str(tmp_path / "parts"), str(tmp_path / "parts" / "*.csv")]
    datas = [
        described(tmp_path, table=table, hierarchies={"town": f"tree:{tmp_path / 'towns.csv'}"}) for table in tables
    ]
    with ExitStack() as stack:
        assert OpenedData.of(stack, datas[1], Limits(), with_records=False).original().loaded.tables.record_count == 40
    found = [set(map(compute_data_digest, datas))]
    for path in (tmp_path / "towns.csv", tmp_path / "parts" / "more.csv"):
        with path.open("a") as file:
            file.write("Bern;South\n")
        found.append(set(map(compute_data_digest, datas)))
    assert [len(digests) for digests in found] == [1, 1, 1]
    assert len(set().union(*found)) == 3


def test_the_digest_does_not_depend_on_where_the_files_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = {"town": "towns.csv", "ill": "tree:ill.csv:other=root"}
    found = []
    for place in ("here", "there"):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "towns.csv").write_text("Graz;South\nLinz;North\nWien;North\n")
        (folder / "ill.csv").write_text("yes;any\nno;any\n")
        words = plan_of(folder, data=[data_of(folder, hierarchies=trees)])
        monkeypatch.chdir(folder)
        (data,) = read_plan(words).data
        found.append(compute_data_digest(data))
    absolute = {"town": str(folder / "towns.csv"), "ill": f"tree:{folder / 'ill.csv'}:other=root"}
    found.append(compute_data_digest(described(folder, hierarchies=absolute)))
    assert len(set(found)) == 1
    assert (
        compute_data_digest(described(folder, hierarchies={**absolute, "ill": f"tree:{folder / 'ill.csv'}"}))
        != found[0]
    )


def test_a_table_of_a_database_may_have_changed(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(
        CONFIG.replace("filename='people.csv' header='true'", "url='postgresql://x/y' table='z'")
    )
    data = DataSet(name="c", configuration=tmp_path / "c.xml")
    assert compute_data_digest(data) != compute_data_digest(data)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipes = tmp_path / "pipe", Path("/dev/zero")
    for data in (
        *(DataSet(name="a", table=path) for path in pipes),
        *(DataSet(name="a", configuration=path) for path in pipes),
    ):
        with pytest.raises(InputError, match="is no regular file"):
            compute_data_digest(data)


def test_the_output_of_a_configuration_need_not_be(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "c.xml").write_text(CONFIG.replace("<qid>", "<output filename='nowhere/deep/release.csv'/><qid>"))
    compute_data_digest(DataSet(name="c", configuration=tmp_path / "c.xml"))
