"""Safe Harbor of HIPAA: what the rule says of the columns of a plan, and of ZIP codes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from sqlalchemy import String, and_, case, cast, func, literal, select

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.flows.explore.suggest import guess_reading
from toolbox.messages import format_count
from toolbox.queries.dialect import matches
from toolbox.queries.scales import as_number
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.suggestions.plan import ColumnGeneralisation, RolePlan, Suggested
from toolbox.suggestions.roles import apply_safe_harbor

_CROWDED: Final = 20_000
"""More people must live in the places that share three digits of a ZIP code (45 CFR 164.514(b)(2)(i)(B))."""


def follow_safe_harbor(plan: RolePlan, zip_hierarchy: Path | None) -> RolePlan:
    """Replace guesses by what the rule says; where nothing else is a quasi-identifier, what is released is one.

    Parameters
    ----------
    plan : RolePlan
    zip_hierarchy : Path, optional
        The hierarchy of ZIP codes that Safe Harbor allows, relative to the configuration; None: nobody knows how many
        people live where.
    """
    followed = tuple(_follow_for_column(column, zip_hierarchy) for column in plan.columns)
    if not any(column.role == "quasi-identifier" for column in followed):
        kept = "a run needs one quasi-identifier at least, and with k=1 it stays as it is"
        followed = tuple(
            one.changed("quasi-identifier", kept, "likely") if one.is_released and not one.treatment else one
            for one in followed
        )
    return replace(plan, columns=followed, preset="hipaa-safe-harbor")


def _follow_for_column(column: Suggested, zip_hierarchy: Path | None) -> Suggested:
    said = apply_safe_harbor(column.profile, knows_population=zip_hierarchy is not None)
    if said is None:
        # What makes a record unique was counted with all values as they are.
        return replace(column, alone_with=None)
    why = f"Safe Harbor {said.why}"
    shown = replace(column.changed(said.role, why, "sure"), treatment=said.treatment, alone_with=None)
    if said.role != "quasi-identifier":
        return shown
    attributes, tree = {"type": "category", "minLevel": "1"}, {"file": str(zip_hierarchy), "other": "root"}
    return replace(shown, generalisation=ColumnGeneralisation(attributes, tree))


def build_zip_hierarchy(population: Path) -> str:
    """Build the hierarchy of ZIP codes that Safe Harbor allows: three digits, or 000 where few people live; then all.

    Parameters
    ----------
    population : Path
        A table whose first column is the ZIP code, of five digits, and whose second the people who live there.

    Raises
    ------
    InputError
        If it cannot be read, or a line says something else.
    """
    files = InputFiles(guess_reading(Input(path=population), is_encoded=False, has_header=None))
    with Store() as store, translate_file_errors(store.folder), files.watch_reading():
        source = files.source(store)
        if source.width != 2:
            raise InputError(f"{population}: found {source.width} columns. Write two: the ZIP code, and its people.")
        relation = source.relation()
        code, people = cast(relation.c.c0, String), as_number(cast(relation.c.c1, String))
        read = store.create("zips", select(code.label("code"), people.label("people")))
        source.account(store.count(read), is_strict=True)
        right = and_(matches(read.c.code, "[0-9]{5}"), read.c.people >= 0)
        wrong = store.scalar(select(func.count()).where(~func.coalesce(right, literal(False))))
        if wrong or not store.count(read):
            lines = format_count(int(wrong), "line has", "lines have")
            raise InputError(
                f"{population}: {lines} no ZIP code of five digits and a number of people. Write them in two columns."
            )
        area = func.left(read.c.code, 3)
        people_there = func.sum(read.c.people).over(partition_by=area)
        shown = case((people_there > _CROWDED, area), else_=literal("000"))
        rows = select(read.c.code, shown.label("shown")).distinct().order_by(read.c.code)
        return "".join(f"{code};{area_shown};*\n" for code, area_shown in store.rows(rows))
