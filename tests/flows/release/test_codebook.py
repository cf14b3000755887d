"""The codebook of a release: a Data Package that says of each column what was done to it, and what is not true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolbox.cli.main import main

LINES = ["age,pay,note,phone", "21,10,x,12345", "22,20,y,23456", "34,30,x,34567", "35,40,y,45678", ""]
DATAFLY = ["--hierarchy", "age=intervals:10", "-method", "Datafly"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("\n".join(LINES))


def run(*others: str, output: str = "out.csv") -> int:
    ways = ["--qi", "age", "-k", "2", "--undeclared", "pass", "--quiet", "-output", output, "--codebook", "book.json"]
    return main(["anonymize", "in.csv", *ways, *others])


def test_each_column_is_described_in_the_order_of_the_release() -> None:
    assert run("--treat", "pay=swap:100", "--treat", "phone=mask:2", *DATAFLY) == 0
    document = json.loads(Path("book.json").read_text())
    (resource,) = document["resources"]
    assert (document["profile"], resource["path"]) == ("data-package", ["out.csv"])
    fields = resource["schema"]["fields"]
    assert ",".join(field["name"] for field in fields) == Path("out.csv").read_text().splitlines()[0]
    age, pay, note, phone = fields
    assert (age["treatment"], age["level"], age["is_true"], age["type"]) == ("generalised", 1, True, "string")
    assert "All values are of level 1 of" in age["description"]
    assert (pay["treatment"], pay["is_true"]) == ("swap:100", False)
    assert pay["not_true"].startswith("No value is known to be that of its record")
    assert (note["treatment"], note["description"]) == ("pass", "Released as it was read.")
    assert (phone["treatment"], phone["is_true"]) == ("mask:2", True)
    # No value of the records is in it.
    assert not any(value in Path("book.json").read_text() for value in ("12345", "23456", "34567"))


@pytest.mark.slow
def test_a_release_of_two_tables_has_a_resource_for_each() -> None:
    assert run("-outputFormat", "anatomy") == 0
    resources = json.loads(Path("book.json").read_text())["resources"]
    assert [resource["path"] for resource in resources] == [["out_QIT.csv"], ["out_ST.csv"]]


def test_the_values_of_an_anatomy_are_not_called_generalised() -> None:
    assert run("-outputFormat", "anatomy", *DATAFLY) == 0
    shown = [line.split(",")[0] for line in Path("out_QIT.csv").read_text().splitlines()]
    age = json.loads(Path("book.json").read_text())["resources"][0]["schema"]["fields"][0]
    assert (shown[0], sorted(shown[1:])) == (age["name"], ["21", "22", "34", "35"])
    assert (age["treatment"], age["is_true"], age["not_true"]) == ("pass", True, "")
    assert age["description"] == "As it was read; suppressed records show the root."


@pytest.mark.slow
def test_it_is_placed_with_the_release_or_not_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--treat", "pay=top:35") == 2
    assert not Path("book.json").exists() and not Path("out.csv").exists()
    assert "1 record of 'pay' is above the cap" in capsys.readouterr().err
