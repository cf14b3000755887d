"""The flow of `measure`: every loss metric of a release beside the original records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version

from toolbox.errors import SettingError, UsageError, did_you_mean
from toolbox.flows.arguments.checks import require_list
from toolbox.flows.judge.judge import Judged, TablesToJudge, Wanted, judge
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import TableSource
from toolbox.loss.measuring import measure_all
from toolbox.loss.metric import LossMetric, find_metric_name, load_known_metrics, make_standard_metrics
from toolbox.report.judges.measure import LossReport
from toolbox.steps import Steps, Watcher


def measure_release(
    question: Question,
    original: TableSource,
    release: TableSource,
    *,
    label: str | None = None,
    k: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    watcher: Watcher | None = None,
) -> LossReport:
    """Measure what a release has lost; `toolbox.measure` explains the arguments.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    if label is not None and not isinstance(label, str):
        raise SettingError("label", label, "the name of a column, or None")
    chosen = choose_metrics(metrics)
    steps = Steps(watcher)
    if question.is_anatomy and label is not None:
        raise UsageError("An anatomy keeps labels apart from quasi-identifiers. Leave the label out.")
    asked = question if label is None else question.add_sensitive(label)
    wanted = {"losses": make_loss_measure(label, k, chosen)}
    found, _ = judge(asked, TablesToJudge(release=release, original=original), wanted, steps)
    report: LossReport = replace(found["losses"], timings=steps.timings())
    return report


def make_loss_measure(label: str | None = None, k: int | None = None, chosen: Sequence[LossMetric] = ()) -> Wanted:
    """Return the measure of what a release has lost; its report has no timings.

    Parameters
    ----------
    label : str, optional
        By default the sensitive attribute, if there is only one.
    chosen : sequence of LossMetric, optional
        Those to measure; by default all.
    """
    return Wanted(partial(_measure_losses, label=label, k=k, chosen=chosen), needs_pairs=True, counts_values=True)


def _measure_losses(judged: Judged, label: str | None, k: int | None, chosen: Sequence[LossMetric]) -> LossReport:
    tables, comparison = judged.tables, judged.beside
    assert comparison is not None, "a loss is measured beside the original records"
    question = tables.question
    if label is None and len(question.sensitive) == 1 and not question.is_anatomy:
        label = str(question.sensitive[0].column)
    names = {metric.name for metric in chosen}
    all_metrics = make_standard_metrics(question.smallest_class if k is None else k)
    # Those that are installed know the k of the release.
    of_others = [metric for metric in chosen if metric.name not in {each.name for each in all_metrics}]
    metrics = [*(metric for metric in all_metrics if not names or metric.name in names), *of_others]
    measured = measure_all(comparison, metrics, label)
    return LossReport(
        measures=measured.measures,
        left_out=measured.left_out,
        records=tables.release.records,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        readings=tables.notes,
    )


# The loss metrics that a call or a command line names.


def choose_metrics(asked: Sequence[str | LossMetric], *others: str) -> tuple[LossMetric, ...]:
    """Return metrics by their names, as `find_metric_name` understands them; others as they are.

    Parameters
    ----------
    *others : str
        Names that may be asked for as well, for messages.

    Raises
    ------
    UsageError
        If there is no such metric.

    Examples
    --------
    >>> [metric.name for metric in choose_metrics(["Non-Uniform-Entropy", "precision", "ncp"])]
    ['non-uniform entropy', 'precision', 'normalised certainty penalty']
    """
    if isinstance(asked, (str, LossMetric)):
        raise UsageError("metrics= is one metric. Write a list, such as ['precision'].")
    known = {metric.name: metric for metric in make_standard_metrics()}
    return tuple(dict.fromkeys(_choose_metric(each, known, others) for each in require_list("metrics", asked)))


def _choose_metric(asked: str | LossMetric, known: dict[str, LossMetric], others: Sequence[str]) -> LossMetric:
    if isinstance(asked, LossMetric):
        return asked
    if not isinstance(asked, str):
        name = getattr(asked, "__name__", type(asked).__name__)
        raise UsageError(f"metrics= holds {name}, which is no metric. Write its name, such as 'precision'.")
    if (name := find_metric_name(asked, known)) is None:
        load_known_metrics().require_sound(asked)
        names = sorted({*others, *known})
        listed = f"There are: {', '.join(names)}."
        raise UsageError(f"There is no loss metric {asked!r}.{did_you_mean(asked, names)} {listed}")
    return known[name]
