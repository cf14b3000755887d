"""The configuration that a suggestion becomes: every column with its evidence, and what the settings mean."""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolbox.config.draft import Draft, DraftColumn, Section, can_be_a_name
from toolbox.config.file_kinds import is_parquet
from toolbox.config.model import DEFAULT_MISSING, Input
from toolbox.config.outputs import extension
from toolbox.errors import UsageError
from toolbox.messages import counted
from toolbox.suggestions.builders import Generalisation
from toolbox.suggestions.plan import MOST_LEFT_OUT, Plan, percent
from toolbox.suggestions.roles import Role
from toolbox.suggestions.suggested import Suggested

_SECTIONS: Final = MappingProxyType[Role, Section](
    {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens", "as it is": "sens"}
)
_METHOD: Final = (
    "Mondrian runs on every table and loses little: it cuts the records in two, again and again, as long as each part "
    "keeps k of them. Each person then hides among at least k. Columns that are not named below are left "
    "out (undeclared='drop'), so that a new column of next month is not released by accident."
)
_COMMENTS: Final = MappingProxyType[Section, str](
    {
        "id": "Dropped: columns that name or reach a person, or in which nearly all values differ.",
        "qid": "Quasi-identifiers: others may know them. They are generalised until at least k people share all of "
        "them. Mondrian takes the trees (vgh) for the order of values; methods that climb hierarchies, such as "
        "Datafly, need them.",
        "sens": "Released as they are: nobody else should know them, or they distinguish nobody. Move every column "
        "that others may know to qid.",
    }
)


def draft_of(
    plan: Plan,
    source: Path,
    declared: Input | None,
    path: Path,
    output: Path | None = None,
    table: str | None = None,
) -> Draft:
    """Make the configuration of a plan.

    Parameters
    ----------
    plan : Plan
    source : Path
        The file with the table.
    declared : Input, optional
        How it is read, if it is delimited text.
    path : Path
        Where the configuration will be.
    output : Path, optional
        The release; by default ``<name>_release.csv`` beside the configuration.
    table : str, optional
        The sheet or the table of the file.

    Raises
    ------
    UsageError
        If no column is left to release, or none is a quasi-identifier.
    """
    if not plan.named("quasi-identifier", "sensitive", "as it is"):
        problem = f"Every column of {source} looks as if it named a person, so that nothing is left to release."
        raise UsageError(f"{problem} Say what each is: on a terminal toolbox init asks.")
    if not plan.named("quasi-identifier"):
        problem = f"No column of {source} is a quasi-identifier, so that there is nothing to generalise."
        raise UsageError(f"{problem} Choose qid for columns that others may know.")
    folder = path.parent
    release = release_beside(source, folder) if output is None else output
    return Draft(
        comment=_title(plan, source),
        attributes={"method": "Mondrian", "k": str(plan.k), "undeclared": "drop"},
        method_comment=_METHOD,
        input={
            "filename": _relative(source, folder),
            **({} if table is None else {"table": table}),
            **_reading(plan, declared),
        },
        input_comment=_reading_comment(plan),
        output={"filename": _relative(release, folder)},
        columns=[_column(plan, column) for column in plan.columns],
        section_comments=_COMMENTS,
    )


def release_beside(source: Path, folder: Path) -> Path:
    """Return where the release of a file goes: ``people.csv.gz`` becomes ``people_release.csv``."""
    return folder / f"{stem_of(source)}_release{'.parquet' if is_parquet(source) else '.csv'}"


def stem_of(source: Path) -> str:
    """Return what a table is called without its extension; that of a folder or a pattern is a name as well.

    Examples
    --------
    >>> stem_of(Path("people.csv.gz")), stem_of(Path("part-*.csv")), stem_of(Path(".csv"))
    ('people', 'part-_', '.csv')
    """
    name = source.name or source.resolve().name or "table"
    stem = name.removesuffix(extension(source)) or name
    return "".join("_" if letter in "*?[]" else letter for letter in stem)


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())


def _title(plan: Plan, source: Path) -> str:
    looked = "a sample of them was looked at" if plan.is_sample else "all were looked at"
    return (
        f"Suggested by toolbox init for {source.name}: {counted(plan.records, 'record')}, {looked}. Each guess has "
        "its evidence beside it: read them, and correct what is wrong. This file holds no value of the table."
    )


def _reading(plan: Plan, declared: Input | None) -> dict[str, str]:
    """Return how the input is read, as far as it is not as always."""
    notation = plan.notation
    attributes = {}
    if declared is not None:
        attributes = {
            "header": "true" if declared.header else "false",
            "separator": declared.separator.replace("\t", "\\t"),
        }
        if declared.encoding != "utf-8":
            attributes["encoding"] = declared.encoding
    # The texts of a workbook may hold such numbers as well.
    if notation.decimal != ".":
        attributes["decimal"] = notation.decimal
    if notation.thousands:
        attributes["thousands"] = notation.thousands
    if notation.mark not in (None, DEFAULT_MISSING):
        attributes["missing"] = str(notation.mark)
    if plan.keeps_missing:
        attributes["onMissing"] = "keep"
    return attributes


def _reading_comment(plan: Plan) -> str:
    if plan.keeps_missing:
        return (
            "Records that lack a value are kept: a missing value is a category of its own (onMissing='keep'). "
            "'skip' leaves such records out."
        )
    if plan.leaves_out:
        return (
            f"Records that lack a value of a column below are left out ({percent(plan.left_out)} of them), as "
            f"missing values cannot be kept among numbers and dates. From {percent(MOST_LEFT_OUT)} on such columns "
            "would be taken for words."
        )
    return ""


def _column(plan: Plan, column: Suggested) -> DraftColumn:
    section, position = _SECTIONS[column.role], column.profile.position
    headers = plan.headers
    is_named = headers is not None and can_be_a_name(column.name) and headers.count(column.name) == 1
    generalisation = plan.generalisation_of(column) if section == "qid" else Generalisation({}, {})
    remark = generalisation.remark
    shown = f"{column.name}: {column.why} ({column.sureness}). {plan.evidence(column)}."
    return DraftColumn(
        section=section,
        index=position,
        name=column.name if is_named else None,
        comment=f"{shown} {remark[:1].upper()}{remark[1:]}." if remark else shown,
        attributes=generalisation.attributes,
        hierarchy=generalisation.hierarchy,
    )
