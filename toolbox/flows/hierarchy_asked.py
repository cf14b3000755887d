"""What `toolbox hierarchy` is asked about, and the hierarchy that it finds, set against data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toolbox.config.model import Config, Input, Limits
from toolbox.flows.text_input import text_input
from toolbox.hierarchy.builders.settings import Other
from toolbox.hierarchy.coverage import Coverage, coverage, number_of
from toolbox.hierarchy.finding import Finding
from toolbox.hierarchy.hierarchy import Hierarchy
from toolbox.hierarchy.interval import format_number
from toolbox.hierarchy.notations.reading import Notation
from toolbox.hierarchy.outline import Outline, outline_of_tree
from toolbox.hierarchy.rows import Row
from toolbox.steps import Steps

if TYPE_CHECKING:
    import pyarrow as pa

IN_MEMORY = "the hierarchy"
"""What messages call rows that no file holds."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked about.

    Parameters
    ----------
    files : tuple of Path
        The hierarchy file; of rules, a file for each level. None: that of the configuration.
    rows : tuple of Row, optional
        The hierarchy itself, instead of a file.
    """

    files: tuple[Path, ...] = ()
    rows: tuple[Row, ...] | None = None
    notation: Notation | None = None
    """Of the file; None: what its content says."""
    header: bool | None = None
    """Whether its first line names columns."""
    config: Config | None = None
    column: str | None = None
    data: Path | pa.Table | None = None
    """A table whose column is set against the hierarchy."""
    counts: Mapping[str, int] | None = None
    """The values of such a column, each with its records, instead of a table."""
    reading: Input = field(default_factory=lambda: text_input(None, None))
    """How a table of text is read that no configuration describes."""
    limits: Limits = Limits()
    steps: Steps = field(default_factory=Steps, compare=False)
    """Are told what is done."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A hierarchy that could be read."""

    name: str
    """What messages and reports call it."""
    column: str
    """Name of the column, or of the file."""
    kind: Literal["number", "category"]
    outline: Outline
    remarks: tuple[Finding, ...] = ()
    coverage: Coverage | None = None
    """None where no data are named."""
    lists_values: bool = True
    """Whether the hierarchy itself names its values, and not the data alone."""
    other: Other = "error"
    """What becomes of values that it does not know."""


def set_beside(subject: Subject, counts: Mapping[str, int] | None, reading: Input) -> Subject:
    """Return the subject with facts from the data; the text of missing values is not a value.

    Parameters
    ----------
    counts : mapping of str to int, optional
        The values of the data, each with its records; None without data.
    reading : Input
        How they are written.
    """
    if counts is None:
        return subject
    values = subject.outline.all_values()
    missing = reading.missing
    present = {text: count for text, count in counts.items() if text != missing or text in values}
    figures = (reading.decimal, reading.thousands)
    own = (".", "") if subject.lists_values else figures
    found = coverage(values, subject.kind, present, figures=figures, own_figures=own)
    return replace(subject, coverage=found)


@dataclass(frozen=True)
class IntervalTree:
    """A tree of intervals, and the values that it is known to have."""

    name: str
    column: str
    hierarchy: Hierarchy
    categories: Mapping[str, int] | None
    listed: tuple[float, ...] | None = None
    remarks: tuple[Finding, ...] = ()

    def subject(self, counts: Mapping[str, int] | None, reading: Input) -> Subject:
        """Return the subject; numbers that nobody lists are those of the data."""
        kind: Literal["number", "category"] = "number" if self.categories is None else "category"
        ground: list[tuple[str, float]]
        if self.categories is not None:
            ground = sorted(((name, float(code)) for name, code in self.categories.items()), key=lambda pair: pair[1])
        elif self.listed is not None:
            ground = [(format_number(number), number) for number in self.listed]
        else:
            numbers = {text: number_of(text, reading.decimal, reading.thousands) for text in counts or {}}
            ground = sorted(
                ((text, number) for text, number in numbers.items() if number is not None), key=lambda pair: pair[1]
            )
        outline, _ = outline_of_tree(self.hierarchy, ground)
        subject = Subject(
            name=self.name,
            column=self.column,
            kind=kind,
            outline=outline,
            remarks=self.remarks,
            lists_values=self.categories is not None or self.listed is not None,
        )
        return set_beside(subject, counts, reading)
