"""A command in a process of its own: its document, its error, its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from helpers.application import CONFIGS

from toolbox.app.children.protocol import Progress
from toolbox.app.children.runs import CommandError, _ChildCommand, _list_error_sentences
from toolbox.errors import CancelledError, Fault, MissingColumn

CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='release.csv'/>
<qid><att name='town' type='category'/></qid></config>
"""


@pytest.mark.slow
def test_a_release_is_made_and_one_that_is_cancelled_or_wrong_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town\nGraz\nGraz\nWien\nWien\n")
    (tmp_path / "c.xml").write_text(CONFIG)

    async def go() -> None:
        command, told = _ChildCommand(), list[Progress]()
        await command.cancel()

        def cancel_at_once(_: Progress) -> None:
            tasks.append(asyncio.create_task(command.cancel()))

        tasks: list[asyncio.Task[None]] = []
        with pytest.raises(CancelledError, match="Nothing was written"):
            await command.run(["-config", "c.xml", "--progress-json"], tmp_path, cancel_at_once)
        await asyncio.gather(*tasks)
        assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "c.xml"}
        document = await command.run(["-config", "c.xml", "--progress-json"], tmp_path, told.append)
        assert (document["classes"], document["release"]) == (2, ["release.csv"])
        assert told[0].step.startswith("read")
        assert {"Mondrian", "prove", "write"} <= {progress.step for progress in told}
        with pytest.raises(CommandError, match="-k 'often' is not a whole number"):
            await command.run(["-config", "c.xml", "-k", "often"], tmp_path, told.append)
        (tmp_path / "d.xml").write_text(
            CONFIG.replace("<att name='town'", "<att name='a'/><att name='b'/><att name='town'")
        )
        with pytest.raises(CommandError, match=r"^people.csv lacks the columns 'a', 'b'. It has: town.$"):
            await command.run(["-config", "d.xml"], tmp_path, told.append)

    asyncio.run(go())
    assert (tmp_path / "release.csv").exists()


def test_faults_are_told_of_the_file_that_has_them() -> None:
    none = {"line": 4, "found": "x.csv has no column 'town'.", "remedy": "", "file": ""}
    other = {"line": 2, "found": "A row is short.", "remedy": "Add levels.", "file": "town.csv"}
    error = {"message": "project.xml: 3 faults", "faults": [none, other], "fault_count": 3}
    assert _list_error_sentences(error) == [
        *("x.csv has no column 'town'.", "town.csv, line 2: A row is short. Add levels.", "And 1 more."),
    ]
    assert _list_error_sentences({"message": "No memory.", "faults": [], "fault_count": 0}) == ["No memory."]
    assert str(CommandError(*_list_error_sentences(error))).endswith("Add levels. And 1 more.")


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["read", "Mondrian", "prove", "write"])
def test_a_release_is_cancelled_at_any_stage(stage: str, tmp_path: Path) -> None:
    header, *records = (CONFIGS / "census_5000.csv").read_text().splitlines(keepends=True)
    (tmp_path / "census_5000.csv").write_text(header + "".join(records) * 60)
    (tmp_path / "c.xml").write_text((CONFIGS / "census_mondrian.xml").read_text().replace("output/", ""))

    async def go() -> None:
        command, cancelling = _ChildCommand(), list[asyncio.Task[None]]()

        def told(progress: Progress) -> None:
            if progress.step.startswith(stage) and not cancelling:
                cancelling.append(asyncio.create_task(command.cancel()))

        with pytest.raises(CancelledError):
            await command.run(["-config", "c.xml", "--progress-json"], tmp_path, told)
        await asyncio.gather(*cancelling)

    asyncio.run(go())
    assert {path.name for path in tmp_path.iterdir()} == {"census_5000.csv", "c.xml"}


def test_the_columns_that_a_table_lacks_stand_in_one_sentence() -> None:
    ours, other = "It has: age, b.", "It has: c."
    faults = [
        Fault(
            0, f"r.csv has no column 'ag'. Did you mean 'age'? {ours}", "", missing=MissingColumn("r.csv", "ag", ours)
        ),
        Fault(0, "r.csv is empty.", ""),
        Fault(0, f"r.csv has no column 'zip'. {ours}", "", missing=MissingColumn("r.csv", "zip", ours)),
        Fault(0, f"s.csv has no column 'zip'. {other}", "", missing=MissingColumn("s.csv", "zip", other)),
    ]
    assert _list_error_sentences({"message": "", "faults": [each.document() for each in faults], "fault_count": 4}) == [
        "r.csv lacks the columns 'ag', 'zip'. It has: age, b.",
        "r.csv is empty.",
        "s.csv has no column 'zip'. It has: c.",
    ]
