"""What an earlier release of more files has left: it must not lie beside a shorter one, as if it belonged to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import move

from toolbox.config.outputs import existing_pieces
from toolbox.errors import OutputError


def leftovers(tables: Sequence[Path], written: Collection[Path]) -> list[Path]:
    """List the pieces of earlier releases that the pieces of this one will not replace.

    Parameters
    ----------
    tables : sequence of Path
        The names of the tables before they were split.
    written : collection of Path
        The pieces of this release.
    """
    return [piece for path in tables for piece in existing_pieces(path) if piece not in written]


@contextmanager
def set_aside(paths: Sequence[Path], folder: Path) -> Iterator[None]:
    """Take files away while others are placed; they are there again if that fails.

    Parameters
    ----------
    paths : sequence of Path
    folder : Path
        Where they wait, and are gone with it at the end.

    Raises
    ------
    OutputError
        If one of them cannot be moved.
    """
    moved: dict[Path, Path] = {}
    try:
        for number, path in enumerate(paths):
            waiting = folder / f"leftover_{number}"
            try:
                move(path, waiting)
            except OSError as error:
                raise OutputError(
                    f"{path} is left from an earlier release and cannot be removed: {error.strerror}."
                ) from error
            moved[path] = waiting
        yield
    except BaseException:
        for path, waiting in moved.items():
            with suppress(OSError):
                move(waiting, path)
        raise
