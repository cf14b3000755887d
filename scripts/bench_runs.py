"""The runs of the benchmark: the copy and the methods, in turn, each in a process of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench_inputs import Input, configuration, fill_in, prepare
from bench_results import COPY_NAME, Run
from measure import CommandFailedError, measure
from spill import TEMPORARY

COPY = """
import sys, duckdb
source, target, spill, threads, memory_limit = sys.argv[1:]
settings = {"threads": threads, "memory_limit": memory_limit, "temp_directory": spill}
connection = duckdb.connect(config=settings)
connection.execute("SET VARIABLE source = ?", [source])
connection.execute("SET VARIABLE target = ?", [target])
connection.execute("COPY (FROM read_csv(getvariable('source'))) TO (getvariable('target')) (FORMAT csv, HEADER)")
"""
WRONG_COMMAND = 2
"""Exit status of the toolbox for a command that no size of input can make right."""


class UnexpectedOutputError(Exception):
    """The toolbox ended well, but what it printed is not what a finished run prints."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all runs of one call share."""

    methods: tuple[str, ...]
    k: int = 5
    l: int = 3  # noqa: E741 - the field's name in the literature
    threads: int = 2
    memory_limit: str | None = None
    """Of the engine; None: 2GB, and 4GB beyond ten million records."""
    timeout: int = 3600
    """Seconds after which a method has no result."""

    def memory(self, records: int) -> str:
        """Return how much memory the engine may take for this many records."""
        return self.memory_limit or ("2GB" if records <= 10_000_000 else "4GB")


@dataclass(frozen=True, kw_only=True)
class Case:
    """All programs on one input of one size."""

    input: Input
    records: int
    cache: Path
    settings: Settings
    environment: dict[str, str]
    load_before: float

    @property
    def programs(self) -> tuple[str, ...]:
        """What runs beside the copy: those of the input if it has its own, or else the methods that are asked for."""
        return tuple(self.input.programs) or self.settings.methods

    def runs(self, rounds: int, done: Iterable[Run], folder: Path, *, keep: bool = False) -> Iterator[Run]:
        """Run what is not done, each on a disk that has nothing left to write, and yield each result at once.

        Parameters
        ----------
        rounds : int
            How often everything is run.
        done : iterable of Run
            What need not be run again.
        folder : Path
            For the outputs; empty again after each run.
        keep : bool, optional
            Leave the outputs there.

        Yields
        ------
        Run
            The copy first in each round, also in one that goes on: a ratio is always to a copy of the same call.

        Raises
        ------
        CommandFailedError
            If the copy fails, or the toolbox refuses the command.
        UnexpectedOutputError
        """
        known = {run.key for run in done if run.failure is None}
        for index in range(1, rounds + 1):
            todo = [program for program in self.programs if self._plan(program, index).key not in known]
            if not todo:
                continue
            source = prepare(self.input, self.cache, self.records)
            copy: Run | None = None
            for program in (COPY_NAME, *todo):
                run = self._run(program, index, source, folder)
                copy = copy or run
                if not keep:
                    empty(folder)
                yield replace(run, copy_wall_seconds=copy.wall_seconds, copy_cpu_seconds=copy.cpu_seconds)

    def asks_for(self, run: Run, rounds: int) -> bool:
        """Return whether a result, perhaps of an earlier call, is one of those that are asked for."""
        programs = (COPY_NAME, *self.programs)
        return any(self._plan(program, index).key == run.key for program in programs for index in range(1, rounds + 1))

    def _plan(self, program: str, round_: int) -> Run:
        return Run(
            input=self.input.name,
            records=self.records,
            program=program,
            round=round_,
            quasi_identifiers=0,
            k=self.settings.k,
            l=self.settings.l,
            threads=self.settings.threads,
            memory_limit=self.settings.memory(self.records),
            environment=self.environment,
            load_before=self.load_before,
        )

    def _run(self, program: str, round_: int, source: Path, folder: Path) -> Run:
        plan = self._plan(program, round_)
        if program == COPY_NAME:
            command = self._copy(source, folder)
        else:
            config, declared = configuration(self.input, self.cache, program)
            plan = replace(plan, quasi_identifiers=declared)
            command = self._toolbox(program, config, source, folder)
        # Otherwise this program waits for the disk to take a gigabyte that the last one wrote.
        os.sync()
        print(f"running {program} on {self.records:,} records of {self.input.name}", file=sys.stderr)
        try:
            measured = measure(
                command, spill_folder=folder, timeout=None if program == COPY_NAME else self.settings.timeout
            )
        except CommandFailedError as error:
            if program == COPY_NAME or error.status == WRONG_COMMAND:
                raise
            print(error, file=sys.stderr)
            return replace(plan, failure=error.reason)
        return replace(
            plan,
            wall_seconds=measured.wall_seconds,
            cpu_seconds=measured.cpu_seconds,
            peak_bytes=measured.peak_bytes,
            spilled_bytes=measured.spilled_bytes,
            timings={} if program == COPY_NAME else read_timings(measured.stdout, self.records),
        )

    def _copy(self, source: Path, folder: Path) -> list[str]:
        limits = [str(self.settings.threads), self.settings.memory(self.records)]
        places = [str(source), str(folder / "copy.csv"), str(folder / f"{TEMPORARY}copy")]
        return [sys.executable, "-c", COPY, *places, *limits]

    def _toolbox(self, program: str, config: Path, source: Path, folder: Path) -> list[str]:
        if words := self.input.programs.get(program):
            wanted = fill_in(words, self.cache, source)
        else:
            k, groups = str(self.settings.k), str(self.settings.l)
            least = ["-l", groups, "-outputFormat", "anatomy"] if program.lower() == "anatomy" else ["-k", k]
            wanted = ["-config", str(config), "-input", str(source), "-method", program, *least]
        limits = ["--threads", str(self.settings.threads), "--memory-limit", self.settings.memory(self.records)]
        output = ["-output", str(folder / "release.csv")]
        return [sys.executable, "-m", "toolbox", *wanted, *output, *limits, "--json"]


def empty(folder: Path) -> None:
    """Delete the outputs, and whatever a program that was killed has left."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def read_timings(stdout: str, records: int) -> dict[str, float]:
    """Read the steps out of the toolbox's JSON document; a run that lost records is no benchmark."""
    try:
        document = json.loads(stdout)
        read, timings = document["records_read"], dict(document["timings"])
    except (ValueError, KeyError, TypeError) as error:
        raise UnexpectedOutputError(
            f"toolbox --json printed no document with records_read and timings: {error!r}"
        ) from None
    if read != records:
        raise UnexpectedOutputError(f"toolbox read {read} records, but the input has {records}")
    return timings
