"""The flow of `report`: one page about a release made by whichever program, by all judges, in one store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from os.path import commonpath
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from toolbox.config.file_names import list_input_files, name_objects
from toolbox.config.model import Config, Input, QuasiIdentifier, Remote, ReportKind
from toolbox.errors import InputError, UsageError
from toolbox.flows.arguments.population import find_named_population
from toolbox.flows.judge.attackers import NOBODY, Attackers, make_attackers
from toolbox.flows.judge.check import measure_models, require_parts
from toolbox.flows.judge.judge import (
    FinishedTables,
    Judgement,
    TablesToJudge,
    Wanted,
    judge,
    reading_objects,
)
from toolbox.flows.judge.measure import BOUNDS, Bounding, list_bound_measures, make_loss_measure, put_beside
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.report_columns import find_released_columns, find_undeclared_columns, list_column_measures
from toolbox.flows.judge.risk import FEWEST_FITTING, list_risk_measures, make_sample_measure
from toolbox.flows.judge.tables import TableSource
from toolbox.hierarchy.builders.words import format_builder_words
from toolbox.messages import choose_setting_name, is_asked_in_python, mark, print_note, say, say_count
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.results import ModelResult
from toolbox.release.checksum import compute_sha256
from toolbox.report.advice import (
    Advice,
    advise_on_certain,
    advise_on_classes,
    advise_on_consistency,
    advise_on_models,
    find_plain_words,
    sort_by_severity,
)
from toolbox.report.html.findings import (
    ColumnPicture,
    Counts,
    DeclaredColumn,
    PageFindings,
    UntoldModel,
    format_today,
    make_repeatable,
    tell_untrue_columns,
)
from toolbox.report.judges.check import CheckReport
from toolbox.report.judges.face import Faces, MeasuredRisks
from toolbox.report.judges.inferences import SENSITIVE, advise_on_beliefs
from toolbox.report.judges.risk import FACES
from toolbox.report.runs.summary import Summary
from toolbox.risks.figures import Attack
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
class Making:
    """What is known of how a release was made; a public report takes only its names."""

    method: str | None = None
    summary: Summary | None = None
    configuration: str | None = None
    command: str | None = None
    data: tuple[tuple[str, str], ...] = ()
    checksums: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    undeclared: tuple[str, ...] = ()


def make_findings(
    question: Question,
    tables: TablesToJudge,
    kind: ReportKind,
    making: Making,
    *,
    name: str = _NAME,
    threshold: float | None = None,
    attackers: Attackers = NOBODY,
    bound: Bounding | None = None,
    pairs: bool = False,
) -> PageFindings:
    """Judge a release by all models, risks and metrics, and return what a page says of it.

    Parameters
    ----------
    kind : {'internal', 'public'}
        Of the page. What a public one leaves out is not measured.
    making : Making
        With the summary of a run, a release that no judge can read, as its values are not generalised ones, is told as
        the run has proved it.
    name : str, optional
        Of the release.
    bound, pairs
        Which bounds are proved besides, and whether pairs of columns are compared.

    Raises
    ------
    InputError, UsageError
        If a table cannot be read.
    """
    summary, unjudged = making.summary, ""
    unread = _tell_unread_tables(question, is_printed=summary is None)
    found, readings = dict[str, Any](), tuple[str, ...]()
    try:
        found, readings = _judge_release(question, tables, kind, threshold, attackers, bound, pairs=pairs)
    except (InputError, UsageError) as error:
        if summary is None:
            raise
        unjudged = str(error) if kind == "internal" else "its format cannot be measured"
        print_note(f"the page says less: the finished release could not be measured again. {error}")
    check: CheckReport | None = found.pop("check", None)
    persons = _list_person_notes(summary, by_person=found.pop("by_person", False))
    told = describe_required_models(
        question.models,
        None if check is None else check.judged,
        () if summary is None else summary.proof.models,
        tells_all=kind == "internal",
    )
    findings = PageFindings(
        kind=kind,
        name=name,
        date=format_today(),
        k=question.smallest_class or FEWEST_FITTING,
        counts=_find_counts(check, summary),
        models=told.results,
        measured=() if check is None else check.measured,
        untold=told.untold,
        unjudged=unjudged,
        columns=_list_declared_columns(question.config, found.get("pictures", ()), tells_all=kind == "internal"),
        version=version("anonymisation-toolbox"),
        undeclared=making.undeclared,
        checksums=making.checksums,
        method=making.method,
        order=None if summary is None else question.config.output.order,
        **found,
    )
    notes = (*persons, *told.notes, *readings, *unread)
    return _tell(findings, question, making, check, notes)


def _tell(
    findings: PageFindings, question: Question, making: Making, check: CheckReport | None, notes: tuple[str, ...]
) -> PageFindings:
    """Return the findings with what the readers of the page may know besides."""
    if findings.is_public:
        return tell_untrue_columns(findings, making.summary)
    return _tell_insiders(findings, question, making, check, notes)


def _tell_unread_tables(question: Question, *, is_printed: bool) -> tuple[str, ...]:
    """Say of which child tables of the configuration the page tells nothing; where no run has told it, at once."""
    names = list(question.config.child_tables)
    if not names:
        return ()
    told = say(
        "This page is of the table of persons alone, without %(names)s: toolbox check, risk and measure judge all "
        "tables together.",
        names=", ".join(names),
    )
    if is_printed:
        print_note(told)
    return (told,)


def _judge_release(
    question: Question,
    tables: TablesToJudge,
    kind: ReportKind,
    threshold: float | None,
    attackers: Attackers,
    bound: Bounding | None,
    *,
    pairs: bool,
) -> Judgement:
    """Measure what a page of this kind tells, by the names that it has there, and ``check``."""
    if isinstance(tables.population, Path) or (tables.population is None and tables.original is not None):
        # Who sees the release alone knows no population, and none of what is compared with it.
        tables = replace(tables, population=find_named_population(question.config, tables.population))
    if tables.population is None:
        question = replace(question, models=tuple(model for model in question.models if not model.needs_population))
    require_parts(question, tables.population)
    k, has_original = question.smallest_class or FEWEST_FITTING, tables.original is not None
    wanted = {
        "check": Wanted(measure_models),
        "was_read": Wanted(lambda judged: judged.tables.counted is None),
        "by_person": Wanted(lambda judged: judged.tables.by_person is not None),
        **list_risk_measures(question, k=k, threshold=threshold),
        **({"sample": make_sample_measure(k, threshold)} if question.sample.is_declared else {}),
        **list_column_measures(question, k, has_original=has_original),
        **attackers.list_measures(k),
        **({"losses": make_loss_measure(pairs=pairs)} if has_original else {}),
        **list_bound_measures(bound, None, lambda words: None),
    }
    untold = () if kind == "internal" else tuple(field.name for field in fields(MeasuredRisks))
    judged = judge(question, tables, {name: measure for name, measure in wanted.items() if name not in untold})
    if bounds := judged.found.pop(BOUNDS, ()):
        judged.found["losses"] = put_beside(judged.found["losses"], bounds)
    return judged


def _tell_insiders(
    findings: PageFindings, question: Question, making: Making, check: CheckReport | None, notes: Sequence[str]
) -> PageFindings:
    """Add what only those inside are told: what the run knows, and what would lower the risk."""
    summary = making.summary
    findings = replace(
        findings,
        has_seed=question.config.seed is not None,
        configuration=making.configuration,
        command=making.command,
        data=making.data,
        advice=() if check is None else _list_advice(check, findings),
        notes=tuple(notes),
    )
    if summary is None:
        return findings
    # The judges tell of all statistics what the run tells of means and variances.
    of_run = (summary if findings.statistics is None else replace(summary, solved=())).advice
    return replace(
        findings,
        summary=make_repeatable(summary),
        not_proved=summary.not_proved,
        advice=of_run if check is None else sort_by_severity((*of_run, *findings.advice)),
        # Who reads a page writes no configuration: it says what was found, and not which setting answers it.
        notes=(
            *_list_child_tables(summary),
            *(find_plain_words(note) for note in summary.remarks),
            *notes,
        ),
    )


def _list_child_tables(summary: Summary) -> list[str]:
    """List what the run has made of each child table, and proved together with the table of persons."""
    return [f"{table.name}: {table.line()}" for table in summary.child_tables]


_BELIEFS = replace(SENSITIVE, advise=lambda found, _: advise_on_beliefs(found))


def _list_advice(check: CheckReport, findings: PageFindings) -> tuple[Advice, ...]:
    """Return what was found that calls for a change, the most severe first."""
    # Whose value is certain is told first, where a missing value is none; but not of the groups of an anatomy.
    faces = Faces(_BELIEFS if face is SENSITIVE and findings.certain else face for face in FACES)
    return sort_by_severity(
        [
            *advise_on_models(check.judged, ()),
            *advise_on_classes(findings.below),
            *advise_on_certain(findings.certain),
            *advise_on_consistency(None if findings.risk is None else findings.risk.consistency),
            *faces.list_advice(findings, in_python=is_asked_in_python()),
        ]
    )


def _list_person_notes(summary: Summary | None, *, by_person: bool) -> tuple[str, ...]:
    """Return a note where the proof has counted persons, whom a finished release tells apart only by pseudonyms."""
    proof = None if summary is None else summary.proof
    if proof is None or proof.persons is None or proof.smallest_class is None:
        return ()
    words = (
        mark(
            "The proof has counted persons, by %(column)s: %(persons)s in the smallest class. So do the classes of "
            "this page, as the release tells persons apart: what it calls records of a class are persons."
        )
        if by_person
        else mark(
            "The proof has counted persons, by %(column)s: %(persons)s in the smallest class. The figures of this page "
            "count records, as the release does not tell whose they are."
        )
    )
    people = say_count("%(count)s person", "%(count)s people", proof.smallest_class)
    return (say(words, column=proof.persons.column, persons=people),)


def _find_counts(check: CheckReport | None, summary: Summary | None) -> Counts:
    if check is not None:
        return Counts(check.records, check.suppressed, check.classes, check.smallest_class, check.average_class)
    assert summary is not None, "what no judge can read is told by a run alone"
    return Counts.of(summary)


def _list_declared_columns(
    config: Config, pictures: Sequence[ColumnPicture], *, tells_all: bool
) -> tuple[DeclaredColumn, ...]:
    """List the declared columns; the names of identifiers, if they are not in the release, are for those inside."""
    found, released = {picture.name: picture for picture in pictures}, find_released_columns(config)
    dropped = [column for column in config.identifiers if column not in released] if tells_all else []
    columns = [DeclaredColumn(str(column), mark("identifier, dropped"), "", "", None) for column in dropped]
    for column, treatment in released.items():
        other = mark("other column, treated") if treatment.changes else mark("other column, released as it is")
        role = mark("identifier, treated") if column in config.identifiers else other
        columns.append(DeclaredColumn(str(column), role, "", "", None))
    for quasi in config.quasi_identifiers:
        name = str(quasi.column)
        kind = quasi.kind or ("" if name not in found or not tells_all else _format_kind(found[name]))
        hierarchy = _format_hierarchy(quasi, tells_all=tells_all)
        columns.append(DeclaredColumn(name, mark("quasi-identifier, generalised"), kind, hierarchy, quasi.priority))
    return (
        *columns,
        *(
            DeclaredColumn(str(column.column), mark("sensitive, released as it is"), column.kind or "", "", None)
            for column in config.sensitive
        ),
    )


def _format_kind(picture: ColumnPicture) -> str:
    return mark("number") if picture.is_number else mark("category")


def _format_hierarchy(attribute: QuasiIdentifier, *, tells_all: bool) -> str:
    if attribute.builder is not None:
        return format_builder_words(attribute.builder.attributes()) if tells_all else mark("built by a rule")
    if attribute.periods:
        return ", ".join(attribute.periods)
    return mark("none") if attribute.hierarchy is None else mark("declared value by value")


def can_be_read_again(source: Input | None) -> bool:
    """Return whether a table is files, which unlike streams and tables can be read twice."""
    if source is None or source.remote is not None:
        return False
    try:
        return all(path.is_file() for path in list_input_files(source))
    except InputError:
        return False


def describe_making(config: Config, summary: Summary) -> Making:
    """Return what a run knows of how its release was made."""
    source, output = config.input, config.output
    inputs = () if source is None else source.names if source.remote is None else (source.remote,)
    is_kept = output.path is not None or output.remote is not None
    digests = summary.sha256.get("release") or {}
    return Making(
        method=summary.method,
        summary=summary,
        configuration=_find_configuration_text(config),
        command=config.output.command,
        data=(
            *((mark("Input"), str(path)) for path in inputs),
            *((mark("The release"), str(path)) for path in summary.release if is_kept),
        ),
        checksums=name_checksums(digests),
        undeclared=tuple(column.name for column in summary.passed if not column.is_declared),
    )


def name_checksums(digests: Mapping[str, str]) -> Mapping[str, str]:
    """Return checksums by the names of their files, with the folders where two of these have one name.

    Examples
    --------
    >>> name_checksums({"out/a.csv": "4f", "out/b.csv": "a1"})
    {'a.csv': '4f', 'b.csv': 'a1'}
    >>> name_checksums({"out/2019/a.csv": "4f", "out/2020/a.csv": "a1"})
    {'2019/a.csv': '4f', '2020/a.csv': 'a1'}
    """
    paths = {Path(path).absolute(): digest for path, digest in digests.items()}
    named = {path.name: digest for path, digest in paths.items()}
    if len(named) == len(paths):
        return named
    folder = commonpath(paths)
    return {path.relative_to(folder).as_posix(): digest for path, digest in paths.items()}


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
    finished: FinishedTables | None = None,
) -> PageFindings:
    """Judge a release that a configuration has just made, and return what a page says of it.

    Parameters
    ----------
    finished : Loaded, optional
        The proved tables, in which the classes of the release are counted where these say it all: its files are not
        read then.
    """
    tables = TablesToJudge(
        release=release,
        original=original,
        population=population,
        earlier=attackers.earlier,
        key=attackers.key,
        is_reordered=config.output.order != "input",
        made=finished,
    )
    place = config.output.path or PurePath((config.output.remote or Remote()).name or _NAME)
    making = describe_making(config, summary)
    found = make_findings(question, tables, kind, making, name=place.name, attackers=attackers)
    # The question may leave out sensitive attributes whose values nobody could count.
    return replace(found, columns=_list_declared_columns(config, found.pictures, tells_all=kind == "internal"))


# The flow of `report`: one page about a release made by whichever program, by all judges.


@reading_objects
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
    bound: Bounding | None = None,
    pairs: bool = False,
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
    bound, pairs
        Which bounds are proved on the original records, and whether pairs of columns are compared with theirs.
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
    if (bound is not None or pairs) and original is None:
        remedy = "Leave it out of a public page" if kind == "public" else "Name them: --original FILE"
        asked = "--pairs compares the release with" if bound is None else "--bound is proved on"
        raise UsageError(f"{asked} the original records, which this page does not use. {remedy}.")
    attackers = make_attackers(
        question, kind, attack=attack, earlier=earlier, link=link, original=original, population=population
    )
    tables = TablesToJudge(
        release=release, original=original, population=population, earlier=attackers.earlier, key=attackers.key
    )
    paths = _list_table_files(release)
    named = {mark("The release"): release, mark("Original records"): original}
    data = [(what, name_objects(str(path))) for what, table in named.items() for path in _list_table_files(table)]
    making = Making(method=None if question.by_name else question.config.method, command=command, data=tuple(data))
    steps = Steps(watcher)
    with steps.step("measure"):
        findings = make_findings(
            question,
            tables,
            kind,
            making,
            name=paths[0].name,
            threshold=threshold,
            attackers=attackers,
            bound=bound,
            pairs=pairs,
        )
    # A file that cannot be read has been told by now.
    checksums = name_checksums({str(path): compute_sha256(path) for path in paths})
    return replace(findings, checksums=checksums, undeclared=find_undeclared_columns(question, paths))


def _list_table_files(table: TableSource | None) -> tuple[Path, ...]:
    if not isinstance(table, (Path, Input)):
        return ()
    with suppress(InputError):
        return tuple(list_input_files(table if isinstance(table, Input) else Input(path=table)))
    return ()
