"""The comparison with other programs: what each is asked, and what a row says of one that is not there or fails."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import bench_peers as script
import pytest
from bench_peers import HEADINGS, Row, cells, count_release
from helpers.census import place_census
from peer_programs import census_job, mosaicrown
from peers_page import write_peers_page

# Suppresses everything: one class of all records.
STARS = """
import csv, sys
source, target, k, columns = sys.argv[1:]
names = columns.split(",")
with open(source, newline="") as read, open(target, "w", newline="") as written:
    rows = csv.DictReader(read)
    writer = csv.DictWriter(written, rows.fieldnames)
    writer.writeheader()
    writer.writerows({**row, **{name: "some" for name in names}} for row in rows)
"""
AS_IT_WAS = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
NOTHING = "pass"
BROKEN = "import sys; print('first line', file=sys.stderr); sys.exit('there is no memory')"


def peer(program: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(program)} {{input}} {{output}} {{k}} {{columns}}"


@pytest.mark.slow
def test_a_peer_stands_beside_ours_and_our_check_judges_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "peers.md"
    arguments = ["--cache", str(tmp_path), "--sizes", "300", "--output", str(output), "--json"]
    assert script.main([*arguments, "--mosaicrown", peer(STARS)]) == 0
    rows = {row["program"]: row for row in json.loads(capsys.readouterr().out)["results"]}
    other, mine = rows["MOSAICrOWN"], rows["toolbox, Mondrian"]
    assert (other["released"], other["smallest"], other["kept"], other["note"]) == (300, 300, 0, "")
    assert (mine["released"], mine["smallest"]) == (300, 5)
    assert 0.1 < mine["kept"] < 1
    assert rows["toolbox check"]["smallest"] == 5
    assert output.read_text().startswith(f"| {' | '.join(HEADINGS)} |\n|--:|---|")
    # Outputs are gone, the input stays.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census_300.csv", "peers.md"]


def options(tmp_path: Path, *arguments: str) -> argparse.Namespace:
    for records in (50, 60, 300):
        place_census(tmp_path, records)
    return script.parse_arguments(["--cache", str(tmp_path), "--timeout", "2", *arguments])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("program", "note"),
    [
        (NOTHING, "it wrote no release"),
        (BROKEN, "there is no memory"),
        ("import time; time.sleep(60)", "no result in 2 s"),
    ],
)
def test_a_peer_that_fails_is_a_row_that_says_so_and_gets_no_larger_input(
    program: str, note: str, tmp_path: Path
) -> None:
    rows = script.rows_of([mosaicrown(peer(program))], options(tmp_path, "--sizes", "50", "60"))
    assert [row.runs for row in rows] == [0, 0]
    assert [row.note for row in rows] == [note, "failed on 50 records"]


@pytest.mark.slow
def test_a_release_in_which_k_does_not_hold_is_noticed(tmp_path: Path) -> None:
    (row,) = script.rows_of([mosaicrown(peer(AS_IT_WAS))], options(tmp_path, "--sizes", "300"))
    assert (row.smallest, row.kept) == (1, 1)


def test_what_a_release_keeps_is_the_share_of_the_bits_that_tell_records_apart(tmp_path: Path) -> None:
    job = replace(census_job(tmp_path / "in.csv", tmp_path, k=2, share=0.5), columns=("age", "town"))
    job.source.write_text("age,town,note\n1,a,x\n2,a,x\n3,b,x\n4,b,x\n5,c,x\n6,c,x\n7,d,x\n8,d,x\n")
    # Eight alone are 3 bits. Two classes of 2 with 2 bits each, and the class of the other four with 1, are 1.5.
    job.target.write_text("town,age\na,1-2\na,1-2\nb,3-4\nb,3-4\n*,*\n")
    assert count_release(job) == {"released": 5, "smallest": 2, "kept": 0.5}


def test_the_page_has_the_table_the_machine_and_the_command_that_makes_it_again(tmp_path: Path) -> None:
    write_peers_page(tmp_path / "peers.md", "| records |\n", {"cores": "2"}, 7, "--sizes 10 --k 7")
    page = (tmp_path / "peers.md").read_text()
    for part in ("| records |\n", "- cores: 2\n", "k = 7", "scripts/bench_peers.py --sizes 10 --k 7\n", "UT Dallas"):
        assert part in page


def test_who_is_not_there_is_a_row_that_says_so(tmp_path: Path) -> None:
    given = options(tmp_path, "--arx", "/nowhere/arx.jar", "--anjana", "/nowhere/python", "--sizes", "50")
    others = [one for one in script.peers_of(given, tmp_path) if not one.name.startswith("toolbox")]
    assert {row.program: row.note for row in script.rows_of(others, given)} == {
        "ARX": "there is no /nowhere/arx.jar",
        "ANJANA": "there is no /nowhere/python",
        "anonypy, Mondrian": "not given: --anonypy PYTHON",
        "MOSAICrOWN": "not given: --mosaicrown COMMAND",
        "sdcMicro": "not given: --sdcmicro RSCRIPT",
        "pyCANON": "not given: --pycanon PYTHON",
    }


def test_a_row_is_written_in_the_order_of_the_headings() -> None:
    row = Row(
        program="P", task="release", records=1000, runs=1, wall_seconds=2, cpu_seconds=1.5, peak_bytes=3e6,
        released=999, smallest=5, kept=0.8125,
    )  # fmt: skip
    assert cells(row) == ["1,000", "P", "release", "2.00", "1.50", "3", "999", "5", "0.812", ""]
    nothing = cells(Row(program="P", task="judge", records=1000, note="why"))
    assert nothing == ["1,000", "P", "judge", "none", "none", "none", "", "", "", "why"]


def test_a_command_is_told_the_files_and_the_question(tmp_path: Path) -> None:
    job = census_job(tmp_path / "in put.csv", tmp_path, k=7, share=0.05)
    made = mosaicrown(f"{shlex.quote(sys.executable)} {{input}} --to={{output}} {{k}}").command(job)
    assert made == [sys.executable, str(tmp_path / "in put.csv"), f"--to={tmp_path / 'release.csv'}", "7"]
    assert (job.identifier, job.columns[0], len(job.columns)) == ("person_id", "age", 9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "0"], "--k is 0; write 1 or more."),
        (["--sizes", "0"], "--sizes has a 0; write 1 or more records."),
        (["--suppressed", "2"], "--suppressed is 2.0; write a share from 0 to 1."),
    ],
)
def test_a_wrong_option_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        script.parse_arguments(arguments)
    assert refused.value.code == 2
    assert message in capsys.readouterr().err
