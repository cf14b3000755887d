"""The configuration with which a project begins: how a table is read, as it is guessed, and nothing of its columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

from toolbox.config.edited import EditedDocument
from toolbox.config.file_kinds import has_types
from toolbox.config.inputs import input_files
from toolbox.config.model import DEFAULT_MISSING
from toolbox.flows.sniff import first_notation
from toolbox.flows.suggest import guessed_reading
from toolbox.flows.text_input import text_input
from toolbox.projects.settings import INPUT
from toolbox.projects.wording import relative
from toolbox.report.draft import release_beside

_METHOD: Final = {"method": "Mondrian", "k": "5", "undeclared": "drop"}
"""Runs on every table; a column of which nobody has said anything is not released."""


def free_path(folder: Path) -> Path:
    """Return the path of a new project: ``project.xml``, or with a number if there is one."""
    names = (folder / f"project{'' if number == 1 else f'-{number}'}.xml" for number in count(1))
    return next(path for path in names if not path.exists())


def beginning(data: Path, folder: Path) -> str:
    """Return the text of a configuration that only names files.

    Raises
    ------
    InputError
        If the table cannot be read.
    """
    reading = guessed_reading(replace(text_input(None, None), path=data), is_encoded=False, has_header=None)
    settings: dict[str, object] = {}
    if not has_types(input_files(reading)[0]):
        settings = {"separator": reading.separator, "header": reading.header}
        if reading.encoding != "utf-8":
            settings["encoding"] = reading.encoding
    notation = first_notation(reading)
    if notation.mark not in (None, DEFAULT_MISSING):
        settings["missing"] = notation.mark
    if notation.decimal != ".":
        settings["decimal"] = notation.decimal
    if notation.thousands:
        settings["thousands"] = notation.thousands
    document = EditedDocument("<config/>", str(data))
    document.set("", _METHOD)
    document.set_files([relative(data, folder)])
    document.set("input", INPUT.written(settings))
    # A random order would be another one in each run; that of the table would tell who is who.
    document.set("output", {"filename": relative(release_beside(data, folder), folder), "order": "sorted"})
    return document.text()
