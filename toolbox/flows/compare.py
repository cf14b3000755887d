"""The flow of `compare`: one reading, then every method under every requirement, proved and measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from toolbox.errors import MethodError, ModelError, ProofError, SettingError, UnsatisfiableError, UsageError
from toolbox.flows.arguments import listed
from toolbox.flows.cancelling import Cancelling
from toolbox.flows.columns import ColumnArguments
from toolbox.flows.description import AnonymizeArguments
from toolbox.flows.methods_compared import ComparedMethod, compared_methods
from toolbox.flows.metrics import chosen_metrics
from toolbox.flows.models import judged_attributes
from toolbox.flows.opening_table import open_table
from toolbox.flows.previewing import Wanted
from toolbox.flows.release_arguments import release_arguments
from toolbox.flows.requirements_compared import ComparedRequirements
from toolbox.flows.text_input import AS_SAID, Reading
from toolbox.flows.workbench import Workbench
from toolbox.loss.metric import LossMetric
from toolbox.loss.names import plain_name
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.report.compare import ComparisonReport
from toolbox.report.compared_runs import (
    INFORMATION_KEPT,
    KEPT,
    KEPT_IN_SHORT,
    ComparedMetric,
    ComparedRun,
    MetricValues,
    ranked_runs,
)
from toolbox.report.variant import Variant
from toolbox.risks.attackers import require_threshold
from toolbox.risks.risk import DEFAULT_THRESHOLD
from toolbox.steps import Stage, Steps, Watcher

USUAL_METRICS = (KEPT, "normalised certainty penalty", "non-uniform entropy")
"""What is measured where nobody names metrics: what says something to people."""


@dataclass(frozen=True, kw_only=True)
class ComparedQuestion:
    """What is compared, by what."""

    requirements: ComparedRequirements
    methods: Sequence[str | type[Anonymizer]] = ()
    """As in `compared_methods`."""
    metrics: Sequence[str | LossMetric] = ()
    by: str | None = None
    """The metric that says what is best; None: the first one."""
    suppression_threshold: int | None = None
    seed: int | None = None
    threshold: float | None = None
    """Risk above which a record counts as at risk; None: 0.2."""


def compare_methods(
    source: Any,
    opened: AnonymizeArguments,
    question: ComparedQuestion,
    reading: Reading = AS_SAID,
    *,
    watcher: Watcher | None = None,
    cancelling: Cancelling | None = None,
) -> ComparisonReport:
    """Read a table once, and run every method under every requirement; `toolbox.compare` explains the arguments.

    Raises
    ------
    ToolboxError
        Whatever is wrong with the question or the table; what cannot be done is no error.
    """
    threshold = DEFAULT_THRESHOLD if question.threshold is None else question.threshold
    require_threshold(threshold)
    methods = compared_methods(question.methods)
    columns, metrics = compared_by(question.metrics, question.by)
    steps = Steps(watcher)
    with ExitStack() as stack:
        bench = open_table(stack, source, opened, steps, reading)
        requirements = question.requirements.listed(bench.declared)
        judged = judged_attributes([model for models in requirements for model in models])
        comparing = _Comparing(
            bench=bench,
            opened=opened,
            read={"source": source, **vars(reading)},
            question=question,
            wanted=Wanted(metrics=metrics, threshold=threshold, judged=judged),
            columns=columns,
            steps=steps,
            cancelling=cancelling or Cancelling(None),
        )
        runs = [comparing.run(method, models) for method in methods for models in requirements]
    done = [run.variant for run in runs if run.variant is not None]
    return ComparisonReport(
        runs=ranked_runs(runs, columns[0]),
        metrics=columns,
        threshold=threshold,
        records=done[0].summary.proof.records if done else None,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def compared_by(
    metrics: Sequence[str | LossMetric], by: str | None
) -> tuple[tuple[ComparedMetric, ...], tuple[LossMetric, ...]]:
    """Return what runs are compared by, first what says which is best, and the loss metrics among it.

    Raises
    ------
    UsageError
        If there is no such metric.
    """
    if isinstance(metrics, (str, LossMetric)):
        raise UsageError("metrics= is one metric. Write a list, such as ['precision'].")
    named = list(listed("metrics", metrics) or USUAL_METRICS)
    if by is not None and not isinstance(by, str):
        raise SettingError("by", by, "the name of a metric, such as 'precision'")
    if by is not None:
        named.insert(0, by)
    columns: dict[str, ComparedMetric] = {}
    found: dict[str, LossMetric] = {}
    for each in named:
        if isinstance(each, str) and plain_name(each) in (KEPT, KEPT_IN_SHORT):
            columns.setdefault(KEPT, INFORMATION_KEPT)
            continue
        (metric,) = chosen_metrics([each], KEPT)
        found.setdefault(metric.name, metric)
        columns.setdefault(metric.name, ComparedMetric(metric.name, metric.unit, metric.direction))
    return tuple(columns.values()), tuple(found.values())


class _Passing(Watcher):
    """Passes on what a method says of itself."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def say(self, stage: Stage) -> None:
        self._say(stage.words)


@dataclass(frozen=True, kw_only=True)
class _Comparing:
    """Runs one method after the other."""

    bench: Workbench
    opened: AnonymizeArguments
    read: Mapping[str, Any]
    question: ComparedQuestion
    wanted: Wanted
    columns: tuple[ComparedMetric, ...]
    steps: Steps
    cancelling: Cancelling

    def run(self, method: ComparedMethod, models: tuple[PrivacyModel, ...]) -> ComparedRun:
        """Run a method; what cannot be done becomes a row that says why."""
        arguments = AnonymizeArguments.of_nothing(
            ColumnArguments((), (), (), {}, {}, {}, {}),
            "compare",
            method=method.method,
            models=models,
            settings=method.settings,
            suppression_threshold=self.question.suppression_threshold,
            seed=self.question.seed,
        )
        names, required = tuple(map(str, models)), "; ".join(map(_in_short, models))
        # The step ends as any other where nothing can be done: no bar is left standing.
        with self.steps.step(f"{method.called}, {required}"):
            try:
                variant, why_not = self._variant(arguments), ""
            except (UsageError, UnsatisfiableError, MethodError, ModelError, ProofError) as error:
                variant, why_not = None, str(error)
        if variant is None:
            return ComparedRun(
                method=method.called, settings={}, models=names, required=required, variant=None, why_not=why_not
            )
        summary = variant.summary
        return ComparedRun(
            method=method.called,
            settings=summary.settings,
            models=names,
            required=required,
            variant=variant,
            values=self._values(variant),
        )

    def _variant(self, arguments: AnonymizeArguments) -> Variant:
        asked = self.bench.asked(arguments)
        made_by = release_arguments(self.bench.declared, self.read, self.opened, arguments, asked)
        inner = Steps(_Passing(self.steps.say))
        return self.bench.run(asked, self.wanted, arguments=made_by, steps=inner, cancelling=self.cancelling)

    def _values(self, variant: Variant) -> MetricValues:
        """Return what each metric says of the whole table."""
        measures = () if variant.losses is None else variant.losses.measures
        values = {measure.name: measure.value for measure in measures if measure.attribute is None}
        if (information := variant.summary.information) is not None:
            values[KEPT] = information.share
        return MetricValues({column.name: values[column.name] for column in self.columns if column.name in values})


def _in_short(model: PrivacyModel) -> str:
    return f"k={model.k}" if isinstance(model, KAnonymity) else str(model)
