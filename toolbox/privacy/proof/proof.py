"""The proof between every method and every release: it relies on nothing that the method says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import BigInteger, FromClause, and_, cast, func, literal, or_, select, union_all

from toolbox.errors import UsageError
from toolbox.messages import format_count, format_people
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.people import (
    PEOPLE,
    AlikePersons,
    FewPeople,
    SeenPersons,
    count_people_required,
    find_few_people,
)
from toolbox.privacy.proof.placed import (
    HELD,
    Placed,
    find_value_column,
    gather_row_bits,
    has_shown_values,
    place,
    require,
    select_class_values,
)
from toolbox.privacy.results import ModelResult, judge_classes, require_all
from toolbox.queries.dialect import Query, Table, count_where, is_listed
from toolbox.queries.labels import build_class_labels, is_within_bounds, is_within_label
from toolbox.queries.scales import Calendar
from toolbox.store.engine.store import Store
from toolbox.store.prefix_join import Side, build_side, pair_fitting_rows, sum_covered_weights
from toolbox.store.tables import QuasiIdentifierTables, Tables

_ENDS: Final = ((func.min, "lowest"), (func.max, "highest"))
_NEAR: Final = 1e-9
"""How far a mean may be from that of another summation, beside the largest value of its class."""

# The people whom each class of finished tables covers, counted from what its generalised values stand for.
#
# Nothing of this is known to a method: a class covers a person if each of its intervals takes the person's value in,
# also where the cells of several classes overlap. `toolbox check` counts the same on the texts of a release.


def count_covered_people(final: Tables, seen: Table | None) -> Table:
    """Count the people of the population whom each class covers; suppressed records form no class.

    Parameters
    ----------
    seen : Table, optional
        ``equivalence_id, seen_id, suppressed``: the classes that a reader tells apart. Where two have the same texts,
        the fewer people count.

    Returns
    -------
    Table
        ``equivalence_id, size, outside``, with the people whom no class covers.

    Raises
    ------
    UsageError
        If there is no population.
    """
    if final.population is None:
        raise UsageError("The model compares classes with a population, and none is given.")
    store, names = final.store, final.interval_names
    people = build_side(store, final.population.combinations, "combination_id", names)
    classes = build_side(store, final.equivalence, "equivalence_id", names, where=~final.equivalence.c.suppressed)
    spans = [store.create("spans", _list_cell_spans(final, index)) for index, _ in enumerate(names)]
    fits = pair_fitting_rows(store, people, classes, spans)
    found = sum_covered_weights(people, classes, fits, len(names)).subquery().c
    counted = store.create("covered", select(found.id.label("equivalence_id"), found.covered.label("size")))
    outside = final.population.figures.people - _count_people_inside(store, people, fits, f"prefix_{len(names)}")
    store.drop(*spans, fits, people.table, classes.table)
    nobody = cast(literal(outside), BigInteger).label("outside")
    if seen is None:
        return store.create("people", select(*counted.c, nobody))
    as_seen = counted.join(seen, seen.c.equivalence_id == counted.c.equivalence_id)
    fewest = func.min(counted.c.size).label("size")
    rows = select(seen.c.seen_id.label("equivalence_id"), fewest, nobody).select_from(as_seen)
    as_a_reader = store.create("people", rows.group_by(seen.c.seen_id))
    store.drop(counted)
    return as_a_reader


def weigh_classes(final: Tables, pairs: FromClause, seen: Table | None) -> Table:
    """Sum up the people for whom the records of each class stand: ``equivalence_id, size, outside``.

    Parameters
    ----------
    pairs : FromClause
        ``combination_id, equivalence_id``, of all records.
    seen : Table, optional
        See `count_covered_people`. Where two classes have the same texts, both stand for their people together.
    """
    assert final.population is not None, "the caller knows that there is one"
    placed = select(pairs.c.combination_id, pairs.c.equivalence_id).distinct().subquery()
    repeated = func.count() - func.count(placed.c.combination_id.distinct())
    require(final.store.scalar(select(repeated)) == 0, "records of one combination are in several classes")
    own, people = final.combinations, final.population.combinations
    same = and_(*(own.c[name] == people.c[name] for name in final.interval_names))
    joined = placed.join(own, own.c.combination_id == placed.c.combination_id).join(people, same)
    class_id = placed.c.equivalence_id
    if seen is not None:
        joined, class_id = joined.join(seen, seen.c.equivalence_id == class_id), seen.c.seen_id
    nobody = cast(literal(0), BigInteger).label("outside")
    rows = select(class_id.label("equivalence_id"), func.sum(people.c.size).label("size"), nobody)
    return final.store.create("people", rows.select_from(joined).group_by(class_id))


def _list_cell_spans(final: Tables, index: int) -> Query:
    """List what the intervals of released classes take in: ``cell_id, first, last``, in runs of ground values."""
    column, equivalence = final.quasi_identifiers[index], final.equivalence
    shown = select(equivalence.c[final.interval_names[index]].label("shown")).where(~equivalence.c.suppressed)
    used, interval, ground = shown.distinct().subquery(), column.intervals, column.ground
    # What a hierarchy does not know, such as a missing value, is below its root all the same.
    is_covered = or_(interval.c.interval_id == column.root, func.coalesce(is_within_label(interval, ground), False))
    place = ground.c.level_0
    in_order = func.row_number().over(partition_by=interval.c.interval_id, order_by=place)
    rows = (
        select(interval.c.interval_id, place, (place - in_order).label("run"))
        .join_from(used, interval, interval.c.interval_id == used.c.shown)
        .join(ground, is_covered)
        .subquery()
    )
    ends = func.min(rows.c.level_0).label("first"), func.max(rows.c.level_0).label("last")
    return select(rows.c.interval_id.label("cell_id"), *ends).group_by(rows.c.interval_id, rows.c.run)


def _count_people_inside(store: Store, people: Side, fits: Table, last: str) -> int:
    """Count the people whom any class covers."""
    person = people.table
    is_inside = person.c[last].in_(select(fits.c.value))
    return int(store.scalar(select(func.coalesce(func.sum(person.c.weight), 0)).where(is_inside)))


# What is counted, and the proof.


@dataclass(frozen=True, kw_only=True)
class ProvedPersons:
    """The persons of finished tables."""

    column: str
    """What tells them apart."""
    count: int
    suppressed: int
    """Those of whom a record is suppressed."""
    suppressed_wholly: int
    """Those of whom all records are."""
    suppressed_by: Literal["person", "row"]
    """Whether all records of a person are suppressed together: as that is asked for, or as they all are alike."""
    lacking: int
    """Records without a value, which count as one person together."""
    judged_by: Literal["row", "profile"] = "row"
    """Whether a reader can join the records of a person: then classes are of persons who agree in all of these."""

    @property
    def suppressed_partly(self) -> int:
        """Persons of whom a record is suppressed, and another one is not."""
        return self.suppressed - self.suppressed_wholly

    def document(self) -> dict[str, Any]:
        """Return the part ``persons`` of a document; its names are stable."""
        return {**vars(self), "suppressed_partly": self.suppressed_partly}

    def line(self) -> str:
        """Write how many there are, and how many are suppressed."""
        told = f"{self.count:,} by {self.column}, {self.suppressed_wholly:,} suppressed"
        return f"{told}, {self.suppressed_partly:,} in part" if self.suppressed_partly else told


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was counted on the finished tables. Suppressed records form no class."""

    records: int
    records_suppressed: int
    classes: int
    smallest_class: int | None
    """In records, or persons where they are declared; None if there is no class."""
    average_class: float | None
    """In the same."""
    models: tuple[ModelResult, ...]
    few_people: tuple[FewPeople, ...] = ()
    """The identifiers that show that classes have fewer people than they should."""
    persons: ProvedPersons | None = None
    """None where no person is declared, so that each record counts."""

    @property
    def profile_column(self) -> str | None:
        """What tells the persons apart who agree in all of their records together; None where rows are judged.

        Who has one record agrees in all of them.
        """
        if self.persons is None or not (self.judges_profiles or self.persons.count == self.records):
            return None
        return self.persons.column

    def format_few_people(self) -> str:
        """Say of each identifier how few people the class has that has fewest; no value of it is told."""
        told = []
        for few in self.few_people:
            which = "the smallest class" if few.smallest == self.smallest_class else "a class"
            told.append(
                f"{format_count(few.smallest, 'record')} in {which}, but {format_people(few.column, few.people)}"
            )
        return "; ".join(told)

    @property
    def judges_profiles(self) -> bool:
        """Whether classes are of persons who agree in all of their records together."""
        return self.persons is not None and self.persons.judged_by == "profile"


def restore_tables(initial: Tables, final: Tables, proof: Proof | None = None) -> Tables:
    """Return the finished tables, with what no method may change restored, and what a proof has counted of persons.

    All else is proved. A method changes the classes of records, and the names of classes and of their values. It may
    rewrite the records only where their classes do not follow from their combinations.

    Raises
    ------
    ProofError
        If the tables are not those of the same quasi-identifiers.
    """
    columns = len(final.quasi_identifiers), 0 if final.levels is None else len(final.levels)
    count = len(initial.quasi_identifiers)
    require(columns in ((count, 0), (count, count)), "the finished tables have other quasi-identifiers")
    require(final.keys is None or final.records is initial.records, "the records were rewritten")
    persons = initial.persons
    if persons is not None and proof is not None and proof.persons is not None:
        persons = replace(persons, suppressed=proof.persons.suppressed)
    return replace(
        final,
        store=initial.store,
        combinations=initial.combinations,
        record_count=initial.record_count,
        sensitive=initial.sensitive,
        identified=initial.identified,
        persons=persons,
        population=initial.population,
        quasi_identifiers=tuple(
            replace(original, intervals=changed.intervals)
            for original, changed in zip(initial.quasi_identifiers, final.quasi_identifiers, strict=True)
        ),
    )


def prove(
    initial: Tables, final: Tables, models: Sequence[PrivacyModel], *, tells_classes_apart: bool = False
) -> Proof:
    """Check the finished tables against the initial ones, as `judge` does, and require all declared models.

    Parameters
    ----------
    tells_classes_apart : bool
        As for `judge`.

    Raises
    ------
    ProofError
        Naming what failed. It means that the method is wrong, not the data.
    """
    proof = judge(initial, final, models, tells_classes_apart=tells_classes_apart)
    require_all(proof.models)
    return proof


def judge(
    initial: Tables, final: Tables, models: Sequence[PrivacyModel], *, tells_classes_apart: bool = False
) -> Proof:
    """Check the finished tables against the initial ones, and measure what models achieve, be it enough or not.

    Every input record is present exactly once; every record's class exists; the stated class sizes are right; every
    generalised value covers the values of its records. Classes are those that a reader of the release tells apart.
    Sensitive values are counted anew, on the finished records.

    Parameters
    ----------
    tells_classes_apart : bool
        Whether the release tells classes apart that have the same texts, as anatomy does by their numbers and
        genValsDist by their statistics.

    Raises
    ------
    ProofError
        If the tables do not hold.
    """
    final = restore_tables(initial, final)
    placed = place(initial, final, models)
    _prove_classes(placed.sizes, final)
    _prove_intervals(initial, final)
    _prove_coverage(placed.pairs, final)
    if final.shows_means:
        _prove_means(placed.pairs, final)
    proof = _judge(placed, _find_seen_classes(final, tells_classes_apart or final.by_number), final, models)
    final.store.drop(*placed)
    return proof


def prove_together(finished: Sequence[Tables], k: int) -> None:
    """Require that at least k persons look alike in all of their records, in all tables that are released together.

    Raises
    ------
    ProofError
    """
    store, shown, made = finished[0].store, [], []
    for number, final in enumerate(finished):
        made.append(store.create("seen", select(_group_by_texts(final))))
        rows = SeenPersons.list_rows(final, made[-1])
        own = (rows.c.equivalence_id, rows.c.person)
        counted = select(*own, func.count().label("records")).where(~rows.c.suppressed).group_by(*own).subquery()
        shown.append(select(literal(number).label("table_number"), *counted.c))
    alike = AlikePersons.count(store, select(union_all(*shown).subquery()), k)
    store.drop(*made)
    require(alike.holds, "the records of too few persons are alike in all tables together")


def _prove_classes(sizes: Table, final: Tables) -> None:
    equivalence = final.equivalence
    wrong = select(func.count()).select_from(
        sizes.join(equivalence, equivalence.c.equivalence_id == sizes.c.equivalence_id, full=True)
    )
    different = sizes.c.size.is_distinct_from(equivalence.c.size)
    require(final.store.scalar(wrong.where(different)) == 0, "a class is missing, invented or of another size")
    equivalence_id, suppressed = equivalence.c.equivalence_id, equivalence.c.suppressed
    betrayed = func.count().filter(and_(suppressed, has_shown_values(final)))
    *stated, betraying = final.store.row(
        select(func.count(), func.count(equivalence_id.distinct()), func.count(suppressed), betrayed)
    )
    require(len(set(stated)) == 1, "a class is stated twice, or not whether it is suppressed")
    require(betraying == 0, "a suppressed class shows more than its roots")


def _prove_intervals(initial: Tables, final: Tables) -> None:
    """Require that each interval has one row, and that the intervals from before the method are unchanged."""
    for original, changed in zip(initial.quasi_identifiers, final.quasi_identifiers, strict=True):
        if changed.intervals is original.intervals:
            continue
        before, interval = original.intervals, changed.intervals
        same = and_(*(interval.c[column.name].is_not_distinct_from(column) for column in before.c))
        joined = before.join(interval, interval.c.interval_id == before.c.interval_id)
        unchanged = select(count_where(same)).select_from(joined).scalar_subquery()
        counts = func.count(), func.count(interval.c.interval_id), func.count(interval.c.interval_id.distinct())
        rows, known, different, kept = final.store.row(select(*counts, unchanged).select_from(interval))
        is_kept = rows == known == different and kept == final.store.count(before)
        require(is_kept, f"the intervals of {changed.name} are not what they were")


def _prove_coverage(pairs: Table, final: Tables) -> None:
    """Require that every generalised value covers the values of its records; the root covers all.

    An interval covers all values of a class if it covers the lowest and the highest; of a set every value is looked up.
    """
    store, values, names = final.store, final.combinations, final.interval_names
    ends = [end(values.c[name]).label(f"{of}_{name}") for name in names for end, of in _ENDS]
    placed = pairs.join(values, values.c.combination_id == pairs.c.combination_id)
    spans = select(pairs.c.equivalence_id, *ends).select_from(placed).group_by(pairs.c.equivalence_id)
    spanned = store.create("spans", spans)
    for name, quasi_identifier in zip(names, final.quasi_identifiers, strict=True):
        uncovered = store.scalar(_count_uncovered_spans(spanned, final, name, quasi_identifier))
        if store.scalar(select(func.count(quasi_identifier.intervals.c.members))):
            uncovered += store.scalar(_count_unlisted_values(pairs, final, name, quasi_identifier))
        require(uncovered == 0, f"a generalised value of {quasi_identifier.name} does not cover its originals")
    store.drop(spanned)


def _count_uncovered_spans(spans: Table, final: Tables, name: str, quasi_identifier: QuasiIdentifierTables) -> Query:
    """Count the classes whose value is no set and does not cover both ends of what their records have."""
    shown, interval = final.equivalence, quasi_identifier.intervals
    joined = spans.join(shown, shown.c.equivalence_id == spans.c.equivalence_id)
    joined = joined.outerjoin(interval, interval.c.interval_id == shown.c[name])
    covers = []
    for _, of in _ENDS:
        ground = quasi_identifier.ground.alias()
        joined = joined.outerjoin(ground, ground.c.level_0 == spans.c[f"{of}_{name}"])
        covers.append(is_within_bounds(interval, ground.c.value))
    is_covered = or_(interval.c.members.is_not(None), and_(*covers))
    below_root = shown.c[name].is_distinct_from(quasi_identifier.root)
    return select(func.count()).select_from(joined).where(below_root, ~func.coalesce(is_covered, False))


def _count_unlisted_values(pairs: Table, final: Tables, name: str, quasi_identifier: QuasiIdentifierTables) -> Query:
    """Count the values that are not in the set that is shown for them."""
    values, shown, interval = final.combinations, final.equivalence, quasi_identifier.intervals
    joined = pairs.join(values, values.c.combination_id == pairs.c.combination_id)
    joined = joined.join(shown, shown.c.equivalence_id == pairs.c.equivalence_id)
    joined = joined.join(interval, interval.c.interval_id == shown.c[name])
    value_and_set = select(values.c[name].label("value"), interval.c.members.label("members")).select_from(joined)
    below_root = shown.c[name].is_distinct_from(quasi_identifier.root)
    named = value_and_set.where(interval.c.members.is_not(None), below_root).subquery()
    return (
        select(func.count()).select_from(named).where(~func.coalesce(is_listed(named.c.value, named.c.members), False))
    )


def _prove_means(pairs: Table, final: Tables) -> None:
    """Require that each class shows the mean of its records, or of its persons, where a method releases means."""
    # Where each person has one combination, all of their records are one.
    counted, shown = final.fold().combinations, final.equivalence
    placed = select(pairs.c.combination_id, pairs.c.equivalence_id).distinct().subquery()
    joined = placed.join(counted, counted.c.combination_id == placed.c.combination_id)
    joined = joined.join(shown, shown.c.equivalence_id == placed.c.equivalence_id)
    for name, column in zip(final.interval_names, final.quasi_identifiers, strict=True):
        ground, interval, size = column.ground, column.intervals, counted.c.size
        rows = joined.join(ground, ground.c.level_0 == counted.c[name])
        rows = rows.join(interval, interval.c.interval_id == shown.c[name])
        mean = func.sum(ground.c.value * size) / func.sum(size)
        figures = mean.label("mean"), func.max(func.abs(ground.c.value)).label("largest")
        classes = select(interval.c.label, *figures).select_from(rows).where(~shown.c.suppressed)
        found = classes.group_by(shown.c.equivalence_id, interval.c.label).subquery()
        # A date is written as a day, a timestamp as a microsecond.
        near = _NEAR * found.c.largest + (0.5 if isinstance(column.scale, Calendar) else 0.0)
        is_off = func.abs(column.scale.value(found.c.label) - found.c.mean) > near
        wrong = select(func.count()).select_from(found).where(func.coalesce(is_off, True))
        require(final.store.scalar(wrong) == 0, f"a value of {column.name} is not the mean of its class")


def _find_seen_classes(final: Tables, by_number: bool) -> Table | None:
    """Find out which classes a reader cannot tell apart: ``equivalence_id, seen_id, suppressed``, one row per class.

    None if a reader can tell all apart and none is suppressed: `_prove_classes` has checked them, and millions of
    groups of anatomy need not be looked up for every record.
    """
    if not by_number:
        return final.store.create("seen", select(_group_by_texts(final)))
    suppressed = select(func.count()).where(final.equivalence.c.suppressed)
    return final.store.create("seen", select(_separate_by_number(final))) if final.store.scalar(suppressed) else None


def _group_by_texts(final: Tables) -> FromClause:
    """Group the classes that have the same texts, as a reader of generalised values does."""
    labels = build_class_labels(
        final.equivalence, [attribute.intervals for attribute in final.quasi_identifiers]
    ).subquery()
    texts = [labels.c[f"label_{index}"] for index, _ in enumerate(final.quasi_identifiers, start=1)]
    first = func.min(labels.c.equivalence_id).over(partition_by=[labels.c.suppressed, *texts])
    return select(labels.c.equivalence_id, first.label("seen_id"), labels.c.suppressed).subquery()


def _separate_by_number(final: Tables) -> FromClause:
    """Distinguish classes by their numbers, as a reader of anatomy does."""
    equivalence = final.equivalence.c
    return select(
        equivalence.equivalence_id, equivalence.equivalence_id.label("seen_id"), equivalence.suppressed
    ).subquery()


def _judge(placed: Placed, seen: Table | None, final: Tables, models: Sequence[PrivacyModel]) -> Proof:
    """Form the classes as a reader sees them, and measure them; suppressed records form none."""
    store = final.store
    if final.persons is not None and seen is None:
        seen = store.create("seen", select(_separate_by_number(final)))
    sizes = placed.sizes if seen is None else store.create("sizes", _sum_seen_sizes(placed.sizes, seen))
    records = int(store.scalar(select(func.coalesce(func.sum(sizes.c.size), 0))))
    persons = None if final.persons is None or seen is None else SeenPersons.count(final, seen)
    counted = sizes if persons is None else persons.groups
    count, smallest, total = store.row(select(func.count(), func.min(counted.c.size), func.sum(counted.c.size)))
    results = _judge_models(placed, seen, final, models, sizes, persons)
    few = () if persons is not None else find_few_people(final, sizes, seen, count_people_required(models))
    store.drop(*([] if persons is None else persons.tables), *([] if seen is None else [sizes, seen]))
    return Proof(
        records=final.record_count,
        records_suppressed=final.record_count - records,
        classes=count,
        smallest_class=smallest,
        average_class=int(total) / count if count else None,
        models=results,
        few_people=few,
        persons=None if persons is None else _describe_persons(final, persons),
    )


def _describe_persons(final: Tables, placed: SeenPersons) -> ProvedPersons:
    assert final.persons is not None
    is_joined, by_person = final.joins_rows, final.suppresses_persons
    require(not by_person or placed.suppressed == placed.suppressed_wholly, "a person is suppressed with some rows")
    return ProvedPersons(
        column=final.persons.name,
        count=final.persons.count,
        suppressed=placed.suppressed,
        suppressed_wholly=placed.suppressed_wholly,
        suppressed_by="row" if final.fold() is final and not by_person else "person",
        judged_by="profile" if is_joined else "row",
        lacking=final.persons.lacking,
    )


def _judge_models(
    placed: Placed,
    seen: Table | None,
    final: Tables,
    models: Sequence[PrivacyModel],
    sizes: Table,
    persons: SeenPersons | None,
) -> tuple[ModelResult, ...]:
    """Ask every model about the classes that a reader sees."""
    store, attributes = final.store, {model.attribute for model in models}
    shown: dict[str | None, Classes] = {}
    for attribute in attributes:
        if persons is None or seen is None:
            shown[attribute] = _make_model_classes(final, placed.pairs, sizes, seen, attribute)
        else:
            shown[attribute] = _make_person_classes(final, persons, seen, attribute)
    people = None
    if any(model.needs_population for model in models):
        is_estimated = final.population is not None and final.population.is_estimated
        people = weigh_classes(final, placed.pairs, seen) if is_estimated else count_covered_people(final, seen)
        shown = {attribute: classes.add_people(people, final) for attribute, classes in shown.items()}
    columns = _show_columns(final, seen) if any(model.needs_columns for model in models) else None
    if columns is not None:
        shown[None] = replace(shown[None], **vars(columns))
    results = tuple(judge_classes(store, shown[model.attribute], model) for model in models)
    store.drop(*(classes.histogram for classes in shown.values() if isinstance(classes.histogram, Table)))
    if columns is not None:
        store.drop(*(table for table in (columns.columns, columns.persons) if table is not None))
    if people is not None:
        store.drop(people)
    return results


@dataclass(frozen=True)
class _SeenColumns:
    """What the classes that a reader sees show in each quasi-identifier, as `Classes` has it."""

    columns: Table
    names: tuple[str, ...]
    persons: Table | None


def _show_columns(final: Tables, seen: Table | None) -> _SeenColumns:
    """Read what each released class shows in each quasi-identifier, and who is in it, on the finished tables."""
    labels = build_class_labels(final.equivalence, list(map(_number_labels, final.quasi_identifiers))).subquery()
    places = range(1, 1 + len(final.quasi_identifiers))
    texts = [labels.c[f"label_{place}"].label(f"column_{place}") for place in places]
    shown, persons = select(labels.c.equivalence_id, *texts).where(~labels.c.suppressed), None
    if seen is not None:
        joined = labels.join(seen, seen.c.equivalence_id == labels.c.equivalence_id)
        told = select(seen.c.seen_id.label("equivalence_id"), *texts).select_from(joined)
        shown = told.where(~labels.c.suppressed).distinct()
    if final.persons is not None and seen is not None:
        rows = SeenPersons.list_rows(final, seen)
        inside = select(rows.c.equivalence_id, rows.c.person).where(~rows.c.suppressed).distinct()
        persons = final.store.create("persons", inside)
    names = tuple(attribute.name for attribute in final.quasi_identifiers)
    return _SeenColumns(final.store.create("columns", shown), names, persons)


def _number_labels(attribute: QuasiIdentifierTables) -> FromClause:
    """Return the intervals with a number for each text instead of it: numbers are compared several times as fast."""
    interval = attribute.intervals
    first = func.min(interval.c.interval_id).over(partition_by=interval.c.label)
    return select(interval.c.interval_id, first.label("label")).subquery()


def _make_person_classes(final: Tables, persons: SeenPersons, seen: Table, attribute: str | None) -> Classes:
    """Return the classes for a model of an attribute, with the different persons of each class and of its values."""
    if attribute is None:
        return Classes(persons.sizes)
    sensitive = final.sensitive[attribute]
    histogram = final.store.create("values", persons.count_values(final, seen, attribute))
    shown = Classes(persons.sizes, histogram, sensitive.overall, sensitive.kind, sensitive.tree)
    return replace(shown, counts_persons=True)


def _sum_seen_sizes(counted: Table, seen: Table) -> Query:
    """Add up the sizes of classes that a reader cannot tell apart; suppressed records form none."""
    sized = counted.join(seen, seen.c.equivalence_id == counted.c.equivalence_id)
    size = cast(func.sum(counted.c.size), counted.c.size.type).label("size")
    bits = gather_row_bits(counted, HELD, PEOPLE)
    grouped = select(seen.c.seen_id.label("equivalence_id"), size, *bits).select_from(sized).where(~seen.c.suppressed)
    return grouped.group_by(seen.c.seen_id)


def _make_model_classes(
    final: Tables, pairs: Table, sizes: Table, seen: Table | None, attribute: str | None
) -> Classes:
    """Return the classes for a model of an attribute, with sensitive values counted on the finished records."""
    if attribute is None:
        return Classes(sizes)
    sensitive = final.sensitive[attribute]
    held = select_class_values(final, pairs, attribute)
    joined, key = held.joined, held.equivalence_id
    if seen is not None:
        joined = joined.join(seen, and_(seen.c.equivalence_id == key, ~seen.c.suppressed))
        key = seen.c.seen_id
    rows = select(key.label("equivalence_id"), held.value, held.records.label("records")).select_from(joined)
    counted = rows.group_by(key, held.value)
    if find_value_column(sensitive) in sizes.c:
        values = select(sizes.c.equivalence_id, sizes.c[find_value_column(sensitive)].label("held")).subquery()
        return Classes(sizes, counted.subquery(), sensitive.overall, sensitive.kind, sensitive.tree, held=values)
    return Classes(sizes, final.store.create("values", counted), sensitive.overall, sensitive.kind, sensitive.tree)
