"""What a study compares, as frozen dataclasses: a plan file, checked and resolved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolbox.errors import ToolboxError, UsageError
from toolbox.extensions import find_last_line, is_reference, load_reference
from toolbox.flows.arguments.models import check_models, choose_metrics
from toolbox.flows.explore.compare import ComparedRequirements
from toolbox.flows.session.loads import Declared
from toolbox.hierarchy.hierarchy import format_number
from toolbox.loss.metric import LeftOut, LossMetric, Measure
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import make_models, parse_requirement
from toolbox.published.tables import Comparison
from toolbox.risks.risk import DEFAULT_THRESHOLD

TestOn = Literal["released", "original"]
"""Whether learners are tested on held-out records as a release shows them, or as they were."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One table, and what is declared of it: by a configuration, or as the arguments of `toolbox.open` do."""

    name: str
    configuration: Path | None = None
    table: Path | None = None
    """The records; beside a configuration they take the place of its input."""
    columns: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Arguments of `toolbox.open`, where there is no configuration."""
    on_missing: str | None = None
    separator: str | None = None
    encoding: str | None = None
    label: str | None = None
    """The column that learners predict."""
    features: tuple[str, ...] = ()
    """Columns that learners see besides the quasi-identifiers."""
    methods: tuple[str, ...] = ()
    """Instead of those of the plan."""
    expanded: tuple[tuple[str, str], ...] = ()
    """Paths that the environment has completed, and what the plan says instead, as messages do."""

    def as_written(self, message: str) -> str:
        """Return a message with paths as the plan has them.

        Examples
        --------
        >>> DataSet(name="a", expanded=(("/home/me", "$HOME"),)).as_written("/home/me/a.csv is not there.")
        '$HOME/a.csv is not there.'
        """
        return restore_written_paths(message, self.expanded)


def restore_written_paths(message: str, expanded: Iterable[tuple[str, str]]) -> str:
    """Return a message with paths as the plan has them, which the environment has completed."""
    for path, written in sorted(expanded, reverse=True):
        message = re.sub(rf"(?<![\w/]){re.escape(path)}(?!\w)", written.replace("\\", r"\\"), message)
    return message


def find_own_code(name: str) -> str:
    """Return the ``module:Class`` that a name refers to, without settings; empty where it is none.

    Examples
    --------
    >>> find_own_code("my_method:Mine:cut=classic"), find_own_code("Mondrian:cut=classic")
    ('my_method:Mine', '')
    """
    named = ":".join(part for part in name.split(":") if "=" not in part)
    return named if is_reference(named) else ""


def _format_value(value: float) -> str:
    return str(value) if isinstance(value, int) else format_number(value)


class Wish(NamedTuple):
    """What is required of the classes of one run."""

    k: int | None = None
    l: float | None = None  # noqa: E741 - as in the configuration
    t: float | None = None
    models: tuple[str, ...] = ()
    """Models as ``--model`` names them, instead of the three."""

    def __str__(self) -> str:
        # Two requirements that differ in any digit are two.
        said = [
            f"{name}={_format_value(value)}" for name, value in zip("klt", self[:3], strict=True) if value is not None
        ]
        return "; ".join([*said, *self.models]) or "as configured"


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How classifiers are trained and tested."""

    learners: tuple[str, ...]
    """Names, or ``module:function`` of other people."""
    splits: int = 5
    test_share: float = 0.1
    test_on: TestOn = "released"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A study: every data set with every method and every requirement, several times."""

    name: str
    data: tuple[DataSet, ...]
    methods: tuple[str, ...]
    wishes: tuple[Wish, ...]
    metrics: tuple[str, ...]
    """Loss metrics: names, first letters of their words, or ``module:Class``."""
    repetitions: int = 1
    seed: int = 0
    threshold: float = DEFAULT_THRESHOLD
    """Risk above which a record counts as at risk."""
    suppression_threshold: int | str | None = None
    learning: Learning | None = None

    def list_data_methods(self, data: DataSet) -> tuple[str, ...]:
        """Return the methods that are run on a data set."""
        return data.methods or self.methods

    @property
    def has_own_code(self) -> bool:
        """Whether it names a method, a metric or a learner that is a class or function at hand."""
        methods = (method for data in self.data for method in self.list_data_methods(data))
        learners = () if self.learning is None else self.learning.learners
        return any(map(find_own_code, (*methods, *self.metrics, *learners)))

    @property
    def cells(self) -> int:
        """How many cells there are, with the original of each data set that learners look at."""
        of_methods = sum(len(self.list_data_methods(data)) for data in self.data) * len(self.wishes) * self.repetitions
        return of_methods + (len(self.data) if self.learning is not None else 0)


def build_required_models(wish: Wish, declared: Declared) -> tuple[PrivacyModel, ...]:
    """Return the models that a wish requires of a data set.

    Raises
    ------
    UsageError
        If a model does not fit the data set, such as one that protects a column which is not sensitive.
    """
    if wish.models:
        models = make_models(map(parse_requirement, wish.models))
        check_models(models, declared.config.sensitive)
        return models
    asked = ComparedRequirements(
        k=() if wish.k is None else (wish.k,),
        l=() if wish.l is None else (wish.l,),
        t=() if wish.t is None else (wish.t,),
    )
    (models,) = asked.listed(declared)
    return models


# The loss metrics that a plan names; one may be a class at hand.


def load_metrics(names: Sequence[str]) -> tuple[LossMetric, ...]:
    """Return metrics by their names, their first letters, or ``module:Class``.

    Raises
    ------
    UsageError
        If there is no such metric, or it cannot be made without settings.

    Examples
    --------
    >>> [metric.name for metric in load_metrics(["ncp", "Precision"])]
    ['normalised certainty penalty', 'precision']
    """
    return tuple(dict.fromkeys(map(_load_metric, names)))


def name_of(text: str) -> str:
    """Return what results call a metric, however a plan names it; as the plan does where it can no longer be made.

    Examples
    --------
    >>> name_of("ncp")
    'normalised certainty penalty'
    """
    try:
        return _load_metric(text).name
    except UsageError:
        return text


class Raised(LeftOut):
    """A metric that has raised an error, and what it says."""


@dataclass(frozen=True, kw_only=True)
class Guarded(LossMetric):
    """A metric of somebody else, whose errors are its own failure, not the end of its run."""

    inner: Any

    def __post_init__(self) -> None:
        for fact in ("name", "unit", "range", "direction", "needs_pairs", "needs_hierarchy", "needs_label"):
            object.__setattr__(self, fact, getattr(self.inner, fact))

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        try:
            yield from list(self.inner.values(comparison))
        except ToolboxError as error:
            yield Raised(self.name, str(error))
        except (Exception, SystemExit) as error:
            file, line = find_last_line(error, type(self.inner).__module__)
            yield Raised(self.name, f"{type(error).__name__} in {file}, line {line}")


def _load_metric(name: str) -> LossMetric:
    if not is_reference(name):
        return choose_metrics([name])[0]
    found = load_reference(name, LossMetric, "loss metric")  # type: ignore[type-abstract]
    try:
        metric = found()
    except TypeError as error:
        raise UsageError(f"The loss metric {name!r} cannot be made: {error}. Give each setting a default.") from None
    except (Exception, SystemExit) as error:
        file, line = find_last_line(error, found.__module__)
        raise UsageError(
            f"The loss metric {name!r} cannot be made: {type(error).__name__} in {file}, line {line}."
        ) from None
    return metric if metric.needs_label else Guarded(inner=metric)
