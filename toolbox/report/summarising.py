"""The summary of a run, made from the results of its steps."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from toolbox.config.model import Config
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.report.formulas import FormulaResult
from toolbox.report.information import information_in
from toolbox.report.minimality import minimality_of
from toolbox.report.quasi_identifiers import quasi_identifier_results
from toolbox.report.solved import SolvedResult
from toolbox.report.summary import Summary
from toolbox.report.warnings import warnings_of
from toolbox.risks.passing.columns import PassedColumn
from toolbox.store.loading import Loaded
from toolbox.store.source import FIRST_PLACES
from toolbox.store.tables import Tables
from toolbox.store.unused_nodes import unused_note


@dataclass(frozen=True, kw_only=True)
class WrittenRelease:
    """What a summary says of the files of a release."""

    files: tuple[Path | str, ...]
    """And tables, which are no files."""
    leftovers: tuple[Path, ...]
    """Files of an earlier release that are removed."""
    digests: Mapping[str, Any]
    """Checksums of the input, the configuration and the release."""
    formulas: tuple[FormulaResult, ...]
    solved: tuple[SolvedResult, ...]


def summarise(
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
    results, information = quasi_identifier_results(anonymization.tables), information_in(anonymization.tables)
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
        versions=_versions(),
        sha256={**written.digests, "input": input_digest if digest_kind == "plain" else None},
        hmac_sha256={"input": input_digest if digest_kind == "keyed" else None},
        release=written.files,
        warnings=(
            *warnings_of(config, method, anonymization, information, results),
            *loaded.notes,
            *_unused_notes(config, loaded.tables),
            *_leftover_notes(written.leftovers),
        ),
        information=information,
        solved=written.solved,
        formulas=written.formulas,
        escapes_formulas=config.output.escapes_formulas,
        minimality=minimality_of(type(method), method.models),
        minimal_nodes=anonymization.tables.minimal_nodes,
        searched=anonymization.tables.searched,
        population=None if loaded.tables.population is None else loaded.tables.population.figures,
        passed=passed,
        parameters_left_out=config.parameters_left_out,
        left_out=_left_out(config, loaded),
    )


def _versions() -> dict[str, str]:
    libraries = {name: _version(name) for name in ("duckdb", "sqlalchemy", "duckdb-sqlalchemy", "lxml")}
    return {"toolbox": _version("anonymisation-toolbox"), **libraries, "python": platform.python_version()}


@cache
def _version(package: str) -> str:
    return version(package)


def _left_out(config: Config, loaded: Loaded) -> tuple[str, ...]:
    if config.undeclared != "drop":
        return ()
    return tuple(loaded.layout.names[position] for position in loaded.layout.undeclared)


def _unused_notes(config: Config, tables: Tables) -> tuple[str, ...]:
    if not config.compatibility.notes_unused_nodes:
        return ()
    columns = zip(config.quasi_identifiers, tables.quasi_identifiers, strict=True)
    notes = (unused_note(tables.store, declared, column) for declared, column in columns)
    return tuple(note for note in notes if note is not None)


def _leftover_notes(leftovers: Sequence[Path]) -> tuple[str, ...]:
    if not leftovers:
        return ()
    names = ", ".join(path.name for path in leftovers[:FIRST_PLACES])
    more = ", ..." if len(leftovers) > FIRST_PLACES else ""
    return (f"An earlier release had more files, which are removed: {names}{more}.",)
