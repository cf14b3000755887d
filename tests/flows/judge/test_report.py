"""One page about a release by whichever program."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.questions import question
from sqlalchemy.sql.expression import ClauseElement

from toolbox.config.model import Column
from toolbox.errors import InputError, UsageError
from toolbox.flows.arguments.checks import SampleDesign
from toolbox.flows.judge.report import _list_declared_columns, name_checksums, report_release
from toolbox.flows.judge.report_columns import find_undeclared_columns
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.connection import Prepared
from toolbox.store.engine.store import Store

ASKED = question("age", sensitive=["illness"], models=[KAnonymity(k=2)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "release.csv").write_text("age,illness,visits\n20-29,flu,1\n20-29,cold,2\n30-39,flu,3\n30-39,gout,4\n")
    (tmp_path / "people.csv").write_text("age,illness,visits\n21,flu,1\n24,cold,2\n31,flu,3\n33,gout,4\n")
    return tmp_path


@pytest.mark.slow
def test_the_files_their_checksums_and_undeclared_columns_are_told(folder: Path) -> None:
    found = report_release(ASKED, folder / "release.csv", original=folder / "people.csv", command="toolbox report")
    assert found.data == (
        ("The release", str(folder / "release.csv")),
        ("Original records", str(folder / "people.csv")),
    )
    assert dict(found.checksums) == {"release.csv": hashlib.sha256((folder / "release.csv").read_bytes()).hexdigest()}
    assert (found.undeclared, found.method, found.command) == (("visits",), None, "toolbox report")
    assert found.original is not None
    assert found.holds


def test_columns_that_are_declared_in_any_way_are_not_undeclared(folder: Path) -> None:
    treated = tuple((Column(index=None, name=name), text) for name, text in (("visits", "round:2"), ("gone", "drop")))
    people = replace(ASKED.config, identifiers=(Column(index=None, name="who"), Column(index=None, name="name")))
    asked = replace(ASKED, config=replace(people, treated=(*treated, (people.identifiers[0], "pseudonym"))))
    asked = replace(asked, person=("who",), sample=SampleDesign(weight="stands_for"))
    (folder / "names.csv").write_text("age,illness,visits,who,stands_for,gone,other\n")
    assert find_undeclared_columns(asked, (folder / "names.csv",)) == ("gone", "other")
    assert [column[:2] for column in _list_declared_columns(asked.config, (), tells_all=False)] == [
        ("visits", "other column, treated"),
        ("who", "identifier, treated"),
        ("age", "quasi-identifier, generalised"),
        ("illness", "sensitive, released as it is"),
    ]
    assert _list_declared_columns(asked.config, (), tells_all=True)[0][:2] == ("name", "identifier, dropped")


def test_files_of_one_name_have_their_checksums_by_folder(folder: Path) -> None:
    paths = [folder / year / "release.csv" for year in ("2019", "2020")]
    assert dict(name_checksums({str(path): year for path, year in zip(paths, ("4f", "a1"), strict=True)})) == {
        "2019/release.csv": "4f",
        "2020/release.csv": "a1",
    }


@pytest.mark.slow
def test_few_statements_are_asked_of_each_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of what a page costs is the number of its statements; before they were shared, a column took 71."""
    counts: list[int] = []
    prepared = Store.prepare_statement

    def counting(store: Store, statement: ClauseElement) -> Prepared:
        counts[-1] += 1
        return prepared(store, statement)

    monkeypatch.setattr(Store, "prepare_statement", counting)
    for columns in (1, 2):
        counts.append(0)
        names = [f"q{number}" for number in range(columns)]
        lines = [",".join(names), *(",".join([text] * columns) for text in ("a", "a", "b", "b"))]
        (tmp_path / "people.csv").write_text("\n".join(lines))
        (tmp_path / "release.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
        report_release(question(*names), tmp_path / "release.csv", original=tmp_path / "people.csv")
    assert counts[1] - counts[0] <= 30


def test_for_the_public_nobody_looks_at_the_original_records(folder: Path) -> None:
    found = report_release(ASKED, folder / "release.csv", kind="public", original=folder / "not_there.csv")
    assert (found.original, found.losses, found.data) == (None, None, ())
    with pytest.raises(UsageError, match=r"nothing of a population\. Leave --population out"):
        report_release(ASKED, folder / "release.csv", kind="public", population=folder / "people.csv")


def test_a_release_that_nobody_can_read_is_an_error(folder: Path) -> None:
    (folder / "release.csv").write_text("town,illness\nGraz,flu\n")
    with pytest.raises(InputError) as caught:
        report_release(ASKED, folder / "not_there.csv")
    assert "not_there.csv" in str(caught.value)
