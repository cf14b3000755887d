"""What a run has found, as a document by which other tables are generalised in the same way; no record is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import select

from toolbox.config.editing.declaring import format_declaration
from toolbox.config.file_names import keep_for_owner
from toolbox.config.model import Attribute, Config, QuasiIdentifier
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.recoding import VERSION, SavedRecoding, parse_recoding
from toolbox.errors import ConfigurationError, UsageError
from toolbox.methods.anonymizer import Anonymization, Anonymizer, collect_method_facts
from toolbox.methods.arrays.combinations import Numbers, Whole, combinations_of, list_level_codes
from toolbox.methods.mondrian.naming import name_regions, read_domain
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import collect_model_facts, make_models
from toolbox.queries.scales import Calendar
from toolbox.recodings.places import compute_entropy
from toolbox.store.tables import QuasiIdentifierTables, RegionTree, Tables

_BOUNDS: Final = {"low": "low", "high": "high", "low_closed": "lowClosed", "high_closed": "highClosed"}
_DISTRIBUTION: Final = "anonymisation-toolbox"


def make_recoding(
    config: Config, method: Anonymizer, initial: Tables, made: Anonymization, columns: Sequence[str] = ()
) -> SavedRecoding:
    """Make the recoding of a run.

    Parameters
    ----------
    config : Config
    method : Anonymizer
    initial : Tables
        As they were read.
    made : Anonymization
        Proved.
    columns : sequence of str
        The names of all columns of the table, so that new ones can be told; none where it has no header.

    Returns
    -------
    SavedRecoding

    Raises
    ------
    UsageError
        If the method has made classes that no other table could be given, or a name cannot be written.
    """
    finished = made.tables
    if finished.levels is not None:
        values: dict[str, int] = {}
        shape: dict[str, Any] = {"climb": _list_climb(initial), "levels": list(finished.levels)}
    elif finished.regions is not None:
        values, shape = _describe_regions(initial, finished.regions)
    else:
        values, cells = _describe_cells(finished, method.name)
        shape = {"climb": _list_climb(initial), "cells": cells}
    for attribute, column in zip(config.quasi_identifiers, initial.quasi_identifiers, strict=True):
        values[column.name] = values.get(column.name, 0) + _count_built_values(attribute, column)
    declaration = format_declaration(
        config,
        [
            _find_declared(one, column)
            for one, column in zip(config.quasi_identifiers, initial.quasi_identifiers, strict=True)
        ],
        [_find_sensitive(one, initial) for one in config.sensitive],
        [_list_model_words(model) for model in method.models],
    )
    document = {
        "recoding": VERSION,
        "made": {
            "program": f"{_DISTRIBUTION} {version(_DISTRIBUTION)}",
            "method": method.name,
            "settings": method.settings(),
            "records": made.proof.records,
            "classes": made.proof.classes,
            "suppressed": made.proof.records_suppressed,
        },
        "columns": [column.name for column in initial.quasi_identifiers],
        **({"tableColumns": list(columns)} if columns else {}),
        "valuesOfData": {name: count for name, count in values.items() if count},
        "configuration": declaration.splitlines(),
        **shape,
    }
    return SavedRecoding(document, str(config.output.recoding or config.source))


def write_recoding(
    config: Config,
    method: Anonymizer,
    initial: Tables,
    made: Anonymization,
    folder: Path,
    columns: Sequence[str] = (),
) -> dict[Path, Path]:
    """Write the recoding of a run, if it is asked for; return its file in a folder, and where it goes.

    Parameters
    ----------
    columns : sequence of str
        The names of all columns of the table.

    Raises
    ------
    UsageError
        If it cannot be saved.
    """
    if config.output.recoding is None:
        return {}
    recoding = make_recoding(config, method, initial, made, columns)
    require_readable(recoding, method.models)
    finished = folder / "recoding.json"
    finished.write_text(recoding.text(), encoding="utf-8")
    keep_for_owner(finished, "recoding")
    return {finished: config.output.recoding}


def require_readable(recoding: SavedRecoding, models: Sequence[PrivacyModel]) -> None:
    """Stop where what a recoding declares would not be read as it is meant.

    Raises
    ------
    UsageError
    """
    try:
        parse_recoding(recoding.text(), recoding.source)
        again = read_declaration(recoding)
    except ConfigurationError as error:
        said = " ".join(f"{fault.found} {fault.remedy}" for fault in error.faults[:3])
        raise UsageError(f"The recoding cannot be saved, since nobody could read it again. {said}") from None
    if make_models(again.requirements) != tuple(models):
        raise UsageError(
            "The recoding cannot be saved: no configuration can name the privacy models that are required."
        )


def read_declaration(recoding: SavedRecoding, source: Path | None = None) -> Config:
    """Read what a recoding declares, for a run that applies it.

    Parameters
    ----------
    source : Path, optional
        The file of the records; None: a table that the caller names.

    Raises
    ------
    ConfigurationError
        If it is damaged.
    """
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.reader import read_config

    config = read_config(
        None,
        recoding=recoding,
        overrides=Overrides(input="table" if source is None else str(source)),
        methods=collect_method_facts(),
        models=collect_model_facts(),
        is_run=False,
    )
    return replace(config, source=recoding.source)


# What was declared, with what the table has told of it.


def _find_declared(attribute: QuasiIdentifier, column: QuasiIdentifierTables) -> QuasiIdentifier:
    """Return a column as it was declared, with what it was found to hold."""
    scale, found = column.scale, column.attribute or attribute
    if isinstance(scale, Calendar):
        builder = None if attribute.builder is None else attribute.builder.of("date")
        periods = found.date_periods if column.has_hierarchy and builder is None else ()
        return replace(attribute, kind=scale.unit, format=scale.format, periods=periods, builder=builder)
    if _is_built_once(attribute):
        # It would make another hierarchy of other records.
        return replace(found, kind=column.kind, builder=None, periods=())
    return replace(attribute, kind=column.kind, periods=())


def _is_built_once(attribute: QuasiIdentifier) -> bool:
    """Return whether another run would build another hierarchy: of other records, or of a file."""
    builder = attribute.builder
    return builder is not None and (builder.counts_records or "file" in builder.attributes())


def _count_built_values(attribute: QuasiIdentifier, column: QuasiIdentifierTables) -> int:
    """Count the values of the table in a hierarchy that a builder has made of how often each occurs."""
    found = column.attribute
    if not _is_built_once(attribute) or found is None or found.hierarchy is None:
        return 0
    if isinstance(column.scale, Calendar):
        return 0
    leaves = sum(not node.children for node, _ in found.hierarchy.nodes())
    return leaves if found.categories is None else len(found.categories)


def _find_sensitive(attribute: Attribute, tables: Tables) -> Attribute:
    judged = tables.sensitive.get(str(attribute.column))
    return attribute if judged is None else replace(attribute, kind=judged.kind)


def _list_model_words(model: PrivacyModel) -> Mapping[str, str]:
    said = {name: str(value) for name, value in model.parameters().items() if value is not None}
    protected = {} if model.attribute is None else {"attribute": model.attribute}
    return {"name": model.name, **said, **protected}


# The order in which classes become wider.


def _list_climb(tables: Tables) -> list[list[int]]:
    """List the steps from the values to the roots, always the one next that costs least information.

    What a step costs is the entropy that a column loses by it.
    """
    _, sizes, ranks = combinations_of(tables)
    left = []
    for column, rank in zip(tables.quasi_identifiers, ranks, strict=True):
        counts = np.bincount(rank, sizes, column.values).astype(np.float64)
        left.append([compute_entropy(code, counts) for code in list_level_codes(tables, column)])
    levels, steps = [0] * len(left), list[list[int]]()
    while True:
        open_columns = [index for index, kept in enumerate(left) if levels[index] + 1 < len(kept)]
        if not open_columns:
            return steps
        cheapest = min(open_columns, key=lambda index: left[index][levels[index]] - left[index][levels[index] + 1])
        steps.append([cheapest, levels[cheapest]])
        levels[cheapest] += 1


# A local recoding by levels: the generalised values of each class.


def _describe_cells(tables: Tables, method: str) -> tuple[dict[str, int], dict[str, Any]]:
    """Describe the classes, narrow ones first; count the values that are classes of their own, by column."""
    equivalence, names = tables.equivalence, tables.interval_names
    columns = (equivalence.c[name] for name in names)
    classes = tables.store.to_arrays(select(*columns).where(~equivalence.c.suppressed).distinct())
    lost, rows, described, values = np.zeros(len(classes[names[0]])), [], [], {}
    for name, column in zip(names, tables.quasi_identifiers, strict=True):
        ids, places = np.unique(classes[name], return_inverse=True)
        levels, covered = _find_levels(tables, column, ids)
        if (levels < 0).any():
            raise UsageError(f"A recoding of {method} with classes that no level of a hierarchy names cannot be saved.")
        rows.append(places)
        lost += ((covered - 1) / max(column.values - 1, 1))[places]
        described.append(_name_cells(tables, column, ids, levels))
        values[column.name] = int((levels == 0).sum())
    order = np.lexsort((*rows[::-1], lost.round(12)))
    return values, {"names": described, "rows": np.stack(rows, axis=1)[order].tolist()}


def _find_levels(tables: Tables, column: QuasiIdentifierTables, ids: Whole) -> tuple[Numbers, Numbers]:
    """Find the lowest level of some intervals, -1 for those that lie in no hierarchy, and the values of each."""
    codes = list_level_codes(tables, column)
    last = 1 + max(int(ids.max(initial=0)), *(int(code.max()) for code in codes))
    level_of, values = np.full(last, -1), np.ones(last, np.int64)
    for level in reversed(range(len(codes))):
        level_of[codes[level]] = level
        counted = np.bincount(codes[level], minlength=last)
        values[codes[level]] = counted[codes[level]]
    return level_of[ids], values[ids]


def _name_cells(tables: Tables, column: QuasiIdentifierTables, ids: Whole, levels: Numbers) -> list[dict[str, Any]]:
    found = _fetch_intervals(tables, column, ids, "label", "low")
    is_number = column.kind == "number"
    return [
        {"level": level, "value": low} if is_number and level == 0 else {"level": level, "label": label}
        for level, label, low in zip(levels.tolist(), found["label"], found["low"], strict=True)
    ]


def _fetch_intervals(tables: Tables, column: QuasiIdentifierTables, ids: Whole, *names: str) -> dict[str, list[Any]]:
    """Fetch what is known of some intervals, ascending ids."""
    store, interval = tables.store, column.intervals.c
    wanted = store.from_arrays("wanted", {"interval_id": ids.astype(np.int32)})
    asked = select(*(interval[name] for name in names)).join_from(
        column.intervals, wanted, wanted.c.interval_id == interval.interval_id
    )
    rows = store.rows(asked.order_by(interval.interval_id))
    store.drop(wanted)
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


# A local recoding by cuts: the tree of the regions, and their names.


def _describe_regions(tables: Tables, tree: RegionTree) -> tuple[dict[str, int], dict[str, Any]]:
    """Describe the regions; count the values at which they are cut, or by which they are named, by column."""
    columns, names, at, values = [], [], np.zeros(len(tree.left)), {}
    for index, column in enumerate(tables.quasi_identifiers):
        described, places = _describe_region_column(tables, column, tree.lower[index], tree.upper[index])
        here = tree.dimension == index
        at[here] = tree.rank[here]
        if column.kind == "number":
            known = read_domain(tables, column).values
            at[here] = known[tree.rank[here]]
            values[column.name] = len(np.unique(tree.rank[here]))
        else:
            values[column.name] = column.values
        columns.append(described)
        names.append(places)
    cut = zip(tree.dimension.tolist(), at.tolist(), tree.inclusive.tolist(), tree.left.tolist(), strict=True)
    nodes = [[] if left < 0 else [dimension, value, inclusive, left] for dimension, value, inclusive, left in cut]
    return values, {"regions": {"columns": columns, "nodes": nodes, "names": np.stack(names, axis=1).tolist()}}


def _describe_region_column(
    tables: Tables, column: QuasiIdentifierTables, lower: Whole, upper: Whole
) -> tuple[dict[str, Any], Numbers]:
    """Describe the names of regions in one column; return the place of the name of each node among them, too."""
    found, extended = name_regions(tables, column, lower, upper)
    ids, first, places = np.unique(np.append(column.root, found), return_index=True, return_inverse=True)
    # The whole comes first, whatever its number is.
    whole = int(places[0])
    order = np.argsort(np.where(np.arange(len(ids)) == whole, -1, np.arange(len(ids))))
    place_of = np.argsort(order)[places[1:]]
    said = _fetch_intervals(tables, extended, ids, "label", *_BOUNDS)
    if column.kind == "number":
        domain = read_domain(tables, column)
        names = [
            {"label": said["label"][place], **{to: said[name][place] for name, to in _BOUNDS.items()}}
            for place in order.tolist()
        ]
        return {"low": float(domain.low), "high": float(domain.high), "names": names}, place_of
    labels = tables.store.rows(select(column.ground.c.label).order_by(column.ground.c.level_0))
    ends = _find_ends(lower, upper, len(labels))
    names = []
    for place in order.tolist():
        shown = {"first": 0, "last": len(labels) - 1}
        if place != whole:
            node = first[place] - 1
            shown = {"first": int(ends[0][node]), "last": int(ends[1][node])}
        names.append({"label": said["label"][place], **shown})
    return {"values": [label for (label,) in labels], "names": names}, place_of


def _find_ends(lower: Whole, upper: Whole, values: int) -> tuple[Numbers, Numbers]:
    """Return the first and the last rank of each region."""
    first = np.where(lower < 0, 0, (lower >> 1) + (lower & 1 == 0))
    last = np.where(upper < 0, values - 1, (upper >> 1) - (upper & 1 == 0))
    return first, last
