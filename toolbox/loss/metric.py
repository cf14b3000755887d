"""What a loss metric is, by which names it is asked for, which are installed, and all of them of one release."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import wraps
from operator import index
from typing import Any, ClassVar, Concatenate, Final, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

from toolbox.errors import UnknownColumnError
from toolbox.extensions import Installed, load_installed
from toolbox.messages import join_said, mark, say
from toolbox.published.tables import Comparison

# What a loss metric is: a function of a release and of the people behind it, which knows nothing of the method.

Direction: TypeAlias = Literal["lower", "higher"]
"""Which values are better."""


@dataclass(frozen=True)
class Measure:
    """One measured value."""

    name: str
    """That of the metric."""
    attribute: str | None
    """The quasi-identifier; None for the whole table."""
    value: float
    unit: str
    direction: Direction


class LeftOut(NamedTuple):
    """A metric that says nothing of a release, or nothing of one column, and why."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class LossMetric(ABC):
    """A measure of what a release has lost, or has kept, of the original.

    A subclass is a frozen dataclass of the metric's parameters, each with a default. It supplies `values` and an entry
    point under ``toolbox.loss_metrics``.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    range: ClassVar[str]
    """Smallest and largest value, as in ``0 .. 1``."""
    direction: ClassVar[Direction]
    reference: ClassVar[str] = ""
    """Where it is published."""
    meaning: ClassVar[str] = ""
    """What it says, in one sentence for the page about a release."""
    meaning_of_share: ClassVar[str] = ""
    """What stands behind its value in percent, such as ``of the values are lost``; none is shown if empty."""
    rank: ClassVar[int] = 1000
    """Place among all metrics on the page, the smallest first; metrics of one rank in the order of names."""
    needs_pairs: ClassVar[bool] = False
    """Whether it must know which released record was which original one."""
    needs_true_values: ClassVar[bool] = False
    """Whether it counts what a released value covers, so that values which are not those of the records say nothing."""
    needs_hierarchy: ClassVar[bool] = False
    """Whether it counts levels; columns without a hierarchy then have two, the value and ``*``."""
    counts_persons: ClassVar[bool] = False
    """Whether its values follow from the sizes of classes, which are in persons where these are known."""
    needs_label: ClassVar[bool] = False
    """Whether it must know a class label; then it has a field ``label``."""

    @abstractmethod
    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        """Measure the columns and the table, in this order; what cannot be measured is left out with a reason."""

    def measure(self, value: float, attribute: str | None = None) -> Measure:
        """Return a value as a `Measure`, with the name and the unit of the metric."""
        return Measure(self.name, attribute, value, self.unit, self.direction)

    def left_out(self, reason: str) -> LeftOut:
        """Return the reason why there is no value, beside the name of the metric."""
        return LeftOut(self.name, reason)

    def columns_left_out(self, reasons: Mapping[str, str]) -> Iterator[LeftOut]:
        """Yield why columns cannot be measured, those with the same reason together."""
        columns: dict[str, list[str]] = defaultdict(list)
        for column, reason in reasons.items():
            columns[reason].append(column)
        return (self.left_out(join_said(": ", [", ".join(names), reason])) for reason, names in columns.items())


# Questions that many metrics ask of one comparison, and that are answered once.

P = ParamSpec("P")
T = TypeVar("T")


def cache_by_comparison(ask: Callable[Concatenate[Comparison, P], T]) -> Callable[Concatenate[Comparison, P], T]:
    """Keep what a function has found out about a comparison, whose tables never change."""

    @wraps(ask)
    def answer(comparison: Comparison, /, *args: P.args, **kwargs: P.kwargs) -> T:
        question = ask, args, tuple(sorted(kwargs.items()))
        if question not in comparison.known:
            comparison.known[question] = ask(comparison, *args, **kwargs)
        found: Any = comparison.known[question]
        return found  # type: ignore[no-any-return]

    return answer


# Short names of loss metrics: the heads of columns, and what people type.

_APART = re.compile(r"[\s_-]+")


def normalise_name(name: str) -> str:
    """Return a name in small letters, with one blank between its words.

    Examples
    --------
    >>> normalise_name("Non-Uniform_entropy ")
    'non uniform entropy'
    """
    return _APART.sub(" ", name.strip()).lower()


def abbreviate_name(name: str) -> str:
    """Return the first letters of the words of a name; a single word as it is.

    Examples
    --------
    >>> abbreviate_name("normalised certainty penalty"), abbreviate_name("loss metric (LM)"), abbreviate_name("C_avg")
    ('NCP', 'LM', 'C_avg')
    """
    words = name.replace("-", " ").split()
    return name if len(words) == 1 else "".join(word[0].upper() for word in words if word[0].isalpha())


# Which loss metrics are installed: the entry points of the group ``toolbox.loss_metrics``.

GROUP = "toolbox.loss_metrics"


def load_known_metrics() -> Installed[LossMetric]:
    """Load every installed loss metric; what cannot be used is left out, and listed."""
    return load_installed(GROUP, LossMetric, "loss metric", _list_metric_names)  # type: ignore[type-abstract]


def list_installed_metrics() -> list[type[LossMetric]]:
    """Return every loss metric that is installed and can be used, in the order of their names."""
    return sorted(load_known_metrics().classes.values(), key=lambda metric: metric.name)


def find_metric_name(name: str, among: Iterable[str]) -> str | None:
    """Return which of some metrics is meant.

    A metric is called by its own name, in any case and with hyphens for blanks, by the name of its entry point, or by
    the first letters of its words if no other metric has them.

    Parameters
    ----------
    among : iterable of str
        Names of metrics, of installed and of other ones.

    Examples
    --------
    >>> names = ["normalised certainty penalty", "share of suppressed records"]
    >>> [find_metric_name(name, names) for name in ("NCP", "Suppressed-Share", "precision")]
    ['normalised certainty penalty', 'share of suppressed records', None]
    """
    wanted, own, installed = normalise_name(name), set(among), _list_installed_names()
    names = own | set(installed.values())
    if (found := {normalise_name(each): each for each in names}.get(wanted) or installed.get(wanted)) is None:
        by_letters = [each for each in names if abbreviate_name(each).lower() == wanted]
        found = by_letters[0] if len(by_letters) == 1 else None
    return found if found in own else None


def name_in_short(name: str) -> str:
    """Return the first letters of the words of a metric if it can be called so; otherwise its name.

    Examples
    --------
    >>> name_in_short("normalised certainty penalty"), name_in_short("average class size")
    ('NCP', 'average class size')
    """
    short = abbreviate_name(name)
    return short if find_metric_name(short, [name]) == name else name


def _list_installed_names() -> dict[str, str]:
    """Return the names of the installed metrics by those of their entry points."""
    return {normalise_name(entry): metric.name for entry, metric in load_known_metrics().entries.items()}


def make_standard_metrics(k: int | None = None) -> list[LossMetric]:
    """Make one of every installed metric that needs no further parameter.

    Parameters
    ----------
    k : int, optional
        What metrics with a parameter ``k`` take for it: the smallest class that the release was meant to have.
    """
    return [_make_standard_metric(metric, k) for metric in list_installed_metrics() if _is_ready(metric)]


def _make_standard_metric(metric: type[LossMetric], k: int | None) -> LossMetric:
    settings: dict[str, Any] = {"k": k} if any(field.name == "k" for field in fields(metric)) else {}
    return metric(**settings)


def _is_ready(metric: type[LossMetric]) -> bool:
    return all(
        field.name == "k" or field.default is not MISSING or field.default_factory is not MISSING
        for field in fields(metric)
    )


def _list_metric_names(metric: type[LossMetric]) -> tuple[str]:
    if _is_ready(metric):
        # As every measuring does, which a class that cannot be made would stop.
        _make_standard_metric(metric, None)
    index(metric.rank)
    return (metric.name,)


# All loss metrics of one release.


@dataclass(frozen=True)
class Measured:
    """What was measured, and what was not."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...]


def measure_all(
    comparison: Comparison,
    metrics: Iterable[LossMetric],
    label: str | None = None,
    by_person: Comparison | None = None,
) -> Measured:
    """Measure what a release has lost.

    Parameters
    ----------
    comparison : Comparison
        The release beside the records that it was made from.
    metrics : iterable of LossMetric
        They are measured in this order.
    label : str, optional
        The sensitive attribute that metrics for classification take as class label, where they name none themselves.
    by_person : Comparison, optional
        The same with persons in classes and combinations, for metrics of their sizes.

    Raises
    ------
    UnknownColumnError
        If no sensitive attribute has the name of the label.
    """
    results = [
        result
        for metric in metrics
        for result in (
            _measure_values(_set_label(metric, label), comparison)
            if by_person is None or not metric.counts_persons
            else map(_name_persons, _measure_values(metric, by_person))
        )
    ]
    return Measured(
        measures=tuple(result for result in results if isinstance(result, Measure)),
        left_out=tuple(result for result in results if isinstance(result, LeftOut)),
    )


def _name_persons(result: Measure | LeftOut) -> Measure | LeftOut:
    """Return a value in persons with its unit."""
    if isinstance(result, LeftOut):
        return result
    return replace(result, unit=_IN_PERSONS.get(result.unit, result.unit))


_IN_PERSONS: Final = {"records": mark("persons"), "squared records": mark("squared persons")}


def _set_label(metric: Any, label: str | None) -> LossMetric:
    needs_one: bool = metric.needs_label and metric.label is None
    labelled: LossMetric = replace(metric, label=label) if needs_one else metric
    return labelled


def _measure_values(metric: LossMetric, comparison: Comparison) -> Iterator[Measure | LeftOut]:
    if metric.needs_true_values and comparison.untrue:
        why = say("the values are not those of the records")
        return iter([metric.left_out(join_said(": ", [", ".join(comparison.untrue), why]))])
    if metric.needs_pairs and comparison.pairs is None:
        unpaired = say("the records of the release were not paired with the original ones")
        return iter([metric.left_out(comparison.unpaired or unpaired)])
    if metric.needs_label:
        label: str | None = metric.label  # type: ignore[attr-defined]
        release = comparison.release
        if label is None:
            return iter([metric.left_out(say("no class label is named"))])
        if label not in release.sensitive:
            raise UnknownColumnError(label, f"{release.name}, among its sensitive attributes,", list(release.sensitive))
    return metric.values(comparison)
