"""What a session shows of its columns and records, before a run and after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from toolbox.flows.listings import Filter
from toolbox.flows.workbench import Workbench
from toolbox.messages import asked_in_python
from toolbox.report.histogram import BeforeAndAfter, Histogram, ValuesAtRisk
from toolbox.report.records import RecordClass, RecordsPage
from toolbox.report.variant import Variant

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class SessionViews(ABC):
    """The part of a `Session` that counts and shows, and runs nothing."""

    @abstractmethod
    def _at_work(self) -> Workbench:
        """Return the bench; stop if the session is closed."""

    def values(
        self,
        column: str,
        k: int = 1,
        quasi_identifiers: Sequence[str] = (),
        *,
        sort: Literal["value", "count", "risk"] = "value",
        descending: bool = False,
        offset: int = 0,
        limit: int | None = 200,
    ) -> ValuesAtRisk:
        """List values of a column, each with its records in classes of at least k and in smaller ones.

        Parameters
        ----------
        column : str
            A candidate or sensitive column.
        k, quasi_identifiers
            As in `at_risk`; below a k of 1 nobody is at risk.
        sort : {'value', 'count', 'risk'}
            By the values themselves (numbers and dates in their order), the number of records, or the share at risk.
        descending : bool
            Whether the largest comes first; a missing value is the last in either case.
        offset : int, >= 0
            Values to pass over.
        limit : int, >= 1, optional
            Values that are listed at most; None for all.

        Returns
        -------
        ValuesAtRisk
            ``.values`` with ``value, safe, at_risk``, and ``.total``, the number of all values.

        Raises
        ------
        UsageError
            If an argument is wrong, or the column unknown.
        """
        with asked_in_python():
            bench = self._at_work()
            return bench.values(
                column, k, quasi_identifiers, sort=sort, descending=descending, offset=offset, limit=limit
            )

    def histogram(
        self,
        column: str,
        k: int = 1,
        quasi_identifiers: Sequence[str] = (),
        *,
        sort: Literal["value", "count", "risk"] = "value",
        descending: bool = False,
        bars: int = 20,
    ) -> Histogram:
        """Show the values of a column in so few bars that they are seen at once.

        More than 60 different numbers or dates are put into bins with round ends, in their order. Of more categories
        than bars the last ones share a bar, ``.others``.

        Parameters
        ----------
        column, k, quasi_identifiers, sort, descending
            As in `values`.
        bars : int, >= 2
            Bars of categories that there are at most, and about as many bins.

        Returns
        -------
        Histogram
            ``.bars`` with ``label, values, safe, at_risk``, and ``.others``.

        Raises
        ------
        UsageError
            If an argument is wrong, or the column unknown.
        """
        with asked_in_python():
            bench = self._at_work()
            return bench.histogram(column, k, quasi_identifiers, sort=sort, descending=descending, bars=bars)

    def page(
        self,
        offset: int = 0,
        limit: int = 50,
        *,
        variant: Variant | int | None = None,
        quasi_identifiers: Sequence[str] = (),
        sort: str | None = None,
        descending: bool = False,
        where: Literal["changed", "suppressed"] | None = None,
        smaller_than: int | None = None,
        having: Mapping[str, str] = _NOTHING,
    ) -> RecordsPage:
        """Return some records, as they were read and as a variant releases them.

        The session must have been opened with ``records=True``. The first page in a new order, or by a new filter, puts
        all records in this order; the others take no longer, however far from the first they are.

        Parameters
        ----------
        offset : int, >= 0
            Records to pass over.
        limit : int, >= 1
        variant : Variant or int, optional
            One that was kept, or its number.
        quasi_identifiers : sequence of str, optional
            Those that make the classes where no variant is named; by default all candidates.
        sort : str, optional
            A column, by whose original values the records are sorted; by default they are in the order of the input.
        descending : bool
            Whether the records stand exactly the other way round.
        where : {'changed', 'suppressed'}, optional
            Only records of which the variant releases another value than it read, or which it suppresses.
        smaller_than : int, >= 1, optional
            Only records in classes of fewer records than this.
        having : mapping of column to text, optional
            Only records with exactly these texts.

        Returns
        -------
        RecordsPage
            ``.records`` with ``record, values, released, class_size, suppressed, changed``; ``.columns``, and
            ``.total``, the number of all records that fit.

        Raises
        ------
        UsageError
            If an argument is wrong, a column or a variant unknown, or no records are kept.
        """
        with asked_in_python():
            bench = self._at_work()
            asked = Filter(sort, where, smaller_than, tuple(having.items()))
            return bench.page(variant, asked, quasi_identifiers, offset=offset, limit=limit, descending=descending)

    def class_of(
        self, record: int, variant: Variant | int | None = None, quasi_identifiers: Sequence[str] = ()
    ) -> RecordClass:
        """Return the equivalence class of a record, in a variant or as the records were read.

        Parameters
        ----------
        record : int, >= 1
            Its place in the input, as `page` tells it.
        variant, quasi_identifiers
            As in `page`.

        Returns
        -------
        RecordClass
            ``.size``, ``.suppressed``, and ``.columns`` with ``name, released, values, others``.

        Raises
        ------
        UsageError
            If there is no such record, or it lacks a value and is in no class; or an argument is wrong.
        """
        with asked_in_python():
            return self._at_work().class_of(record, variant, quasi_identifiers)

    def before_and_after(self, variant: Variant | int, column: str, *, bars: int = 20) -> BeforeAndAfter:
        """Compare the distribution of a quasi-identifier with what a variant tells of it, on the same bars.

        Parameters
        ----------
        variant : Variant or int
            One that was kept, or its number.
        column : str
            One of its quasi-identifiers.
        bars : int, >= 2
            As in `histogram`.

        Returns
        -------
        BeforeAndAfter
            ``.bars`` with ``label, values, before, after``, ``.others``, and ``.suppressed``. After is what a reader
            would guess, who shares the records of a released value evenly among all values that it covers.

        Raises
        ------
        UsageError
            If the variant was not kept, or an argument is wrong.
        """
        with asked_in_python():
            return self._at_work().before_and_after(variant, column, bars=bars)

    def drop(self, variant: Variant | int) -> None:
        """Forget a kept variant, given as itself or by its number.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        with asked_in_python():
            self._at_work().drop(variant)
