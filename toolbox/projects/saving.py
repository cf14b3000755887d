"""Writing a project: first its hierarchies, in files that are its own, then the configuration that names them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from toolbox.config.edited import EditedDocument
from toolbox.config.edited_columns import declared_columns
from toolbox.config.outputs import obstacle
from toolbox.errors import OutputError, UsageError, quote
from toolbox.flows.new_file import write_whole
from toolbox.projects.hierarchies import HierarchyFiles


def save(document: EditedDocument, files: HierarchyFiles, path: Path) -> HierarchyFiles:
    """Write a project, and return its hierarchy files as they are then.

    Parameters
    ----------
    path : Path
        Of the configuration. In another folder than before its relative paths are written anew.

    Raises
    ------
    UsageError, OutputError
        If something cannot be written; the configuration that was there is whole then.
    """
    folder = path.parent
    moved = folder.absolute() != files.folder.absolute()
    used = files.used({file[0] for column in declared_columns(document) if (file := column.hierarchy_file)})
    for target in (path, *(folder / name for name in used)):
        if (blocking := obstacle(target)) is not None:
            raise UsageError(f"{quote(str(target))} is {blocking}. Name another file.")
        if moved and target != path and target.exists():
            raise UsageError(f"{quote(str(target))} is there already. Save the project into another folder.")
    make_folders({folder, *((folder / name).parent for name in used)})
    for name, text in used.items():
        if moved or name not in files.saved:
            write_whole(folder / name, text, "hierarchy", replaces=True)
    if moved:
        document.rebase(files.folder, folder, kept=used)
    write_whole(path, document.text(), "configuration", replaces=True)
    if not moved:
        _remove(folder, files.saved - set(used))
    return HierarchyFiles(folder, dict(used if moved else files.texts), set(used))


def make_folders(folders: Iterable[Path]) -> None:
    """Make folders, unless they are there.

    Raises
    ------
    OutputError
        If one cannot be made.
    """
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"The folder {quote(str(folder))} cannot be made: {error.strerror}.") from error


def _remove(folder: Path, names: Iterable[str]) -> None:
    """Remove hierarchies that were written here before and that nothing names any more."""
    for name in names:
        with suppress(OSError):
            (folder / name).unlink()
