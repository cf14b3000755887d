"""`toolbox.Project`: a configuration that is edited, step by step, with its hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from toolbox.config.edited import read_text
from toolbox.hierarchy.held import holding
from toolbox.messages import asked_in_python
from toolbox.projects.beginning import beginning, free_path
from toolbox.projects.edited_columns import EditedColumns
from toolbox.projects.edited_release import EditedRelease
from toolbox.projects.said import as_command, as_python
from toolbox.projects.saving import make_folders, save
from toolbox.projects.snapshot import Snapshot


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
        with asked_in_python():
            begun = Snapshot(beginning(Path(data), Path(folder)))
            make_folders([Path(folder)])
            return cls(free_path(Path(folder)), begun)

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
        made._table = self._table
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
