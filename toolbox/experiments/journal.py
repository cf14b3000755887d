"""What came of each task, kept in a file as it comes: whoever is killed goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from toolbox.errors import OutputError
from toolbox.experiments.rows import Row
from toolbox.store.locking import FileLock, NotOurLockError

Rows = Sequence[Row]
_LOCK = "lock"
FILE = "cells.jsonl"
"""A line for each cell that was run: the rows of its tasks, by their digests."""


class Journal:
    """The results of a study by their digests; use it as a context manager.

    Parameters
    ----------
    folder : Path, optional
        Where they are kept; None: nowhere, so that nothing is known of an earlier run.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, Rows] = {}
        self._lock: FileLock | None = None

    def __enter__(self) -> Self:
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._lock = FileLock.take(self._folder / _LOCK, create=True)
                if self._lock is None:
                    problem = "another run of the toolbox is writing there"
                    raise OutputError(f"{self._folder}: {problem}. Wait for it, or write --output FOLDER.")
                self._read(self._folder / FILE)
            except (OSError, NotOurLockError) as error:
                raise self._fault(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.remove()
            self._lock = None

    def __contains__(self, digest: str) -> bool:
        return digest in self._known

    def __getitem__(self, digest: str) -> Rows:
        return self._known[digest]

    def add(self, results: Mapping[str, Rows]) -> None:
        """Add what came of the tasks of one cell. What failed is not kept: the next run tries again.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        self._known.update(results)
        lasting = {digest: rows for digest, rows in results.items() if all(row["status"] != "failed" for row in rows)}
        if self._folder is None or not lasting:
            return
        line = json.dumps(lasting, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            with (self._folder / FILE).open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._fault(error) from error

    def _read(self, path: Path) -> None:
        """Read what is there. A line that was cut off is removed, so that the next one does not continue it."""
        if not path.exists():
            return
        text = path.read_bytes()
        whole, _, cut = text.rpartition(b"\n")
        if cut:
            with path.open("r+b") as file:
                file.truncate(len(whole) + 1 if whole else 0)
        for line in whole.splitlines():
            try:
                self._known.update(json.loads(line))
            except ValueError:
                # What nobody can read is computed again.
                continue

    def _fault(self, error: Exception) -> OutputError:
        reason = getattr(error, "strerror", None) or str(error)
        return OutputError(f"{self._folder}: results cannot be kept there ({reason}). Write --output FOLDER.")
