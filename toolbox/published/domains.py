"""The people behind a release: the domain of each quasi-identifier, and combinations of its values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Integer,
    Select,
    String,
    cast,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.built_columns import add_missing_category
from toolbox.config.model import Attribute, Kind, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, format_number
from toolbox.messages import choose_setting_name, format_count
from toolbox.published.tables import ROOT, Domain, People, fetch_numbers
from toolbox.queries.dialect import Query, Table, choose_any_value, find_first_by
from toolbox.queries.scales import PLAIN, Calendar, Figures, Scale
from toolbox.store.engine.store import Store
from toolbox.store.values.built import build_number_hierarchy, build_text_hierarchy
from toolbox.store.values.column_type import TypeHints, find_nature
from toolbox.store.values.dates import build_calendar_hierarchy

# The domain of one quasi-identifier: the values of the people and those that its hierarchy lists, in their order.

Columns: TypeAlias = dict[str, tuple[type, Sequence[object]]]
Numbers: TypeAlias = Sequence[float]


def build_domain(
    store: Store,
    attribute: QuasiIdentifier,
    texts: Query,
    clues: TypeHints,
    name: str,
    kept_missing: str | None = None,
    others: Domain | None = None,
) -> Domain:
    """Return the domain of a quasi-identifier, its values in order.

    Parameters
    ----------
    texts : Select
        ``text, records``: each distinct text of the people once, null included.
    clues : TypeHints
        What the input says of the column; where nobody says it, it holds numbers if all of its texts are some.
    name : str
        What messages call the people's table.
    kept_missing : str, optional
        What the release calls a missing category; without it, a missing value has no name.
    others : Domain, optional
        That of other people, whose values are known, though nobody here may have them.

    Raises
    ------
    InputError
        If a value is not in the hierarchy, or no number where there should be one.
    """
    distinct = store.create("texts", texts)
    nature = find_nature(store, attribute, distinct, clues)
    known = nature.kind
    if others is not None and known == others.kind:
        distinct = _add_other_people(store, distinct, others)
    if known == "category":
        attribute = build_text_hierarchy(store, attribute, distinct, select(distinct.c.text, distinct.c.records))
    if kept_missing is not None and known == "category" and "" not in (attribute.categories or {}):
        attribute, distinct = _add_missing_category(store, attribute, distinct, kept_missing)
    is_number = known == "number"
    read = (
        _read_numbers(store, attribute, distinct, nature.scale)
        if is_number
        else _assign_codes(store, attribute, distinct)
    )
    spellings = store.create("spellings", _rank_values(read.subquery(), known))
    values = store.create("values", _select_values(spellings))
    _require_known(store, attribute, spellings, nature.scale, name)
    store.drop(distinct)
    size = store.count(values)
    if is_number:
        attribute = _build_hierarchy(store, attribute, values, nature.scale, name)
    hierarchy = _choose_hierarchy(store, attribute, nature.scale, values)
    numbers = fetch_numbers(store, values) if is_number or hierarchy is not None else ()
    return Domain(
        name=str(attribute.column),
        kind=known,
        spellings=spellings,
        values=values,
        nodes=_create_nodes(store, hierarchy, numbers, size, attribute.listed),
        size=size,
        height=hierarchy.height if hierarchy else 1,
        has_hierarchy=hierarchy is not None,
        low=numbers[0] if is_number and numbers else None,
        high=numbers[-1] if is_number and numbers else None,
        weight=1.0 if attribute.weight is None else attribute.weight,
        scale=nature.scale,
        is_ordered=attribute.ordered,
    )


def build_sensitive_domain(
    store: Store,
    attribute: Attribute,
    rows: FromClause,
    kind: Kind | None,
    zone: str | None,
    figures: Figures,
    name: str,
) -> Domain:
    """Return the domain of a sensitive attribute, which is released as it is.

    Parameters
    ----------
    rows : FromClause
        ``text, records``: its texts, of the people and of the release.
    kind, zone, figures
        What the input says of the column.
    name : str
        What messages call the table.

    Raises
    ------
    InputError
        If a value is no number where there should be one.
    """
    counted = select(rows.c.text, cast(func.sum(rows.c.records), BigInteger).label("records")).group_by(rows.c.text)
    declared = {field.name: getattr(attribute, field.name) for field in fields(Attribute)}
    return build_domain(store, QuasiIdentifier(**declared), counted, TypeHints(kind, zone, figures), name)


def _add_other_people(store: Store, texts: Table, others: Domain) -> Table:
    """Add the texts of other people, whom nobody here is like."""
    known = select(texts.c.text).where(texts.c.text.is_not(None))
    theirs = select(others.spellings.c.text, cast(literal(0), BigInteger).label("records"))
    added = theirs.where(others.spellings.c.text.is_not(None), others.spellings.c.text.not_in(known))
    return store.create("texts", select(union_all(select(texts.c.text, texts.c.records), added).subquery()))


def _build_hierarchy(
    store: Store, attribute: QuasiIdentifier, values: Table, scale: Scale, name: str
) -> QuasiIdentifier:
    """Make the hierarchy of numbers or dates, if something builds one.

    Raises
    ------
    InputError
        If a value has no place in it.
    """
    counted_values = select(values.c.number.label("value"), values.c.records).subquery()
    attribute, unplaced = build_number_hierarchy(store, attribute, counted_values, scale, counted_values)
    if unplaced and attribute.other == "error":
        raise _make_outside_error(attribute, len(unplaced), name)
    return attribute


def _make_outside_error(attribute: QuasiIdentifier, unknown: int, name: str) -> InputError:
    """Return the error about values that the hierarchy does not know."""
    them = "it" if unknown == 1 else "them"
    values = format_count(unknown, "value")
    if attribute.builder is None:
        remedy = f"Add {them} to the hierarchy."
        return InputError(f"{name}: {attribute.column} has {values} that its hierarchy does not list. {remedy}")
    found = f"{name}: {attribute.column} has {values} outside the hierarchy that {attribute.builder.name} builds."
    return InputError(f"{found} {attribute.builder.hint} Or say other='root' beside the hierarchy.")


def _choose_hierarchy(store: Store, attribute: QuasiIdentifier, scale: Scale, values: Table) -> Hierarchy | None:
    """Return the declared hierarchy, or that of the periods to which dates are generalised."""
    if (
        attribute.hierarchy is not None
        or not isinstance(scale, Calendar)
        or not store.scalar(select(func.count(values.c.number)))
    ):
        return attribute.hierarchy
    dates = select(values.c.number.label("value")).where(values.c.number.is_not(None))
    return build_calendar_hierarchy(store, dates.subquery(), scale, attribute.date_periods)


def _add_missing_category(
    store: Store, attribute: QuasiIdentifier, texts: Table, name: str
) -> tuple[QuasiIdentifier, Table]:
    """Add a category for missing values, if there are any: ``text, records, name``, with the text of its name."""
    named = func.coalesce(texts.c.text, name).label("name")
    rows = select(*texts.c, named)
    missing, known = store.row(select(func.count().filter(named == name), func.count().filter(texts.c.text == name)))
    if not missing:
        return attribute, texts
    if not known:
        nobody = cast(literal(0), BigInteger).label("records")
        rows = select(
            union_all(rows, select(literal(name).label("text"), nobody, literal(name).label("name"))).subquery()
        )
    return add_missing_category(attribute, name), store.create("texts", rows)


def _read_numbers(store: Store, attribute: QuasiIdentifier, texts: Table, scale: Scale) -> Query:
    """Read texts as numbers, and add numbers that only the hierarchy lists: ``text, records, number, is_known``."""
    number = scale.value(texts.c.text)
    is_known = or_(texts.c.text.is_(None), number.is_not(None))
    read = select(*texts.c, number.label("number"), is_known.label("is_known"))
    if attribute.listed is None:
        return read
    columns = {
        "text": (str, [format_number(number) for number in attribute.listed]),
        "number": (float, attribute.listed),
    }
    listed = store.create_constant("listed", columns)
    is_listed = or_(texts.c.text.is_(None), number.in_(select(listed.c.number)))
    among = is_known if attribute.other == "root" else is_listed
    read = select(*texts.c, number.label("number"), func.coalesce(among, literal(False)).label("is_known"))
    missing = ~listed.c.number.in_(select(number).where(number.is_not(None)))
    return select(union_all(read, _select_unseen(listed).where(missing)).subquery())


def _assign_codes(store: Store, attribute: QuasiIdentifier, distinct: Table) -> Query:
    """Assign the declared codes to categories, and add categories that nobody has.

    Returns ``text, records, number, is_known, name``.
    """
    name = distinct.c.get("name", distinct.c.text).label("name")
    counts = (distinct.c.text, distinct.c.records)
    if attribute.categories is None:
        return select(*counts, cast(null(), Double).label("number"), literal(True).label("is_known"), name)
    codes = [float(code) for code in attribute.categories.values()]
    # An empty text is read as a missing value.
    texts = [text or None for text in attribute.categories]
    declared = store.create_constant("declared", {"text": (str, texts), "number": (float, codes)})
    is_known = or_(name.is_(None), declared.c.number.is_not(None)).label("is_known")
    read = select(*counts, declared.c.number, is_known, name).join_from(
        distinct, declared, declared.c.text.is_not_distinct_from(name), isouter=True
    )
    unseen = ~exists().where(name.is_not_distinct_from(declared.c.text))
    named = _select_unseen(declared).add_columns(declared.c.text.label("name"))
    return select(union_all(read, named.where(unseen)).subquery())


def _select_unseen(listed: Table) -> Select[Any]:
    nobody = cast(literal(0), BigInteger).label("records")
    return select(listed.c.text, nobody, listed.c.number, literal(True).label("is_known"))


def _require_known(store: Store, attribute: QuasiIdentifier, spellings: Table, scale: Scale, name: str) -> None:
    """Stop where a value cannot be placed."""
    unknown = int(store.scalar(select(func.count()).where(~spellings.c.is_known)))
    if not unknown:
        return
    listed = attribute.categories is not None or attribute.listed is not None
    if listed:
        raise _make_outside_error(attribute, unknown, name)
    what = "date" if isinstance(scale, Calendar) else "number"
    problem = format_count(unknown, f"value that is no {what}", f"values that are no {what}s")
    column = str(attribute.column)
    remedy = choose_setting_name(f"--kind {column}=category", python=f"kinds={{{column!r}: 'category'}}")
    raise InputError(f"{name}: {column} has {problem}. Correct the input, or write {remedy}.")


def _rank_values(spelled: FromClause, kind: Kind) -> Query:
    """Assign numbers from 0 to the values in their order; one number may be written in many ways."""
    order = [spelled.c.number.asc().nulls_last()]
    if kind == "category":
        order.append(spelled.c.name.asc().nulls_last())
    value = cast(func.dense_rank().over(order_by=order) - 1, Integer).label("value_id")
    records = cast(spelled.c.records, BigInteger).label("records")
    return select(spelled.c.text, value, spelled.c.number, records, spelled.c.is_known)


def _select_values(spellings: Table) -> Query:
    text, value = spellings.c.text, spellings.c.value_id
    shortest = find_first_by(text, func.concat(func.lpad(cast(func.length(text), String), 9, "0"), text)).label("label")
    records = cast(func.sum(spellings.c.records), BigInteger)
    before = cast(func.sum(records).over(order_by=value) - records, BigInteger).label("before")
    number = choose_any_value(spellings.c.number).label("number")
    return select(value, shortest, number, records.label("records"), before).group_by(value).order_by(value)


def _create_nodes(
    store: Store, hierarchy: Hierarchy | None, numbers: Numbers, size: int, listed: Numbers | None
) -> Table:
    """Create a table of the nodes of a hierarchy with the values below them; the root has all, also missing ones.

    Parameters
    ----------
    listed : sequence of float, optional
        The only numbers that are below a node which is not the root.
    """
    if hierarchy is None:
        root: Columns = {"node_id": (int, [0]), "level": (int, [1]), "label": (str, [ROOT]), "first": (int, [0])}
        bounds: Columns = {"low": (float, [None]), "high": (float, [None])}
        return store.create_constant("nodes", {**root, "last": (int, [size - 1]), **bounds})
    nodes = list(hierarchy.nodes())
    intervals = [node.interval for node, _ in nodes]
    first, last = find_interval_ranks(numbers, intervals)
    known = None if listed is None else frozenset(listed)
    gaps = [] if known is None else [place for place, number in enumerate(numbers) if number not in known]
    cut = (_cut_at_gaps(gaps, *ends) for ends in zip(first[1:], last[1:], strict=True))
    rows = [(number, *ends) for number, parts in enumerate([[(0, size - 1)], *cut]) for ends in parts]
    own = [number for number, _, _ in rows]
    return store.create_constant(
        "nodes",
        {
            "node_id": (int, own),
            "level": (int, [nodes[number][1] for number in own]),
            "label": (str, [nodes[number][0].label for number in own]),
            "first": (int, [first for _, first, _ in rows]),
            "last": (int, [last for _, _, last in rows]),
            "low": (float, [intervals[number].low for number in own]),
            "high": (float, [intervals[number].high for number in own]),
        },
    )


def _cut_at_gaps(gaps: Sequence[int], first: int, last: int) -> list[tuple[int, int]]:
    """Cut a range of values into those between gaps; a range without values stays.

    Examples
    --------
    >>> _cut_at_gaps([1, 4], 0, 3), _cut_at_gaps([1, 4], 2, 1)
    ([(0, 0), (2, 3)], [(2, 1)])
    """
    within = gaps[bisect_left(gaps, first) : bisect_right(gaps, last)]
    parts = zip([first, *(gap + 1 for gap in within)], [*(gap - 1 for gap in within), last], strict=True)
    return [(start, end) for start, end in parts if start <= end or not within]


# Where intervals begin and end among ascending numbers, all intervals at once.


def find_interval_ranks(numbers: Numbers, intervals: Sequence[Interval]) -> tuple[list[int], list[int]]:
    """Find the first and the last of ascending numbers in each interval; the last is before the first if there is none.

    Examples
    --------
    >>> find_interval_ranks([17.0, 20.0, 25.0], [Interval(17, 20), Interval(18, 19)])
    ([0, 1], [1, 0])
    """
    first = [(bisect_left if each.low_closed else bisect_right)(numbers, each.low) for each in intervals]
    after = [(bisect_right if each.high_closed else bisect_left)(numbers, each.high) for each in intervals]
    return first, [place - 1 for place in after]


def build_people(
    store: Store,
    counted: Table,
    attributes: Sequence[QuasiIdentifier],
    kinds: Sequence[Kind | None],
    name: str,
    kept_missing: Mapping[str, str] = MappingProxyType({}),
    figures: Figures = PLAIN,
    zones: Sequence[str | None] | None = None,
    others: People | None = None,
) -> People:
    """Order the values of people, and count their combinations.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: their texts in the quasi-identifiers, each combination once.
    kinds : sequence of {'number', 'category', None}
        What the input says of each column.
    name : str
        What messages call their table.
    kept_missing : mapping of quasi-identifier to text, optional
        What the release calls a missing category.
    figures : Figures
        How it writes numbers where it is text.
    zones : sequence of str, optional
        The zones of timestamps, where the input says them.
    others : People, optional
        Those of a population, so that a release may also name values that only they have.

    Raises
    ------
    InputError
        If a value is not in its hierarchy, or no number where there should be one.
    """
    nowhere: list[str | None] = [None] * len(attributes)
    domains = tuple(
        build_domain(
            store,
            attribute,
            _count_texts(counted, index),
            TypeHints(kind, zone, figures),
            name,
            kept_missing.get(str(attribute.column)),
            None if others is None else others.domains[index - 1],
        )
        for index, (attribute, kind, zone) in enumerate(zip(attributes, kinds, zones or nowhere, strict=True), start=1)
    )
    joined, values = join_values(counted, domains)
    size = cast(func.sum(counted.c.size), BigInteger).label("size")
    index = cast(func.row_number().over(order_by=values) - 1, Integer).label("combination_id")
    combinations = store.create("combinations", select(index, size, *values).select_from(joined).group_by(*values))
    records = int(store.scalar(select(func.sum(combinations.c.size))))
    return People(name=name, domains=domains, combinations=combinations, records=records)


def join_values(counted: Table, domains: Sequence[Domain]) -> tuple[FromClause, list[ColumnElement[int]]]:
    """Join combinations of texts to their values: the join, and the columns ``value_1 ..``."""
    joined: FromClause = counted
    values: list[ColumnElement[int]] = []
    for index, domain in enumerate(domains, start=1):
        spelled = domain.spellings
        joined = joined.join(spelled, spelled.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        values.append(spelled.c.value_id.label(f"value_{index}"))
    return joined, values


def _count_texts(counted: Table, index: int) -> Query:
    text = counted.c[f"text_{index}"]
    return select(text.label("text"), cast(func.sum(counted.c.size), BigInteger).label("records")).group_by(text)
