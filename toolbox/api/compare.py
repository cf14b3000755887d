"""The public call `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits, OnMissing
from toolbox.flows.arguments import several
from toolbox.flows.cancelling import Cancel, Cancelling
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.compare import ComparedQuestion, compare_methods
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.requirements_compared import ComparedRequirements
from toolbox.flows.text_input import Reading
from toolbox.loss.metric import LossMetric
from toolbox.messages import asked_in_python
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.report.compare import ComparisonReport
from toolbox.steps import Watcher

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from toolbox.api.anonymize import Hierarchy


def compare(
    source: str | Path | Config | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    kinds: Mapping[str, str] = MappingProxyType({}),
    priorities: Mapping[str, int] = MappingProxyType({}),
    weights: Mapping[str, float] = MappingProxyType({}),
    levels: Mapping[str, tuple[int | None, int | None]] = MappingProxyType({}),
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | None = None,
    table: str | None = None,
    on_missing: OnMissing | None = None,
    methods: Sequence[str | type[Anonymizer]] = (),
    k: int | Sequence[int] = (),
    l: float | Sequence[float] = (),  # noqa: E741 - as in the configuration
    t: float | Sequence[float] = (),
    models: Sequence[Sequence[PrivacyModel]] = (),
    suppression_threshold: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    by: str | None = None,
    threshold: float | None = None,
    seed: int | None = None,
    limits: Limits | str | None = None,
    population: str | Path | pd.DataFrame | pl.DataFrame | pa.Table | None = None,
    watcher: Watcher | None = None,
    cancel: Cancel | None = None,
) -> ComparisonReport:
    """Compare what each method costs under each requirement, to choose the method and its parameters.

    The table is read once, and every run is proved. Nothing is released. What cannot be done, for lack of a hierarchy
    or since no release satisfies the requirement, is in the report with the reason.

    Parameters
    ----------
    source, quasi_identifiers, sensitive, identifiers, hierarchies, kinds
        As in `toolbox.open`. A configuration says all of them, and its models are required of every run.
    priorities, weights, levels, table, on_missing
        As in `toolbox.open`.
    separator, header, encoding, decimal, thousands, missing : optional
        How a file of text is read, as in `toolbox.check`; without a header columns are named by their positions,
        ``"0"``. A missing value is ``?`` or an empty text if nothing is said.
    methods : sequence of str or type of Anonymizer
        Each may bring settings along, ``"Mondrian:dimension=distinct"``. By default all that are installed, except
        those that release groups.
    k : int or sequence of int
        Each is tried: k-anonymity, or in a configuration the k of every model that has one. By default what a
        configuration says, and 10 without one.
    l, t : float or sequence of float
        With each is tried entropy l-diversity and t-closeness of every sensitive attribute, too.
    models : sequence of sequence of PrivacyModel
        Lists of models instead, each of which is tried.
    suppression_threshold : int, optional
        Most records that a run may suppress; None: k.
    metrics : sequence of str or LossMetric
        What to measure. By default the share of the information that is kept, the normalised certainty penalty and
        non-uniform entropy.
    by : str, optional
        The metric that says which run is best; by default the first.
    threshold : float, above 0 and at most 1, optional
        Risk above which a record counts as at risk; 0.2 without it.
    seed, limits, population, watcher, cancel
        As in `Session.run`; what is cancelled has no report.

    Returns
    -------
    ComparisonReport
        ``.best``, ``.runs`` with the best first, ``.to_frame()``, ``.document()``.

    Raises
    ------
    UsageError
        If the arguments or the configuration are wrong.
    InputError
        If the table cannot be read.
    CancelledError
        If it was cancelled.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> towns = {"Austria": {"South": ["Graz"], "North": ["Linz", "Wien"]}}
    >>> report = toolbox.compare(
    ...     people,
    ...     quasi_identifiers=["town"],
    ...     hierarchies={"town": towns},
    ...     methods=["Mondrian", "Datafly"],
    ...     k=[2, 3],
    ...     suppression_threshold=0,
    ... )
    >>> [(run.method, run.variant.summary.k, round(run.values["information kept"], 2)) for run in report.runs]
    [('Mondrian', 2, 0.69), ('Mondrian', 3, 0.69), ('Datafly', 2, 0.63), ('Datafly', 3, 0.0)]
    """
    declared = (quasi_identifiers, sensitive, identifiers, hierarchies, kinds, priorities, weights, levels)
    columns = ColumnArguments(*declared)
    opened = AnonymizeArguments.of_nothing(
        columns, "compare", on_missing=on_missing, limits=limits, population=population
    )
    with asked_in_python():
        requirements = ComparedRequirements(k=several(k), l=several(l), t=several(t), models=models)
        asked: dict[str, Any] = {"suppression_threshold": suppression_threshold, "seed": seed, "threshold": threshold}
        question = ComparedQuestion(requirements=requirements, methods=methods, metrics=metrics, by=by, **asked)
        return compare_methods(
            *(source, opened, question),
            Reading(separator, header, encoding, decimal, thousands, missing, table),
            watcher=watcher,
            cancelling=Cancelling(cancel),
        )
