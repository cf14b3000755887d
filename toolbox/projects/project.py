"""`toolbox.Project`: a configuration that is edited, step by step, with its hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from toolbox.config.edited import EditedDocument, read_text
from toolbox.config.edited_columns import EditedColumn, declare, declared_columns, move, withdraw
from toolbox.config.formats import FORMATS, GEN_VALS
from toolbox.config.model import Config
from toolbox.config.parameters import DEFAULT_METHOD, ROOT_ATTRIBUTES
from toolbox.config.reader import read_config
from toolbox.errors import ConfigurationError, UnknownColumnError, UsageError, did_you_mean, quote
from toolbox.hierarchy.held import holding
from toolbox.messages import asked_in_python
from toolbox.methods.registry import find_method, method_facts
from toolbox.privacy.requirements import model_facts
from toolbox.projects.beginning import beginning, free_path
from toolbox.projects.columns import SECTION_OF_ROLE, ColumnRole, Paired, ProjectColumn, found_by, paired, require_role
from toolbox.projects.hierarchies import HierarchyFiles
from toolbox.projects.models import models_of, set_models
from toolbox.projects.said import as_command, as_python
from toolbox.projects.saving import save
from toolbox.projects.settings import INPUT, OUTPUT, ROOT, said_as
from toolbox.projects.snapshot import Snapshot
from toolbox.projects.table import TableColumns, TableReader
from toolbox.projects.wording import column_kind, relative


class Project:
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
      <output filename='people_release.csv'/>
      <id>
        <att name='name'/>
      </id>
      <qid>
        <att name='age' type='number'><vgh build='intervals' width='10,20'/></att>
      </qid>
    </config>
    <BLANKLINE>
    """

    def __init__(self, path: str | Path, snapshot: Snapshot) -> None:
        self.path = Path(path)
        self._document = EditedDocument(snapshot.xml, str(self.path))
        self._files = HierarchyFiles(self.path.parent, dict(snapshot.hierarchies))
        self._table = TableReader()

    @classmethod
    def of_file(cls, data: str | Path, folder: str | Path) -> Self:
        """Begin a project with a table. How it is read is guessed; no column has a role yet.

        Parameters
        ----------
        data : path
        folder : path
            Where the project will be saved, as ``project.xml``; or as ``project-2.xml`` if there is one.

        Raises
        ------
        InputError
            If the table cannot be read.
        """
        with asked_in_python():
            return cls(free_path(Path(folder)), Snapshot(beginning(Path(data), Path(folder))))

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open any configuration that could be read as XML; `faults` tells what else is wrong with it.

        Raises
        ------
        ConfigurationError
            If it is no configuration.
        """
        return cls(path, Snapshot(read_text(Path(path))))

    def __repr__(self) -> str:
        return f"<Project: {self.path}>"

    # Its states

    def snapshot(self) -> Snapshot:
        """Return all that the project says now."""
        return Snapshot(self.xml(), self._files.used(self._hierarchy_names()))

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to an earlier state."""
        self._document = EditedDocument(snapshot.xml, str(self.path))
        self._files.texts.update(snapshot.hierarchies)
        # A text may differ from what was written under its name.
        self._files.saved -= set(snapshot.hierarchies)

    def _hierarchy_names(self) -> set[str]:
        return {file[0] for att in declared_columns(self._document) if (file := att.hierarchy_file) is not None}

    def xml(self) -> str:
        """Return the configuration."""
        return self._document.text()

    def config(self) -> Config:
        """Return the configuration as a run reads it, with the hierarchies that are not saved yet.

        Raises
        ------
        ConfigurationError
            With all faults.
        """
        with holding(self._files.held()):
            return read_config(self.path, text=self.xml().encode(), methods=method_facts(), models=model_facts())

    def faults(self) -> list[str]:
        """List what is wrong, each with what to write instead; empty: it can be run."""
        try:
            self.config()
        except ConfigurationError as error:
            return [" ".join(f"{fault.found} {fault.remedy}".split()) for fault in error.faults]
        return []

    @property
    def is_saved(self) -> bool:
        """Whether the files say what the project says."""
        try:
            return read_text(self.path) == self.xml() and self._files.are_saved(self._hierarchy_names())
        except ConfigurationError:
            return False

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
        with asked_in_python():
            self._files = save(self._document, self._files, target)
        self.path = target

    def as_python(self) -> str:
        """Return a program that makes the same release, to be started in the folder of the project."""
        return as_python(self.path)

    def as_command(self) -> str:
        """Return a command line that makes the same release, to be started in the folder of the project.

        It consists of options if these can say all of it; otherwise it names the configuration.

        Raises
        ------
        ConfigurationError
            With all faults of the configuration.
        """
        config = self.config()
        with holding(self._files.held()):
            return as_command(self._document, self.path, config)

    # The table

    @property
    def source(self) -> tuple[Path, ...]:
        """The files, folders or patterns in which the records are; none for a table of a database."""
        return tuple(self.path.parent / name for name in self._document.files())

    @property
    def input(self) -> Mapping[str, str]:
        """What the configuration says of how the records are read, by the names of `set_input`."""
        return said_as(INPUT, self._document.said("input"))

    def set_input(self, *, files: str | Path | Sequence[str | Path] | None = None, **settings: Any) -> None:
        """Say where the records are, and how they are read.

        Parameters
        ----------
        files : path or sequence of paths, optional
        **settings
            ``separator, header, encoding, missing, on_missing, decimal, thousands, max_rejects, table``; None takes one
            back.

        Raises
        ------
        UsageError
            If there is no such setting.
        """
        attributes = INPUT.written(settings)
        if files is not None:
            named = [files] if isinstance(files, (str, Path)) else files
            self._document.set_files([relative(Path(file), self.path.parent) for file in named])
        self._document.set("input", attributes)

    # The columns

    def columns(self) -> tuple[ProjectColumn, ...]:
        """List the columns of the table, and behind them those that are declared and not there.

        Raises
        ------
        InputError
            If the table cannot be read.
        """
        return tuple(pair.column for pair in self._paired())

    def set_role(self, column: str, role: ColumnRole) -> None:
        """Say what a column is. What means nothing for its new role is forgotten.

        A column of text whose kind nobody has said gets that of its first records.

        Raises
        ------
        UsageError
            If there is no such column or role.
        """
        require_role(role)
        pair = self._found(column)
        if pair.column.role == role:
            return
        if role == "other":
            if pair.declared is not None:
                withdraw(pair.declared)
            return
        section = SECTION_OF_ROLE[role]
        if (att := pair.declared) is None:
            att = declare(self._document, section, found_by(pair.column))
        else:
            move(self._document, att, section)
        is_open = pair.column.kind is None and pair.column.hierarchy == "none"
        if role != "identifier" and is_open and not self._columns().is_typed:
            self._say_kind(att, pair.column.looks)

    def set_kind(self, column: str, kind: str | None) -> None:
        """Say what a column holds: ``number``, ``category``, ``date``, ``timestamp`` or ``date %d.%m.%Y``.

        Raises
        ------
        UsageError
            If there is no such column or kind, or the column has no role yet.
        """
        known = None if kind is None else column_kind(kind)
        self._say_kind(self._declared(column), known)

    def set_priority(self, column: str, priority: int | None) -> None:
        """Say how important a quasi-identifier is, 1 the most important."""
        self._declared(column).say({"priority": None if priority is None else str(priority)})

    def set_weight(self, column: str, weight: float | None) -> None:
        """Say which share a quasi-identifier has in weighted information loss."""
        self._declared(column).say({"weight": None if weight is None else f"{weight:g}"})

    @staticmethod
    def _say_kind(att: EditedColumn, kind: str | None) -> None:
        name, _, form = (kind or "").partition(" ")
        att.say({"type": name or None, "format": form or None})

    def _columns(self) -> TableColumns:
        with asked_in_python():
            return self._table.columns(self._document.input(self.path.parent))

    def _paired(self) -> list[Paired]:
        return paired(self._columns(), declared_columns(self._document))

    def _found(self, column: str) -> Paired:
        found = self._paired()
        for pair in found:
            if pair.column.name == column:
                return pair
        raise UnknownColumnError(column, "The project", [pair.column.name for pair in found])

    def _declared(self, column: str) -> EditedColumn:
        pair = self._found(column)
        if pair.declared is None:
            raise UsageError(f"{quote(column)} has no role yet. Give it one first.")
        return pair.declared

    # Their hierarchies

    def hierarchy(self, column: str) -> list[tuple[str, ...]] | str | None:
        """Return the hierarchy of a column.

        Returns
        -------
        list of tuple of str, str or None
            The rows of a file: each value with its label on each level. The words of a builder. None for a column
            without one, and for a tree that is written out in the configuration.

        Raises
        ------
        UsageError
            If there is no such column, or its file is no table.
        """
        att = self._found(column).declared
        file = None if att is None else att.hierarchy_file
        if att is None or file is None:
            return None if att is None else att.hierarchy_words
        with asked_in_python():
            return self._files.rows(file[0], file[1], column)

    def set_builder(self, column: str, words: str) -> None:
        """Let a builder make the hierarchy of a column.

        Parameters
        ----------
        words : str
            As the command line writes it, such as ``intervals:5,10:top=90``, or ``dates:month,year`` for dates.

        Raises
        ------
        UsageError
            If there is no such column or builder.
        """
        self._declared(column).set_builder(words)

    def set_rows(self, column: str, rows: Iterable[Sequence[str]]) -> None:
        """Write out the hierarchy of a column: each value with its label on each level, the root last.

        A file that is there stays as it is: the rows get a file of their own when the project is saved.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        att = self._declared(column)
        old = None if att.hierarchy_file is None else att.hierarchy_file[0]
        others = [
            other.hierarchy_file for other in declared_columns(self._document) if other.element is not att.element
        ]
        is_shared = any(file is not None and file[0] == old for file in others)
        att.set_file(self._files.put(rows, column, None if is_shared else old))

    def remove_hierarchy(self, column: str) -> None:
        """Take the hierarchy of a column away; its file stays.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        self._declared(column).remove_hierarchy()

    # The method, and what it must reach

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._document.said().get("method", DEFAULT_METHOD)

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the method, as they are written."""
        common = {name.lower() for name in ROOT_ATTRIBUTES}
        return {name: text for name, text in self._document.said().items() if name.lower() not in common}

    def set_method(self, name: str, **settings: str | None) -> None:
        """Choose the method; the settings of another one go, and what is required stays.

        Parameters
        ----------
        **settings
            Its own settings; None takes one back.

        Raises
        ------
        UsageError
            If there is no such method or setting.
        """
        models, known = self.models, find_method(name).facts().settings
        for setting in settings:
            if setting not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                raise UsageError(f"{name} has no setting {quote(setting)}.{did_you_mean(setting, list(known))} {has}")
        foreign = dict.fromkeys(setting for setting in self.settings if setting not in known)
        self._document.set("", {**foreign, "method": name, **settings})
        self.set_models(models)

    @property
    def models(self) -> list[dict[str, Any]]:
        """What every class must satisfy: of each privacy model its ``type`` and its parameters."""
        return models_of(self._document, self.method)

    def set_models(self, models: Sequence[Mapping[str, Any]]) -> None:
        """Say what every class must satisfy.

        Parameters
        ----------
        models : sequence of mapping
            Such as ``{"type": "entropy l-diversity", "l": 3, "attribute": "illness"}``.

        Raises
        ------
        UsageError
            If a model has no type.
        """
        set_models(self._document, models, self.method)

    @property
    def suppression(self) -> str | None:
        """Most records that may be suppressed, or their share, ``2%``; None: k."""
        return self.option("suppression")

    def set_suppression(self, threshold: int | str | None) -> None:
        """Say how many records may be suppressed."""
        self.set_option("suppression", threshold)

    def option(self, name: str) -> str | None:
        """Return what the configuration says: ``suppressed``, ``undeclared``, ``seed`` or ``compatibility``."""
        return said_as(ROOT, self._document.said()).get(ROOT.known(name))

    def set_option(self, name: str, value: object) -> None:
        """Say what becomes of suppressed records or undeclared columns, or another of these; None takes it back."""
        self._document.set("", ROOT.written({name: value}))

    # The release

    @property
    def output(self) -> Mapping[str, str]:
        """What the configuration says of the release, by the names of `set_output`."""
        return said_as(OUTPUT, self._document.said("output"))

    formats: ClassVar[tuple[str, ...]] = tuple(FORMATS)
    """All formats that a release can have."""

    @property
    def format(self) -> str:
        """The format of the release."""
        return self.output.get("format", GEN_VALS.name)

    def set_output(self, *, filename: str | Path | None = None, **settings: Any) -> None:
        """Say where the release goes, and how it is written.

        Parameters
        ----------
        filename : path, optional
        **settings
            ``format, separator, order, split_size, statistics, escape_formulas, input_digest``; None takes one back.

        Raises
        ------
        UsageError
            If there is no such setting.
        """
        attributes = OUTPUT.written(settings)
        if filename is not None:
            attributes["filename"] = relative(Path(filename), self.path.parent)
        self._document.set("output", attributes)
