"""SHA-256 of files, in the background where they are long."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Sequence
from pathlib import Path

from toolbox.errors import InputError

_BLOCK = 1 << 20


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hmac_sha256(path: Path, key: bytes) -> str:
    """Return the HMAC of a file with a key, by SHA-256, in hexadecimal: nobody can compute it without the key."""
    digest = hmac.new(key, digestmod="sha256")
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class BackgroundChecksum:
    """The checksum of every file of an input, computed while it is anonymised.

    Hashing releases the interpreter, so it runs beside the engine.

    Parameters
    ----------
    paths : sequence of Path
    key : bytes, optional
        Makes it an HMAC; None: plain SHA-256.
    """

    def __init__(self, paths: Sequence[Path], key: bytes | None = None) -> None:
        self._paths = paths
        self._key = key
        self._digests: dict[Path, str] = {}
        self._fault: InputError | None = None
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start()

    def _compute(self) -> None:
        for path in self._paths:
            try:
                self._digests[path] = sha256(path) if self._key is None else hmac_sha256(path, self._key)
            except OSError as error:
                self._fault = self._fault or InputError(f"{path} could not be read again: {error.strerror}.")

    def result(self) -> str | dict[str, str]:
        """Wait for the end; return the digest of the only file, or that of each.

        Raises
        ------
        InputError
            If a file can no longer be read.
        """
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        if len(self._paths) == 1:
            return self._digests[self._paths[0]]
        return {str(path): digest for path, digest in self._digests.items()}
