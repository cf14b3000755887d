"""`toolbox.Project`: a configuration that is edited, step by step, with its hierarchies; begun, and saved."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final, Self

from toolbox.config.editing.edited import EditedDocument, list_declared_columns, read_text
from toolbox.config.file_names import find_obstacle, has_types, list_file_kinds, list_input_files
from toolbox.config.model import DEFAULT_MISSING
from toolbox.errors import OutputError, UsageError, quote
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.explore.sniff import find_first_notation
from toolbox.flows.explore.suggest import guess_reading
from toolbox.hierarchy.rows import replace_file_texts
from toolbox.messages import name_python_arguments
from toolbox.projects.edited_columns import EditedColumns
from toolbox.projects.edited_release import EditedRelease
from toolbox.projects.export import write_command_line, write_python_program
from toolbox.projects.settings import INPUT, make_relative_path
from toolbox.projects.state import HierarchyFiles, Snapshot
from toolbox.release.placing import write_whole
from toolbox.report.explore.suggestion import release_beside

# The configuration with which a project begins: how a table is read, as it is guessed, and nothing of its columns.

_METHOD: Final = {"method": "Mondrian", "k": "5", "undeclared": "drop"}
"""Runs on every table; a column of which nobody has said anything is not released."""


def free_path(folder: Path) -> Path:
    """Return the path of a new project: ``project.xml``, or with a number if there is one."""
    names = (folder / f"project{'' if number == 1 else f'-{number}'}.xml" for number in count(1))
    return next(path for path in names if not path.exists())


def write_first_configuration(data: Path, folder: Path) -> str:
    """Return the text of a configuration that only names files.

    Raises
    ------
    InputError
        If the table cannot be read.
    """
    reading = guess_reading(replace(make_text_input(None, None), path=data), is_encoded=False, has_header=None)
    settings: dict[str, object] = {}
    if not has_types(list_input_files(reading)[0]):
        settings = {"separator": reading.separator, "header": reading.header}
        if reading.header_line > 1:
            settings["header_line"] = reading.header_line
        if reading.encoding != "utf-8":
            settings["encoding"] = reading.encoding
    notation = find_first_notation(reading)
    if notation.mark not in (None, DEFAULT_MISSING):
        settings["missing"] = notation.mark
    if notation.decimal != ".":
        settings["decimal"] = notation.decimal
    if notation.thousands:
        settings["thousands"] = notation.thousands
    document = EditedDocument("<config/>", str(data))
    document.set("", _METHOD)
    document.set_files([make_relative_path(data, folder)])
    document.set("input", INPUT.written(settings))
    # A random order would be another one in each run; that of the table would tell who is who.
    document.set("output", {"filename": make_relative_path(release_beside(data, folder), folder), "order": "sorted"})
    return document.text()


# Writing a project: first its hierarchies, in files that are its own, then the configuration that names them.


def save(document: EditedDocument, files: HierarchyFiles, path: Path, *, is_renamed: bool) -> HierarchyFiles:
    """Write a project, and return its hierarchy files as they are then.

    Parameters
    ----------
    path : Path
        Of the configuration. In another folder than before its relative paths are written anew.
    is_renamed : bool
        Whether this is another file than before: then that one stays, and so does each hierarchy that it names.

    Raises
    ------
    UsageError, OutputError
        If something cannot be written; the configuration that was there is whole then.
    """
    folder = path.parent
    moved = folder.absolute() != files.folder.absolute()
    used = files.find_used_texts(
        {file[0] for column in list_declared_columns(document) if (file := column.hierarchy_file)}
    )
    for target in (path, *(folder / name for name in used)):
        if (blocking := find_obstacle(target)) is not None:
            raise UsageError(f"{quote(str(target))} is {blocking}. Name another file.")
        if moved and target != path and target.exists():
            raise UsageError(f"{quote(str(target))} is there already. Save the project into another folder.")
    make_folders({folder, *((folder / name).parent for name in used)})
    written = {name for name in used if moved or name not in files.saved}
    for name in used:
        if name in written:
            write_whole(folder / name, used[name], "hierarchy", replaces=True)
    if moved:
        document.rewrite_document_paths(files.folder, folder, kept=used)
    write_whole(path, document.text(), "configuration", replaces=True)
    own = written if is_renamed else files.own | written
    _remove(folder, own - set(used))
    return HierarchyFiles(folder, dict(used if moved else files.texts), set(used), own & set(used))


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


# `toolbox.Project`: a configuration that is edited, step by step, with its hierarchies.


class Project(EditedColumns, EditedRelease):
    r"""A configuration that is edited, with the hierarchies that it names.

    What nobody edits stays as it is, comments too. Nothing is written before `save`; then ``toolbox -config
    project.xml`` does what the project says. A project holds no data: only names of columns, and the values that a
    hierarchy lists.

    Parameters
    ----------
    path : path
        The file of the configuration, which need not be there. What it names is found relative to its folder.
    snapshot : Snapshot
        What it holds.

    Raises
    ------
    ConfigurationError
        If the snapshot holds no configuration.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     people = Path(folder, "people.csv")
    ...     characters = people.write_text("name,age,town\nAda,23,Graz\nBo,25,Graz\nCy,61,Linz\nDi,64,Linz\n")
    ...     project = Project.of_file(people, folder)
    ...     project.set_role("name", "identifier")
    ...     project.set_role("age", "quasi-identifier")
    ...     project.set_builder("age", "intervals:10,20")
    ...     project.set_models([{"type": "k-anonymity", "k": 2}])
    ...     [(column.name, column.role, column.kind) for column in project.columns()]
    [('name', 'identifier', None), ('age', 'quasi-identifier', 'number'), ('town', 'other', None)]
    >>> print(project.xml())
    <?xml version='1.0' encoding='UTF-8'?>
    <config method='Mondrian' k='2' undeclared='drop'>
      <input filename='people.csv' separator=',' header='true'/>
      <output filename='people_release.csv' order='sorted'/>
      <id>
        <att name='name'/>
      </id>
      <qid>
        <att name='age' type='number'><vgh build='intervals' width='10,20'/></att>
      </qid>
    </config>
    <BLANKLINE>
    """

    @classmethod
    def of_file(cls, data: str | Path, folder: str | Path) -> Self:
        """Begin a project with a table. How it is read is guessed; no column has a role yet.

        Parameters
        ----------
        data : path
        folder : path
            Where the project will be saved, as ``project.xml``; or as ``project-2.xml`` if there is one. It is made if
            there is none, as relative paths start there.

        Raises
        ------
        InputError
            If the table cannot be read.
        OutputError
            If the folder cannot be made.
        """
        with name_python_arguments():
            begun = Snapshot(write_first_configuration(Path(data), Path(folder)))
            make_folders([Path(folder)])
            return cls(free_path(Path(folder)), begun)

    @staticmethod
    def table_extensions() -> tuple[str, ...]:
        """Return the extensions of the files that hold tables: text, and all kinds of files that are installed."""
        return tuple(extension for kind in list_file_kinds() for extension in kind.extensions)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open any configuration that could be read as XML; `faults` tells what else is wrong with it.

        Raises
        ------
        ConfigurationError
            If it is no configuration.
        """
        return cls(path, Snapshot(read_text(Path(path))))

    def copy(self) -> Self:
        """Return an independent copy of the project; both share what is known about the table."""
        made = type(self)(self.path, self.snapshot())
        made._files = self._files.copy()
        made._table = self._table
        made.key_file = self.key_file
        return made

    def __repr__(self) -> str:
        return f"<Project: {self.path}>"

    def save(self, path: str | Path | None = None) -> None:
        """Write the hierarchies, and then the configuration, which is replaced at once by the new one.

        Parameters
        ----------
        path : path, optional
            Where the project lives from now on; relative names then lead to the same files.

        Raises
        ------
        OutputError
            If something cannot be written; then the configuration is as it was.
        """
        target = self.path if path is None else Path(path)
        with name_python_arguments():
            is_renamed = target.absolute() != self.path.absolute()
            self._files = save(self._document, self._files, target, is_renamed=is_renamed)
        self.path = target

    def as_python(self) -> str:
        """Return a program that makes the same release, to be started in the folder of the project."""
        return write_python_program(self.path, self._name_key_file())

    def as_command(self) -> str:
        """Return a command line that makes the same release, to be started in the folder of the project.

        It consists of options if these can say all of it; otherwise it names the configuration.

        Raises
        ------
        ConfigurationError
            With all faults of the configuration.
        """
        config = self.config()
        with replace_file_texts(self._files.held()):
            return write_command_line(self._document, self.path, config, self._name_key_file())
