"""The public call `measure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from toolbox.config.model import Config, Limits
from toolbox.flows.asking import TableDescription, question_of_call
from toolbox.flows.callers_tables import Hierarchies, Source, judged_table
from toolbox.flows.measure import measure_release
from toolbox.flows.text_input import Reading
from toolbox.loss.metric import LossMetric
from toolbox.messages import asked_in_python
from toolbox.report.measure import LossReport

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def measure(
    original: Source,
    release: Source,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Hierarchies = _NOTHING,
    kinds: Mapping[str, str] = _NOTHING,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    weights: Mapping[str, float] = _NOTHING,
    label: str | None = None,
    k: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    config: Config | None = None,
    limits: Limits | str | None = None,
) -> LossReport:
    """Measure the information that a release has lost, by every metric that applies.

    Parameters
    ----------
    original, release : path, pandas.DataFrame or pyarrow.Table
        Metrics that compare each record with its own need both in one order, with the same records.
    quasi_identifiers, sensitive, hierarchies, kinds, config, limits
        As in `check`.
    separator, header, encoding, decimal, thousands, missing
        As in `check`.
    table : str, optional
        The sheet or table of the original records, where their file holds several.
    weights : mapping of column to float
        Share of a quasi-identifier in weighted metrics; 1 where nothing is said.
    label : str, optional
        The column that a classifier should predict, for the classification metric; by default the sensitive
        column, if there is one.
    k : int, optional
        The k of the release, for the metrics that need it.
    metrics : sequence of str or LossMetric, optional
        Those to measure; by default all.

    Returns
    -------
    LossReport
        ``.measures``, a tuple of named values; ``.document()``.

    Raises
    ------
    UsageError
        If the arguments are wrong.
    InputError
        If a table cannot be read, or a released value stands for nothing that is known.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 28, 33, 39]})
    >>> release = pd.DataFrame({"age": ["[21:28]", "[21:28]", "[33:39]", "[33:39]"]})
    >>> report = measure(people, release, quasi_identifiers=["age"])
    >>> round(report.value("normalised certainty penalty"), 4)  # ((28 - 21) + (39 - 33)) / 2 of 39 - 21
    0.3611
    """
    with asked_in_python():
        description = TableDescription(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            hierarchies=hierarchies,
            kinds=kinds,
            weights=weights,
            reading=Reading(separator, header, encoding, decimal, thousands, missing, table),
        )
        question = question_of_call("measure()", config, description, limits)
        before, after = (judged_table(table, question, label) for table in (original, release))
        return measure_release(question, before, after, label=label, k=k, metrics=metrics)
