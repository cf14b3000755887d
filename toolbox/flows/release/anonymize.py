"""The flow of `anonymize`: read, anonymise, prove, write; each room is called once."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.file_names import keep_for_owner, list_input_files
from toolbox.config.model import Config, Input, Limits
from toolbox.config.settings import REPORT_KIND, value_of
from toolbox.errors import InputError, UsageError, name_option
from toolbox.flows.arguments.configuration import limit_threads, require_declared
from toolbox.flows.arguments.models import find_judged_attributes, find_population, make_method, models_of
from toolbox.flows.release.databases import fetch_remote_source, open_engine, require_remote_place, store_remotely
from toolbox.flows.release.pipeline import (
    Outcome,
    find_digest_key,
    make_release,
    place_beside,
    report_file,
    start_input_checksum,
    write_configuration_file,
)
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof.proof import Proof
from toolbox.release.around import Around, find_columns_around
from toolbox.release.checksum import compute_sha256
from toolbox.release.files.part import Part, add_codebooks
from toolbox.release.placing import find_page_content, move_together
from toolbox.release.recount import find_formula_columns, require_promises
from toolbox.release.release import Written, count_written_bytes, release_parts, write_rejects, write_release
from toolbox.release.returned import ReleasedPart, fetch_part, prepare_for_engine, sort_by_value, to_arrow
from toolbox.report.columns import FormulaResult
from toolbox.report.judges.inferences import SolvedResult
from toolbox.report.runs.summary import Summary, WrittenRelease, format_few_people, summarise_run
from toolbox.risks.unmodified_columns import PassedColumn, list_unmodified_columns
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.directory_lock import require_lockable
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.disk.workspace import remove_dead
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import find_separator
from toolbox.store.load.loading import Loaded, Loader

if TYPE_CHECKING:
    import pyarrow as pa


# The page of a run: the judges measure the finished files before these come to their names.


def require_page_can_be_made(config: Config) -> None:
    """Stop where a page is asked for of a release that no judge can read, before any other work.

    Raises
    ------
    UsageError
    """
    if config.output.html is not None and (config.engine is not None or config.output.path is None):
        raise UsageError(
            f"{name_option('html')} describes a release in files, and this one becomes a table. Leave it out, or write "
            "files."
        )


def write_run_page(
    config: Config,
    judges: Sequence[PrivacyModel],
    written: Written,
    summary: Summary,
    store: Store,
) -> dict[Path, Path]:
    """Write the page in the folder of the run.

    Parameters
    ----------
    judges : sequence of PrivacyModel
        What the release must satisfy.
    written : Written
        The finished files of the release.

    Returns
    -------
    dict of Path to Path
        The file of the page, and the path to which it goes; nothing where no page is asked for.
    """
    if config.output.html is None:
        return {}
    from toolbox.flows.judge.question import make_configured_question
    from toolbox.flows.judge.report import describe_making, judge_release, make_findings
    from toolbox.report.html.page import render_page

    assert config.output.path is not None
    kind = value_of(config, REPORT_KIND)
    output = replace(config.output, path=_name_finished_files(written.files, store) / config.output.path.name)
    with _share_memory(store, config.limits) as shared:
        limits = replace(shared, store=None, temp_dir=store.folder)
        original, population = (
            table if kind == "internal" and _can_be_read_again(table) else None
            for table in (config.input, config.population)
        )
        asked = replace(config, output=output, limits=limits, population=population)
        question = replace(make_configured_question(asked), models=tuple(judges))
        release = question.release
        assert release is not None
        judgement = judge_release(
            question,
            release,
            kind,
            original=original,
            population=population,
            is_reordered=output.order != "input",
        )
    found = make_findings(question, config.output.path.name, kind, describe_making(config, summary), judgement)
    finished = store.folder / "report.html"
    finished.write_text(render_page(found), encoding="utf-8", newline="\n")
    keep_for_owner(finished, find_page_content(kind))
    return {finished: config.output.html}


@contextmanager
def _share_memory(store: Store, limits: Limits) -> Iterator[Limits]:
    """Lend half of the memory of a run, where it is limited, to the judges while they are at work."""
    if (memory := store.memory_limit) is None:
        yield limits
        return
    store.limit_memory(memory // 2)
    try:
        yield replace(limits, memory=f"{memory // 2_000_000}MB")
    finally:
        store.limit_memory(memory)


def _name_finished_files(files: Mapping[Path, Path], store: Store) -> Path:
    """Give the finished files their names, in a folder of their own, so that judges find them as their readers will."""
    folder = store.folder / "judged"
    folder.mkdir()
    for finished, final in files.items():
        try:
            os.link(finished, folder / final.name)
        except OSError:  # some file systems know no links
            shutil.copyfile(finished, folder / final.name)
    return folder


def _can_be_read_again(source: Input | None) -> bool:
    """Return whether a table is files, which unlike streams and tables can be read twice."""
    if source is None or source.remote is not None:
        return False
    try:
        return all(path.is_file() for path in list_input_files(source))
    except InputError:
        return False


# The flow of `anonymize`: read, anonymise, prove, write; each room is called once.


def run(
    config: Config,
    *,
    table: pa.Table | None = None,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
    population: Any = None,
    watcher: Watcher | None = None,
    placed: Callable[[], None] = lambda: None,
) -> Outcome:
    """Read, anonymise, prove, write.

    Parameters
    ----------
    config : Config
    table : pyarrow.Table, optional
        The records, if the configuration names no input.
    method : type of Anonymizer, optional
        The method, where the configuration does not name an installed one.
    models : sequence of PrivacyModel, optional
        What every class must satisfy, instead of what the configuration requires.
    population : path or table, optional
        All people who could be in the table, where the configuration does not name them.
    watcher : Watcher, optional
        Is told each step as it begins and ends, and how far it is.
    placed : callable, optional
        Is called at once when all files are in place; from then on an interrupt comes too late.

    Returns
    -------
    Outcome

    Raises
    ------
    ToolboxError
        Whatever is wrong; then no file has been written and an older release is untouched.
    """
    require_page_can_be_made(config)
    if config.engine is not None:
        from toolbox.flows.release.engine import run_on_engine

        engine = open_engine(config)
        return run_on_engine(config, engine, method=method, models=models, watcher=watcher, placed=placed)
    return _run_here(config, table, method, models, population, Steps(watcher), placed)


def _run_here(
    config: Config,
    table: pa.Table | None,
    method: type[Anonymizer] | None,
    models: Sequence[PrivacyModel],
    population: Any,
    steps: Steps,
    placed: Callable[[], None],
) -> Outcome:
    config = config if table is not None else find_separator(config)
    judges = models_of(config, models)
    chosen = make_method(config, judges, method)
    people = find_population(config, population).require_for_models(judges)
    key, configuration = find_digest_key(config.output), _compute_configuration_digest(config)
    files = InputFiles(config.input) if config.input and config.input.remote is None and table is None else None
    require_remote_place(config)
    with (
        Store(_work_place(config), limit_threads(config.limits, files or table)) as store,
        translate_file_errors(store.folder),
    ):
        _measure_reading(steps, store, files)
        with steps.step("read"), files.watch_reading() if files is not None else nullcontext():
            people.expect(store)
            source = _open_source(config, table, files, store)
            around = find_columns_around(config, source)
            loaded = people.loaded(_make_loader(config, source, store, judges, steps), store)
        # Not before: reading keeps all processors busy, the search does not.
        checksum = start_input_checksum(config.output, files, key)
        with steps.show_unlisted("look"):
            passed = list_unmodified_columns(loaded.tables, loaded.layout, table)
        anonymization = make_release(loaded, chosen, config, steps)
        _require_people(config, anonymization.proof)
        _drop_identifiers(loaded, store)
        with steps.step("write", lambda: count_written_bytes(store)):
            is_plain = source.is_plain(config.release_separator)
            parts = release_parts(config, anonymization.tables, loaded.layout, passes_plain=is_plain)
            parts = add_codebooks(parts, source)
            written, released = _write_release(config, table, parts, anonymization, loaded, around)
        _publish(config, anonymization, store)
        with steps.show_unlisted("checksum"):
            digests = {"input": checksum.result() if checksum else None, "configuration": configuration}
        if files is not None:
            files.require_unchanged()
        summary = _make_summary(
            config, chosen, loaded, anonymization, written, parts=parts, digests=digests, passed=passed, steps=steps
        )
        with steps.show_unlisted("finish"):
            side_files = _write_side_files(config, loaded, summary, judges, written, store)
            _place(config, written, released, side_files, store, placed)
    return Outcome(summary, released, written.tables, loaded.layout.has_header)


def _drop_identifiers(loaded: Loaded, store: Store) -> None:
    """Drop the identifiers, which only the proof compares with the classes."""
    if (identified := loaded.tables.identified) is not None:
        store.drop_columns(identified.table, list(identified.columns))


def _require_people(config: Config, proof: Proof) -> None:
    """Stop a run without a configuration where its classes have fewer people than records; others say it.

    Raises
    ------
    UsageError
    """
    if config.path is None and proof.few_people:
        rows = choose_setting_name("--rows-are-people", python="rows_are_people=True")
        column = proof.few_people[0].column
        person = choose_setting_name(f"--person {column}", python=f"person={column!r}")
        left_out = choose_setting_name(
            "--undeclared drop instead of --id", python="undeclared='drop' instead of identifiers="
        )
        raise UsageError(
            f"{format_few_people(proof)}. Classes of records would be proved, and they would not protect people. "
            f"{person} counts persons instead. If each record is another person, write {rows}. "
            f"A column that names nobody is left out by {left_out}."
        )


def _make_loader(config: Config, source: Source, store: Store, judges: Sequence[PrivacyModel], steps: Steps) -> Loader:
    loader = Loader(config, source, store, find_judged_attributes(judges), steps)
    require_declared(config, loader.layout)
    return loader


def _compute_configuration_digest(config: Config) -> str | None:
    """Return the checksum of the configuration: of the file that was read, or of the one that is saved."""
    if config.path is None:
        return None if config.saved is None else hashlib.sha256(config.saved).hexdigest()
    return compute_sha256(config.path)


def _work_place(config: Config) -> Path | None:
    """Return the folder for temporary files; remove what interrupted runs have left beside the output."""
    for directory in dict.fromkeys(path.parent for path in config.written_paths):
        require_lockable(directory)
        remove_dead(directory, config.limits.lock_timeout)
    return config.limits.temp_dir or (config.output.path.parent if config.output.path else None)


def _measure_reading(steps: Steps, store: Store, files: InputFiles | None) -> None:
    """Report the progress of reading. Not for compressed input: its bytes are consumed long before its records."""
    if steps.are_watched and files is not None and (size := files.measure_text_size()) is not None:
        store.tell_share()
        steps.size = size


def _open_source(config: Config, table: pa.Table | None, files: InputFiles | None, store: Store) -> Source:
    if files is not None:
        return files.source(store)
    if config.input is not None and config.input.remote is not None:
        return fetch_remote_source(config.input.remote, store)
    assert table is not None
    return open_arrow_source(store, prepare_for_engine(table, config.column_names), added=1)


def _write_release(
    config: Config,
    table: pa.Table | None,
    parts: list[Part],
    anonymization: Anonymization,
    loaded: Loaded,
    around: Around | None,
) -> tuple[Written, list[ReleasedPart]]:
    """Write the release to files, or fetch it for a database or for a caller who has given a table; then recount it."""
    tables, layout = anonymization.tables, loaded.layout
    written, returned = Written({}), list[ReleasedPart]()
    if config.output.remote is not None:
        returned = [ReleasedPart((), (), to_arrow(tables.store, part), None) for part in parts]
    elif table is not None:
        returned = [fetch_part(tables.store, part, table.num_columns) for part in parts]
        if config.output.order == "sorted" and config.output.format.order_can_be_chosen:
            returned = [sort_by_value(part, table) for part in returned]
    else:
        written = write_release(config, parts, tables.store, has_header=layout.has_header, around=around)
    require_promises(config, tables, layout, parts, written, returned)
    return written, returned


def _place(
    config: Config,
    written: Written,
    released: Sequence[ReleasedPart],
    extra: dict[Path, Path],
    store: Store,
    placed: Callable[[], None],
) -> None:
    """Move all files to their names; a release that is a table comes before the files beside it."""
    ready = written.files | extra | store.finish()
    if config.output.remote is None:
        move_together(ready, store.folder, placed, tables=written.split, timeout=config.limits.lock_timeout)
        return
    store_remotely(config, released[0].made)
    placed()
    place_beside(ready, config, store)


def _publish(config: Config, anonymization: Anonymization, store: Store) -> None:
    """Publish the tables of a store that is kept, under names that people look for."""
    if config.limits.store is not None:
        store.publish("AnonRecordTable", select(anonymization.tables.anon_record))
        store.publish("EquivalenceTable", select(anonymization.tables.equivalence))


def _write_side_files(
    config: Config,
    loaded: Loaded,
    summary: Summary,
    judges: Sequence[PrivacyModel],
    written: Written,
    store: Store,
) -> dict[Path, Path]:
    """Write the files beside a release: the rejected lines, the report, the configuration and the page for people."""
    files: dict[Path, Path] = {}
    if config.output.rejects is not None:
        files |= write_rejects(loaded.account.rejects, store, config.output.rejects)
    files |= report_file(config, summary, store) | write_configuration_file(config, store)
    return files | write_run_page(config, judges, written, summary, store)


def _make_summary(
    config: Config,
    method: Anonymizer,
    loaded: Loaded,
    anonymization: Anonymization,
    written: Written,
    *,
    parts: Sequence[Part],
    digests: Mapping[str, Any],
    passed: tuple[PassedColumn, ...],
    steps: Steps,
) -> Summary:
    """Summarise a run; the findings of the release are passed on, as the report does not import that package."""
    formulas = find_formula_columns(config, anonymization.tables, loaded.layout, parts)
    facts = WrittenRelease(
        files=tuple(written.files.values()) if config.output.remote is None else (str(config.output.remote),),
        leftovers=written.leftovers,
        digests={**digests, "release": written.checksums},
        formulas=tuple(FormulaResult(*column) for column in formulas),
        solved=tuple(SolvedResult(*column) for part in parts for column in part.solved),
    )
    return summarise_run(config, method, loaded, anonymization, facts, passed=passed, timings=steps.timings())
