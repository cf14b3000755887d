"""What `toolbox.open` gives back: a table that was read once, on which method after method is tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType, TracebackType
from typing import Any, Self

from toolbox.errors import UsageError
from toolbox.flows.callers_release import require_known, with_listed_models
from toolbox.flows.cancelling import Cancel, Cancelling
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.metrics import chosen_metrics
from toolbox.flows.opening_table import open_table
from toolbox.flows.previewing import Wanted
from toolbox.flows.release_arguments import release_arguments
from toolbox.flows.session_views import SessionViews
from toolbox.flows.text_input import AS_SAID, Reading
from toolbox.flows.workbench import SessionColumn, Workbench
from toolbox.loss.metric import LossMetric
from toolbox.messages import asked_in_python
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.report.at_risk import AtRisk
from toolbox.report.variant import Variant
from toolbox.risks.attackers import require_threshold
from toolbox.risks.risk import DEFAULT_THRESHOLD
from toolbox.steps import Steps, Watcher

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Session(SessionViews):
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

    def __init__(self, bench: Workbench, stack: ExitStack, opened: AnonymizeArguments, read: Mapping[str, Any]) -> None:
        self._bench = bench
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
        with asked_in_python(), ExitStack() as stack:
            bench = open_table(stack, source, arguments, Steps(watcher), reading, with_records=with_records)
            return cls(bench, stack.pop_all(), arguments, {"source": source, **vars(reading)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", ".join(self._bench.declared.candidates) if self._is_open else "closed"
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
        with asked_in_python():
            return self._at_work().columns()

    def at_risk(self, k: int, column: str | None = None, quasi_identifiers: Sequence[str] = ()) -> AtRisk:
        """Count the records that would be in classes of fewer than k, if nothing were generalised.

        Parameters
        ----------
        k : int, >= 1
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
        with asked_in_python():
            return self._at_work().at_risk(k, column, quasi_identifiers)

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
        columns = ColumnArguments(quasi_identifiers, (), (), hierarchies, {}, {}, {}, levels)
        arguments = AnonymizeArguments.of_nothing(
            columns,
            "run",
            method=method,
            k=k,
            l=l,
            c=c,
            t=t,
            models=models,
            suppression_threshold=suppression_threshold,
            seed=seed,
            settings=settings,
        )
        with asked_in_python():
            bench = self._at_work()
            require_threshold(threshold)
            kept_in = bench.variants if keep else None
            wanted = Wanted(metrics=chosen_metrics(metrics), threshold=threshold, classes=classes, kept_in=kept_in)
            arguments = with_listed_models(arguments)
            asked = bench.asked(arguments)
            require_known(arguments, asked.method)
            made_by = release_arguments(bench.declared, self._read, self._opened, arguments, asked)
            return bench.run(asked, wanted, arguments=made_by, steps=Steps(watcher), cancelling=Cancelling(cancel))

    def _at_work(self) -> Workbench:
        if not self._is_open:
            raise UsageError("The session is closed. Open the table again: toolbox.open(..).")
        return self._bench
