"""Watch how much an engine writes beside its output while it runs, because it had no memory left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

EVERY_SECONDS = 0.2
TEMPORARY = ".toolbox-"
"""How the temporary folders of the toolbox begin."""
ENGINE = "duckdb"
"""Stands in the name of every file that the engine makes of its own; the unfinished release lies beside them."""


class SpillWatch:
    """Polls the temporary folders in a folder until it is left, and remembers the most that they held.

    A thread, so that whoever waits for the program notices its end at once. What comes and goes between
    two looks is not seen.

    Parameters
    ----------
    folder : Path, optional
        Where the measured program puts its temporary folders; None watches nothing.

    Attributes
    ----------
    peak_bytes : int
        Largest size that was seen, as the disk counts it, without what the engine did not write.
    """

    def __init__(self, folder: Path | None) -> None:
        self.peak_bytes = 0
        self._folder = folder
        self._left = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._left.set()
        self._thread.join()

    def _watch(self) -> None:
        while self._folder is not None and not self._left.wait(EVERY_SECONDS):
            self.peak_bytes = max(self.peak_bytes, spilled_bytes(self._folder))


def spilled_bytes(folder: Path) -> int:
    """Add up what engines have written into the temporary folders in a folder."""
    return sum(_sizes(folder, within=False))


def _sizes(folder: Path, *, within: bool) -> Iterator[int]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if within or entry.name.startswith(TEMPORARY):
                        yield from _sizes(Path(entry.path), within=True)
                elif within and ENGINE in entry.name:
                    status = entry.stat(follow_symlinks=False)
                    # The engine punches holes into its files; blocks are what the disk really holds.
                    yield status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
    except FileNotFoundError:
        return  # It has just been removed, as the program should.
