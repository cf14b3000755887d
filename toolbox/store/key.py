"""The user's own key, in a folder that nobody else may write to: it tells our journals from forged ones."""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolbox.messages import tell
from toolbox.store.folders import OTHERS_WRITE, Folder, is_own
from toolbox.store.locking import undisturbed

_NAME: Final = "key"
_LENGTH: Final = 32
_OTHERS: Final = 0o077


def sealed(content: bytes) -> str | None:
    """Return the seal of a content, which only this user can compute, in hexadecimal; None where no key can be kept.

    The key is made on first use, and is on the disk before anything is sealed with it.
    """
    key = _key(make=True)
    return None if key is None else _digest(key, content)


def is_sealed(content: bytes, seal: str) -> bool:
    """Test whether this user has sealed a content."""
    key = _key(make=False)
    return key is not None and hmac.compare_digest(_digest(key, content).encode(), seal.encode())


def derived_key(purpose: str) -> bytes | None:
    """Return the user's key for one purpose, from which the other keys do not follow; None as in `sealed`."""
    key = _key(make=True)
    return None if key is None else hmac.digest(key, f"derived:{purpose}".encode(), "sha256")


def key_folder() -> Path | None:
    """Return the folder of the key, whether or not it exists; None where no home is known."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        try:
            state = Path.home() / ".local" / "state"
        except RuntimeError:
            return None
    return state / "toolbox"


def _digest(key: bytes, content: bytes) -> str:
    return hmac.digest(key, content, "sha256").hex()


def _key(*, make: bool) -> bytes | None:
    path = key_folder()
    if path is None:
        return None
    with suppress(OSError):
        if make:
            _make_folder(path)
        with Folder.opened(path) as folder:
            status = folder.status()
            if not is_own(status) or status.st_mode & OTHERS_WRITE:
                return None
            if (key := _read(folder)) is None and make:
                _make(folder)
                key = _read(folder)
            return key
    return None


def _make_folder(path: Path) -> None:
    """Make the folder of the key, but not in the home of somebody else, which root may find in its environment."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    if missing and not is_own(path.stat()):
        raise PermissionError
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def _read(folder: Folder) -> bytes | None:
    """Read the key, if nobody else can have read or written it."""
    with suppress(OSError):
        key = folder.read(_NAME, _LENGTH)
        if len(key) == _LENGTH and not folder.status(_NAME).st_mode & _OTHERS:
            return key
    return None


def _make(folder: Folder) -> None:
    """Make the key in one step, so that two runs at once use the same key."""
    unfinished = f"{_NAME}.{secrets.token_hex(8)}"
    try:
        folder.write(unfinished, secrets.token_bytes(_LENGTH))
        try:
            folder.link(unfinished, folder, _NAME)
        except FileExistsError:
            pass  # another run was first
        except OSError:  # a file system without second names
            folder.move(unfinished, folder, _NAME)
        folder.flush()
    finally:
        undisturbed(lambda: _remove(folder, unfinished))


def _remove(folder: Folder, name: str) -> None:
    try:
        folder.remove(name)
    except FileNotFoundError:
        return
    except OSError as error:
        # No run looks for it: another one may be about to make its key under such a name.
        left = f"{folder.path / name} could not be removed ({error.strerror})."
        tell(f"{left} Remove it by hand: it is a copy of your key.")
