"""SHA-256 of files, in the background where they are long."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from toolbox.errors import InputError
from toolbox.store.compressed import damage


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class BackgroundChecksum:
    """The SHA-256 of every file of an input, computed while it is anonymised.

    Hashing releases the interpreter, so it runs beside the engine.

    Parameters
    ----------
    paths : sequence of Path
    are_plain : callable, optional
        Another question to the files, which is answered first.
    """

    def __init__(self, paths: Sequence[Path], are_plain: Callable[[], bool] = lambda: False) -> None:
        self._paths = paths
        self._ask = are_plain
        self._answered = threading.Event()
        self._is_plain = False
        self._digests: dict[Path, str] = {}
        self._damage: InputError | None = None
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start()

    def answer(self) -> bool:
        """Wait for the answer to the question."""
        self._answered.wait()
        return self._is_plain

    def _compute(self) -> None:
        try:
            self._is_plain = self._ask()
        finally:
            self._answered.set()
        for path in self._paths:
            try:
                self._digests[path] = sha256(path)
                self._damage = self._damage or damage(path)
            except OSError as error:
                self._damage = self._damage or InputError(f"{path} could not be read again: {error.strerror}.")

    def result(self) -> str | dict[str, str]:
        """Wait for the end; return the digest of the only file, or that of each.

        Raises
        ------
        InputError
            If a file can no longer be read, or is compressed and damaged: the engine unpacks what it can and says
            nothing.
        """
        self._thread.join()
        if self._damage is not None:
            raise self._damage
        if len(self._paths) == 1:
            return self._digests[self._paths[0]]
        return {str(path): digest for path, digest in self._digests.items()}
