"""Making a release: the chosen format, written beside its place and moved there when all is done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolbox.config.model import Config, is_parquet
from toolbox.release.anatomy import anatomy
from toolbox.release.checksum import sha256
from toolbox.release.formats import general_values, general_values_with_statistics, statistics_for_values
from toolbox.release.notation import Notation
from toolbox.release.part import Part
from toolbox.release.writer import part_path, write_part
from toolbox.store.layout import Layout
from toolbox.store.source import Rejects
from toolbox.store.store import Store
from toolbox.store.tables import Tables

_FINISHED = "release_"
"""How the file of a finished part is called in the store's folder."""


@dataclass(frozen=True)
class Written:
    """Files that are finished but not yet at their places."""

    files: dict[Path, Path]
    """From the finished file to its final path."""
    checksums: dict[str, str]
    """SHA-256 by the final path."""


def release_parts(config: Config, tables: Tables, layout: Layout) -> list[Part]:
    """Put the finished tables into the chosen format."""
    as_in_2010 = config.compatibility == "utd"
    output, path = config.output, config.output.path
    notation = None if path is None or is_parquet(path) else _notation(config)
    match output.format:
        case "genVals":
            return general_values(tables, layout, output, notation)
        case "genValsDist" if as_in_2010:
            return statistics_for_values(tables, layout, output, notation, stepwise=config.method == "Datafly")
        case "genValsDist":
            return general_values_with_statistics(tables, layout, output, notation, k=config.k)
        case "anatomy":
            return anatomy(tables, layout, output, notation, seed=config.seed, shows_suppressed=as_in_2010)


def _notation(config: Config) -> Notation:
    return Notation(config.release_separator, quotes_least=config.compatibility == "utd")


def write_release(config: Config, parts: list[Part], store: Store, *, has_header: bool) -> Written:
    """Write every part into the store's folder."""
    assert config.output.path is not None
    files: dict[Path, Path] = {}
    for number, part in enumerate(parts):
        final = part_path(config.output.path, part)
        finished = store.folder / f"{_FINISHED}{number}{final.suffix}"
        write_part(store, part, finished, _notation(config), header=has_header)
        files[finished] = final
    return Written(files, {str(final): sha256(finished) for finished, final in files.items()})


def written_bytes(store: Store) -> int | None:
    """Tell, from any thread, how long the parts that are being written have become."""
    try:
        return sum(path.stat().st_size for path in store.folder.glob(f"*{_FINISHED}*"))
    except OSError:
        # The engine gives a file its name between two looks.
        return None


def write_rejects(rejects: Rejects, folder: Path, final: Path) -> dict[Path, Path]:
    """Write the lines that could not be read, as UTF-8; an empty file says that there was none."""
    finished = folder / "rejects"
    finished.write_text("".join(f"{line}\n" for _, line in rejects.lines), encoding="utf-8", newline="")
    # Original values, for their owner alone.
    finished.chmod(0o600)
    return {finished: final}
