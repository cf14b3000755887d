"""What `init` says: a role for each column with the evidence for it, as a table, a document and a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolbox.config.model import Input
from toolbox.errors import UsageError
from toolbox.report.columns import listed
from toolbox.report.console.suggestion import print_suggestion
from toolbox.report.draft import draft_of
from toolbox.report.notebook import Shown
from toolbox.suggestions.plan import Plan, percent
from toolbox.suggestions.roles import ROLES, Role
from toolbox.suggestions.suggested import Suggested


@dataclass(frozen=True, kw_only=True, repr=False)
class Suggestion(Shown):
    """What may become of each column of a table."""

    source: Path | None
    """The file; None for a table in memory."""
    input: Input | None
    """How it is read, if it is delimited text."""
    table: str | None = None
    """The sheet or the table of the file, if somebody has named it."""
    plan: Plan
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str

    @property
    def columns(self) -> tuple[Suggested, ...]:
        """The columns, in the order of the table."""
        return self.plan.columns

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `toolbox.anonymize`."""
        return self.plan.arguments

    def with_roles(self, roles: Mapping[int, Role]) -> Suggestion:
        """Return the suggestion with the roles that a person has chosen, by the positions of columns."""
        return replace(self, plan=self.plan.with_roles(roles))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what was guessed."""
        notes = []
        if self.plan.is_sample:
            notes.append("A sample of the records was looked at; which values nearly all differ was counted in all.")
        if unsure := [column.name for column in self.columns if column.sureness == "unsure"]:
            is_one = len(unsure) == 1
            notes.append(f"Unsure of {listed(unsure)}: look at {'it' if is_one else 'them'} in the configuration.")
        if self.plan.keeps_missing:
            notes.append("Missing values are kept as a category of their own (onMissing='keep').")
        elif self.plan.leaves_out:
            notes.append(f"Records that lack a value will be left out: {percent(self.plan.left_out)} of them.")
        if not self.plan.named("quasi-identifier"):
            notes.append(
                "Nothing looks as if others knew it: name a quasi-identifier before you run the configuration."
            )
        return tuple(notes)

    def to_xml(self, path: Path | str = Path("config.xml"), output: Path | None = None) -> str:
        """Return a configuration that runs as it stands.

        Parameters
        ----------
        path : path
            Where it will be: names of files in it are relative to that.
        output : path, optional
            The release; by default beside the configuration.

        Raises
        ------
        UsageError
            If the table is in memory, or no column is left.
        """
        if self.source is None:
            raise UsageError("The table is in memory, and a configuration names a file. Use .arguments instead.")
        return draft_of(self.plan, self.source, self.input, Path(path), output, self.table).text()

    def headline(self) -> str:
        """Return the most important facts in one line."""
        sizes = ", ".join(f"{len(self.plan.named(role))} {role}" for role in ROLES if self.plan.named(role))
        return f"{self.plan.records:,} records; {sizes}"

    def show_on(self, console: Any) -> None:
        """Print the table on a console of rich."""
        print_suggestion(console, self.plan, self.notes)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``init``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "input": None if self.source is None else str(self.source),
            "records": self.plan.records,
            "is_sample": self.plan.is_sample,
            "k": self.plan.k,
            "columns": [self._entry(column) for column in self.columns],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }

    def _entry(self, column: Suggested) -> dict[str, Any]:
        its = column.profile
        is_known = column.role == "quasi-identifier"
        return {
            "column": column.name,
            "index": its.position,
            "role": column.role,
            "why": column.why,
            "sureness": column.sureness,
            "type": its.kind,
            "hierarchy": (self.plan.generalisation_of(column).words or None) if is_known else None,
            "values": its.different,
            "alone": its.alone,
            "missing": its.missing,
            "by_name": None if its.by_name is None else its.by_name.words,
            "by_values": None if its.content is None else its.content.meaning.words,
        }
