"""The page about a release that was just made: the judges read it as its readers will."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from toolbox.config.model import Attribute, Column, Config, Limits, ReportKind
from toolbox.config.settings import REPORT_KIND, REPORT_LANGUAGE, SETTINGS, value_of
from toolbox.errors import UsageError
from toolbox.flows.arguments.population import find_population
from toolbox.flows.judge.attackers import make_attack, make_attackers
from toolbox.flows.judge.judge import FinishedTables
from toolbox.flows.judge.question import Question, make_configured_question
from toolbox.flows.judge.report import can_be_read_again, make_release_findings
from toolbox.flows.judge.report_columns import tell_counted, tell_uncompared
from toolbox.flows.judge.tables import TableSource, check_judged_table
from toolbox.flows.release.pipeline import AskedRelease
from toolbox.privacy.model import PrivacyModel
from toolbox.release.placing import find_page_content, require_free, write_whole
from toolbox.report.html.page import render_page
from toolbox.report.runs.summary import Summary

if TYPE_CHECKING:
    import pyarrow as pa

_Declared = TypeVar("_Declared", bound=Attribute)
PageOfRun: TypeAlias = tuple[dict[Path, Path], Summary]
"""The file of the page and the path to which it goes, and the summary with what the judges have found for the run."""

# The page of a run: the judges measure the finished files before these come to their names.


_DECISION = ("organisation", "purpose", "decided_by")
"""The settings that say who releases a table, what for, and who decides on it."""


_MOST_COMPARED = 200_000
"""Most combinations for which a run compares its release with the original records: to read the values of as many
released cells, and to find whom they fit, takes longer than all of the run."""


def write_run_page(
    config: Config,
    judges: Sequence[PrivacyModel],
    files: Mapping[Path, Path],
    summary: Summary,
    loaded: FinishedTables,
    finished: FinishedTables | None = None,
    counts: tuple[pa.Table, pa.Table, Collection[str]] | None = None,
) -> PageOfRun:
    """Write the page in the folder of the run.

    Parameters
    ----------
    judges : sequence of PrivacyModel
        What the release must satisfy.
    files : mapping of Path to Path
        The finished files of the release, and the names that they will have.
    loaded : FinishedTables
        The records as they were read.
    finished : FinishedTables, optional
        What became of them, as it was proved: very many classes are counted in it.
    counts : tuple, optional
        What an engine has counted, if the records stay there: the release by all columns that tell classes apart, and
        by some sensitive attributes; the input by its quasi-identifiers; and which attributes these are.
    """
    if counts is not None:
        return _write_engine_page(config, judges, *counts, summary, loaded)
    assert config.output.path is not None
    kind, store = value_of(config, REPORT_KIND), loaded.tables.store
    output = replace(config.output, path=_name_finished_files(files, store.folder) / config.output.path.name)
    with _share_memory(loaded, config.limits) as shared:
        limits = replace(shared, store=None, temp_dir=store.folder)
        original, population = (
            table if kind == "internal" and "drawing" not in config.others and can_be_read_again(table) else None
            for table in (config.input, config.population)
        )
        asked = replace(config, output=output, limits=limits, population=population)
        question = make_configured_question(asked)
        release = question.release
        assert release is not None
        return _write_page(config, judges, summary, loaded, question, release, original, finished=finished)


def _write_page(
    config: Config,
    judges: Sequence[PrivacyModel],
    summary: Summary,
    loaded: FinishedTables,
    question: Question,
    release: TableSource,
    original: TableSource | None,
    counts_values: bool | None = None,
    finished: FinishedTables | None = None,
) -> PageOfRun:
    """Judge a release that a run has just made, and write the page in the folder of the run.

    Parameters
    ----------
    counts_values : bool, optional
        Whether counts have all sensitive values; None: the release itself is read.
    """
    assert config.output.html is not None
    kind, store = value_of(config, REPORT_KIND), loaded.tables.store
    is_compared = store.count(loaded.tables.combinations) <= _MOST_COMPARED
    # How few people the classes have, the run has told already.
    question = replace(question, models=tuple(judges), identifiers=())
    found = make_release_findings(
        config,
        question,
        release,
        kind,
        summary,
        original=original if is_compared else None,
        population=question.config.population,
        finished=None if is_compared else finished,
    )
    found = replace(found, decision=tuple(value_of(config, SETTINGS[name]) for name in _DECISION))
    if kind == "internal":
        found = found if counts_values is None else tell_counted(found, has_values=counts_values)
        found = found if summary.joint is None else replace(found, joint=summary.joint.risk)
        found = found if is_compared else tell_uncompared(found, loaded.tables)
    written = store.folder / "report.html"
    page = render_page(found, value_of(config, REPORT_LANGUAGE))
    write_whole(written, page, find_page_content(kind), replaces=True)
    return {written: config.output.html}, replace(summary, certain=found.certain)


@contextmanager
def _share_memory(loaded: FinishedTables, limits: Limits) -> Iterator[Limits]:
    """Lend half of the memory of a run, where it is limited, to the judges while they are at work."""
    store = loaded.tables.store
    if (memory := store.memory_limit) is None:
        yield limits
        return
    store.limit_memory(memory // 2)
    try:
        yield replace(limits, memory=f"{memory // 2_000_000}MB")
    finally:
        store.limit_memory(memory)


def _name_finished_files(files: Mapping[Path, Path], beside: Path) -> Path:
    """Give the finished files their names, in a folder of their own, so that judges find them as their readers will."""
    folder = beside / "judged"
    folder.mkdir()
    for finished, final in files.items():
        if finished.is_dir():
            (folder / final.name).symlink_to(finished)
            continue
        try:
            os.link(finished, folder / final.name)
        except OSError:  # some file systems know no links
            shutil.copyfile(finished, folder / final.name)
    return folder


# The page of a run whose records stay in an engine: the judges read counts of what was written, and of the input.


def _write_engine_page(
    config: Config,
    judges: Sequence[PrivacyModel],
    release: pa.Table,
    original: pa.Table,
    sensitive: Collection[str],
    summary: Summary,
    loaded: FinishedTables,
) -> PageOfRun:
    """Write the page of counts; parameters as those of `write_run_page`."""
    with _share_memory(loaded, config.limits) as shared:
        limits = replace(shared, store=None, temp_dir=loaded.tables.store.folder)
        question = make_configured_question(replace(_name_columns(config, sensitive), limits=limits, population=None))
        # Nobody has counted persons, nor what a sample needs besides its classes.
        question = replace(question, person=(), sample=replace(question.sample, weight=None, household=None))
        counted = [model for model in judges if model.attribute is None or model.attribute in sensitive]
        known = None if value_of(config, REPORT_KIND) == "public" else original
        has_all = len(sensitive) == len(config.sensitive)
        return _write_page(config, counted, summary, loaded, question, release, known, has_all)


def _name_columns(config: Config, sensitive: Collection[str]) -> Config:
    """Declare the columns of counts, which all have names; of the sensitive attributes only those that are counted."""

    def name(attribute: _Declared) -> _Declared:
        return replace(attribute, column=Column(index=None, name=str(attribute.column)))

    kept = (each for each in config.sensitive if str(each.column) in sensitive)
    return replace(
        config, quasi_identifiers=tuple(map(name, config.quasi_identifiers)), sensitive=tuple(map(name, kept))
    )


# The page of a result in Python: the judges look at its tables, or at the files that it was written to.


def render_result_page(
    summary: Summary,
    asked: AskedRelease | None,
    tables: Sequence[Any],
    kind: ReportKind,
    path: str | Path | None,
    *,
    matching: bool = False,
    language: str = "en",
) -> str:
    """Judge a release and return its page; `Result.to_html` explains the arguments.

    Raises
    ------
    UsageError
    OutputError
    """
    target = None if path is None else Path(path)
    if target is not None:
        require_free(target, replaces=True)
    if asked is None:
        raise UsageError(
            "A result that was pickled does not know its source any more. Judge its release with toolbox report."
        )
    config = asked.config
    if config.engine is not None or config.output.remote is not None:
        raise UsageError("The release became a table elsewhere. Read it, and judge it with toolbox.check and risk.")
    question = replace(make_configured_question(config), models=asked.judges)
    release = check_judged_table(tables[0], question) if question.release is None else question.release
    original = population = None
    if kind == "internal":
        original = asked.source()
        if any(model.needs_population for model in question.models):
            population = find_population(config, asked.population).table
    attackers = make_attackers(
        question,
        kind,
        attack=make_attack(matching, (), None),
        earlier=None,
        link=None,
        original=original,
        population=population,
    )
    found = make_release_findings(
        config, question, release, kind, summary, original=original, population=population, attackers=attackers
    )
    found = replace(found, decision=tuple(value_of(config, SETTINGS[name]) for name in _DECISION))
    if kind == "internal" and summary.joint is not None:
        found = replace(found, joint=summary.joint.risk)
    text = render_page(found, language)
    if target is not None:
        write_whole(target, text, find_page_content(kind), replaces=True)
    return text
