"""Files beside a release: where it is no file they follow it, and it stands whatever becomes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path

from toolbox.config.model import Config
from toolbox.config.outputs import keep_for_owner
from toolbox.errors import OutputError
from toolbox.messages import tell
from toolbox.release.placing import move_together
from toolbox.report.lattice import lattice_lines
from toolbox.report.lattice_picture import lattice_picture, require_drawable
from toolbox.report.summary import Summary
from toolbox.store.store import Store
from toolbox.store.tables import Tables


def report_file(config: Config, summary: Summary, store: Store) -> dict[Path, Path]:
    """Write the report and the nodes of the lattice in the folder of the run, as far as they are asked for.

    Returns
    -------
    dict of Path to Path
        Each file, and the path to which it goes.
    """
    files: dict[Path, Path] = {}
    if config.output.report is not None:
        finished = store.folder / "report.json"
        finished.write_text(json.dumps(summary.document(), indent=2) + "\n", encoding="utf-8")
        keep_for_owner(finished, "report")
        files[finished] = config.output.report
    if config.output.lattice is not None:
        listed = store.folder / f"lattice{config.output.lattice.suffix}"
        text = lattice_picture(summary) if _is_drawn(config) else "".join(lattice_lines(summary))
        listed.write_text(text, encoding="utf-8")
        keep_for_owner(listed, "lattice")
        files[listed] = config.output.lattice
    return files


def asked_for_nodes(tables: Tables, config: Config) -> Tables:
    """Return tables that let a method list every node of the lattice, if a file of them is asked for.

    Raises
    ------
    UsageError
        If a picture would have too many nodes.
    """
    if config.output.lattice is None:
        return tables
    if _is_drawn(config):
        ranges = [column.level_range for column in tables.quasi_identifiers]
        require_drawable(prod(high - low + 1 for low, high in ranges), str(config.output.lattice))
    return replace(tables, lists_nodes=True)


def _is_drawn(config: Config) -> bool:
    return config.output.lattice is not None and config.output.lattice.suffix.lower() == ".svg"


def configuration_file(config: Config, store: Store) -> dict[Path, Path]:
    """Write the configuration that is to be saved in the folder of the run; return its file and where it goes."""
    if config.saved is None or config.output.configuration is None:
        return {}
    finished = store.folder / "configuration.xml"
    finished.write_bytes(config.saved)
    keep_for_owner(finished, "configuration")
    return {finished: config.output.configuration}


def place_beside(files: Mapping[Path, Path], config: Config, store: Store) -> None:
    """Move finished files to their names; if they cannot be moved, say so and go on."""
    try:
        move_together(files, store.folder, timeout=config.limits.lock_timeout)
    except OutputError as error:
        tell(f"the release is complete, but the files beside it could not be written. {error}")
