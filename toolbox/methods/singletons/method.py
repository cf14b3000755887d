"""Singletons: generalise the people who stand out, and as few others as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from toolbox.config.model import Portion
from toolbox.errors import SettingError, UnsatisfiableError
from toolbox.messages import find_suppression_setting, format_count
from toolbox.methods.anonymizer import Anonymizer, require_threshold, setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    from toolbox.methods.singletons.columns import Scope


_LEFT_OUT = {"both": (), "values": ("row-ranges",), "records": ("ranges",), "none": ("ranges", "row-ranges")}
"""The rules that are not wanted, by the setting `ranges`."""


@dataclass(frozen=True, kw_only=True)
class Singletons(Anonymizer):
    """Generalise only the people who stand out, or whole columns: whichever leaves fewer people standing out.

    Who stands out is in a class of fewer than k records; with k = 2 these are the singletons. Each quasi-identifier is
    left as it is, or goes to its parents (level 1 of its hierarchy), to its root, or if it holds numbers to ranges of
    four distinct values or of k records; in all records, or only in those that stand out. Elected is the combination
    that leaves fewest records below k, then the one that modifies fewest; where they are too many to try, one column is
    chosen after the other. What is left below k is then dealt with as `finish` says.

    The centroids of the paper are not among them: they do not cover what they stand for, so that nothing could be
    proved. ``toolbox singletons`` compares all variants, these included.

    The distinct combinations are held in memory: some 14 bytes of each value, and 100 beside them. The engine has so
    much less of the memory limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
        k-anonymity, with k of 2 at least.
    scope : {'both', 'local', 'global'}
        Whether to generalise in those records only that stand out, in all, or to try both.
    ranges : {'both', 'values', 'records', 'none'}
        What ranges of numbers are made of: four distinct values, or at least k records; or try both; or make none, so
        that each value of the release is in a hierarchy, as a saved recoding needs it.
    finish : {'local', 'suppress', 'none'}
        What becomes of records that are left below k: ``local`` generalises them further, up to the roots if it must;
        ``suppress`` suppresses them, up to the limit; with ``none`` there is no release if there are any.
    suppression_threshold : int, >= 0
        Most records that ``suppress`` may suppress.

    References
    ----------
    Pastore, Pellegrino and Scarano (2020). Detecting and generalizing quasi-identifiers by affecting singletons.
    CEUR-WS 2797, 328-336

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"town": ["Graz", "Graz", "Linz", "Wels"], "sex": ["f", "f", "f", "f"]})
    >>> toolbox.anonymize(people, quasi_identifiers=["town", "sex"], k=2, method="Singletons", order="input").release
       town sex
    0  Graz   f
    1  Graz   f
    2     *   f
    3     *   f
    """

    name: ClassVar[str] = "Singletons"
    summary: ClassVar[str] = "Changes only the people who stand out, or whole columns, whichever leaves fewer of them."
    rank: ClassVar[int] = 90
    saved_with: ClassVar[Mapping[str, str] | None] = MappingProxyType({"ranges": "none"})
    counts_persons: ClassVar[bool] = True
    suppresses_persons: ClassVar[bool] = False
    reference: ClassVar[str] = "Pastore, Pellegrino and Scarano 2020, CEUR-WS 2797, 328-336"

    scope: str = setting("both", ("both", "local", "global"))
    ranges: str = setting("both", ("both", "values", "records", "none"))
    finish: str = setting("local", ("local", "suppress", "none"))
    # Declared here and not by SuppressingAnonymizer, so that it is listed behind `finish`, to which it belongs.
    suppression_threshold: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least_records < 2:
            raise SettingError("k", self.least_records, "a whole number of at least 2: with fewer nobody stands out")
        require_threshold(self.suppression_threshold)

    @property
    def suppression_limit(self) -> int | Portion | None:
        """Most records that ``suppress`` may suppress; None where `finish` is another."""
        return self.suppression_threshold if self.finish == "suppress" else None

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return isinstance(model, KAnonymity)

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which reading, proving and writing do without.
        from toolbox.methods.singletons.columns import read_rows
        from toolbox.methods.singletons.comparing import compare, recode_as_elected

        scopes: Sequence[Scope] = ("local", "global") if self.scope == "both" else (self.scope,)  # type: ignore[assignment]
        with in_memory(tables, 100 + 14 * len(tables.quasi_identifiers)):
            rows = read_rows(tables, self.least_records, leave_out=_LEFT_OUT[self.ranges])
            compared = compare(rows, self.least_records, scopes, covering=True, report=tables.report)
            best, unchanged = compared.ranked[0], compared.unchanged
            left = best.figures.below_k
            self._require_release(left)
            told = replace(tables, notes=(*tables.notes, self._told(best.figures.name, unchanged.below_k, left)))
            return recode_as_elected(told, rows, best, self.least_records, goes_further=self.finish == "local")

    def _told(self, variant: str, before: int, left: int) -> str:
        fate = {"local": "generalised further", "suppress": "suppressed", "none": "left"}[self.finish]
        after = f" {format_count(left, 'remained and was', 'remained and were')} {fate}." if left else " None remained."
        return (
            f"{format_count(before, 'record')} stood out (below k = {self.least_records}). Elected: {variant}.{after}"
        )

    def _require_release(self, left: int) -> None:
        """Stop where records are left below k that may not be suppressed."""
        allowed = self.suppression_threshold if self.finish == "suppress" else 0
        if self.finish != "local" and left > allowed:
            told = f"more than the {allowed:,} that may be suppressed" if self.finish == "suppress" else "so no release"
            raise UnsatisfiableError(
                f"{format_count(left, 'record remains', 'records remain')} below k = {self.least_records}, {told}. "
                "Write finish='local' to generalise further, "
                f"or finish='suppress' with {find_suppression_setting()}='{left}' to suppress."
            )
