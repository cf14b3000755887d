"""What `anonymize` says: the result of a run, as tables and as a document with stable names."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from toolbox.config.model import Config
from toolbox.messages import (
    choose_setting_name,
    find_suppression_setting,
    format_count,
    is_asked_in_python,
    say,
    say_count,
)
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.privacy.proof.proof import Proof
from toolbox.report.advice import (
    Advice,
    Minimality,
    Note,
    SettingRemedy,
    advise_on_certain,
    advise_on_few_suppressed,
    advise_on_minimality,
    advise_on_nothing_left,
    advise_on_order,
    find_minimality,
    list_person_notes,
    note_rejected_lines,
    note_skipped_records,
    sort_by_severity,
)
from toolbox.report.columns import (
    ChildTableResult,
    FormulaResult,
    Information,
    QuasiIdentifierResult,
    format_columns,
    format_treated,
    list_column_notes,
    list_emptiness_notes,
    list_formula_notes,
    list_untrue_columns,
    measure_information,
    measure_quasi_identifiers,
)
from toolbox.report.console import ConsoleReport, ResultTable, StyledText, make_judged_table, make_table, print_notes
from toolbox.report.explore.recoding import RecodingResult
from toolbox.report.judges.risk import EarlierResult, SolvedResult, advise_on_statistics
from toolbox.risks.risk import CertainValues
from toolbox.risks.unmodified_columns import PassedColumn
from toolbox.store.input.source import FIRST_PLACES, RecordPlace, format_places
from toolbox.store.load.loading import Loaded
from toolbox.store.tables import LatticeNode, PopulationFigures, Searched, Tables
from toolbox.store.values.generalisations import format_unused_note

# What `anonymize` says: the result of a run, and the document with stable names that machines read.

_SHOWN_NAMES = 20
"""Columns released as they are that the printed summary names."""
_FEW_NAMES = 3
"""Columns that nobody declared and that the summary names one by one; more are counted."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Summary(ConsoleReport):
    """The result of a run, with the proof and what is needed to repeat it."""

    method: str
    settings: Mapping[str, str]
    records_read: int
    """Records that were cut into values."""
    records_skipped: int
    """Of these, records without a value in a declared column."""
    lines_rejected: int
    """Lines that could not be cut into values at all."""
    lines_blank: int
    """Lines without any character."""
    first_rejected: tuple[RecordPlace, ...]
    """Where the first of them stand."""
    proof: Proof
    k: int
    suppressed: str
    quasi_identifiers: tuple[QuasiIdentifierResult, ...]
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    versions: Mapping[str, str]
    sha256: Mapping[str, Any]
    """Checksums of the input (None unless it is asked for), the configuration and the release."""
    release: tuple[Path | str, ...]
    """Files, or the names of tables that are none."""
    is_in_order: bool = False
    """Whether the records stand in the order of the input."""
    solved: tuple[SolvedResult, ...] = ()
    """For each column of numbers, how many classes of genValsDist give their values back."""
    information: Information | None = None
    """What tells records apart, before and after."""
    minimality: Minimality | None = None
    """What the method gives away by going no further than models of sensitive values ask; None: nothing is known."""
    minimal_nodes: tuple[LatticeNode, ...] = ()
    """Every minimal satisfying node of the lattice, the best one first, where the method finds them all."""
    searched: Searched | None = None
    """How the lattice was searched for the release that costs least."""
    population: PopulationFigures | None = None
    """The people with whom a model compares the classes."""
    formulas: tuple[FormulaResult, ...] = ()
    """The columns of a release of delimited text with cells that a spreadsheet would run."""
    escapes_formulas: bool = False
    passed: tuple[PassedColumn, ...] = ()
    """The columns that are released as they are, with what speaks against it."""
    hmac_sha256: Mapping[str, Any] = field(default_factory=lambda: {"input": None})
    """Of the input, with the key of the user's, if that is asked for."""
    treatments: tuple[Mapping[str, Any], ...] = ()
    """The columns that are treated: what was done to each, what is promised, and what is not true any more."""
    pseudonyms: Mapping[str, str] | None = None
    """The fingerprint of the key and the domain of pseudonyms."""
    recoding: RecodingResult | None = None
    """The saved recoding that was applied, and what became of it."""
    joint: EarlierResult | None = None
    """What the release and earlier ones tell together."""
    certain: tuple[CertainValues, ...] = ()
    """Whose sensitive values follow from the class, where the page of the run has counted them."""
    child_tables: tuple[ChildTableResult, ...] = ()
    left_out: tuple[str, ...] = ()
    """Columns that nobody declared, where these are left out."""
    warnings: tuple[str, ...] = ()
    knows_people: bool = True
    """Whether identifiers were compared with the classes, if there are any."""
    parameters_left_out: tuple[str, ...] = ()
    """What was given and is not required, each as a sentence."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def records_released(self) -> int:
        """Records in the release."""
        return self.proof.records - (self.proof.records_suppressed if self.suppressed == "drop" else 0)

    @property
    def not_proved(self) -> tuple[str, ...]:
        """What somebody may take for proved, and is not."""
        few = self.proof.few_people
        told = [f"{self.proof.format_few_people()}. Classes count records, not people."] if few else []
        if not self.knows_people:
            told.append("How many people a class has: the records stay where they are, and identifiers are not read.")
        told += list_untrue_columns(self.treatments, self.quasi_identifiers, self.proof.profile_column)
        told += [
            f"{model.name}: it is met by an estimate of people." for model in self.proof.models if model.is_estimated
        ]
        return (*told, *self.parameters_left_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher, to be read before the release is handed out."""
        return (*self.remarks, *(advice.note() for advice in self.advice))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes that are no advice."""
        notes = [*self.warnings, *list_column_notes(self.passed, self.left_out)]
        notes += list_formula_notes(self.formulas, are_escaped=self.escapes_formulas, in_python=self.in_python)
        rejected = format_places("line", self.first_rejected)
        more = ", ..." if self.lines_rejected > len(self.first_rejected) else ""
        notes += note_rejected_lines(self.lines_rejected, f"{rejected}{more}", in_python=self.in_python)
        notes += [] if self.recoding is None else self.recoding.notes()
        notes += [] if self.joint is None else self.joint.notes()
        notes += [note for table in self.child_tables for note in table.list_notes()]
        notes += list_person_notes(self.proof, is_searched=self.searched is not None or bool(self.minimal_nodes))
        notes += note_skipped_records(self.records_skipped, in_python=self.in_python)
        return tuple(notes)

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change, and what would lower it."""
        return sort_by_severity(
            [
                *advise_on_certain(self.certain),
                *advise_on_order(self.is_in_order),
                *advise_on_statistics(self.solved, self.k),
                *advise_on_nothing_left(self.proof.classes, in_python=self.in_python),
                *advise_on_few_suppressed(self.proof, self.k, are_shown=self.suppressed == "keep"),
                *advise_on_minimality(self.minimality),
                *(() if self.joint is None else self.joint.advice()),
            ]
        )

    def tell_sample(self, everybody: int) -> Summary:
        """Return the same with a note that only some of so many records were run."""
        note = (
            f"Only {self.records_read:,} of {everybody:,} records were run, drawn by lot, since nearly all of them are "
            "different. A release is of all of them, and keeps more, as each record has more others that are alike."
        )
        return replace(self, warnings=(note, *self.warnings))

    def headline(self) -> str:
        """Return the most important facts in one line."""
        proof = self.proof
        smallest = "" if proof.smallest_class is None else f", smallest {proof.smallest_class:,}"
        if proof.persons is not None and proof.smallest_class is not None:
            smallest = f", {format_count(proof.smallest_class, 'person')} in the smallest class"
        models = (
            f"{model.name}{f' of {model.attribute}' if model.attribute else ''} "
            f"{'-' if model.achieved is None else f'{model.achieved:g}'} (required {model.required:g})"
            for model in proof.models
        )
        classes = format_count(proof.classes, "class", "classes")
        released = f"{format_count(self.records_released, 'record')} in {classes}{smallest}"
        unproved = "".join(f"; not proved: {each}" for each in self.not_proved)
        return f"{self.method}, {released}; {'; '.join(models)}{unproved}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_summary(
            console,
            facts=self._facts(),
            models=self.proof.models,
            not_proved=self.not_proved,
            quasi_identifiers=self.quasi_identifiers,
            minimal_nodes=self.minimal_nodes,
            notes=self.notes,
            release=self.release,
        )

    def _facts(self) -> dict[str, str]:
        """Return the lines at the head of the printed summary, by name."""
        proof = self.proof
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        average = "-" if proof.average_class is None else f"{proof.average_class:,.1f}"
        smallest = "-" if proof.smallest_class is None else f"{proof.smallest_class:,}"
        unit = "records" if proof.persons is None else "persons"
        what = "profiles" if proof.judges_profiles else "classes"
        facts = {
            "method": f"{self.method} ({settings})" if settings else self.method,
            "records": f"{self.records_read:,} read, {self.records_skipped:,} skipped, "
            f"{proof.records_suppressed:,} suppressed, {self.records_released:,} released",
            what: f"{proof.classes:,}, smallest {smallest}, average {average} {unit}",
        }
        if (persons := proof.persons) is not None:
            facts["persons"] = persons.line()
        if (kept := self.information) is not None:
            facts["kept"] = f"{kept.share:.0%} of the information, {kept.after:.1f} of {kept.before:.1f} bits"
        if (found := self.searched) is not None:
            bound = "" if found.bound is None else f", bound {found.bound:.6g}"
            is_best = "optimal" if found.is_proved else f"not proved{bound}"
            value = found.lack if found.value is None else f"{found.value:.6g} of {found.objective}, {is_best}"
            facts["objective"] = value
            facts["lattice"] = f"{found.nodes:,} nodes, {found.checked:,} checked"
        if (people := self.population) is not None:
            facts["population"] = f"{format_count(people.people, 'person', 'people')} in {people.name}"
        facts |= {f"table {table.name}": table.line() for table in self.child_tables}
        if self.passed:
            facts["unchanged"] = self._list_unchanged_columns()
        if self.treatments:
            facts["treated"] = ", ".join(map(format_treated, self.treatments))
        if self.pseudonyms is not None:
            facts["pseudonyms"] = f"of the key {self.pseudonyms['key']}, domain {self.pseudonyms['domain']}"
        parts = {"recoding": self.recoding, "earlier": self.joint}
        facts |= {name: part.line() for name, part in parts.items() if part is not None}
        return {**facts, "seconds": ", ".join(f"{step} {seconds:.2f}" for step, seconds in self.timings.items())}

    def _list_unchanged_columns(self) -> str:
        """List the columns that are shown as they are; many that nobody declared are counted."""
        others = [column.name for column in self.passed if not column.is_declared]
        if len(others) <= _FEW_NAMES:
            names = [column.name if column.is_declared else f"{column.name} (not declared)" for column in self.passed]
            return format_columns(names, most=_SHOWN_NAMES)
        names = [column.name for column in self.passed if column.is_declared]
        counted_others = f"{len(others):,} columns that nobody declared"
        return f"{format_columns(names, most=_SHOWN_NAMES)}, and {counted_others}" if names else counted_others

    def _list_exceptions(self) -> dict[str, Any]:
        """Return the parts of the document that few runs have."""
        parts = {
            "not_proved": list(self.not_proved),
            "treatments": [dict(each) for each in self.treatments],
            "pseudonyms": self.pseudonyms and dict(self.pseudonyms),
            "recoding": self.recoding and self.recoding.document(),
            "child_tables": [table.document() for table in self.child_tables],
            "earlier": self.joint and self.joint.document(),
            "remedies": [note.document() for note in self.notes if isinstance(note, Note) and note.remedies],
        }
        return {name: part for name, part in parts.items() if part}

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``anonymize``; its names are stable."""
        return {
            "toolbox_version": self.versions["toolbox"],
            "method": self.method,
            "settings": dict(self.settings),
            "records_read": self.records_read,
            "records_skipped": self.records_skipped,
            "lines_rejected": self.lines_rejected,
            "lines_blank": self.lines_blank,
            "first_rejected": [
                place.number if place.file is None else {"file": str(place.file), "line": place.number}
                for place in self.first_rejected
            ],
            "records_suppressed": self.proof.records_suppressed,
            "records_released": self.records_released,
            "classes": self.proof.classes,
            "smallest_class": self.proof.smallest_class,
            "average_class": self.proof.average_class,
            "requirements": [
                {"name": model.name, "attribute": model.attribute, "parameters": dict(model.parameters)}
                for model in self.proof.models
            ],
            "models": [model.document() for model in self.proof.models],
            **({} if self.proof.persons is None else {"persons": self.proof.persons.document()}),
            **({"few_people": [vars(few) for few in self.proof.few_people]} if self.proof.few_people else {}),
            "quasi_identifiers": [result.document() for result in self.quasi_identifiers],
            "information": None if self.information is None else self.information.document(),
            "solvable": [solved._asdict() for solved in self.solved],
            "minimality": None if self.minimality is None else self.minimality.document(),
            "minimal_nodes": [{**node._asdict(), "levels": list(node.levels)} for node in self.minimal_nodes],
            **({} if self.searched is None else {"searched": self.searched.document()}),
            **({} if self.population is None else {"population": self.population.document()}),
            "timings": dict(self.timings),
            "versions": dict(self.versions),
            "sha256": dict(self.sha256),
            "hmac_sha256": dict(self.hmac_sha256),
            "formulas": {"escaped": self.escapes_formulas, "columns": [vars(result) for result in self.formulas]},
            "passed_through": [column.document() for column in self.passed],
            "left_out": list(self.left_out),
            "release": [str(path) for path in self.release],
            "advice": [advice.document() for advice in self.advice],
            "notes": list(self.notes),
            **self._list_exceptions(),
        }


# The tables of `anonymize`: facts, proved models, quasi-identifiers, minimal generalisations.

_SHOWN_NODES = 10


def print_summary(
    console: Console,
    *,
    facts: Mapping[str, str],
    models: Sequence[Any],
    not_proved: Sequence[str] = (),
    quasi_identifiers: Sequence[QuasiIdentifierResult],
    minimal_nodes: Sequence[LatticeNode],
    notes: Sequence[str],
    release: Sequence[Path | str],
) -> None:
    """Print what was released, what it achieves, and what to know before handing it out.

    Parameters
    ----------
    facts : mapping of str to str
        The lines at the head, by name.
    """
    console.print(_make_facts_table(facts))
    title = "estimated" if all(model.is_estimated for model in models) else "proved"
    console.print(make_judged_table(title, models))
    for sentence in not_proved:
        console.print(f"[yellow]not proved[/] {escape(sentence)}\n", soft_wrap=True)
    console.print(_make_quasi_identifiers_table(quasi_identifiers))
    if minimal_nodes:
        console.print(_make_minimal_nodes_table(minimal_nodes, quasi_identifiers))
    print_notes(console, notes)
    for path in release:
        console.print(f"[green]released[/] {escape(str(path))}", soft_wrap=True)


def _make_facts_table(facts: Mapping[str, str]) -> ResultTable:
    table = make_table("")
    for name, value in facts.items():
        table.add_row(StyledText(name, "bold"), value)
    return table


def _make_quasi_identifiers_table(results: Sequence[QuasiIdentifierResult]) -> ResultTable:
    has_levels = any(result.level is not None for result in results)
    columns = ("quasi-identifier", "level" if has_levels else "", "values before", "after", "from .. to")
    table = make_table("generalised", *columns, numbers=frozenset({1, 2, 3}))
    for result in results:
        level = "" if result.level is None else f"{result.level} of {result.height}"
        values = (f"{result.original_values:,}", f"{result.generalised_values:,}")
        table.add_row(result.name, level, *values, result.range or "")
    return table


def _make_minimal_nodes_table(nodes: Sequence[LatticeNode], results: Sequence[QuasiIdentifierResult]) -> ResultTable:
    """Make the table of the minimal satisfying nodes, the best one first; of many, the first."""
    count = len(nodes)
    more = f", of which {_SHOWN_NODES} are shown" if count > _SHOWN_NODES else ""
    names = [result.name for result in results]
    positions = frozenset(range(len(names) + 2))
    table = make_table(
        f"minimal generalisations: {count:,}{more}", *names, "classes", "suppressed", "", numbers=positions
    )
    levels = tuple(result.level for result in results)
    for node in nodes[:_SHOWN_NODES]:
        is_released = "released" if node.levels == levels else ""
        table.add_row(*map(str, node.levels), f"{node.released:,}", f"{node.suppressed:,}", is_released)
    return table


# What a publisher should know of the settings of a run, and of what came of them.


def list_warnings(
    config: Config,
    method: Anonymizer,
    anonymization: Anonymization,
    information: Information,
    results: Sequence[QuasiIdentifierResult],
) -> tuple[str, ...]:
    """List the warnings of the configuration and of the method, and those that follow from the settings."""
    return (
        *config.warnings,
        *_order_warning(config),
        *_warn_of_seed(config),
        *_warn_of_threshold(config, method),
        *_warn_of_suppressed(config, anonymization),
        *_list_emptiness_warnings(information, results, anonymization, method),
        *anonymization.tables.notes,
    )


def _list_emptiness_warnings(
    information: Information,
    results: Sequence[QuasiIdentifierResult],
    anonymization: Anonymization,
    method: Anonymizer,
) -> tuple[str, ...]:
    if anonymization.tables.by_number or not anonymization.proof.classes:
        return ()
    at_root = [result.name for result in results if result.is_at_root]
    return list_emptiness_notes(information, at_root, len(results), whole_columns=method.full_domain)


def _warn_of_suppressed(config: Config, anonymization: Anonymization) -> tuple[str, ...]:
    count = anonymization.proof.records_suppressed
    are_shown = config.compatibility.shows_suppressed and config.output.format.tells_classes_apart
    if not (are_shown and count):
        return ()
    found = say_count(
        "The values of %(count)s suppressed record can be seen, as in 2010.",
        "The values of %(count)s suppressed records can be seen, as in 2010.",
        count,
    )
    return (Note(f"{found} Publish without compatibility.", found, SettingRemedy("compatibility", "")),)


def _warn_of_threshold(config: Config, method: Anonymizer) -> tuple[str, ...]:
    threshold, allowed = config.suppression_threshold, method.suppression_limit
    if not threshold or allowed:
        return ()
    why = say("%(method)s suppresses nobody", method=config.method)
    if allowed is not None:
        unhelped = ", ".join(one.name for one in method.models if not one.suppression_helps)
        why = say("suppression does not help %(models)s", models=unhelped)
    found = say("The limit of suppressed records, %(limit)s, is ignored: %(why)s.", limit=str(threshold), why=why)
    text = f"{find_suppression_setting()}={threshold} is ignored: {why}."
    return (Note(text, found, SettingRemedy("suppression", "")),)


def _order_warning(config: Config) -> tuple[str, ...]:
    """Tell people who have a configuration of the toolbox of 2010 that line n is no longer line n."""
    if not (config.is_of_2010 and config.output.order == "shuffled" and config.output.format.order_can_be_chosen):
        return ()
    kept = choose_setting_name("order='input' on <output>, or --order input,", python="order='input'")
    found = say(
        "The records are shuffled: line n of the release is not line n of the input, as it was in the toolbox of 2010."
    )
    keeping = f"{kept} keeps the order of the input; compatibility='utd' keeps the old notation, too."
    return (Note(f"{found} {keeping}", found, SettingRemedy("order", "input")),)


def _warn_of_seed(config: Config) -> tuple[str, ...]:
    if config.seed is None:
        return ()
    if config.output.format.has_groups:
        found = say("Somebody who knows or guesses the seed can join the two tables of anatomy line by line.")
    elif config.output.order == "shuffled":
        found = say("Somebody who knows or guesses the seed can put the records into the order of the input again.")
    else:
        return ()
    return (Note(f"{found} Publish without one.", found, SettingRemedy("seed", "")),)


# The summary of a run, made from the results of its steps.


@dataclass(frozen=True, kw_only=True)
class WrittenRelease:
    """What a summary says of the files of a release."""

    files: tuple[Path | str, ...] = ()
    """And tables, which are no files."""
    leftovers: tuple[Path, ...] = ()
    """Files of an earlier release that are removed."""
    digests: Mapping[str, Any] = field(default_factory=lambda: {"input": None, "configuration": None, "release": {}})
    """Checksums of the input, the configuration and the release."""
    formulas: Sequence[tuple[Any, ...]] = ()
    """What a `FormulaResult` says of each column with cells that a spreadsheet would run."""
    solved: Sequence[tuple[Any, ...]] = ()
    """What a `SolvedResult` says of each column of numbers of genValsDist."""


def summarise_run(
    config: Config,
    method: Anonymizer,
    loaded: Loaded,
    anonymization: Anonymization,
    written: WrittenRelease,
    *,
    passed: tuple[PassedColumn, ...],
    timings: Mapping[str, float],
) -> Summary:
    """Return the summary of a run.

    Parameters
    ----------
    passed : tuple of PassedColumn
        The columns that are released as they are.
    timings : mapping of str to float
        Seconds of each step.
    """
    results, information = measure_quasi_identifiers(anonymization.tables), measure_information(anonymization.tables)
    input_digest, digest_kind = written.digests["input"], config.output.input_digest
    return Summary(
        method=config.method,
        settings=method.settings(),
        records_read=loaded.records_read,
        records_skipped=loaded.records_skipped,
        lines_rejected=loaded.account.rejects.count,
        lines_blank=loaded.account.blank,
        first_rejected=loaded.account.rejects.first,
        proof=anonymization.proof,
        k=config.k,
        suppressed=config.output.suppressed,
        is_in_order=config.output.order == "input" and config.output.format.order_can_be_chosen,
        quasi_identifiers=results,
        timings=timings,
        versions=_list_versions(),
        sha256={**written.digests, "input": input_digest if digest_kind == "plain" else None},
        hmac_sha256={"input": input_digest if digest_kind == "keyed" else None},
        release=written.files,
        warnings=(
            *list_warnings(config, method, anonymization, information, results),
            *loaded.notes,
            *_list_unused_notes(config, loaded.tables),
            *_list_leftover_notes(written.leftovers),
        ),
        information=information,
        solved=tuple(SolvedResult(*each) for each in written.solved),
        formulas=tuple(FormulaResult(*each) for each in written.formulas),
        escapes_formulas=config.output.escapes_formulas,
        minimality=find_minimality(type(method), [model for model in method.models if not model.of_earlier]),
        minimal_nodes=anonymization.tables.minimal_nodes,
        searched=anonymization.tables.searched,
        population=None if loaded.tables.population is None else loaded.tables.population.figures,
        passed=passed,
        parameters_left_out=config.parameters_left_out,
        treatments=loaded.layout.describe_treatments(config),
        left_out=_list_undeclared_columns(config, loaded),
        recoding=RecodingResult.of(config, anonymization.tables),
    )


def _list_versions() -> dict[str, str]:
    libraries = {name: _find_version(name) for name in ("duckdb", "sqlalchemy", "duckdb-sqlalchemy", "lxml")}
    return {"toolbox": _find_version("anonymisation-toolbox"), **libraries, "python": platform.python_version()}


@cache
def _find_version(package: str) -> str:
    return version(package)


def _list_undeclared_columns(config: Config, loaded: Loaded) -> tuple[str, ...]:
    return tuple(loaded.layout.names[at] for at in loaded.layout.undeclared) if config.undeclared == "drop" else ()


def _list_unused_notes(config: Config, tables: Tables) -> tuple[str, ...]:
    if not config.compatibility.notes_unused_nodes:
        return ()
    columns = zip(config.quasi_identifiers, tables.quasi_identifiers, strict=True)
    return tuple(note for each in columns if (note := format_unused_note(tables.store, *each)) is not None)


def _list_leftover_notes(leftovers: Sequence[Path]) -> tuple[str, ...]:
    if not leftovers:
        return ()
    shown = [path.name for path in leftovers[:FIRST_PLACES]] + ["..."] * (len(leftovers) > FIRST_PLACES)
    return (say("An earlier release had more files, which are removed: %(names)s.", names=", ".join(shown)),)
