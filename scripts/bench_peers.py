"""Run other programs and ours on the same generated input in the same run, in turn, and write a table.

    python scripts/bench_peers.py --sizes 10_000 100_000 --anjana /tmp/anjana/bin/python --arx /tmp/libarx.jar

Each peer is asked for a release with k-anonymity of nine quasi-identifiers of the census, or to judge ours. Whether k
holds says `toolbox check`, of every release. A peer that is not there, fails or takes too long is a row that says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import peer_programs
from bench_inputs import CACHE, CENSUS, prepare
from bench_machine import warn_if_busy
from engine_table import table
from generated_file import natural
from measure import CommandFailedError, measure
from peer_programs import JUDGE, Job, Peer

SIZES = (10_000, 100_000)
HEADINGS = ("records", "program", "task", "wall s", "CPU s", "peak MB", "released", "k holds", "release MB", "note")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one program needed for one input, and what came of it."""

    program: str
    task: str
    records: int
    runs: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: float = 0.0
    released: int | None = None
    """Records of the release."""
    holds: str = ""
    """What our check says of the release, or what a judge has found."""
    release_bytes: int | None = None
    note: str = ""
    """Why nothing was measured."""


def rows_of(peers: Sequence[Peer], options: argparse.Namespace) -> list[Row]:
    """Run all peers in turn, smallest input first; who has failed on one is left out of the larger ones."""
    options.cache.mkdir(parents=True, exist_ok=True)
    failed: dict[str, str] = {peer.name: peer.missing for peer in peers if peer.missing is not None}
    rows = []
    for records in sorted(set(options.sizes)):
        source = prepare(CENSUS, options.cache, records)
        found: dict[str, list[Row]] = {peer.name: [] for peer in peers}
        with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache) as name:
            job = peer_programs.census_job(source, Path(name), k=options.k, share=options.suppressed)
            for _ in range(options.repeat):
                for peer in peers:
                    if peer.name not in failed:
                        row = run(peer, job, records, options.timeout)
                        found[peer.name].append(row)
                        if row.note:
                            failed[peer.name] = f"failed on {records:,} records"
                            print(f"{peer.name}: {row.note}", file=sys.stderr)
        rows += [_median(peer, records, found[peer.name], failed.get(peer.name, "")) for peer in peers]
    return rows


def run(peer: Peer, job: Job, records: int, timeout: int) -> Row:
    """Run a peer once, and look at its release."""
    print(f"running {peer.name} on {records:,} records", file=sys.stderr)
    row = Row(program=peer.name, task=peer.task, records=records)
    job.target.unlink(missing_ok=True)
    # Otherwise this program waits for the disk to take what the last one wrote.
    os.sync()
    try:
        used = measure(peer.command(job), timeout=timeout)
    except CommandFailedError as error:
        return replace(row, note=error.reason.strip().splitlines()[-1])
    except OSError as error:
        return replace(row, note=f"it could not be started: {error.strerror}")
    row = replace(row, runs=1, wall_seconds=used.wall_seconds, cpu_seconds=used.cpu_seconds, peak_bytes=used.peak_bytes)
    if peer.task == JUDGE:
        return replace(row, holds=_found_k(used.stdout))
    if not job.target.exists():
        return replace(row, note="it wrote no release")
    released, holds = judged(job)
    row = replace(row, released=released, holds=holds, release_bytes=job.target.stat().st_size)
    if not job.released.exists():
        job.released.parent.mkdir(exist_ok=True)
        job.target.rename(job.released)
    return row


def judged(job: Job) -> tuple[int | None, str]:
    """Return the number of records of a release, and whether k holds, as our check finds them."""
    command = peer_programs.check_command(job, job.target)
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        document = json.loads(finished.stdout)
        holds, achieved = _k_of(document)
        return document["records"], f"{'yes' if holds else 'no'}, {achieved}"
    except (ValueError, KeyError, TypeError):
        return None, "check could not read it"


def _k_of(document: Any) -> tuple[bool, int]:
    """Return whether the k that was required holds, and the one that was found."""
    (model,) = (one for one in document["models"] if one["name"] == "k-anonymity" and one["required"] is not None)
    return model["holds"], model["achieved"]


def _found_k(stdout: str) -> str:
    """Read what a judge has printed: our document, or a number."""
    try:
        document = json.loads(stdout)
        if isinstance(document, int):
            return f"finds {document}"
        return f"finds {_k_of(document)[1]}"
    except (ValueError, KeyError, TypeError):
        return "printed no number"


def _median(peer: Peer, records: int, runs: Sequence[Row], problem: str) -> Row:
    finished = [one for one in runs if not one.note]
    if not finished:
        note = runs[-1].note if runs else problem
        return Row(program=peer.name, task=peer.task, records=records, note=note)
    return replace(
        finished[-1],
        runs=len(finished),
        wall_seconds=median(one.wall_seconds for one in finished),
        cpu_seconds=median(one.cpu_seconds for one in finished),
        peak_bytes=median(one.peak_bytes for one in finished),
        note=runs[-1].note,
    )


def cells(row: Row) -> list[str]:
    """Write a row in the order of `HEADINGS`."""
    start = [f"{row.records:,}", row.program, row.task]
    if not row.runs:
        return [*start, *["none"] * 3, "", "", "", row.note]
    return [
        *start,
        f"{row.wall_seconds:.2f}",
        f"{row.cpu_seconds:.2f}",
        f"{row.peak_bytes / 1e6:,.0f}",
        "" if row.released is None else f"{row.released:,}",
        row.holds,
        "" if row.release_bytes is None else f"{row.release_bytes / 1e6:.1f}",
        row.note,
    ]


def peers_of(options: argparse.Namespace, folder: Path) -> list[Peer]:
    """Return ours and the others; our first release is the one that is judged."""
    return [
        *map(peer_programs.ours, ("Mondrian", "Datafly")),
        peer_programs.arx(options.arx, folder),
        peer_programs.anjana(options.anjana),
        peer_programs.mosaicrown(options.mosaicrown),
        peer_programs.sdcmicro(options.sdcmicro),
        peer_programs.our_check(),
        peer_programs.pycanon(options.pycanon),
    ]


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare other programs and ours on the same generated input.")
    add = parser.add_argument
    add("--arx", metavar="JAR", help="class path of ARX")
    add("--anjana", metavar="PYTHON", help="a Python that has anjana")
    add("--pycanon", metavar="PYTHON", help="a Python that has pycanon")
    add("--mosaicrown", metavar="COMMAND", help="with {input}, {output}, {k} and {columns} in it")
    add("--sdcmicro", metavar="RSCRIPT", help="an Rscript that has sdcMicro")
    add("--sizes", type=natural, nargs="+", default=SIZES, metavar="N", help="numbers of records")
    add("--k", type=natural, default=5, metavar="N", help="smallest class, in records (default: %(default)s)")
    add("--suppressed", type=float, default=0.05, metavar="SHARE", help="of records, at most (default: %(default)s)")
    add("--repeat", type=natural, default=1, metavar="N", help="rounds; medians are shown (default: 1)")
    add("--timeout", type=natural, default=300, metavar="S", help="seconds after which there is no result")
    add("--cache", type=Path, default=CACHE, metavar="FOLDER", help="for inputs and outputs")
    add("--output", type=Path, metavar="FILE", help="also write the table there")
    add("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args(arguments)
    for name in ("k", "repeat", "timeout"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}; write 1 or more.")
    if min(options.sizes) < 1:
        parser.error("--sizes has a 0; write 1 or more records.")
    if not 0 <= options.suppressed <= 1:
        parser.error(f"--suppressed is {options.suppressed}; write a share from 0 to 1.")
    options.cache = options.cache.resolve()
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    load = warn_if_busy()
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(peers_of(options, Path(folder)), options)
    written = table(HEADINGS, [cells(row) for row in rows])
    if options.json:
        print(json.dumps({"load_before": load, "results": [asdict(row) for row in rows]}, indent=2))
    else:
        print(written)
    if options.output:
        options.output.write_text(written, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
