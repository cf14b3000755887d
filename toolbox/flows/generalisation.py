"""What `toolbox.generalise` returns: what becomes of each combination, and the proof of what was written with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolbox.flows.recounting import Expected
from toolbox.messages import asked_in_python
from toolbox.privacy.proof import Proof
from toolbox.report.notebook import Shown
from toolbox.report.summary import Summary


@dataclass(frozen=True, repr=False)
class Generalisation(Shown):
    """What becomes of each combination of a table that was counted.

    Parameters
    ----------
    summary : Summary

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> counts = pd.DataFrame({"age": [25, 27, 61], "n": [1, 1, 2]})
    >>> made = toolbox.generalise(counts, quasi_identifiers=["age"], k=2)
    >>> made
    <Generalisation: Mondrian, 4 records in 2 classes, smallest 2; k-anonymity 2 (required 2)>
    >>> made.mapping
       age  class_id
    0   25         1
    1   27         1
    2   61         0
    >>> made.classes
       class_id  size  suppressed      age
    0         0     2       False       61
    1         1     2       False  [25:27]
    >>> made.verify(pd.DataFrame({"age": ["[25:27]", "61"], "n": [2, 2]})).smallest_class
    2
    """

    summary: Summary
    mapping: Any
    """The quasi-identifiers as they were given and ``class_id``: one row per combination that is released. A table of
    the caller's kind."""
    classes: Any
    """``class_id, size, suppressed`` and a text for each quasi-identifier, and for its statistics: one row per class
    that readers can tell apart. A table of the caller's kind."""
    _expected: Expected = field(repr=False)

    def verify(self, recount: Any, *, count: str | None = None) -> Proof:
        """Prove what was written: its records, counted again, are in the classes that were made, and all models hold.

        Parameters
        ----------
        recount : DataFrame of pandas or Polars, Arrow table or what gives itself as Arrow
            The release that was written, grouped by its generalised columns and by the sensitive attributes that a
            privacy model judges, with the count of each group. Two rows may hold the same values.
        count : str, optional
            The column with the counts; by default called as in the table that was given.

        Returns
        -------
        Proof
            What was found.

        Raises
        ------
        ProofError
            If a class is missing, invented or of another size, or if a model does not hold.
        UsageError
            If a column is missing.
        """
        with asked_in_python():
            return self._expected.prove(recount, count)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return self.summary.headline()

    def show_on(self, console: Any) -> None:
        """Print the summary on a console of rich."""
        self.summary.show_on(console)
