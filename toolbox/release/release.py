"""Making a release: the chosen format, written beside its final path and moved there at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from toolbox.config.file_names import (
    build_piece_path,
    find_extension,
    has_types,
    is_parquet,
    keep_for_owner,
)
from toolbox.config.model import Config
from toolbox.release.around import Around
from toolbox.release.checksum import FollowingChecksum, compute_sha256
from toolbox.release.files.part import Notation, Part
from toolbox.release.files.split import split_parquet, split_text
from toolbox.release.files.writer import build_part_path, write_part
from toolbox.release.placing import flush_in_background, list_leftovers
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import Rejects
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import ESCAPE, PASS, ReleasedColumn

_RELEASE = "release"
"""How the file of a finished part is called in the store's folder."""


@dataclass(frozen=True)
class Written:
    """Files that are finished but not yet at their final paths."""

    files: dict[Path, Path]
    """From the finished file to its final path."""
    tables: tuple[tuple[Path, ...], ...] = ()
    """Final paths of each table, in the order of its records."""
    leftovers: tuple[Path, ...] = ()
    """Files of an earlier release that would be mistaken for files of this one, as far as they are there by now."""
    split: tuple[Path, ...] = ()
    """The names of the tables before they were split, if they were."""
    checksums: dict[str, str] = field(default_factory=dict)
    """SHA-256 by the final path."""


def release_parts(config: Config, tables: Tables, layout: Layout, *, passes_plain: bool = False) -> list[Part]:
    """Return the finished tables in the chosen format.

    Parameters
    ----------
    passes_plain : bool
        Whether no value of the input can need quotes in a release with its separator.
    """
    path = config.output.path
    notation = None if path is None or has_types(path) else _make_notation(config, passes_plain)
    return config.output.format.parts(tables, layout, config, notation)


def _make_notation(config: Config, passes_plain: bool = False) -> Notation:
    quotes_least = config.compatibility.quotes_least
    treatment = ESCAPE if config.output.escapes_formulas else PASS
    return Notation(config.release_separator, quotes_least, passes_plain, treatment)


def write_release(
    config: Config, parts: list[Part], store: Store, *, has_header: bool, around: Around | None = None
) -> Written:
    """Write every part into the store's folder.

    Parameters
    ----------
    around : Around, optional
        The columns that are not the engine's to write.
    """
    assert config.output.path is not None
    parts = [part if around is None else around.described(part) for part in parts]
    finals = [build_part_path(config.output.path, part) for part in parts]
    followed: dict[Path, FollowingChecksum] = {}
    tables = [
        _write_table(config, part, store, final, followed, has_header=has_header)
        for part, final in zip(parts, finals, strict=True)
    ]
    if around is not None:
        for part, table in zip(parts, tables, strict=True):
            for finished in table:
                around.put_into(finished, part)
    files = {finished: final for table in tables for finished, final in table.items()}
    split = () if config.output.split_size is None else tuple(finals)
    with flush_in_background(files):
        checksums = {
            str(final): followed[finished].result() if finished in followed else compute_sha256(finished)
            for finished, final in files.items()
        }
    return Written(
        files,
        tuple(tuple(table.values()) for table in tables),
        tuple(list_leftovers(split, files.values())),
        split,
        checksums,
    )


def _write_table(
    config: Config,
    part: Part,
    store: Store,
    final: Path,
    followed: dict[Path, FollowingChecksum],
    *,
    has_header: bool,
) -> dict[Path, Path]:
    """Write one part into the store's folder; return its files with their final paths.

    Parameters
    ----------
    followed : dict of Path to FollowingChecksum
        Takes the checksums of the files that are computed as they are written.
    """
    size = config.output.split_size
    folder = store.folder / store.fresh(_RELEASE)
    folder.mkdir()
    # What is cut later is written as text that is not compressed.
    whole = folder / f"whole{find_extension(final) if size is None or is_parquet(final) else '.csv'}"
    write = partial(write_part, store, part, whole, part.notation or _make_notation(config), header=has_header)
    if size is None and not has_types(whole):
        with FollowingChecksum(whole) as followed[whole]:
            write()
        return {whole: final}
    write()
    if size is None:
        return {whole: final}
    name = partial(build_piece_path, folder / f"piece{find_extension(final)}")
    if is_parquet(final):
        pieces = split_parquet(store, whole, name, size, part)
    else:
        pieces = split_text(whole, name, size, header=has_header)
    whole.unlink()
    return {piece: build_piece_path(final, index) for index, piece in enumerate(pieces, start=1)}


def count_written_bytes(store: Store) -> int | None:
    """Return, in any thread, the size of the parts that are being written."""
    try:
        return sum(path.stat().st_size for path in store.folder.glob(f"{_RELEASE}*/*"))
    except OSError:
        # The engine gives a file its name between two looks.
        return None


def write_rejects(rejects: Rejects, store: Store, final: Path) -> dict[Path, Path]:
    """Write the lines that could not be read, as UTF-8; the file is empty if there are none."""
    finished = store.folder / "rejects"
    if rejects.lines is None:
        finished.touch()
    else:
        store.write_lines(rejects.lines, finished)
    keep_for_owner(finished, "rejects")
    return {finished: final}


# The codebook: what each column of a release is.


class CodebookFacts(NamedTuple):
    """What a codebook says of the columns, by their names."""

    treated: Mapping[str, Mapping[str, Any]]
    """What was done to those that are treated, as reports say it."""
    levels: Mapping[str, tuple[int | None, int | None]]
    """The level and the highest level of those that are generalised; None where there is not one for all values."""
    untrue: Mapping[str, str]
    """What does not hold of those quasi-identifiers that are not generalised."""


def write_codebook(
    config: Config, parts: Sequence[Part], files: Sequence[Sequence[Path]], told: CodebookFacts, store: Store
) -> dict[Path, Path]:
    """Write what each column of a release is, as a Data Package; return its file and where it goes.

    Parameters
    ----------
    files : sequence of sequences of Path
        The files of each part.
    """
    if config.output.codebook is None:
        return {}
    resources = [
        {
            "name": f"release{part.suffix.lower()}",
            "path": [path.name for path in paths],
            "schema": {"fields": [_describe_column(column, told) for column in part.shown]},
        }
        for part, paths in zip(parts, files, strict=True)
    ]
    document = {"profile": "data-package", "name": "release", "resources": resources}
    finished = store.folder / "codebook.json"
    finished.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    keep_for_owner(finished, "codebook")
    return {finished: config.output.codebook}


def _describe_column(column: ReleasedColumn, facts: CodebookFacts) -> dict[str, Any]:
    """Return the field of a Table Schema for one column; what is done and what is not true are words of our own."""
    name, kept = column.header, {"name": column.header, "type": "any"}
    if column.is_of_record and name in facts.treated:
        said = facts.treated[name]
        told = {key: said[key] for key in ("treatment", "promise", "is_true", "not_true")}
        return {**kept, "description": f"{said['does']}. {said['not_true']}".strip(), **told}
    if column.is_of_record:
        return {**kept, "description": "Released as it was read.", "treatment": "pass", "is_true": True, "not_true": ""}
    if name not in facts.levels:
        return {**kept, "description": "Tells of the class of a record, and not of the record alone.", "is_true": True}
    if not_true := facts.untrue.get(name):
        words = "Grouped: a value stands for all records of its group, and is true of none."
        return {**kept, "description": words, "treatment": "grouped", "is_true": False, "not_true": not_true}
    level, height = facts.levels[name]
    known = "" if level is None else f" All values are of level {level} of {height}; 0 is as read."
    words = f"Generalised: a value covers the one that was read, and stands for all records of its class.{known}"
    told = {"treatment": "generalised", "level": level, "highest_level": height, "is_true": True}
    return {**kept, "type": "string", "description": words, **told, "not_true": "A value is exact only at level 0."}
