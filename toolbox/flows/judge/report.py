"""The flow of `report`: one page about a release made by whichever program, by all judges, in one store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import NamedTuple

from toolbox.config.file_names import list_input_files
from toolbox.config.model import Config, Input, QuasiIdentifier, ReportKind
from toolbox.errors import InputError, ToolboxError, UsageError
from toolbox.flows.arguments.models import find_named_population
from toolbox.flows.judge.attackers import NOBODY, Attackers, make_attackers
from toolbox.flows.judge.check import measure_models, require_parts
from toolbox.flows.judge.judge import TablesToJudge, Wanted, judge, make_loss_measure
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.report_columns import find_undeclared_columns, list_column_measures
from toolbox.flows.judge.risk import FEWEST_FITTING, list_risk_measures
from toolbox.flows.judge.tables import TableSource
from toolbox.hierarchy.builders.words import format_builder_words
from toolbox.messages import choose_setting_name, format_count, is_asked_in_python
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.results import ModelResult
from toolbox.release.checksum import compute_sha256
from toolbox.report.advice import (
    Advice,
    advise_on_beliefs,
    advise_on_certain,
    advise_on_classes,
    advise_on_consistency,
    advise_on_disclosed,
    advise_on_earlier,
    advise_on_matching,
    advise_on_models,
    advise_on_sensitive,
    sort_by_severity,
)
from toolbox.report.html.findings import ColumnPicture, Counts, DeclaredColumn, Original, PageFindings, UntoldModel
from toolbox.report.html.parts import format_today, make_repeatable
from toolbox.report.judges.check import CheckReport
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary
from toolbox.risks.coarser import BelowK
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import Attack, MatchingRisk
from toolbox.risks.risk import CertainValues, Risk, count_certain_values
from toolbox.risks.sensitive import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk
from toolbox.steps import Steps, Watcher

# What a page says of each required model: as judges measured it, as the run proved it, or that it tells nothing.


class ToldModels(NamedTuple):
    """The required models of a page."""

    results: tuple[ModelResult, ...]
    untold: tuple[UntoldModel, ...]
    """Those without a result."""
    notes: tuple[str, ...]
    """Which results come from the run."""


def describe_required_models(
    required: Sequence[PrivacyModel],
    measured: Sequence[ModelResult] | None,
    proved: Sequence[ModelResult],
    *,
    tells_all: bool,
) -> ToldModels:
    """Return what is said of models that are required.

    Parameters
    ----------
    required : sequence of PrivacyModel
    measured : sequence of ModelResult or None
        By the judges, who may have had no population to compare with; None where they could not read the release.
    proved : sequence of ModelResult
        By the run. What follows from a population is for those inside alone.
    tells_all : bool
        Whether the page is for them.
    """
    compared = {model.name for model in required if model.needs_population}
    told = {model.name for model in measured or ()}
    added = [model for model in proved if model.name not in told and (tells_all or model.name not in compared)]
    told |= {model.name for model in added}
    untold = [
        UntoldModel(model.name, model.attribute, model.parameters(), model.required)
        for model in required
        if model.needs_population and model.name not in told
    ]
    notes = [
        f"{model.name} is told as the run has proved it: the population was not there to be compared with once more."
        for model in added
        if measured is not None and model.name in compared
    ]
    return ToldModels((*(measured or ()), *added), tuple(untold), tuple(notes))


# The findings of a report: what the judges measure on a finished release, in one store, and what is declared of it.


_NAME = "release"
"""What a page calls a table that has no name."""


@dataclass(frozen=True, kw_only=True)
class ReleaseJudgement:
    """What the judges say of one release; most is told under the same names in `PageFindings`."""

    check: CheckReport
    risk: Risk
    pictures: tuple[ColumnPicture, ...]
    losses: LossReport | None = None
    original: Original | None = None
    certain: tuple[CertainValues, ...] = ()
    below: BelowK | None = None
    statistics: StatisticsRisk | None = None
    sensitive: tuple[SensitiveRisk, ...] = ()
    matching: MatchingRisk | None = None
    joint: JointRisk | None = None
    notes: tuple[str, ...] = ()
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether advice names the arguments of a Python call."""

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change."""
        judged = self.check.judged
        return (
            *advise_on_models(judged, ()),
            *advise_on_classes(self.below),
            *advise_on_certain(self.certain),
            *advise_on_consistency(self.risk.consistency),
            *advise_on_disclosed(self.statistics, in_python=self.in_python),
            # Whose value is certain is told above, where a missing value is none; but not of the groups of an anatomy.
            *(advise_on_beliefs if self.certain else advise_on_sensitive)(self.sensitive),
            *advise_on_matching(self.matching),
            *advise_on_earlier(self.joint),
        )


@dataclass(frozen=True, kw_only=True)
class Making:
    """What is known of how a release was made; a public report takes only its names."""

    method: str | None = None
    summary: Summary | None = None
    configuration: str | None = None
    command: str | None = None
    data: tuple[tuple[str, str], ...] = ()
    checksums: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    undeclared: tuple[str, ...] = ()


def judge_release(
    question: Question,
    release: TableSource,
    kind: ReportKind = "internal",
    *,
    original: TableSource | None = None,
    population: TableSource | None = None,
    threshold: float | None = None,
    attackers: Attackers = NOBODY,
    is_reordered: bool = False,
) -> ReleaseJudgement | ToolboxError:
    """Judge a release by all models, risks and metrics; the tables are read once.

    Parameters
    ----------
    kind : {'internal', 'public'}
        Of the page. What a public one leaves out is not measured.
    attackers : Attackers, optional
        Who is asked for besides.
    is_reordered : bool, optional
        Whether the release was made of the original a moment ago, in another order.

    Returns
    -------
    ReleaseJudgement or ToolboxError
        The error is why no judge can read it, such as a format whose values are not generalised ones.
    """
    try:
        if isinstance(population, Path) or (population is None and original is not None):
            # Who sees the release alone knows no population, and none of what is compared with it.
            population = find_named_population(question.config, population)
        if population is None:
            question = replace(question, models=tuple(model for model in question.models if not model.needs_population))
        require_parts(question, population)
        tables = TablesToJudge(
            release=release,
            original=original,
            population=population,
            earlier=attackers.earlier,
            key=attackers.key,
            is_reordered=is_reordered,
        )
        wanted = _list_measures(question, kind, threshold, attackers, has_original=original is not None)
        found, readings = judge(question, tables, wanted)
    except (InputError, UsageError) as error:
        return error
    return ReleaseJudgement(**found, notes=readings)


def _list_measures(
    question: Question, kind: ReportKind, threshold: float | None, attackers: Attackers, *, has_original: bool
) -> dict[str, Wanted]:
    """Return what is measured for a page of this kind."""
    k = question.smallest_class or FEWEST_FITTING
    wanted = {
        "check": Wanted(measure_models),
        **list_risk_measures(question, k=k, threshold=threshold),
        **list_column_measures(question, k, has_original=has_original),
        "certain": Wanted(lambda judged: count_certain_values(judged.shown)),
        **attackers.list_measures(k),
    }
    if has_original:
        wanted["losses"] = make_loss_measure()
    inside = () if kind == "internal" else ("statistics", "sensitive")
    return {name: measure for name, measure in wanted.items() if name not in inside}


def make_findings(
    question: Question, name: str, kind: ReportKind, making: Making, judgement: ReleaseJudgement | ToolboxError
) -> PageFindings:
    """Return what a page says.

    Parameters
    ----------
    name : str
        Of the release.
    judgement : Judged or ToolboxError
        What the judges say, or why they could not: then the proof of the run is all that is known.
    """
    internal, summary = kind == "internal", making.summary
    measured = judgement.check.judged if isinstance(judgement, ReleaseJudgement) else None
    proved = () if summary is None else summary.proof.models
    told = describe_required_models(question.models, measured, proved, tells_all=internal)
    pictures = judgement.pictures if isinstance(judgement, ReleaseJudgement) else ()
    findings = PageFindings(
        kind=kind,
        name=name,
        date=format_today(),
        k=question.smallest_class or FEWEST_FITTING,
        counts=_find_counts(judgement, summary),
        models=told.results,
        untold=told.untold,
        columns=_list_declared_columns(question.config, pictures, tells_all=internal),
        version=version("anonymisation-toolbox"),
        undeclared=making.undeclared,
        checksums=making.checksums,
        method=making.method,
        order=question.config.output.order if summary is not None else None,
        has_seed=internal and question.config.seed is not None,
        summary=make_repeatable(summary) if internal and summary is not None else None,
        configuration=making.configuration if internal else None,
        command=making.command if internal else None,
        data=making.data if internal else (),
        not_proved=summary.not_proved if internal and summary is not None else (),
        advice=summary.advice if internal and summary is not None else (),
        notes=(*_list_person_notes(summary), *summary.remarks, *told.notes) if internal and summary is not None else (),
    )
    if isinstance(judgement, ToolboxError):
        return replace(findings, unjudged=str(judgement) if internal else "its format cannot be measured")
    return _add_measures(findings, judgement, tells_all=internal)


def _list_person_notes(summary: Summary) -> tuple[str, ...]:
    """Return a note where the proof has counted persons, which a finished release does not tell."""
    proof = summary.proof
    if proof.persons is None or proof.smallest_class is None:
        return ()
    smallest = format_count(proof.smallest_class, "person")
    return (
        f"The proof has counted persons, by {proof.persons.column}: {smallest} in the smallest class. The figures of "
        "this page count records, as the release does not tell whose they are.",
    )


def _add_measures(findings: PageFindings, judgement: ReleaseJudgement, *, tells_all: bool) -> PageFindings:
    """Add what the judges have measured."""
    of_run = findings.advice
    if judgement.statistics is not None and findings.summary is not None:
        # The judges tell of all statistics what the run tells of means and variances.
        of_run = replace(findings.summary, solved=()).advice
    told = {each.name: getattr(judgement, each.name) for each in fields(judgement) if hasattr(findings, each.name)}
    told |= {
        "measured": judgement.check.measured,
        "advice": sort_by_severity((*of_run, *judgement.advice)) if tells_all else (),
        "notes": (*findings.notes, *judgement.notes) if tells_all else (),
    }
    return replace(findings, **told)


def _find_counts(judgement: ReleaseJudgement | ToolboxError, summary: Summary | None) -> Counts:
    if isinstance(judgement, ReleaseJudgement):
        check = judgement.check
        return Counts(check.records, check.suppressed, check.classes, check.smallest_class, check.average_class)
    if summary is None:
        raise judgement
    return Counts.of(summary)


def _list_declared_columns(
    config: Config, pictures: Sequence[ColumnPicture], *, tells_all: bool
) -> tuple[DeclaredColumn, ...]:
    """List the declared columns; the names of identifiers, which are not in the release, are for those inside."""
    found = {picture.name: picture for picture in pictures}
    columns = [DeclaredColumn(str(column), "identifier, dropped", "", "", None) for column in config.identifiers]
    columns = columns if tells_all else []
    for quasi in config.quasi_identifiers:
        name = str(quasi.column)
        kind = quasi.kind or ("" if name not in found or not tells_all else _format_kind(found[name]))
        hierarchy = _format_hierarchy(quasi, tells_all=tells_all)
        columns.append(DeclaredColumn(name, "quasi-identifier, generalised", kind, hierarchy, quasi.priority))
    return (
        *columns,
        *(
            DeclaredColumn(str(column.column), "sensitive, released as it is", column.kind or "", "", None)
            for column in config.sensitive
        ),
    )


def _format_kind(picture: ColumnPicture) -> str:
    return "number" if picture.is_number else "category"


def _format_hierarchy(attribute: QuasiIdentifier, *, tells_all: bool) -> str:
    if attribute.builder is not None:
        return format_builder_words(attribute.builder.attributes()) if tells_all else "built by a rule"
    if attribute.periods:
        return ", ".join(attribute.periods)
    return "none" if attribute.hierarchy is None else "declared value by value"


def describe_making(config: Config, summary: Summary) -> Making:
    """Return what a run knows of how its release was made."""
    source, output = config.input, config.output.path
    inputs = [] if source is None else [("Input", str(path)) for path in source.names]
    released = [] if output is None else [("Release", str(path)) for path in summary.release]
    digests = summary.sha256.get("release") or {}
    return Making(
        method=summary.method,
        summary=summary,
        configuration=_find_configuration_text(config),
        command=config.output.command,
        data=(*inputs, *released),
        checksums={PurePath(path).name: digest for path, digest in digests.items()},
        undeclared=tuple(column.name for column in summary.passed if not column.is_declared),
    )


def _find_configuration_text(config: Config) -> str | None:
    """Return the text of the configuration: that which is saved, or that which was read."""
    if config.saved is not None:
        return config.saved.decode("utf-8", "replace")
    try:
        return None if config.path is None else config.path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def make_release_findings(
    config: Config,
    question: Question,
    release: TableSource,
    kind: ReportKind,
    summary: Summary,
    *,
    original: TableSource | None,
    population: TableSource | None,
    attackers: Attackers = NOBODY,
) -> PageFindings:
    """Judge a release that a configuration has just made, and return what a page says of it."""
    judgement = judge_release(
        question,
        release,
        kind,
        original=original,
        population=population,
        attackers=attackers,
        is_reordered=config.output.order != "input",
    )
    name = _NAME if config.output.path is None else config.output.path.name
    return make_findings(question, name, kind, describe_making(config, summary), judgement)


# The flow of `report`: one page about a release made by whichever program, by all judges.


def report_release(
    question: Question,
    release: Path | Input,
    *,
    kind: ReportKind = "internal",
    original: TableSource | None = None,
    population: TableSource | None = None,
    threshold: float | None = None,
    attack: Attack | None = None,
    earlier: TableSource | None = None,
    link: str | None = None,
    command: str | None = None,
    watcher: Watcher | None = None,
) -> PageFindings:
    """Judge a release, and return what a page says of it.

    Parameters
    ----------
    question : Question
        The columns, and what the release claims to satisfy.
    release : path or Input
    kind : {'internal', 'public'}
        A public page is written without a look at the original records.
    original, population : path, Input or pyarrow.Table, optional
    threshold : float, optional
        Risk above which a record is at risk.
    attack : Attack, optional
        One who matches everybody at once.
    earlier : path, Input or pyarrow.Table, optional
        An earlier release of the same people, which an attacker holds as well.
    link : str, optional
        What links its rows, as in `toolbox.risk`.
    command : str, optional
        The command line that asks for it.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    if kind == "public" and population is not None:
        told = "A public page tells nothing that the release does not tell, and so nothing of a population"
        raise UsageError(f"{told}. Leave {choose_setting_name('--population', python='population=')} out.")
    original = original if kind == "internal" else None
    attackers = make_attackers(
        question, kind, attack=attack, earlier=earlier, link=link, original=original, population=population
    )
    steps = Steps(watcher)
    with steps.step("measure"):
        judgement = judge_release(
            question,
            release,
            kind,
            original=original,
            population=population,
            threshold=threshold,
            attackers=attackers,
        )
    if isinstance(judgement, ToolboxError):
        raise judgement
    paths = _list_table_files(release)
    data = [("Release", str(path)) for path in paths] + [
        ("Original records", str(path)) for path in _list_table_files(original)
    ]
    making = Making(
        method=None if question.by_name else question.config.method,
        command=command,
        data=tuple(data),
        checksums={path.name: compute_sha256(path) for path in paths},
        undeclared=find_undeclared_columns(question, paths),
    )
    return make_findings(question, paths[0].name, kind, making, judgement)


def _list_table_files(table: TableSource | None) -> tuple[Path, ...]:
    if not isinstance(table, (Path, Input)):
        return ()
    with suppress(InputError):
        return tuple(list_input_files(table if isinstance(table, Input) else Input(path=table)))
    return ()
