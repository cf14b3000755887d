"""Releases and judgements are remembered beside the project."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolbox.app.children.project_session import BusyError
from toolbox.app.children.runs import Report, Runs
from toolbox.app.project.documents import UnreadableError
from toolbox.cli.main import main
from toolbox.errors import ToolboxError
from toolbox.treatments.pseudonym import make_key_file

CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='release.csv'/>
<qid><att name='town' type='category'/></qid></config>
"""


@pytest.mark.slow
def test_a_release_is_made_judged_and_remembered(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town\nGraz\nGraz\nWien\nWien\n")
    (tmp_path / "c.xml").write_text(CONFIG)
    kept = tmp_path / "kept"
    kept.mkdir()

    async def go() -> None:
        runs = Runs()
        runs.open(kept)
        runs.release(tmp_path / "c.xml", None, "f")
        with pytest.raises(BusyError, match="Release is still at work"):
            runs.judge(tmp_path / "c.xml", tmp_path / "release.csv", None)
        assert runs.work is not None and runs.work.task is not None
        await runs.work.task
        runs.judge(tmp_path / "c.xml", tmp_path / "release.csv", tmp_path / "people.csv", with_bound=True)
        await runs.work.task
        assert runs.work.error is None

    asyncio.run(go())
    again = Runs()
    again.open(kept)
    assert again.released is not None and again.judged is not None
    assert (again.released.fingerprint, again.released.files) == ("f", (tmp_path / "release.csv",))
    assert (again.judged.name, again.judged.check["holds"], again.judged.risk["consistency"]["lowest"]) == (
        "release.csv",
        True,
        2,
    )
    assert again.judged.measure["records"] == 4
    assert [(bound["value"], bound["released"]) for bound in again.judged.measure["bounds"]] == [(0, 0)]
    (kept / "judged.json").write_text(
        (kept / "judged.json").read_text().replace('"value": 0.0, "direction"', '"value": ""')
    )
    with pytest.raises(UnreadableError):
        again.open(kept)


@pytest.mark.slow
def test_a_release_is_told_the_key_file_that_its_project_does_not_name(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town,who\nGraz,a\nGraz,b\nWien,c\nWien,d\n")
    released = "<released><att name='who' treat='pseudonym'/></released></config>"
    (tmp_path / "c.xml").write_text(CONFIG.replace("</config>", released))
    make_key_file(tmp_path / "people.key")

    def release(key: Path | None, report: Report | None = None) -> ToolboxError | None:
        runs = Runs()

        async def go() -> None:
            runs.release(tmp_path / "c.xml", report, "f", key=key)
            assert runs.work is not None and runs.work.task is not None
            await runs.work.task

        asyncio.run(go())
        assert runs.work is not None
        return runs.work.error

    failed = release(None)
    assert failed is not None and ("needs a key file" in str(failed), failed.setting) == (True, "key")
    assert release(tmp_path / "people.key") is None
    assert not (tmp_path / "release.json").exists()
    assert release(tmp_path / "people.key", Report(tmp_path / "release.html", "internal")) is None
    made = (tmp_path / "release.csv").read_text().split()[1:]
    assert len({line[-32:] for line in made}) == 4
    # By the report for programs beside that for people another release has the same pseudonyms.
    again = [tmp_path / "c.xml", "--key", tmp_path / "people.key", "--same-domain-as", tmp_path / "release.json"]
    assert main(["-config", *map(str, again), "--quiet"]) == 0
    assert sorted((tmp_path / "release.csv").read_text().split()[1:]) == sorted(made)


def test_what_is_cancelled_before_it_begins_never_begins(tmp_path: Path) -> None:
    async def go() -> None:
        runs = Runs()
        # Nothing of this is there: a command would fail.
        for begin in (
            lambda: runs.release(tmp_path / "c.xml", None, "f"),
            lambda: runs.judge(tmp_path / "c.xml", tmp_path / "release.csv", None),
        ):
            begin()
            await runs.cancel()
            assert runs.work is not None and runs.work.is_cancelled

    asyncio.run(go())


def test_nothing_is_remembered_where_nothing_was_made(tmp_path: Path) -> None:
    runs = Runs()
    runs.open(tmp_path)
    assert (runs.released, runs.judged, runs.work) == (None, None, None)
    (tmp_path / "judged.json").write_text('{"name": 1}')
    with pytest.raises(UnreadableError):
        runs.open(tmp_path)
    assert runs.judged is None
    asyncio.run(runs.cancel())
