"""SHA-256 of files, in the background where the file is long."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from toolbox.errors import InputError
from toolbox.store.text_file import is_gzip, open_binary

_CHUNK = 1 << 20


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class BackgroundChecksum:
    """The SHA-256 of an input, computed while it is anonymised.

    Hashing releases the interpreter, so it runs beside the engine.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest: str | None = None
        self._damage: InputError | None = None
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start()

    def _compute(self) -> None:
        try:
            self._digest = sha256(self._path)
            self._damage = _gzip_damage(self._path)
        except OSError:
            # The loader meets the same file and says what is wrong with it.
            self._digest = None

    def result(self) -> str | None:
        """Wait for the end; None if the file could not be read.

        Raises
        ------
        InputError
            If the file is gzip and damaged: the engine unpacks what it can and says nothing.
        """
        self._thread.join()
        if self._damage is not None:
            raise self._damage
        return self._digest


def _gzip_damage(path: Path) -> InputError | None:
    """Unpack a gzip file and say what is wrong with it; None if nothing is, or it is no gzip file."""
    if not is_gzip(path):
        return None
    try:
        with open_binary(path) as file:
            while file.read(_CHUNK):
                pass
    except InputError as error:
        return error
    return None
