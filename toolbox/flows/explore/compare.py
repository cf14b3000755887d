"""The flow of `compare`: one reading, then every method under every requirement, proved and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import product
from typing import Any

from toolbox.config.model import DEFAULT_K, Config
from toolbox.errors import (
    MethodError,
    ModelError,
    ProofError,
    SettingError,
    UnsatisfiableError,
    UsageError,
    did_you_mean,
)
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import AS_SAID, Reading, check_finite_number, require_list, require_whole_number
from toolbox.flows.arguments.models import check_models, choose_metrics, find_judged_attributes
from toolbox.flows.judge.measure import Bounding, choose_bound
from toolbox.flows.session.loads import Declared, OpenedTable
from toolbox.flows.session.opening import open_table
from toolbox.flows.session.run import Cancelling, RequestedFigures, preview_release
from toolbox.flows.session.variants import make_run_request, release_arguments
from toolbox.loss.metric import LossMetric, normalise_name
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import Anonymizer, find_method, list_installed_methods
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import EntropyLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import make_models
from toolbox.report.runs.compare import (
    INFORMATION_KEPT,
    KEPT,
    KEPT_IN_SHORT,
    ComparedMetric,
    ComparedRun,
    ComparisonReport,
    MetricValues,
    Variant,
    sort_runs,
)
from toolbox.risks.risk import DEFAULT_THRESHOLD
from toolbox.steps import Stage, Steps, Watcher

# The methods that are compared, each with the settings that its name brings along: ``Mondrian:dimension=distinct``.


@dataclass(frozen=True)
class ComparedMethod:
    """One method, as it was named."""

    method: str | type[Anonymizer]
    """Without its settings."""
    settings: Mapping[str, str] = field(default_factory=dict, compare=False)
    called: str = ""
    """What the report calls it."""


def find_compared_methods(named: Sequence[str | type[Anonymizer]]) -> list[ComparedMethod]:
    """Return the methods to compare, each once; where none is named, all that are installed and release no groups.

    Raises
    ------
    UsageError
        If there is no such method, or it has no such setting.

    Examples
    --------
    >>> (method,) = find_compared_methods(["Mondrian:dimension=distinct:cut=classic"])
    >>> method.method, dict(method.settings)
    ('Mondrian', {'dimension': 'distinct', 'cut': 'classic'})
    """
    installed = {method.name for method in list_installed_methods().values() if method.only_format is None}
    return list(dict.fromkeys(map(_find_compared_method, require_list("methods", named) or sorted(installed))))


def _find_compared_method(named: str | type[Anonymizer]) -> ComparedMethod:
    if not isinstance(named, str):
        return ComparedMethod(named, called=find_method(named).name)
    # A class at hand, package.module:Class, has a colon as well.
    parts = named.strip().split(":")
    name = ":".join(part for part in parts if "=" not in part)
    method = find_method(name)
    known = list(method.facts().settings)
    settings = {}
    for part in parts:
        if "=" in part:
            setting, _, value = part.partition("=")
            if setting.strip().lower() not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                problem = f"{method.name} has no setting {setting.strip()!r}.{did_you_mean(setting, known)}"
                raise UsageError(f"{problem} {has}")
            settings[setting.strip().lower()] = value.strip()
    called = ":".join(
        [method.name if ":" not in name else name, *(f"{key}={value}" for key, value in settings.items())]
    )
    return ComparedMethod(name, settings, called)


# The requirements that are compared: every combination of the k, l and t that a call names.


@dataclass(frozen=True, kw_only=True)
class ComparedRequirements:
    """What a call compares: parameters, each with its values, or models that it lists."""

    k: Sequence[int] = ()
    l: Sequence[float] = ()  # noqa: E741 - as in the configuration
    t: Sequence[float] = ()
    models: Sequence[Sequence[PrivacyModel]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", require_list("models", self.models, "of models"))
        for k in self.k:
            require_whole_number("k", k, 1)
        for name, numbers in (("l", self.l), ("t", self.t)):
            for number in numbers:
                check_finite_number(name, number)
        for name in ("k", "l", "t"):
            if self.models and getattr(self, name):
                raise UsageError(
                    f"{name}= cannot be combined with models=. Put it into the models, or leave one of the two out."
                )

    def listed(self, declared: Declared) -> list[tuple[PrivacyModel, ...]]:
        """Return every requirement, in the order of the values.

        Models of a configuration stay, but for those of which the call names the parameter.

        Raises
        ------
        UsageError
            If a model is none, or protects a column that is not sensitive.
        """
        protected = declared.config.sensitive
        if self.models:
            lists = [tuple([models] if isinstance(models, PrivacyModel) else models) for models in self.models]
            for models in lists:
                check_models(models, protected)
            return lists
        names = [str(attribute.column) for attribute in protected]
        for option, values in (("l", self.l), ("t", self.t)):
            if values and not names:
                asked = choose_setting_name(f"-{option}", python=f"{option}=")
                named = choose_setting_name("--sensitive NAME, or <sens>", python="sensitive=[..]")
                raise UsageError(f"{asked} protects a sensitive attribute, and none is declared. Write {named}.")
        base = make_models(declared.config.requirements) if declared.asks else ()
        # Nothing is said of k, and nothing else is asked for: what a run would ask for.
        ks: list[Any] = list(self.k) or ([None] if base or self.l or self.t else [DEFAULT_K])
        ls, ts = (list[Any](values) or [None] for values in (self.l, self.t))
        combined = product(ks, ls, ts)
        return list(dict.fromkeys(_list_models(base, names, *values) for values in combined))


def _list_models(
    base: Iterable[PrivacyModel], names: Sequence[str], k: int | None, diversity: float | None, t: float | None
) -> tuple[PrivacyModel, ...]:
    models: list[PrivacyModel] = []
    if k is not None and not any(model.k_is_class_size for model in base):
        models.append(KAnonymity(k=k))
    for model in base:
        replaced = (diversity is not None and isinstance(model, EntropyLDiversity)) or (
            t is not None and isinstance(model, TCloseness)
        )
        if not replaced:
            models.append(_replace_k(model, k))
    if diversity is not None:
        models += [EntropyLDiversity(l=diversity, attribute=name) for name in names]
    if t is not None:
        models += [TCloseness(t=t, attribute=name) for name in names]
    return tuple(models)


def _replace_k(model: PrivacyModel, k: int | None) -> PrivacyModel:
    """Return a model with another k, if it has one."""
    changes: dict[str, Any] = {"k": k}
    return model if k is None or not model.k_is_class_size else replace(model, **changes)


# The flow of `compare`: one reading, then every method under every requirement, proved and measured.

USUAL_METRICS = (KEPT, "normalised certainty penalty", "non-uniform entropy")
"""What is measured where nobody names metrics: what says something to people."""


@dataclass(frozen=True, kw_only=True)
class ComparedQuestion:
    """What is compared, by what."""

    requirements: ComparedRequirements
    methods: Sequence[str | type[Anonymizer]] = ()
    """As in `find_compared_methods`."""
    metrics: Sequence[str | LossMetric] = ()
    by: str | None = None
    """The metric that says what is best; None: the first one."""
    suppression_threshold: int | None = None
    seed: int | None = None
    threshold: float | None = None
    """Risk above which a record counts as at risk; None: 0.2."""
    bound: Sequence[str | LossMetric] = ()
    """Sums over cells, of which is proved what every release loses at least."""
    bound_seconds: float | None = None
    """Most seconds of the search for each bound."""

    def choose_bound(self) -> Bounding | None:
        """Return the bounds that are asked for; None if none is.

        Raises
        ------
        UsageError
            If there is no such metric, or it is no sum over cells.
        """
        return choose_bound(self.bound, self.bound_seconds)


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
    bound = question.choose_bound()
    wanted = RequestedFigures(threshold=threshold, bound=bound)
    methods = find_compared_methods(question.methods)
    columns, metrics = choose_compared_metrics(question.metrics, question.by)
    # What a release has lost stands beside the bound.
    metrics = tuple(dict.fromkeys((*metrics, *(() if bound is None else bound.metrics))))
    steps = Steps(watcher)
    with ExitStack() as stack:
        table = open_table(stack, source, opened, steps, reading)
        requirements = question.requirements.listed(table.declared)
        judged = find_judged_attributes([model for models in requirements for model in models])
        comparing = _Comparing(
            table=table,
            opened=opened,
            read={"source": source, **vars(reading)},
            question=question,
            wanted=replace(wanted, metrics=metrics, judged=judged),
            columns=columns,
            steps=steps,
            cancelling=cancelling or Cancelling(None),
        )
        runs = [comparing.run(method, models) for method in methods for models in requirements]
    done = [run.variant for run in runs if run.variant is not None]
    return ComparisonReport(
        runs=sort_runs(runs, columns[0]),
        metrics=columns,
        threshold=threshold,
        records=done[0].summary.proof.records if done else None,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
        readings=(*table.notes, *_tell_unread_tables(table.declared.config)),
    )


def _tell_unread_tables(config: Config) -> Iterator[str]:
    """Say of which child tables no figure is."""
    if names := list(config.child_tables):
        yield (
            f"All figures are of the table of persons alone, without {', '.join(names)}, whose rows the run of the "
            "configuration judges."
        )


def choose_compared_metrics(
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
    named = list(require_list("metrics", metrics) or USUAL_METRICS)
    if by is not None and not isinstance(by, str):
        raise SettingError("by", by, "the name of a metric, such as 'precision'")
    if by is not None:
        named.insert(0, by)
    columns: dict[str, ComparedMetric] = {}
    found: dict[str, LossMetric] = {}
    for each in named:
        if isinstance(each, str) and normalise_name(each) in (KEPT, KEPT_IN_SHORT):
            columns.setdefault(KEPT, INFORMATION_KEPT)
            continue
        (metric,) = choose_metrics([each], KEPT)
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

    table: OpenedTable
    opened: AnonymizeArguments
    read: Mapping[str, Any]
    question: ComparedQuestion
    wanted: RequestedFigures
    columns: tuple[ComparedMetric, ...]
    steps: Steps
    cancelling: Cancelling

    def run(self, method: ComparedMethod, models: tuple[PrivacyModel, ...]) -> ComparedRun:
        """Run a method; what cannot be done becomes a row that says why."""
        arguments = AnonymizeArguments.of_nothing(
            ColumnArguments(),
            "compare",
            method=method.method,
            models=models,
            settings=method.settings,
            suppression_threshold=self.question.suppression_threshold,
            seed=self.question.seed,
        )
        names, required = tuple(map(str, models)), "; ".join(map(_format_model, models))
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
        asked = make_run_request(self.table.declared, arguments)
        made_by = release_arguments(self.table.declared, self.read, self.opened, arguments, asked)
        inner = Steps(_Passing(self.steps.say))
        return preview_release(self.table, asked, self.wanted, inner, self.cancelling, arguments=made_by)

    def _values(self, variant: Variant) -> MetricValues:
        """Return what each metric says of the whole table."""
        measures = () if variant.losses is None else variant.losses.measures
        values = {measure.name: measure.value for measure in measures if measure.attribute is None}
        if (information := variant.summary.information) is not None:
            values[KEPT] = information.share
        return MetricValues({column.name: values[column.name] for column in self.columns if column.name in values})


def _format_model(model: PrivacyModel) -> str:
    return f"k={model.k}" if isinstance(model, KAnonymity) else str(model)
