"""What `toolbox.open` gives back: a table that was read once, on which method after method is tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Self

from toolbox.errors import UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, require_known
from toolbox.flows.arguments.checks import AS_SAID, Reading, SampleDesign, require_texts, require_whole, require_word
from toolbox.flows.arguments.models import choose_metrics
from toolbox.flows.session.histograms import Distributions, SessionColumn
from toolbox.flows.session.loads import OpenedTable
from toolbox.flows.session.opening import open_table
from toolbox.flows.session.records import Filter, RecordPages, RecordView, compare_statistics, measure_population_risk
from toolbox.flows.session.run import Cancel, Cancelling, RequestedFigures, preview_release
from toolbox.flows.session.variants import KeptVariants, load_original, make_run_request, release_arguments
from toolbox.loss.metric import LossMetric
from toolbox.messages import name_python_arguments
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.report.explore.records import (
    AtRisk,
    BeforeAndAfter,
    ColumnRemains,
    Histogram,
    MissingRecords,
    PopulationRisk,
    RankedColumns,
    RecordClass,
    RecordsPage,
    ValuesAtRisk,
    VariantStatistics,
)
from toolbox.report.runs.compare import Variant
from toolbox.risks.risk import DEFAULT_THRESHOLD
from toolbox.steps import Steps, Watcher

_NOTHING: Mapping[str, Any] = MappingProxyType({})
VALUE_ORDERS = ("value", "count", "risk")
FATES = ("changed", "suppressed")
"""What may have become of a record."""


class Session:
    """A table that was read once, to try out methods, models, quasi-identifiers and hierarchies on it.

    Only its combinations are kept, and with ``records=True`` which record has which, in a store that is gone when the
    session is closed: use it as a context manager.
    Nothing is released from a session. A variant that you like becomes a release by a run of its own, which reads the
    records and proves the release on them: ``toolbox.anonymize(**variant.arguments)``.

    A session belongs to one thread; another one may cancel its runs.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> with toolbox.open(people, quasi_identifiers=["age", "town"]) as session:
    ...     print(session.at_risk(k=2, quasi_identifiers=["town"]))
    ...     variants = [session.run(k=k, metrics=["normalised certainty penalty"]) for k in (2, 4)]
    1 of 6 records (16.67%) are in classes below k = 2
    >>> [variant.summary.proof.classes for variant in variants]
    [2, 1]
    """

    def __init__(
        self, table: OpenedTable, stack: ExitStack, opened: AnonymizeArguments, read: Mapping[str, Any]
    ) -> None:
        self._table = table
        self._values = Distributions(table)
        self._records = RecordPages(table, self._values.axis)
        self._variants = KeptVariants(table)
        self._stack = stack
        self._opened = opened
        self._read = read
        self._is_open = True

    @classmethod
    def of(
        cls,
        source: Any,
        arguments: AnonymizeArguments,
        watcher: Watcher | None,
        reading: Reading = AS_SAID,
        *,
        with_records: bool = False,
    ) -> Self:
        """Read a table once; `toolbox.open` explains the arguments.

        Raises
        ------
        ToolboxError
            Whatever is wrong.
        """
        with name_python_arguments(), ExitStack() as stack:
            table = open_table(stack, source, arguments, Steps(watcher), reading, with_records=with_records)
            return cls(table, stack.pop_all(), arguments, {"source": source, **vars(reading)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", ".join(self._table.declared.candidates) if self._is_open else "closed"
        return f"<Session: {state}>"

    def close(self) -> None:
        """Remove all that was read. A closed session may be closed again."""
        self._is_open = False
        self._stack.close()

    def columns(self) -> tuple[SessionColumn, ...]:
        """Describe the candidate and the sensitive columns.

        Returns
        -------
        tuple of SessionColumn
            ``name, role, kind, values, missing, has_hierarchy`` of each.
        """
        with self._at_work():
            return self._values.describe_columns()

    def count_missing(self) -> MissingRecords:
        """Count the records that lack a value of a candidate or sensitive column, whatever becomes of them.

        Returns
        -------
        MissingRecords
            ``.records, .lacking, .left_out, .on_missing, .needs_choice``, and ``.columns`` with each name and count.
        """
        with self._at_work():
            return self._values.count_missing()

    def at_risk(self, k: int, column: str | None = None, quasi_identifiers: Sequence[str] = ()) -> AtRisk:
        """Count the records that would be in classes of fewer than k, if nothing were generalised.

        Parameters
        ----------
        k : int, >= 1
            Of records, or of different persons where these are declared.
        column : str, optional
            A candidate or sensitive column, for each of whose values the records are counted, too.
        quasi_identifiers : sequence of str, optional
            Those that make the classes, among the candidates; by default all.

        Returns
        -------
        AtRisk
            ``.records``, ``.at_risk``, ``.share``, and ``.values`` with ``value, safe, at_risk``.

        Raises
        ------
        UsageError
            If k is no number of records, or a column is unknown.
        """
        with self._at_work():
            require_whole("k", k, 1)
            name = None if column is None else self._require_column(column)
            return self._values.count_at_risk(load_original(self._table, quasi_identifiers), int(k), name)

    def rank_columns(self, quasi_identifiers: Sequence[str] = (), *, max_columns: int | None = None) -> RankedColumns:
        """Find out which quasi-identifiers tell records apart, alone and together, as `toolbox.detect` does.

        Parameters
        ----------
        quasi_identifiers
            As in `at_risk`.
        max_columns : int, >= 1, optional
            Columns in the largest subsets; by default as many as take about a second, and at most 4.
        """
        with self._at_work():
            most = None if max_columns is None else require_whole("max_columns", max_columns, 1)
            found = load_original(self._table, quasi_identifiers).detect(self._table.store, self._table.source, most)
            return RankedColumns(detection=found, counts_persons=self._table.source.persons is not None)

    def population_risk(
        self, k: int = 5, *, fraction: float | None = None, quasi_identifiers: Sequence[str] = ()
    ) -> PopulationRisk:
        """Measure who hides among the people of a population, if nothing were generalised.

        Parameters
        ----------
        k : int, >= 1
            Fewest people for whom a combination should stand.
        fraction : float, above 0 and at most 1, optional
            The share of the population that is in the table: who is alone in the population is then estimated.
        quasi_identifiers
            As in `at_risk`.

        Returns
        -------
        PopulationRisk
            ``.register``, ``.below_k`` and ``.alone``, if the session was opened with a population; ``.sample``.
        """
        with self._at_work():
            number = require_whole("k", k, 1)
            SampleDesign(fraction=fraction)
            load = load_original(self._table, quasi_identifiers, with_people=self._table.population is not None)
            return measure_population_risk(self._table, load, number, fraction)

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
        with self._at_work():
            require_whole("k", k, 1)
            require_whole("offset", offset, 0)
            limit = None if limit is None else require_whole("limit", limit, 1)
            require_word("sort", sort, VALUE_ORDERS)
            name, load = self._require_column(column), load_original(self._table, quasi_identifiers)
            return self._values.values(load, name, int(k), sort=sort, descending=descending, offset=offset, limit=limit)

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
        with self._at_work():
            require_whole("k", k, 1)
            require_whole("bars", bars, 2)
            require_word("sort", sort, VALUE_ORDERS)
            name, load = self._require_column(column), load_original(self._table, quasi_identifiers)
            return self._values.histogram(load, name, int(k), sort=sort, descending=descending, most=int(bars))

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
            Only records in classes of fewer records than this, or of fewer persons, where these are declared.
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
        with self._at_work():
            asked = Filter(sort, where, smaller_than, require_texts("having", having))
            self._records.require_records()
            require_whole("offset", offset, 0)
            require_whole("limit", limit, 1)
            if where is not None:
                require_word("where", where, FATES)
                if variant is None:
                    raise UsageError(f"where={where!r} asks for a variant. Name one in variant=.")
            if smaller_than is not None:
                require_whole("smaller_than", smaller_than, 1)
            for name in filter(None, [sort, *dict(asked.having)]):
                self._require_column(name)
            look = self._look(variant, quasi_identifiers)
            return self._records.page(look, asked, int(offset), int(limit), descending=descending)

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
        with self._at_work():
            self._records.require_records()
            number = require_whole("record", record, 1)
            return self._records.class_of(self._look(variant, quasi_identifiers), number)

    def before_and_after(self, variant: Variant | int, column: str, *, bars: int = 20) -> BeforeAndAfter:
        """Compare the distribution of a quasi-identifier with the values that a variant releases instead.

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
            ``.before`` and ``.after``, the bars of both with ``label, values, records``, and ``.suppressed``. After are
            the released values as they stand in the release: what an analyst can still count.

        Raises
        ------
        UsageError
            If the variant was not kept, or an argument is wrong.
        """
        with self._at_work():
            require_whole("bars", bars, 2)
            kept = self._variants.find(variant)
            if column not in kept.names:
                raise UnknownColumnError(str(column), "The variant, among its quasi-identifiers,", list(kept.names))
            return self._values.before_and_after(kept, column, most=int(bars))

    def describe_remains(self, variant: Variant | int) -> tuple[ColumnRemains, ...]:
        """Say what is left of each quasi-identifier in a variant.

        Parameters
        ----------
        variant : Variant or int
            One that was kept, or its number.

        Returns
        -------
        tuple of ColumnRemains
            ``name, values_before, values_after, records, unchanged, silent, example`` of each: ``unchanged`` counts
            the cells as they were, ``silent`` those that say nothing; the example is a frequent value with what is
            shown in its place.

        Raises
        ------
        UsageError
            If the variant was not kept.
        """
        with self._at_work():
            return self._records.describe_remains(self._variants.find(variant))

    def compare_statistics(
        self, variant: Variant | int, pair: Sequence[str] = (), *, cancel: Cancel | None = None
    ) -> VariantStatistics:
        """Compare figures of the quasi-identifiers of a kept variant with those of the records.

        Parameters
        ----------
        variant : Variant or int
            One that was kept, or its number.
        pair : sequence of str, optional
            Two of its quasi-identifiers, for their two-way table, as ``toolbox.measure(pairs=True)`` tells it.
        cancel : threading.Event or callable, optional
            Ends it by a `CancelledError`, as that of `run`.
        """
        with self._at_work(), Cancelling(cancel).interrupt_when_cancelled(self._table.store):
            kept = self._variants.find(variant)
            for name in pair:
                require_word("pair", name, kept.names)
            return compare_statistics(self._table, kept, list(dict.fromkeys(pair)))

    def drop(self, variant: Variant | int) -> None:
        """Forget a kept variant, given as itself or by its number.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        with self._at_work():
            self._records.forget(self._variants.number_of(variant))
            self._variants.drop(variant)

    def run(
        self,
        *,
        method: str | type[Anonymizer] | None = None,
        k: int | None = None,
        l: float | None = None,  # noqa: E741 - as in the configuration
        c: float | None = None,
        t: float | None = None,
        models: Sequence[PrivacyModel] = (),
        quasi_identifiers: Sequence[str] = (),
        hierarchies: Mapping[str, Any] = _NOTHING,
        levels: Mapping[str, tuple[int | None, int | None]] = _NOTHING,
        suppression_threshold: int | None = None,
        seed: int | None = None,
        metrics: Sequence[str | LossMetric] = (),
        threshold: float = DEFAULT_THRESHOLD,
        classes: bool = False,
        keep: bool = False,
        sample: int | None = None,
        nodes: bool = False,
        watcher: Watcher | None = None,
        cancel: Cancel | None = None,
        **settings: str,
    ) -> Variant:
        """Run a method, prove what it has made, and measure that. Nothing is written.

        The variant has the classes that a release of the same arguments has. It is proved by the counts of its
        combinations; a release is proved once more, on its records.

        Parameters
        ----------
        method, k, l, c, t, models, suppression_threshold, seed, **settings
            As in `toolbox.anonymize`. In a session that was opened by a configuration, what is left out is as there:
            its method, and all models that it requires; k then is that of each model that has one.
        quasi_identifiers : sequence of str, optional
            Some of the candidate columns; by default all. The others count as columns that nobody declares.
        hierarchies : mapping of column to hierarchy
            Instead of those that the session was opened with; None takes one away.
        levels : mapping of column to (int, int)
            The lowest and the highest level that a column may have, instead of those that it was opened with. A node
            of ``.summary.minimal_nodes`` is run alone as ``{column: (level, level), ..}``.
        metrics : sequence of str or LossMetric
            What to measure: names of loss metrics, such as ``"normalised certainty penalty"``.
        threshold : float, above 0 and at most 1
            Risk above which a record counts as at risk.
        classes : bool
            Whether to fetch the classes, as a release shows them.
        keep : bool
            Whether the session keeps what was made, so that `page`, `class_of` and `before_and_after` can show it,
            until `drop`.
        sample : int, >= 1, optional
            Run only about so many records, where there are more than 50,000 combinations, and nearly all records differ
            from all others: that takes a few seconds, and a release keeps more, as all records have more others that
            are alike. `Variant.sampled_from` then says of how many they were drawn. A release is always of all records.
        nodes : bool
            Whether a method that searches the lattice tells what it knows of every node, in
            ``.summary.searched.tagged``, as ``--lattice`` writes it; of more than 50,000 nodes it does not.
        watcher : Watcher, optional
            Is told each step as it begins and ends, and what the method says of itself.
        cancel : threading.Event or callable, optional
            Ends the run as soon as it is set, or returns True; it is asked from a thread of its own. The session then
            works on.

        Returns
        -------
        Variant
            ``.summary``, ``.losses``, ``.risk``, ``.classes``, and ``.arguments``, with which `toolbox.anonymize` makes
            the release.

        Raises
        ------
        UsageError
            If an argument is wrong, or the method looks at single records, as Anatomy does.
        UnsatisfiableError
            If no release can meet the requirement.
        CancelledError
            If the run was cancelled.
        """
        arguments = AnonymizeArguments.of_nothing(
            ColumnArguments(quasi_identifiers, (), (), hierarchies, {}, {}, {}, levels),
            "run",
            method=method,
            **{"k": k, "l": l, "c": c, "t": t},
            models=models,
            suppression_threshold=suppression_threshold,
            seed=seed,
            settings=settings,
        )
        with name_python_arguments():
            self._require_open()
            sample = sample if sample is None else require_whole("sample", sample, 1)
            kept, figures = self._variants if keep else None, choose_metrics(metrics)
            wanted = RequestedFigures(
                metrics=figures, threshold=threshold, classes=classes, kept_in=kept, nodes=nodes, sample=sample
            )
            arguments = arguments.with_models_listed()
            asked = make_run_request(self._table.declared, arguments)
            require_known(arguments, asked.method)
            made_by = release_arguments(self._table.declared, self._read, self._opened, arguments, asked)
            return preview_release(self._table, asked, wanted, Steps(watcher), Cancelling(cancel), arguments=made_by)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Drop at the end of the block what was made in it, except what is kept for later questions."""
        with name_python_arguments():
            self._require_open()
            with self._table.temporary_scope():
                yield

    def _require_open(self) -> None:
        if not self._is_open:
            raise UsageError("The session is closed. Open the table again: toolbox.open(..).")

    def _require_column(self, name: object) -> str:
        if str(name) not in self._table.positions:
            raise UnknownColumnError(str(name), "The session", list(self._table.positions))
        return str(name)

    def _look(self, variant: Variant | int | None, quasi_identifiers: Sequence[object]) -> RecordView:
        if variant is None:
            return RecordView.at_input(load_original(self._table, quasi_identifiers), self._table.store)
        if quasi_identifiers:
            raise UsageError("A variant has its own quasi-identifiers. Leave quasi_identifiers= out.")
        return RecordView.at_variant(self._variants.number_of(variant), self._variants.find(variant))
