"""Run other programs and ours on the same generated input in the same run, in turn, and write a table, or the page.

    python scripts/bench_peers.py --sizes 10_000 100_000 --anjana /tmp/anjana/bin/python --page docs/peers.md

Each peer is asked for a release with k-anonymity of nine quasi-identifiers of the census, or to judge ours. What each
release keeps and its smallest class are counted here, in plain Python: neither program is asked, nor ours. A peer that
is not there, fails or takes too long is a row that says so.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import log2
from pathlib import Path
from statistics import median
from typing import Any

import peer_programs
from bench_inputs import CACHE, CENSUS, prepare
from bench_machine import environment, warn_if_busy
from engine_table import table
from generated_file import natural
from measure import CommandFailedError, measure
from peer_programs import JUDGE, NOT_GIVEN, Job, Peer
from peers_page import write_peers_page

SIZES = (10_000, 100_000)
OURS = ("Mondrian", "LocalRecoding", "Flash", "Datafly")
HEADINGS = ("records", "program", "task", "wall s", "CPU s", "peak MB", "released", "smallest class", "kept", "note")


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
    smallest: int | None = None
    """Records in the smallest class of the release, or what a judge has found."""
    kept: float | None = None
    """The share of the bits that tell records apart."""
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
        return replace(row, smallest=_found_k(used.stdout))
    if not job.target.exists():
        return replace(row, note="it wrote no release")
    row = replace(row, **count_release(job))
    if not job.released.exists():
        job.released.parent.mkdir(exist_ok=True)
        job.target.rename(job.released)
    return row


def count_release(job: Job) -> dict[str, Any]:
    """Count the records of a release, its smallest class, and what it keeps of what tells records apart.

    Records that are left out, and those of which every value is the widest, are one class that hides; its size says
    nothing. The bits of a table are the entropy of its combinations: with n records in classes of c each, the mean of
    log2(n / c). Whatever labels a program writes, a coarser release has fewer.
    """
    before, after = (_count_combinations(path, job.columns) for path in (job.source, job.target))
    released, hidden = after.total(), after.pop(("*",) * len(job.columns), 0)
    hidden += before.total() - released
    classes = [*after.values(), *([hidden] if hidden > 0 else [])]
    return {
        "released": released,
        "smallest": min(after.values(), default=None),
        "kept": _count_bits(classes) / _count_bits(before.values()),
    }


def _count_combinations(path: Path, columns: Sequence[str]) -> Counter[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row[name] for name in columns) for row in csv.DictReader(file))


def _count_bits(sizes: Iterable[int]) -> float:
    sizes = list(sizes)
    return sum(size * log2(sum(sizes) / size) for size in sizes) / sum(sizes)


def _found_k(stdout: str) -> int | None:
    """Read what a judge has printed: our document, or a number."""
    try:
        document = json.loads(stdout)
        if isinstance(document, int):
            return document
        (model,) = (one for one in document["models"] if one["name"] == "k-anonymity" and one["required"] is not None)
        return int(model["achieved"])
    except (ValueError, KeyError, TypeError):
        return None


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
        "none" if row.smallest is None else f"{row.smallest:,}",
        "" if row.kept is None else f"{row.kept:.3f}",
        row.note,
    ]


def peers_of(options: argparse.Namespace, folder: Path) -> list[Peer]:
    """Return ours and the others; our first release is the one that is judged."""
    return [
        *map(peer_programs.ours, OURS),
        peer_programs.arx(options.arx, folder),
        peer_programs.anjana(options.anjana),
        peer_programs.anonypy(options.anonypy),
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
    add("--anonypy", metavar="PYTHON", help="a Python that has anonypy and pandas")
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
    add("--page", type=Path, metavar="FILE", help="write the page of the documentation")
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


def _drop_cache(words: list[str]) -> list[str]:
    """Return the words of a command without the folder of this machine in which inputs are kept."""
    if "--cache" in words:
        place = words.index("--cache")
        del words[place : place + 2]
    return words


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
    if options.page:
        words, there = (
            shlex.join(arguments or sys.argv[1:]),
            [row for row in rows if not row.note.startswith(NOT_GIVEN)],
        )
        shown = table(HEADINGS, [cells(row) for row in there])
        write_peers_page(options.page, shown, environment(options.cache), options.k, words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
