"""From queries to files: written aside, then moved to their names all together or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sqlalchemy import String, cast, select

from toolbox.config.model import is_parquet
from toolbox.errors import OutputError
from toolbox.queries.query import Query
from toolbox.release.notation import Notation
from toolbox.release.part import Part
from toolbox.store.store import FOLDER_PREFIX, Store


def part_path(path: Path, part: Part) -> Path:
    """Name the file of a part: the suffix goes before the last dot of the file name."""
    return path.with_name(f"{path.stem}{part.suffix}{path.suffix}")


def write_part(store: Store, part: Part, path: Path, notation: Notation, *, header: bool) -> None:
    """Write one part as Parquet or delimited text, by the extension of the path, rows in their order.

    Parameters
    ----------
    path : Path
        A file of the store's folder.
    notation : Notation
        Of delimited text.
    header : bool
        Whether delimited text begins with the headers; Parquet always has them.
    """
    if is_parquet(path):
        store.copy_to(headed(part.rows, _distinct(part.headers)), path, {"format": "parquet"})
        return
    rows = part.rows if part.notation == notation else _lines(part.rows, notation)
    # The engine writes the name of the only column, and then its texts, as they stand.
    as_it_stands: dict[str, str | bool] = {
        "format": "csv",
        "delimiter": "",
        "quote": "",
        "escape": "",
        "header": header,
    }
    store.copy_to(headed(rows, [notation.header(part.headers)]), path, as_it_stands)


def headed(rows: Query, headers: Sequence[str]) -> Query:
    """Give the columns of a query their headers as names, its order untouched."""
    labelled = (column.label(header) for column, header in zip(rows.selected_columns, headers, strict=True))
    return rows.with_only_columns(*labelled, maintain_column_froms=True)


def _distinct(headers: Sequence[str]) -> list[str]:
    """Tell headers apart that would be one name to the engine, which ignores case, and name the nameless."""
    taken: set[str] = set()
    result = []
    for position, header in enumerate(headers):
        name, number = header or f"column_{position}", 1
        while name.casefold() in taken:
            number += 1
            name = f"{header}_{number}"
        taken.add(name.casefold())
        result.append(name)
    return result


def _lines(rows: Query, notation: Notation) -> Query:
    """Write records whose columns are still apart."""
    given = headed(rows, [f"h{number}" for number, _ in enumerate(rows.selected_columns)]).subquery()
    return select(notation.record([notation.value(cast(one, String)) for one in given.c]))


def move_together(files: Mapping[Path, Path], folder: Path) -> None:
    """Move finished files to their names: all of them, or, if one cannot be moved, none.

    Parameters
    ----------
    files : mapping of finished file to its final path
        Each move is a single step, also to another file system.
    folder : Path
        Where earlier files wait until all new ones are in place.

    Raises
    ------
    OutputError
        If a file cannot be moved; what stood at the final paths before is there again.
    """
    earlier: dict[Path, Path | None] = {}
    for number, (finished, final) in enumerate(files.items()):
        try:
            earlier[final] = _keep_earlier(final, folder / f"earlier_{number}")
            _place(finished, final)
        except BaseException as error:
            # Also on an interrupt: half of an anatomy beside an older half would be worse than none.
            for placed, kept in earlier.items():
                with suppress(OSError):
                    placed.unlink() if kept is None else _place(kept, placed)
            if isinstance(error, OSError):
                raise OutputError(f"{final} cannot be written: {error.strerror}. Nothing was released.") from error
            raise


def _place(finished: Path, final: Path) -> None:
    """Move a finished file to its name in one step, so that no reader ever sees half of it."""
    _to_disk(finished)
    try:
        finished.replace(final)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # On another file system the step has to start from there.
        beside = final.with_name(f"{FOLDER_PREFIX}{secrets.token_hex(8)}")
        try:
            shutil.copyfile(finished, beside)
            _to_disk(beside)
            beside.replace(final)
        finally:
            beside.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Make sure that a finished file survives a power cut before its name points at it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _keep_earlier(path: Path, kept: Path) -> Path | None:
    """Keep a second name of an earlier file, or a copy where the file system has no second names."""
    if not path.exists():
        return None
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)
    return kept
