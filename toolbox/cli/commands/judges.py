"""The commands that judge a release: `check`, `measure`, `risk`, `singletons` and `report`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from toolbox.cli.options.reader import OptionReader, collect_overrides, parse_table
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import print_document, print_out, print_report, require_no_contradiction
from toolbox.config import values
from toolbox.config.file_names import PAGES, list_input_files
from toolbox.config.model import Input, ReportKind
from toolbox.config.reading.declarations import (
    format_model_words,
    parse_hierarchy_words,
    parse_model_words,
    parse_table_words,
)
from toolbox.errors import BadValueError, InputError, SettingError, UsageError, did_you_mean, quote
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.explore.singletons import compare_variants
from toolbox.flows.judge.attackers import make_attack
from toolbox.flows.judge.check import check_release, require_parts
from toolbox.flows.judge.measure import Bounding, choose_bound, measure_release
from toolbox.flows.judge.question import Question, TableDescription, make_configured_question, make_described_question
from toolbox.flows.judge.report import report_release
from toolbox.flows.judge.risk import assess_risk
from toolbox.messages import Language, print_note
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import collect_model_facts, make_models, parse_requirement
from toolbox.privacy.results import Dialect, write_class_queries
from toolbox.release.placing import find_page_content, require_free, write_whole
from toolbox.report.explore.singletons import DEFAULT_TOP
from toolbox.risks.figures import Attack

# The questions and tables that the options of `check`, `measure`, `risk` and `singletons` name.

_REQUIRING = ("check", "report")
"""Commands whose options may require models."""


def read_question(options: argparse.Namespace, command: str) -> Question:
    """Return the question of the options.

    Raises
    ------
    UsageError
        If they contradict each other, or neither a configuration nor columns are named.
    """
    declared = [
        name
        for name in ("qi", "sensitive", "hierarchy", "kind", "weight", "id", "person")
        if getattr(options, name, None)
    ]
    if options.config is not None:
        if declared:
            raise UsageError(f"--config says everything itself, so --{declared[0]} cannot be combined with it.")
        return _read_configured_question(options, command)
    if not options.qi:
        raise UsageError(
            f"Nothing names the quasi-identifiers. Write toolbox {command} .. -config FILE, or --qi age,zip,sex."
        )
    return _read_described_question(options, command)


def read_sample(question: Question, reader: OptionReader) -> Question:
    """Return the same question with how the records were drawn, as the options say it.

    Raises
    ------
    UsageError
    """
    weight = reader.read("sample_weight", values.parse_column_name)
    fraction = reader.read("sampling_fraction", values.parse_sampling_fraction)
    household = reader.read("household", values.parse_column_name)
    reader.require_none_wrong()
    return question.add_sample(weight, fraction, household)


def release_of(question: Question, name: str | None) -> Path | Input:
    """Return the release that is named, or else the output of the configuration.

    Raises
    ------
    UsageError
        If nothing names it.
    """
    release = parse_table(name) if name else question.release
    if release is None:
        raise UsageError("Nothing names the release. Write the name of its file after the command.")
    return release


def find_original(question: Question, name: str | None) -> Path | Input | None:
    """Return the records that are named, or else the input of the configuration."""
    return parse_table(name) if name else question.original


def _read_configured_question(options: argparse.Namespace, command: str) -> Question:
    config = read_configuration(Path(options.config), collect_overrides(options), is_run=False)
    sensitive = [str(attribute.column) for attribute in config.sensitive]
    question = make_configured_question(
        config, _make_models(OptionReader(options), sensitive) if command in _REQUIRING else ()
    )
    return replace(question, description=TableDescription(tables=_read_tables(OptionReader(options))))


def _read_tables(reader: OptionReader) -> dict[str, dict[str, Any]]:
    """Return the child tables that options name, as a call of Python does."""
    path = partial(values.parse_path, folder=Path(), may_be_object=True)

    def parse(text: str) -> dict[str, Any]:
        said = parse_table_words(text, ("key", "original"))
        own = {"original": path(said["original"])} if "original" in said else {}
        return {"release": path(said["filename"]), "key": said.get("key"), **own}

    tables = reader.pairs("table", parse)
    reader.require_none_wrong()
    return tables


def _read_described_question(options: argparse.Namespace, command: str) -> Question:
    reader = OptionReader(options)
    hierarchies = reader.pairs("hierarchy", parse_hierarchy)
    kinds = reader.pairs("kind", values.parse_kind)
    weights = reader.pairs("weight", values.parse_positive_real)
    reading = reader.reading()
    limits = reader.limits()
    quasi_identifiers, sensitive = reader.names("qi"), reader.names("sensitive")
    models = _make_models(reader, sensitive) if command in _REQUIRING else []
    reader.require_none_wrong()
    description = TableDescription(
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        hierarchies=hierarchies,
        kinds=kinds,
        weights=weights,
        models=models,
        reading=reading,
        identifiers=reader.names("id") if hasattr(options, "id") else (),
        person=reader.names("person") if hasattr(options, "person") else (),
        tables=_read_tables(reader),
    )
    return make_described_question(f"toolbox {command}", description, limits)


def parse_hierarchy(text: str) -> Path | str:
    """Read a hierarchy: the path of a file, or a builder as its words.

    Raises
    ------
    BadValueError
        If more is said of a file.
    """
    attributes = parse_hierarchy_words(text)
    match attributes:
        case {"build": "dates", "periods": periods} if len(attributes) == 2:
            return periods
        case {"build": _}:
            return text
        case {"file": file} if len(attributes) == 1:
            return values.parse_path(file, folder=Path())
    raise BadValueError("says more than the file", "Leave out what follows it: only its rows count here.")


def _make_models(reader: OptionReader, sensitive: Sequence[str]) -> list[PrivacyModel]:
    """Make the models that -k, -l, -c and -t ask for: one of each for every sensitive attribute."""
    k = reader.read("k", partial(values.parse_integer, minimum=1))
    diversity, c = reader.read("l", values.parse_positive_real), reader.read("c", values.parse_positive_real)
    t = reader.read("t", values.parse_proper_fraction)
    worded = reader.each("model", partial(_parse_model, sensitive=sensitive))
    reader.require_none_wrong()
    options = [name for name, value in (("-l", diversity), ("-c", c), ("-t", t)) if value is not None]
    if options and not sensitive:
        raise UsageError(f"{options[0]} protects a sensitive attribute, and none is named. Write --sensitive NAME.")
    if c is not None and diversity is None:
        raise UsageError("-c goes with -l: recursive (c,l)-diversity. Write both.")
    models: list[PrivacyModel] = [] if k is None else [KAnonymity(k=k)]
    for name in sensitive:
        if diversity is not None and c is not None:
            models.append(RecursiveLDiversity(c=c, l=diversity, attribute=name))
        elif diversity is not None:
            models.append(EntropyLDiversity(l=diversity, attribute=name))
        if t is not None:
            models.append(TCloseness(t=t, attribute=name))
    return list(dict.fromkeys([*models, *worded]))


def _parse_model(text: str, sensitive: Sequence[str]) -> PrivacyModel:
    """Make the model that ``--model`` asks for; it protects the only sensitive attribute if it names none.

    Raises
    ------
    BadValueError
    """
    words = parse_model_words(text)
    facts = collect_model_facts().get(words["name"].lower())
    if facts is not None and facts.needs_attribute and "attribute" not in words and len(sensitive) == 1:
        words["attribute"] = sensitive[0]
    if (protected := words.get("attribute")) is not None and protected not in sensitive:
        hint = did_you_mean(protected, sensitive)
        raise BadValueError(
            f"protects {quote(protected)}, which is no sensitive attribute", f"Name it in --sensitive.{hint}"
        )
    try:
        return make_models([parse_requirement(format_model_words(words))])[0]
    except SettingError as error:
        raise BadValueError("is out of range", str(error)) from None


# The command `check`: options in, one call, a report or an error out.

UNSATISFIED = 3
"""The exit status where a required model does not hold."""


def check(options: argparse.Namespace) -> int:
    """Run ``check`` and return its exit status."""
    require_no_contradiction(options)
    question, reader = read_question(options, "check"), OptionReader(options)
    question = read_sample(question, reader)
    population = reader.table("population")
    dialect = reader.read("sql", partial(values.parse_word, known=get_args(Dialect)))
    reader.require_none_wrong()
    if dialect is not None:
        return _print_queries(options, question, dialect)
    release = release_of(question, options.release)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = check_release(
            question,
            release,
            population=population,
            harmonised=options.harmonised,
            watcher=watcher,
        )
    print_report(options, report.document, report.show_on)
    return 0 if report.holds else UNSATISFIED


def _print_queries(options: argparse.Namespace, question: Question, dialect: Dialect) -> int:
    """Print the queries that a database is to run."""
    if options.population is not None or options.harmonised:
        other = "--population" if options.population is not None else "--harmonised"
        raise UsageError(f"{other} cannot be combined with --sql. Leave it out.")
    if options.release is None:
        raise UsageError("Nothing names the model of dbt. Write toolbox check NAME --sql ..")
    if question.person or question.is_anatomy:
        what = "An anatomy" if question.is_anatomy else "By person"
        raise UsageError(f"{what} a table is judged here only. Leave --sql out.")
    require_parts(question, None)
    names = [str(each.column) for each in question.quasi_identifiers]
    queries = write_class_queries(question.models, names, question.sensitive, options.release, dialect)
    if options.json:
        print_document({"tests": [query._asdict() for query in queries]})
        return 0
    print_out("\n\n".join(f"-- tests/{query.name}.sql: {query.model}\n{query.sql}" for query in queries))
    return 0


# The command `measure`: options in, one call, a report or an error out.


def measure(options: argparse.Namespace) -> int:
    """Run ``measure`` and return its exit status."""
    require_no_contradiction(options)
    question = read_question(options, "measure")
    reader = OptionReader(options)
    k = reader.read("k", partial(values.parse_integer, minimum=1))
    bound = read_bound(reader)
    certificate = reader.read("certificate", partial(values.parse_path, folder=Path()))
    reader.require_none_wrong()
    if options.original is not None and options.release is None:
        raise UsageError("measure compares two tables. Write toolbox measure ORIGINAL RELEASE ..")
    original = find_original(question, options.original)
    if original is None:
        raise UsageError("Nothing names the original records. Write toolbox measure ORIGINAL RELEASE ..")
    release = release_of(question, options.release)
    if certificate is not None:
        if bound is None or len(bound.metrics) != 1:
            raise UsageError("--certificate is the proof of one bound. Write --bound lm, or another one metric.")
        require_free(certificate, replaces=False)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = measure_release(
            question,
            original,
            release,
            label=options.label,
            k=k,
            bound=bound,
            pairs=options.pairs,
            watcher=watcher,
        )
    if certificate is not None:
        write_whole(certificate, report.bounds[0].write_certificate(), "certificate", replaces=False)
    print_report(options, report.document, report.show_on)
    return 0


def read_bound(reader: OptionReader) -> Bounding | None:
    """Return the bounds that options ask for; None if they ask for none. What is wrong is noted."""
    seconds, names = reader.read("bound_seconds", values.parse_seconds), reader.names("bound")
    reader.check(partial(choose_bound, names, seconds))
    return None if reader.faults else choose_bound(names, seconds)


# The command `risk`: options in, one call, a report or an error out.

THRESHOLD = partial(values.parse_share, with_one=True)
"""Reads the risk above which a record is at risk."""


def risk(options: argparse.Namespace) -> int:
    """Run ``risk`` and return its exit status."""
    require_no_contradiction(options)
    question, reader = read_question(options, "risk"), OptionReader(options)
    question = read_sample(question, reader)
    k, threshold = reader.read("k", partial(values.parse_integer, minimum=1)), reader.read("threshold", THRESHOLD)
    attack, above = read_attack(options, reader), reader.each("above", values.parse_share)
    few_columns = reader.read("few_columns", partial(values.parse_integer, minimum=1))
    plot = reader.read("plot", partial(values.parse_path, folder=Path()))
    population, earlier, control = (reader.table(name) for name in ("population", "earlier", "control"))
    reader.require_none_wrong()
    if plot is not None:
        from toolbox.report.plots import require_plotting

        require_plotting(plot)
    original, release = find_original(question, options.original), release_of(question, options.release)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = assess_risk(
            question,
            release,
            # What was published long ago is judged without the records, where they are gone.
            original=original if is_there(original) else None,
            population=population,
            threshold=threshold,
            k=k,
            attack=attack,
            earlier=earlier,
            link=options.key,
            above=above,
            few_columns=few_columns,
            control=control,
            watcher=watcher,
        )
    if plot is not None:
        from toolbox.report.plots import plot_risk

        plot_risk(report, plot)
    print_report(options, report.document, report.show_on)
    return 0


def read_attack(options: argparse.Namespace, reader: OptionReader) -> Attack | None:
    """Return the attacker who matches everybody at once, as the options describe one; None without one.

    Raises
    ------
    UsageError
    """
    known, insiders = reader.names("known"), reader.read("insiders", partial(values.parse_share, with_zero=True))
    if options.known and not known:
        raise UsageError(
            "--known names no column. Name some, as in --known age,sex, or leave it out: then all are known."
        )
    return make_attack(options.matching, known, insiders)


def is_there(table: Path | Input | None) -> bool:
    """Return whether any file of an input exists; a file that the command line names must exist."""
    if not isinstance(table, Input):
        return table is not None
    with suppress(InputError):
        return any(values.is_object(path) or path.exists() for path in list_input_files(table))
    return False


# The command `singletons`: options in, one call, a report or an error out.


def singletons(options: argparse.Namespace) -> int:
    """Run ``singletons`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    k = reader.read("k", partial(values.parse_integer, minimum=2))
    top = reader.read("top", partial(values.parse_integer, minimum=1))
    scope = reader.read("scope", partial(values.parse_word, known=("local", "global", "both")))
    rules = reader.pairs("rule", lambda text: [name.strip() for name in text.split(",")])
    reader.require_none_wrong()
    question = read_question(options, "singletons")
    data = _find_table(question, options.data)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = compare_variants(question, data, k=k, scope=scope or "both", rules=rules, watcher=watcher)
    print_report(options, report.document, partial(report.show_on, top=top or DEFAULT_TOP))
    return 0


def _find_table(question: Question, name: str | None) -> Path:
    """Return the table that is named, or else the input of the configuration."""
    if name is not None:
        return parse_table(name)
    if question.by_name or question.config.input is None:
        raise UsageError("Nothing names the table. Write toolbox singletons DATA ..")
    return question.config.input.path


# The command `report`: options in, one call, a page out.


def report(options: argparse.Namespace) -> int:
    """Run ``report`` and return its exit status."""
    require_no_contradiction(options)
    question = read_question(options, "report")
    reader = OptionReader(options)
    path = partial(values.parse_path, folder=Path())
    threshold, population = reader.read("threshold", THRESHOLD), reader.table("population")
    attack, earlier = read_attack(options, reader), reader.table("earlier")
    kind = reader.read("report_kind", partial(values.parse_word, known=get_args(ReportKind)))
    language = reader.read("report_language", partial(values.parse_word, known=get_args(Language)))
    named, bound = reader.read("html", path), read_bound(reader)
    reader.require_none_wrong()
    release, original = release_of(question, options.release), find_original(question, options.original)
    target = _find_page_path(release) if named is None else named
    if target.suffix.lower() not in PAGES:
        raise UsageError(
            f"{quote(str(target))} is no name of a page. Write --html FILE with a name that ends in {PAGES[0]}."
        )
    read = [table for table in (release, original, population, earlier) if table is not None]
    keeps = [name for table in read for name in (table.names if isinstance(table, Input) else [table])]
    require_free(target, replaces=options.force, keeps=keeps)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        findings = report_release(
            question,
            release,
            kind=kind or "internal",
            original=original if is_there(original) else None,
            population=population,
            threshold=threshold,
            attack=attack,
            earlier=earlier,
            link=options.key,
            bound=bound,
            pairs=options.pairs,
            command=options.command_line,
            watcher=watcher,
        )
    from toolbox.report.html.page import document_page, render_page

    write_whole(
        target, render_page(findings, language or "en"), find_page_content(findings.kind), replaces=options.force
    )
    if options.json:
        print_document({"html": str(target), **document_page(findings)})
    elif not options.quiet:
        print_note(f"wrote {target}, the {findings.kind} report.")
    return UNSATISFIED if findings.holds is False else 0


def _find_page_path(release: Path | Input) -> Path:
    """Return the page that stands beside a release where nobody names one."""
    path = release.path if isinstance(release, Input) else release
    page = path.with_name(f"{path.name.partition('.')[0] or 'release'}.html")
    return Path(page.name) if values.is_object(path) else page
