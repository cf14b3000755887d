"""The question about a table: its quasi-identifiers and sensitive attributes, and how its files are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from toolbox.config.file_kinds import has_types
from toolbox.config.inputs import input_files
from toolbox.config.kept_missing import with_missing
from toolbox.config.model import Attribute, Column, Config, Input, QuasiIdentifier
from toolbox.config.outputs import existing_pieces, with_suffix_to_stem
from toolbox.errors import InputError
from toolbox.flows.models import smallest_class
from toolbox.flows.text_input import text_input
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.numbers import Figures
from toolbox.store.missing import MissingValues
from toolbox.store.separators import guessed_input, with_more_columns
from toolbox.store.text_file import is_utf_8


@dataclass(frozen=True, kw_only=True)
class Question:
    """The columns of a table that is judged, and what is known about them.

    Parameters
    ----------
    config : Config
        Declares the columns of the original table.
    models : tuple of PrivacyModel
        What the release claims to satisfy; may be empty.
    by_name : bool
        Whether columns have names only, which hold in every table.
    identifiers : tuple of str
        Columns by which records of one person are found, in the release or in the original records.
    """

    config: Config
    models: tuple[PrivacyModel, ...] = ()
    by_name: bool = False
    identifiers: tuple[str, ...] = ()
    """Names of columns that name people, where a table of the question has them."""
    mark: str = ""
    """Without a configuration: the text of a missing value besides an empty one."""

    @property
    def quasi_identifiers(self) -> tuple[QuasiIdentifier, ...]:
        """Columns that an attacker may know."""
        return self.config.quasi_identifiers

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        """Columns that nobody shall learn."""
        return self.config.sensitive

    @property
    def roots(self) -> dict[str, tuple[str, ...]]:
        """The labels of the root of each hierarchy, also where it lists a missing value."""
        kept, declared = self.missing.kept, self.quasi_identifiers
        return {
            str(attribute.column): _root_labels(attribute, attribute if kept is None else with_missing(attribute, kept))
            for attribute in declared
        }

    @property
    def missing(self) -> MissingValues:
        """How missing values of original records are read; without a configuration, as a value like any other."""
        return MissingValues(self.mark, "skip") if self.by_name else MissingValues.of(self.config)

    @property
    def figures(self) -> Figures:
        """How the original records write numbers where they are text."""
        declared = self.config.input
        return Figures() if declared is None else Figures(declared.decimal, declared.thousands)

    def with_figures(self, figures: Figures) -> Question:
        """Return the same question about records that write numbers so."""
        declared = self.config.input
        if declared is None:
            return self
        read = replace(declared, decimal=figures.decimal, thousands=figures.thousands, guesses_figures=False)
        return replace(self, config=replace(self.config, input=read))

    @property
    def smallest_class(self) -> int | None:
        """The k of the release, where it claims one."""
        return smallest_class(self.models, None)

    @property
    def original(self) -> Input | None:
        """All files of the original records; None where no configuration names them."""
        return None if self.by_name else self.config.input

    @property
    def is_anatomy(self) -> bool:
        """Whether the release consists of two tables, which only groups connect."""
        release_format = self.config.output.format
        can_be_judged = release_format in self.config.compatibility.judged_formats
        return release_format.has_groups and can_be_judged and not self.by_name

    @property
    def release(self) -> Input | None:
        """The files of the release; for anatomy, those with the quasi-identifiers.

        None where no configuration names them.
        """
        return self.table(self.config.output.format.suffixes[0] if self.is_anatomy else "")

    def table(self, suffix: str) -> Input | None:
        """Return the files of one table of the release."""
        output = self.config.output
        if output.path is None:
            return None
        path = with_suffix_to_stem(output.path, suffix)
        pieces = existing_pieces(path) if output.split_size is not None else []
        first, *more = pieces or [path]
        return replace(self.input_of(first, is_release=True), more=tuple(more), table=None)

    def input_of(self, path: Path, *, is_release: bool = False) -> Input:
        """Return how a file is read that holds the original records, others of their kind, or a release."""
        declared, names = self.config.input, [str(attribute.column) for attribute in self.quasi_identifiers]
        file = replace(declared or text_input(None, None), path=path, more=())
        if is_release and self.by_name and is_utf_8(path):
            file = replace(file, encoding="utf-8")
        elif is_release and declared is not None and not self.by_name:
            separator, has_header = self.config.release_separator, _has_header(declared)
            file = replace(file, separator=separator, encoding="utf-8", header=has_header)
            # Another program may have made it.
            return with_more_columns(file, names) if has_header and path.is_file() else file
        return guessed_input(file, names) if file.guesses_separator else file

    def with_sensitive(self, name: str) -> Question:
        """Add a sensitive attribute, unless it is declared already."""
        if name in {str(attribute.column) for attribute in self.sensitive}:
            return self
        more = Attribute(column=Column(index=None, name=name), kind=None)
        return replace(self, config=replace(self.config, sensitive=(*self.sensitive, more)))


def _root_labels(*forms: QuasiIdentifier) -> tuple[str, ...]:
    built = [form.builder.root for form in forms if form.builder]
    return tuple(dict.fromkeys([*built, *(form.hierarchy.root.label for form in forms if form.hierarchy)]))


def _has_header(original: Input) -> bool:
    """Return whether a release of these records has a header: a table with types always names its columns."""
    try:
        return original.header or has_types(input_files(original)[0])
    except InputError:
        return original.header or has_types(original.path)
