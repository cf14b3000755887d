"""What a project holds: the document of its configuration and the texts of its hierarchies; and how it goes back."""

from __future__ import annotations

from pathlib import Path

from toolbox.config.edited import EditedDocument, read_text
from toolbox.config.edited_columns import declared_columns
from toolbox.config.model import Config
from toolbox.config.reader import read_config
from toolbox.errors import ConfigurationError
from toolbox.hierarchy.held import holding
from toolbox.methods.registry import method_facts
from toolbox.privacy.requirements import model_facts
from toolbox.projects.hierarchies import HierarchyFiles
from toolbox.projects.snapshot import Snapshot


class ProjectState:
    """The state of a project; see `toolbox.Project`."""

    def __init__(self, path: str | Path, snapshot: Snapshot) -> None:
        self.path = Path(path)
        self._document = EditedDocument(snapshot.xml, str(self.path))
        self._files = HierarchyFiles(self.path.parent, dict(snapshot.hierarchies))

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

    def named_files(self) -> dict[str, list[str]]:
        """Return every file that the configuration names, each with the files of a folder or a pattern; a URL as it is.

        The release is one of them; whether there are such files is not asked.
        """
        return self._document.named_files(self.path.parent)

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
