"""What comes of one cell: rows for each of its tasks, also where it cannot be done."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolbox.errors import ToolboxError
from toolbox.experiments.cells.data_set import OpenedData
from toolbox.experiments.cells.rows import Cell, ResultRow, Task, make_failed_row, make_row, make_seed
from toolbox.experiments.plan.plan import Plan, Raised, build_required_models, load_metrics
from toolbox.extensions import find_last_line
from toolbox.flows.arguments.models import find_smallest_class
from toolbox.flows.session.run import RequestedFigures
from toolbox.loss.metric import Measure
from toolbox.privacy.model import PrivacyModel
from toolbox.report.runs.compare import KEPT, Variant

if TYPE_CHECKING:
    from toolbox.experiments.cells.learning import LearningSample, Matrix

RISKS = ("highest risk", "records found", "records at risk")
"""Of an attacker who knows that a person is in the table: the highest risk of a record; the share of the records that
is assigned rightly by who tries all; the share whose risk is above the threshold."""


@dataclass(eq=False)
class Measuring:
    """Runs cells of one data set.

    Parameters
    ----------
    plan : Plan
    opened : OpenedData
    """

    plan: Plan
    opened: OpenedData

    def rows(self, cell: Cell, tasks: Sequence[Task]) -> dict[Task, list[ResultRow]]:
        """Run a cell, and measure what is asked for."""
        if cell.is_original:
            return {task: self._measure_guarded_task(cell, task, None, {}) for task in tasks}
        try:
            models = build_required_models(cell.wish, self.opened.table.declared)
            variant = self._variant(cell, models, tasks)
        # Whatever the method of somebody else raises is a row of this cell, not the end of all.
        except (Exception, SystemExit) as error:
            return {task: [make_failed_row(cell, task, self._format_reason(error))] for task in tasks}
        facts = _collect_facts(cell, variant, models)
        try:
            return {task: self._measure_guarded_task(cell, task, variant, facts) for task in tasks}
        finally:
            if variant.number is not None:
                self.opened.drop(variant)

    def _variant(self, cell: Cell, models: tuple[PrivacyModel, ...], tasks: Sequence[Task]) -> Variant:
        label = self.opened.data.label
        sensitive = [str(attribute.column) for attribute in self.opened.table.declared.config.sensitive]
        wanted = RequestedFigures(
            metrics=load_metrics([task.name for task in tasks if task.kind == "loss"]),
            threshold=self.plan.threshold,
            label=label if label in sensitive else None,
            # Only learners look at single records.
            kept_in=self.opened.variants if any(task.kind == "learn" for task in tasks) else None,
        )
        return self.opened.run(cell.method, models, self.plan.suppression_threshold, cell.seed, wanted)

    def _measure_guarded_task(
        self, cell: Cell, task: Task, variant: Variant | None, facts: Mapping[str, Any]
    ) -> list[ResultRow]:
        """Measure one task; what somebody else's code raises there says nothing of the other tasks."""
        try:
            return [
                make_row(cell, **{**facts, **_remove_infinite_values(said)}) for said in self._said(cell, task, variant)
            ]
        except (Exception, SystemExit) as error:
            return [make_failed_row(cell, task, self._format_reason(error), **facts)]

    def _format_reason(self, error: BaseException) -> str:
        return self.opened.data.as_written(explain_failure(error))

    def _said(self, cell: Cell, task: Task, variant: Variant | None) -> Iterator[dict[str, object]]:
        if task.kind == "learn":
            return self._learned(task, variant)
        assert variant is not None, "only learners look at the original"
        return _list_variant_figures(variant) if task.kind == "run" else _list_metric_figures(variant, task)

    def _learned(self, task: Task, variant: Variant | None) -> Iterator[dict[str, object]]:
        from toolbox.experiments.cells.learning import ANALYSES, Examination

        learning, sample = self.plan.learning, self._sample
        assert learning is not None, "somebody asks for a learner"
        trained_on = self._original if variant is None else self._released(variant)
        if task.name in ANALYSES:
            yield from self._analysed(task, trained_on)
            return
        sample.require_learnable()
        tested_on = self._original if learning.test_on == "original" else trained_on
        examination = Examination(learning, make_seed(self.plan.seed, self.opened.data.name))
        for score in examination.compute_scores(task.name, sample.labels, trained_on, tested_on):
            yield {
                "kind": "utility",
                "metric": score.name,
                "learner": task.name,
                "split": score.split,
                "value": score.value,
                "reason": score.reason,
                "unit": "share",
                "direction": "higher",
                "seconds": score.seconds,
            }

    def _analysed(self, task: Task, released: Matrix) -> Iterator[dict[str, object]]:
        """Yield what analysts make of the records of a release."""
        analysis = self._sample.make_analysis(self._original, released)
        if task.name == "regression":
            figures = analysis.compare_regressions(self._sample.find_outcome())
        else:
            figures = analysis.tell_apart(make_seed(self.plan.seed, self.opened.data.name, task.name))
        for figure in figures:
            said = figure._asdict()
            yield {**said, "kind": "utility", "metric": said.pop("name"), "learner": task.name}

    @cached_property
    def _sample(self) -> LearningSample:
        from toolbox.experiments.cells.learning import LearningSample

        return LearningSample.of(self.opened)

    @cached_property
    def _original(self) -> Matrix:
        return self._sample.encode_original_records()

    def _released(self, variant: Variant) -> Matrix:
        kept = self.opened.variants.find(variant)
        return self._sample.as_released(kept.load, kept.tables)


def _collect_facts(cell: Cell, variant: Variant, models: tuple[PrivacyModel, ...]) -> dict[str, Any]:
    """Return what all rows of a cell share."""
    summary = variant.summary
    return {
        "settings": ", ".join(f"{name}={value}" for name, value in summary.settings.items()),
        "models": "; ".join(map(str, models)),
        "k": find_smallest_class(models, cell.wish.k),
        "seconds": sum(time for step, time in summary.timings.items() if step not in ("read", "measure", "total")),
    }


def _list_variant_figures(variant: Variant) -> Iterator[dict[str, object]]:
    """Yield what is known of each variant: its size, the information that is kept, and the risk."""
    proof, information, risk = variant.summary.proof, variant.summary.information, variant.risk
    for name, count in (
        ("records", proof.records),
        ("classes", proof.classes),
        ("suppressed records", proof.records_suppressed),
    ):
        yield {"kind": "size", "metric": name, "value": count, "unit": name.split()[-1]}
    if information is not None:
        yield {"kind": "loss", "metric": KEPT, "value": information.share, "unit": "share", "direction": "higher"}
    if risk is not None:
        for name, value in zip(RISKS, (risk.highest, risk.average, risk.share_at_risk), strict=True):
            yield {"kind": "risk", "metric": name, "value": value, "unit": "share", "direction": "lower"}


def _list_metric_figures(variant: Variant, task: Task) -> Iterator[dict[str, object]]:
    """Yield what one metric says of the whole table, or why it says nothing."""
    assert variant.losses is not None, "the metric was asked for"
    (metric,) = load_metrics([task.name])
    said = {"kind": "loss", "metric": metric.name, "unit": metric.unit, "direction": metric.direction}
    measures: list[Measure] = [each for each in variant.losses.measures if each.name == metric.name]
    whole = [each for each in measures if each.attribute is None]
    if whole:
        yield {**said, "value": float(whole[0].value)}
        return
    silent = [each for each in variant.losses.left_out if each.name == metric.name]
    reason = "; ".join(each.reason for each in silent) or "it says nothing of the whole table"
    has_failed = any(isinstance(each, Raised) for each in silent)
    yield {**said, "status": "failed" if has_failed else "not measured", "reason": reason}


def _remove_infinite_values(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says; a value that is no number, such as NaN, is none, for a reason."""
    value = said.get("value")
    if value is None or math.isfinite(value):
        return dict(said)
    reason = said.get("reason") or f"its value is {value}, which is no number"
    return {**said, "value": None, "status": "not measured", "reason": reason}


def explain_failure(error: BaseException) -> str:
    """Return why a cell failed. The words of an error that is not ours may quote cells: its place stands for them."""
    if isinstance(error, ToolboxError):
        return str(error)
    file, line = find_last_line(error, "")
    return f"{type(error).__name__} in {file}, line {line}"
