"""One run from a configuration to a proved release: the flow of the house, each room called once."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from toolbox.config.model import Config, Limits
from toolbox.errors import UsageError
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.methods.registry import find_method
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import check_hierarchies, make_models
from toolbox.queries.dialect import first_by, last_by
from toolbox.release.around import Around, columns_around
from toolbox.release.checksum import BackgroundChecksum, sha256
from toolbox.release.formulas import formulas_in
from toolbox.release.in_memory import ReleasedPart, by_value, fetched, for_engine
from toolbox.release.part import Part
from toolbox.release.placing import move_together
from toolbox.release.release import Written, release_parts, write_rejects, write_release, written_bytes
from toolbox.report.columns import listed
from toolbox.report.information import information_in
from toolbox.report.solved import solved_notes
from toolbox.report.summary import FormulaResult, QuasiIdentifierResult, Summary
from toolbox.report.warnings import warnings_of
from toolbox.risks.passing.columns import PassedColumn, passed_columns
from toolbox.steps import Steps, Watcher
from toolbox.store.inputs import InputFiles
from toolbox.store.key import derived_key
from toolbox.store.load import Loaded, Loader
from toolbox.store.room import file_errors
from toolbox.store.separators import with_separator
from toolbox.store.source import FIRST_PLACES, Source, arrow_source
from toolbox.store.store import Store
from toolbox.store.tables import QuasiIdentifierTables, Tables
from toolbox.store.turns import require_lockable
from toolbox.store.unused_nodes import unused_note
from toolbox.store.workspace import remove_dead

if TYPE_CHECKING:
    import pyarrow as pa


_SMALL = 20_000_000
"""Size in bytes below which one thread finishes sooner than two, measured with scripts/bench_scale.py."""


@dataclass(frozen=True)
class Outcome:
    """What a run has made."""

    summary: Summary
    released: list[ReleasedPart]
    """The parts of the release, if it was not written to files."""
    files: tuple[tuple[Path, ...], ...]
    """The files of each part, if it was."""
    has_header: bool
    """Whether delimited text begins with headers."""


def run(
    config: Config,
    *,
    table: pa.Table | None = None,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
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
    config = config if table is not None else with_separator(config)
    steps = Steps(watcher)
    judges = _judges(config, models)
    chosen = (method or find_method(config.method)).configured(config, judges)
    if chosen.only_format not in (None, config.output.format):
        raise UsageError(
            f"{config.method} releases only {chosen.only_format}. Write output_format='{chosen.only_format}'."
        )
    key, configuration = _digest_key(config), sha256(config.path) if config.path else None
    files = InputFiles(config.input) if config.input is not None and table is None else None
    with Store(_work_place(config), _limits(config, table, files)) as store, file_errors(store.folder):
        _measure_reading(steps, store, files)
        with steps.step("read"), files.being_read() if files is not None else nullcontext():
            source = _source(config, table, files, store)
            around = columns_around(config, source)
            loaded = _loaded(Loader(config, source, store, _judged(judges), steps), config)
        # Not before: reading keeps all processors busy, the search does not.
        checksum = _checksum(config, files, key)
        with steps.unlisted("look"):
            passed = passed_columns(loaded.tables, loaded.layout, table)
        with steps.step(chosen.name):
            finished = chosen.rewrite(replace(loaded.tables, report=steps.say))
        with steps.step("prove"):
            anonymization = chosen.prove(loaded.tables, finished, shows_numbers=config.output.format != "genVals")
        with steps.step("write", lambda: written_bytes(store)):
            is_plain = source.is_plain(config.release_separator)
            parts = release_parts(config, anonymization.tables, loaded.layout, passes_plain=is_plain)
            written, released = _written(config, table, parts, store, loaded, around)
        _publish(config, anonymization, store)
        digests = {"input": _awaited(checksum, steps), "configuration": configuration, "release": written.checksums}
        _require_unchanged(files)
        summary = _summary(config, chosen, loaded, anonymization, steps, digests, written, parts, passed)
        with steps.unlisted("finish"):
            ready = written.files | _extra_files(config, loaded, summary, store) | store.finish()
            move_together(ready, store.folder, placed, tables=written.split, timeout=config.limits.lock_timeout)
    return Outcome(summary, released, written.tables, loaded.layout.has_header)


def _digest_key(config: Config) -> bytes | None:
    """Take the key of the user's before anything is read, if the input's checksum needs it."""
    if config.output.input_digest != "keyed":
        return None
    key = derived_key("input digest")
    if key is None:
        raise UsageError(
            "--input-digest keyed needs a key, and none can be kept: see that ~/.local/state/toolbox, or the folder "
            "toolbox in $XDG_STATE_HOME, is yours alone. Or write --input-digest none."
        )
    return key


def _work_place(config: Config) -> Path | None:
    """Choose where temporary files go; what runs that were cut off have left beside the output is removed."""
    for directory in dict.fromkeys(path.parent for path in config.written_paths):
        require_lockable(directory)
        remove_dead(directory, config.limits.lock_timeout)
    return config.limits.temp_dir or (config.output.path.parent if config.output.path else None)


def _judges(config: Config, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """Take the models of the caller, or make those of the configuration."""
    judges = tuple(models) or make_models(config.requirements)
    check_hierarchies(judges, config.sensitive)
    return judges


def _judged(models: Sequence[PrivacyModel]) -> dict[str, bool]:
    """Name the sensitive attributes that are judged, and whether one of their models must know what they hold."""
    needs = [(model.attribute, model.needs_kind) for model in models if model.attribute is not None]
    return {name: any(kind for other, kind in needs if other == name) for name, _ in needs}


def _limits(config: Config, table: pa.Table | None, files: InputFiles | None) -> Limits:
    """Give small tables one thread, unless the user says otherwise: handing work over costs more than it gains."""
    if config.limits.threads is not None:
        return config.limits
    size = files.text_size() if files is not None else table.nbytes if table is not None else None
    return config.limits if size is None or size >= _SMALL else replace(config.limits, threads=1)


def _measure_reading(steps: Steps, store: Store, files: InputFiles | None) -> None:
    """Let a watcher know how far reading is, but of a packed input, which is taken in long before it is read."""
    if steps.are_watched and files is not None and (size := files.text_size()) is not None:
        store.tell_share()
        steps.size = size


def _loaded(loader: Loader, config: Config) -> Loaded:
    layout = loader.layout
    if config.undeclared == "fail" and layout.undeclared:
        names = [layout.names[position] for position in layout.undeclared]
        raise UsageError(
            f"undeclared='fail', and nobody declared {listed(names)}. Declare each column, as an identifier, a "
            "quasi-identifier or sensitive, or write undeclared='drop' to leave them out."
        )
    return loader.load()


def _require_unchanged(files: InputFiles | None) -> None:
    if files is not None:
        files.require_unchanged()


def _checksum(config: Config, files: InputFiles | None, key: bytes | None) -> BackgroundChecksum | None:
    is_wanted = files is not None and config.output.input_digest != "none"
    return BackgroundChecksum(files.paths, key) if files is not None and is_wanted else None


def _awaited(checksum: BackgroundChecksum | None, steps: Steps) -> str | dict[str, str] | None:
    with steps.unlisted("checksum"):
        return checksum.result() if checksum else None


def _source(config: Config, table: pa.Table | None, files: InputFiles | None, store: Store) -> Source:
    if files is not None:
        return files.source(store)
    assert table is not None
    return arrow_source(store, for_engine(table, config.column_names), added=1)


def _written(
    config: Config, table: pa.Table | None, parts: list[Part], store: Store, loaded: Loaded, around: Around | None
) -> tuple[Written, list[ReleasedPart]]:
    """Write the release to files, or fetch it for a caller who has given a table."""
    if table is not None:
        fetched_parts = [fetched(store, part, table.num_columns) for part in parts]
        is_sorted = config.output.order == "sorted" and config.output.format != "anatomy"
        return Written({}), [by_value(part, table) for part in fetched_parts] if is_sorted else fetched_parts
    return write_release(config, parts, store, has_header=loaded.layout.has_header, around=around), []


def _publish(config: Config, anonymization: Anonymization, store: Store) -> None:
    """Give the tables of a store that is kept the names under which people look for them."""
    if config.limits.store is not None:
        store.publish("AnonRecordTable", select(anonymization.tables.anon_record))
        store.publish("EquivalenceTable", select(anonymization.tables.equivalence))


def _extra_files(config: Config, loaded: Loaded, summary: Summary, store: Store) -> dict[Path, Path]:
    """Write what goes beside a release: the rejected lines and the report."""
    files: dict[Path, Path] = {}
    if config.output.rejects is not None:
        files |= write_rejects(loaded.account.rejects, store, config.output.rejects)
    if config.output.report is not None:
        finished = store.folder / "report.json"
        finished.write_text(json.dumps(summary.document(), indent=2) + "\n", encoding="utf-8")
        files[finished] = config.output.report
    return files


def _summary(
    config: Config,
    method: Anonymizer,
    loaded: Loaded,
    anonymization: Anonymization,
    steps: Steps,
    digests: Mapping[str, object],
    written: Written,
    parts: Sequence[Part],
    passed: tuple[PassedColumn, ...],
) -> Summary:
    formulas = formulas_in(config, anonymization.tables, loaded.layout, parts)
    solved = tuple(one for part in parts for one in part.solved)
    results, information = _quasi_identifier_results(anonymization), information_in(anonymization.tables)
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
        quasi_identifiers=results,
        timings=steps.timings(),
        versions=_versions(),
        sha256={**digests, "input": digests["input"] if config.output.input_digest == "plain" else None},
        hmac_sha256={"input": digests["input"] if config.output.input_digest == "keyed" else None},
        release=tuple(written.files.values()),
        warnings=(
            *warnings_of(config, method, anonymization, information, results),
            *loaded.notes,
            *_unused_warning(config, loaded.tables),
            *solved_notes(solved, config.k),
            *_leftover_warning(written),
        ),
        information=information,
        solved=solved,
        formulas=tuple(FormulaResult(*one) for one in formulas),
        escapes_formulas=config.output.escapes_formulas,
        minimal_nodes=anonymization.tables.minimal_nodes,
        passed=passed,
        left_out=tuple(loaded.layout.names[one] for one in loaded.layout.undeclared)
        if config.undeclared == "drop"
        else (),
    )


def _versions() -> dict[str, str]:
    others = {name: _version(name) for name in ("duckdb", "sqlalchemy", "duckdb-sqlalchemy", "lxml")}
    return {"toolbox": _version("anonymisation-toolbox"), **others, "python": platform.python_version()}


@cache
def _version(package: str) -> str:
    return version(package)


def _leftover_warning(written: Written) -> tuple[str, ...]:
    if not written.leftovers:
        return ()
    names = ", ".join(path.name for path in written.leftovers[:FIRST_PLACES])
    more = ", ..." if len(written.leftovers) > FIRST_PLACES else ""
    return (f"An earlier release had more files, which are removed: {names}{more}.",)


def _unused_warning(config: Config, tables: Tables) -> tuple[str, ...]:
    if config.compatibility is not None:
        return ()
    both = zip(config.quasi_identifiers, tables.quasi_identifiers, strict=True)
    notes = (unused_note(tables.store, attribute, one) for attribute, one in both)
    return tuple(note for note in notes if note is not None)


def _as_it_was(one: QuasiIdentifierTables) -> QuasiIdentifierResult:
    return QuasiIdentifierResult(
        name=one.name,
        level=None,
        height=None,
        generalised_values=one.values,
        original_values=one.values,
        range=None,
    )


def _quasi_identifier_results(anonymization: Anonymization) -> tuple[QuasiIdentifierResult, ...]:
    tables = anonymization.tables
    results = []
    for number, one in enumerate(tables.quasi_identifiers):
        if tables.by_number:
            results.append(_as_it_was(one))
            continue
        used = tables.equivalence.c[tables.interval_names[number]]
        interval = one.intervals.c
        shown = select(interval.label, interval.low, interval.high).where(
            interval.interval_id.in_(select(used).where(~tables.equivalence.c.suppressed))
        )
        named = shown.subquery().c
        values, first, last = tables.store.row(
            select(func.count(), first_by(named.label, named.low), last_by(named.label, named.high))
        )
        results.append(
            QuasiIdentifierResult(
                name=one.name,
                level=None if tables.levels is None else tables.levels[number],
                height=one.height if one.has_hierarchy and one.height else None,
                generalised_values=values,
                original_values=one.values,
                range=None if one.kind == "category" or not values else first if values == 1 else f"{first} .. {last}",
            )
        )
    return tuple(results)
