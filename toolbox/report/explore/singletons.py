"""What `singletons` says: the variants by election, as a table and as a document with stable names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape

from toolbox.messages import choose_setting_name, format_count, is_asked_in_python
from toolbox.methods.singletons.comparing import VariantFigures
from toolbox.report.console import ConsoleReport, make_table, print_notes

# What `singletons` says: the variants by election, and the document with stable names that machines read.

DEFAULT_TOP = 20
"""Variants that are shown."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SingletonsReport(ConsoleReport):
    """How little must be changed for the people who stand out."""

    k: int
    """Whoever shares what is shown of them with fewer than k - 1 others stands out."""
    records: int
    """All that were read."""
    incomplete: int
    """Records that lack a value; they are left out."""
    unchanged: VariantFigures
    """The table as it is."""
    variants: tuple[VariantFigures, ...]
    """In the order of the election."""
    all_tried: bool
    """Whether these are all there are; otherwise one column after the other was chosen, each time the best."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    readings: tuple[str, ...] = ()
    """How numbers were read."""
    person: str = ""
    """What tells persons apart, where these are counted."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def best(self) -> VariantFigures:
        """The elected variant: fewest records below k, then fewest modified."""
        return self.variants[0]

    @property
    def best_covering(self) -> VariantFigures:
        """The first variant that could be released: its values cover what they stand for."""
        return next(variant for variant in self.variants if variant.covers)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        notes = [*self.readings]
        noun = "record"
        if self.person:
            noun = "person"
            notes.append(f"Persons are counted (by {self.person}), also where a name in the document says records.")
        if self.incomplete:
            lacking = format_count(self.incomplete, "record lacks a value and is", "records lack a value and are")
            notes.append(f"{lacking} left out.")
        if not self.all_tried:
            notes.append(
                "There are too many variants to try them all: one column after the other was chosen, each time the one "
                "that leaves fewest records below k. Name the rules of columns "
                f"({choose_setting_name('--rule', python='rules=', in_python=self.in_python)}) or one "
                f"{choose_setting_name('--scope', python='scope=', in_python=self.in_python)} to try all."
            )
        if self.best.below_k:
            notes.append(
                f"{format_count(self.best.below_k, f'{noun} remains', f'{noun}s remain')} below k = {self.k}. "
                "The method Singletons generalises them "
                "further (finish='local') or suppresses them (finish='suppress')."
            )
        if not self.best.covers:
            notes.append(
                "The elected variant shows centroids, which do not cover what they stand for: it cannot be released "
                f"and proved. The first that can is: {self.best_covering.name}."
            )
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        records = format_count(self.records, "record")
        return f"{records}; best: {self.best.name}, {self.best.below_k:,} below k = {self.k}"

    def show_on(self, console: Any, *, top: int = DEFAULT_TOP) -> None:
        """Print the tables on a console of rich.

        Parameters
        ----------
        top : int
            How many variants to show.
        """
        print_singletons(
            console,
            self.variants,
            k=self.k,
            records=self.records,
            complete=self.records - self.incomplete,
            unchanged=self.unchanged,
            top=top,
            notes=self.notes,
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``singletons``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "k": self.k,
            "records": self.records,
            "incomplete_records": self.incomplete,
            "all_tried": self.all_tried,
            "unchanged": asdict(self.unchanged),
            "best": asdict(self.best),
            "best_covering": asdict(self.best_covering),
            "variants": [asdict(variant) for variant in self.variants],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


# The table of `singletons`: the variants in the order of the election.


def print_singletons(
    console: Console,
    variants: Sequence[VariantFigures],
    *,
    k: int,
    records: int,
    complete: int,
    unchanged: VariantFigures,
    top: int,
    notes: Sequence[str],
) -> None:
    """Print the variants, the elected one first.

    Parameters
    ----------
    complete : int
        Records that lack no value.
    unchanged : VariantFigures
        The table as it is.
    top : int
        How many variants to show.
    """
    best = variants[0]
    console.print(f"[bold]records[/]    {records:,}, of which {complete:,} are complete")
    console.print(f"[bold]below k={k}[/]  {unchanged.below_k:,} ({unchanged.share:.2%}) stand out as it is")
    changes = f"{best.below_k:,} below k, {best.modified:,} modified"
    console.print(f"[bold]elected[/]    {escape(best.name)}: {changes}\n", soft_wrap=True)
    title = f"the variants in the order of the election, {min(top, len(variants)):,} of {len(variants):,}"
    table = make_table(title, "below k", "", "modified", "distinct", "", "variant", numbers=frozenset(range(4)))
    for variant in variants[:top]:
        released = "" if variant.covers else "centroids"
        figures = (f"{variant.below_k:,}", f"{variant.share:.2%}", f"{variant.modified:,}", f"{variant.distinct:,}")
        table.add_row(*figures, released, variant.name)
    console.print(table)
    print_notes(console, notes)
