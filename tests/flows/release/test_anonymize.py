"""One run: every step told and timed, everything fingerprinted, nothing left over."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from toolbox import Config, InputError, OutputError, ToolboxError, UnsatisfiableError, load_config
from toolbox.flows.release.anonymize import run
from toolbox.report.runs.summary import Summary
from toolbox.steps import Stage, Watcher
from toolbox.store.input.source import RecordPlace

PEOPLE = "id,age,sex,note\n1,25,F,x\n2,27,M,y\n3\n4,61,M,z\n5,64,?,u\n6,61,F,v\n"
CONFIG = """<config method='Datafly' k='2' suppThreshold='0'>
<input filename='in.csv' header='true' onMissing='skip'/><output filename='out.csv' order='input'/>
<id><att name='id'/></id>
<qid>
<att name='sex'><map><entry cat='F' int='0'/><entry cat='M' int='1'/></map><vgh value='[0:1]'/></att>
<att name='age'><vgh value='[0:100]'><node value='[0:50)'/><node value='[50:100]'/></vgh></att>
</qid></config>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


def filled(folder: Path) -> Path:
    (folder / "in.csv").write_text(PEOPLE)
    (folder / "c.xml").write_text(CONFIG)
    return folder


def config(folder: Path, **options: object) -> Config:
    return load_config(folder / "c.xml", **options)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"in.csv", "c.xml"}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Telling(Watcher):
    """Writes down what it is told, and does something when a step begins."""

    is_watching = True

    def __init__(self, at: str = "", act: Callable[[], None] = lambda: None) -> None:
        self.begun: list[str] = []
        self.said: list[str] = []
        self.ended: list[tuple[str, int | None]] = []
        self._at, self._act = at, act

    def begin(self, stage: Stage) -> None:
        self.begun.append(stage.title)
        if stage.title == self._at:
            self._act()

    def say(self, stage: Stage) -> None:
        self.said.append(stage.words)

    def end(self, stage: Stage) -> None:
        self.ended.append((stage.title, stage.records))


class Done(NamedTuple):
    """What is left of a run, with its report and the lines that it rejected."""

    folder: Path
    summary: Summary
    watcher: Telling


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Run once for all tests that only look."""
    folder, watcher = filled(tmp_path_factory.mktemp("done")), Telling()
    options = {"rejects": folder / "rejects.txt", "report": folder / "report.json", "input_digest": "plain"}
    return Done(folder, run(config(folder, **options), watcher=watcher).summary, watcher)


@pytest.mark.slow
def test_a_run_writes_the_release_and_tells_what_it_did(done: Done) -> None:
    summary = done.summary
    assert (done.folder / "out.csv").read_text() == (
        'age,sex,note\n[0:50),"{F,M}",x\n[0:50),"{F,M}",y\n[50:100],"{F,M}",z\n[50:100],"{F,M}",v\n'
    )
    assert (summary.records_read, summary.records_skipped, summary.lines_rejected) == (5, 1, 1)
    assert (summary.first_rejected, summary.proof.records, summary.proof.classes) == ((RecordPlace(4),), 4, 2)
    assert [(one.name, one.level, one.height) for one in summary.quasi_identifiers] == [("sex", 1, 1), ("age", 1, 2)]
    assert [(one.original_values, one.generalised_values) for one in summary.quasi_identifiers] == [(2, 1), (3, 2)]
    assert summary.quasi_identifiers[1].range == "[0:50) .. [50:100]"


@pytest.mark.slow
def test_what_went_in_and_what_came_out_is_fingerprinted(done: Done) -> None:
    assert done.summary.sha256 == {
        "input": sha256(done.folder / "in.csv"),
        "configuration": sha256(done.folder / "c.xml"),
        "release": {str(done.folder / "out.csv"): sha256(done.folder / "out.csv")},
    }


@pytest.mark.slow
def test_versions_of_all_that_took_part_are_named(done: Done) -> None:
    versions = done.summary.versions
    assert set(versions) == {"toolbox", "duckdb", "sqlalchemy", "duckdb-sqlalchemy", "lxml", "python"}
    assert versions["duckdb"] == duckdb.__version__
    assert all(re.match(r"\d+\.\d+", version) for version in versions.values())


@pytest.mark.slow
def test_every_step_is_told_in_its_order_and_timed(done: Done) -> None:
    _, summary, watcher = done
    assert watcher.begun == ["read", "read, keep", "look", "Datafly", "prove", "write", "checksum", "finish"]
    assert watcher.ended == [
        ("read, count", 5),
        ("read, keep", 5),
        ("look", None),
        ("Datafly", 5),
        ("prove", 5),
        ("write", 5),
        ("checksum", None),
        ("finish", None),
    ]
    assert "age to level 1" in watcher.said
    assert list(summary.timings) == ["read", "Datafly", "prove", "write", "total"]
    assert summary.timings["total"] >= sum(seconds for step, seconds in summary.timings.items() if step != "total")


@pytest.mark.slow
def test_rejects_and_report_are_written_beside_the_release_and_nothing_else(done: Done) -> None:
    folder, summary, _ = done
    assert (folder / "rejects.txt").read_text() == "3\n"
    document = json.loads((folder / "report.json").read_text())
    assert document["classes"] == summary.proof.classes == 2
    assert document["sha256"]["release"] == {str(folder / "out.csv"): sha256(folder / "out.csv")}
    assert document["release"] == [str(folder / "out.csv")]
    assert files(folder) == {"out.csv", "rejects.txt", "report.json"}


@pytest.mark.slow
def test_anatomy_writes_two_files(folder: Path) -> None:
    summary = run(config(folder, output_format="anatomy", seed=1)).summary
    assert files(folder) == {"out_QIT.csv", "out_ST.csv"}
    assert summary.release == (folder / "out_QIT.csv", folder / "out_ST.csv")
    assert (folder / "out_QIT.csv").read_text().startswith("sex,age,group\n")


@pytest.mark.slow
def test_a_kept_store_holds_the_tables_of_the_run(folder: Path) -> None:
    run(config(folder, store=folder / "kept.duckdb"))
    assert files(folder) == {"out.csv", "kept.duckdb"}
    with duckdb.connect(str(folder / "kept.duckdb"), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        counted = {name: connection.table(name).count("*").fetchone() for name in names}
    sizes = {name.rsplit("_", 1)[0]: count for name, (count,) in counted.items()}
    assert (sizes["records"], sizes["keys"], sizes["combinations"], sizes["equivalence"]) == (4, 4, 4, 2)


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_and_nothing_beside_them(folder: Path, done: Done) -> None:
    run(config(folder))
    assert sha256(folder / "out.csv") == sha256(done.folder / "out.csv")
    assert files(folder) == {"out.csv"}


def older(folder: Path) -> dict[str, str]:
    """Put an older release and report where the new ones would go."""
    (folder / "out.csv").write_text("older release")
    (folder / "report.json").write_text("older report")
    return {"out.csv": "older release", "report.json": "older report"}


def test_after_an_error_an_older_release_is_untouched_and_nothing_is_left_over(folder: Path) -> None:
    before = older(folder)
    (folder / "in.csv").write_text("id,age,sex,note\n1,old,F,x\n2,27,M,y\n")
    for options, error in [({}, InputError), ({"k": "9", "input": folder / "few.csv"}, UnsatisfiableError)]:
        (folder / "few.csv").write_text("id,age,sex,note\n1,25,F,x\n")
        with pytest.raises(error):
            run(config(folder, report=folder / "report.json", **options))
        (folder / "few.csv").unlink()
        assert {name: (folder / name).read_text() for name in files(folder)} == before


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", ["read", "read, keep", "Datafly", "write", "prove", "checksum", "finish"])
def test_an_interruption_in_any_step_leaves_nothing(folder: Path, step: str) -> None:
    before = older(folder)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(config(folder, report=folder / "report.json"), watcher=Telling(step, interrupt))
    assert {name: (folder / name).read_text() for name in files(folder)} == before


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("step", ["write", "prove", "Datafly"])
def test_an_input_that_changes_while_it_is_read_is_an_error(folder: Path, step: str) -> None:
    def change() -> None:
        with (folder / "in.csv").open("a") as file:
            file.write("7,33,F,late\n")

    with pytest.raises(InputError, match=r"changed while it was read. Run again when nothing writes to it"):
        run(config(folder), watcher=Telling(step, change))
    assert files(folder) == set()


@pytest.mark.slow
def test_a_report_that_cannot_be_written_takes_the_release_with_it(folder: Path) -> None:
    (folder / "out.csv").write_text("older release")
    given = config(folder)
    with pytest.raises(OutputError, match=r"report.json cannot be written"):
        run(replace(given, output=replace(given.output, report=folder / "absent" / "report.json")))
    assert {name: (folder / name).read_text() for name in files(folder)} == {"out.csv": "older release"}


@pytest.mark.slow
def test_a_store_that_cannot_be_kept_takes_the_release_with_it(folder: Path) -> None:
    given = config(folder)
    limits = replace(given.limits, store=folder / "absent" / "kept.duckdb")
    with pytest.raises(ToolboxError):
        run(replace(given, limits=limits))
    assert files(folder) == set()
