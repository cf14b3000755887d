"""The flow of a look at next month's table: what a saved recoding would make of it, before anything is released."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from toolbox.config.model import Config, Limits, Portion
from toolbox.config.reading.recoding import SavedRecoding, read_recoding
from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.flows.arguments import checks, configuration
from toolbox.flows.arguments.models import models_of
from toolbox.flows.release.anonymize import read_as_run
from toolbox.flows.release.pipeline import make_release, measure_kept
from toolbox.flows.release.recoded import fit_recoding, list_declared_columns, open_table
from toolbox.messages import format_count
from toolbox.methods.anonymizer import Anonymization
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.recodings.applying import AppliedRecoding, list_unseen_values
from toolbox.release.placing import require_free, write_whole
from toolbox.report.explore.recoding import Foreseen, NextColumn, RecodingPreview, SmallClassesWay
from toolbox.store.load.loading import Loaded

if TYPE_CHECKING:
    import pyarrow as pa


def preview_file(named: Path, source: Path, kept: Path | None) -> RecodingPreview:
    """Say what a saved recoding, or that of a configuration, would make of another table.

    Parameters
    ----------
    named : path
        Of the recoding; or of a configuration, whose release is made once more and thrown away.
    kept : path, optional
        File that gets the recoding; none that is read here.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    config = configuration.read_configuration(named) if named.suffix.lower() == ".xml" else None
    if kept is not None:
        keeps = [named, *checks.list_read_files(config, source)]
        require_free(kept, replaces=True, keeps=keeps, option="--save-recoding")
    saved = read_recoding(named) if config is None else fit_recoding(config)
    preview = preview_recoding(saved, source)
    if kept is not None:
        write_whole(kept, saved.text(), "recoding", replaces=True)
    return preview


def preview_recoding(recoding: SavedRecoding, source: Any, limits: Limits | None = None) -> RecodingPreview:
    """Say what is new in another table, what is gone, and what does not hold any more; nothing is released.

    Parameters
    ----------
    source : path or table
        Of the next month.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or has values that do not fit their columns.
    """
    config, table, has = open_table(recoding, source, limits)
    known, declared = recoding.document.get("tableColumns"), list_declared_columns(config)
    lacking = tuple(column for column in declared if has and column not in has)
    return RecodingPreview(
        recoding=recoding.source,
        sha256=recoding.digest,
        table=str(source) if table is None else "the table",
        new_columns=tuple(column for column in has if column not in (known or declared)),
        gone_columns=tuple(column for column in known or declared if has and column not in has),
        lacking=lacking,
        knows_all_columns=known is not None,
        undeclared=config.undeclared,
        foreseen=None if lacking else _read(config, recoding, table),
    )


def _read(config: Config, recoding: SavedRecoding, table: pa.Table | None) -> Foreseen:
    # A column that nobody declared stops a release, and no look.
    lenient = replace(config, undeclared="pass") if config.undeclared == "fail" else config
    return read_as_run(lenient, table, lambda loaded: _foresee(lenient, recoding, loaded))


def _foresee(config: Config, recoding: SavedRecoding, loaded: Loaded) -> Foreseen:
    """Apply a recoding in all ways to what was loaded, and prove each."""
    method, counted = AppliedRecoding.choose(config).made(config, models_of(config)), loaded.tables.fold()
    shows = config.output.format.tells_classes_apart
    # One record is enough for a class, so that each stays as the recoding says.
    lenient = replace(method, models=(KAnonymity(k=1),), small="", suppression_threshold=0)
    as_said = lenient.measure(loaded.tables, method.models, tells_classes_apart=shows)
    suppressing, small = _try_suppression(loaded, method, config)
    merging = _try(loaded, replace(method, small="merge"), config)
    first = method.suppresses_first and not suppressing.problem
    return Foreseen(
        records=loaded.tables.record_count,
        records_read=loaded.records_read,
        records_skipped=loaded.records_skipped,
        noun="record" if counted is loaded.tables else "person",
        columns=_compare_values(config, recoding, loaded),
        models=as_said.proof.models,
        classes=as_said.proof.classes,
        small_classes=as_said.proof.classes - small.classes,
        small_records=small.counted,
        small_noun=small.noun,
        ways=(suppressing, merging) if first else (merging, suppressing),
    )


class _Small(NamedTuple):
    """What is left when everything is suppressed that is too small, and how much that is."""

    classes: int
    counted: int
    noun: str
    """What is counted: records, or persons."""


def _try_suppression(loaded: Loaded, method: AppliedRecoding, config: Config) -> tuple[SmallClassesWay, _Small]:
    """Suppress all classes that are too small, however many may be; say whether that is a release."""
    tables, limit, shows = loaded.tables, method.suppression_threshold, config.output.format.tells_classes_apart
    everybody = tables.person_count if tables.suppresses_persons else tables.fold().record_count
    noun = "person" if tables.suppresses_persons or tables.fold() is not tables else "record"
    allowed = limit.of(everybody) if isinstance(limit, Portion) else limit
    unlimited = replace(method, small="suppress", suppression_threshold=everybody)
    try:
        made = unlimited.measure(tables, method.models, tells_classes_apart=shows)
    except UnsatisfiableError as error:
        return SmallClassesWay(small_classes="suppress", problem=str(error)), _Small(0, everybody, noun)
    found = made.tables.reapplied
    assert found is not None, "a recoding was applied"
    small, problem = _Small(made.proof.classes, found.suppressed, noun), ""
    if found.suppressed > allowed:
        problem = f"{format_count(found.suppressed, noun)} would be suppressed, and {allowed:,} may be."
    elif not all(model.holds for model in made.proof.models):
        problem = "A required model does not hold, whatever is suppressed."
    if problem:
        return SmallClassesWay(small_classes="suppress", problem=problem), small
    return _describe_way(unlimited, loaded, made, config), small


def _try(loaded: Loaded, method: AppliedRecoding, config: Config) -> SmallClassesWay:
    """Make a release in one way, and prove it."""
    try:
        return _describe_way(method, loaded, make_release(loaded, method, config), config)
    except (UnsatisfiableError, UsageError) as error:
        return SmallClassesWay(small_classes=method.small, problem=str(error))


def _describe_way(method: AppliedRecoding, loaded: Loaded, made: Anonymization, config: Config) -> SmallClassesWay:
    found = made.tables.reapplied
    assert found is not None, "a recoding was applied"
    return SmallClassesWay(
        small_classes=method.small,
        kept=found.kept,
        merged=found.merged,
        suppressed=found.suppressed,
        classes=made.proof.classes,
        smallest_class=made.proof.smallest_class,
        information=measure_kept(config, method, loaded, made),
    )


def _compare_values(config: Config, recoding: SavedRecoding, loaded: Loaded) -> tuple[NextColumn, ...]:
    """Compare the values of each quasi-identifier with those that the recoding knows."""
    tables = loaded.tables.fold()
    unseen, found = list_unseen_values(tables, recoding), []
    regions = recoding.document.get("regions", {}).get("columns", [{}] * len(unseen))
    for declared, column, region, new in zip(
        config.quasi_identifiers, tables.quasi_identifiers, regions, unseen, strict=True
    ):
        listed = region.get("values")
        if listed is None and declared.hierarchy is not None and column.kind == "category":
            listed = declared.categories
        occurring = {label for (label,) in tables.store.rows(select(column.ground.c.label))}
        gone = tuple(value for value in listed or () if value not in occurring)
        known = None if listed is None else len(listed)
        found.append(NextColumn(name=column.name, known=known, unseen=new, gone=gone))
    return tuple(found)
