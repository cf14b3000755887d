"""What one run of a session says: the summary, what it has lost, who is at risk, and how to release it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from toolbox.report.console import ConsoleReport
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary
from toolbox.risks.risk import AttackerRisk, ClassSize

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True, repr=False)
class Variant(ConsoleReport):
    """A release that was made and proved, but not written.

    Nothing is released from it: ``toolbox.anonymize(**variant.arguments)`` makes the release anew, and proves it on the
    records.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64]})
    >>> with toolbox.open(people, quasi_identifiers=["age"]) as session:
    ...     variant = session.run(k=3)
    >>> variant
    <Variant: Mondrian, 6 records in 2 classes, smallest 3; k-anonymity 3 (required 3)>
    >>> toolbox.anonymize(**variant.arguments, order="sorted").summary.proof.classes
    2
    """

    summary: Summary
    """As that of a release, but for what only its records and its files tell."""
    losses: LossReport | None
    """What it has lost by the metrics that were asked for; None if none was."""
    risk: AttackerRisk | None
    """Of an attacker who knows that a person is in the table; None if all records are suppressed."""
    classes: pa.Table | None
    """If they were asked for: ``class_id, size, suppressed`` and the text of each quasi-identifier, by its name."""
    arguments: Mapping[str, Any]
    """Those of `toolbox.anonymize` that make the release."""
    number: int | None = None
    """By which the session knows it, if it keeps it."""
    sizes_before: tuple[ClassSize, ...] = ()
    """How many classes there are of each size, as the records were read."""
    sizes_after: tuple[ClassSize, ...] = ()
    """The same of the variant; suppressed records are in no class."""

    def to_html(self) -> str:
        """Return the internal report as one page for people: the proof, and the losses that were asked for.

        A release of this variant has a page with all figures: ``toolbox.anonymize(**variant.arguments).to_html()``.

        Returns
        -------
        str
            HTML with its style in it and no script.
        """
        from toolbox.report.html.page import render_variant_page

        return render_variant_page(self.summary, self.losses)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return self.summary.headline()

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        self.summary.show_on(console)
        if self.losses is not None:
            self.losses.show_on(console)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read; the arguments are not in it."""
        return {
            **self.summary.document(),
            "losses": None if self.losses is None else self.losses.document(),
            "risk": None if self.risk is None else vars(self.risk),
            "class_sizes": {
                side: [asdict(size) for size in sizes]
                for side, sizes in (("before", self.sizes_before), ("after", self.sizes_after))
            },
        }
