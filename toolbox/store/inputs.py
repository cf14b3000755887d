"""The files of a run's input: found once, opened as one source, and watched for changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolbox.config.file_kinds import PARQUET, TEXT, has_types, kind_of
from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.errors import EngineError, InputError, UsageError, debug_hint
from toolbox.store.compressed import compression, damage
from toolbox.store.delimited import DelimitedSource
from toolbox.store.engine_errors import UnreadableFileError
from toolbox.store.parquet import ParquetSource
from toolbox.store.source import Source, several
from toolbox.store.store import Store
from toolbox.store.text_file import check_readable


class InputFiles:
    """The files of an input, in the order of their records.

    Parameters
    ----------
    given : Input

    Raises
    ------
    InputError
        If there are none, or they are no table together.
    """

    def __init__(self, declared: Input) -> None:
        if declared.remote is not None:
            problem = f"The records are a table of a database, {declared.remote}, which only a run reads."
            raise UsageError(f"{problem} Export it to a file, and name that.")
        self._given = declared
        self.paths = input_files(declared)
        self._before = [_fingerprint(path) for path in self.paths]

    def text_size(self) -> int | None:
        """Return the size of the text in bytes; None if only reading could tell it."""
        try:
            if any(has_types(path) or not path.is_file() or compression(path) for path in self.paths):
                return None
            return sum(path.stat().st_size for path in self.paths)
        except OSError:
            return None

    def source(self, store: Store) -> Source:
        """Open the files as one source.

        Raises
        ------
        InputError
            If one of them cannot be read, or has other columns than the first.
        """
        kind = kind_of(self.paths[0])
        if kind is not TEXT:
            for path in self.paths:
                check_readable(path, alone=len(self.paths) == 1)
            if kind is PARQUET:
                return ParquetSource(self.paths, store)
            from toolbox.store.readers.converted import ConvertedSource

            return ConvertedSource(self.paths, self._given, store)
        return DelimitedSource(self._given, store, self.paths)

    @contextmanager
    def being_read(self) -> Iterator[None]:
        """Stop with the name of a file that is damaged, or that somebody has written to while the block ran.

        Raises
        ------
        InputError
        """
        try:
            yield
            self.require_unchanged()
        except UnreadableFileError as error:
            for path in self.paths:
                if (fault := damage(path)) is not None:
                    raise fault from error
            if packed := [path for path in self.paths if compression(path) is not None]:
                # Python passes over zeros behind the end, which blocks of a tape leave, and the engine does not.
                raise InputError(
                    f"{several(packed)} cannot be read. Other bytes may follow the end of the compressed data: "
                    "decompress it, and compress it again."
                ) from error
            raise
        except InputError:
            # The damage may mean that somebody wrote to the file meanwhile.
            self.require_unchanged()
            raise
        except EngineError as error:
            if kind_of(self.paths[0]) is not PARQUET:
                raise
            named = f"{several(self.paths)} cannot be read to the end ({error.args[0]})"
            raise InputError(f"{named}. It is damaged: get a complete copy. {debug_hint()}") from error.__cause__

    def require_unchanged(self) -> None:
        """Stop if somebody has written to a file since it was found.

        Raises
        ------
        InputError
        """
        for path, before in zip(self.paths, self._before, strict=True):
            if _fingerprint(path) != before:
                raise InputError(f"{path} changed while it was read. Run again when nothing writes to it.")


def _fingerprint(path: Path) -> tuple[int, ...] | None:
    """Return what changes when somebody writes to a file or puts another there; None if it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
