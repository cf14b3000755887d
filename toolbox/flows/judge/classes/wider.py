"""Classes beyond those of one table: of all tables of a release together, and of a sample with those it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import BigInteger, cast, func, literal, select, union_all

from toolbox.flows.judge.judge import Judged
from toolbox.messages import format_count
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity, KMAnonymity
from toolbox.privacy.people import AlikePersons
from toolbox.queries.dialect import Query
from toolbox.risks.individual import weigh_classes

# All tables of a release together: whoever can join the rows of a person sees them side by side.


def count_profiles(judged: Judged, k: int) -> AlikePersons | None:
    """Count the persons who are alike in all tables; None where there is one table, or nobody can join them."""
    rows = _list_shown_rows(judged)
    return None if rows is None else AlikePersons.count(judged.store, rows, k)


def form_joined_classes(judged: Judged) -> Classes | None:
    """Return the classes of all tables as those of one; None where there is one table, or nobody can join them."""
    listed = _list_shown_rows(judged)
    if listed is None:
        return None
    rows, store = listed.subquery(), judged.store
    number = (rows.c.equivalence_id * (1 + len(judged.children)) + rows.c.table_number).label("equivalence_id")
    persons = store.create("persons", select(number, rows.c.person))
    size = cast(func.count(), BigInteger).label("size")
    by = persons.c.equivalence_id
    return Classes(store.create("sizes", select(by, size).group_by(by)), persons=persons)


def _list_shown_rows(judged: Judged) -> Query | None:
    """Select ``table_number, equivalence_id, person, records`` of all tables, where these are joined by their persons.

    A row of roots shows that a person has one, and counts. Who has no other row shows nothing, and is left out.
    """
    tables = [judged, *judged.children.values()]
    releases = [each.tables.by_person for each in tables]
    parts = []
    for number, (release, each) in enumerate(zip(releases, tables, strict=True)):
        if len(tables) == 1 or release is None or release.persons is None:
            return None
        held, classes = release.persons, each.shown.classes
        by = (held.c.equivalence_id, held.c.person)
        joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
        columns = (literal(number).label("table_number"), *by, func.sum(held.c.records).label("records"))
        counted = select(*columns, classes.c.suppressed).select_from(joined)
        parts.append(counted.group_by(*by, classes.c.suppressed))
    rows = union_all(*parts).subquery()
    is_told = func.sum(rows.c.records) + func.count().filter(~rows.c.suppressed) > 1
    told = select(rows.c.person).group_by(rows.c.person).having(is_told)
    shown = [column for column in rows.c if column.name != "suppressed"]
    return select(*shown).where(rows.c.person.in_(told))


def tell_unjoined(judged: Judged) -> Iterator[str]:
    """Say why profiles are not counted, and whether rows of a child table are of persons whom nobody has."""
    main = judged.tables.by_person
    for name, child in judged.children.items():
        own = child.tables.by_person
        lacking = judged if main is None else child
        if main is None or own is None:
            key = " + ".join(lacking.question.person)
            yield (
                f"{lacking.tables.release.name} has no {key}, by which somebody could join it with the table {name}: "
                "what all rows of a person show together is not counted here."
            )
            continue
        assert main.persons is not None and own.persons is not None, "they were read by person"
        strange = own.persons.c.person.not_in(select(main.persons.c.person))
        if count := int(judged.store.scalar(select(func.count(own.persons.c.person.distinct())).where(strange))):
            who = format_count(count, "person")
            yield f"The table {name} has rows of {who} whom {main.name} does not have."


def is_counted_together(model: PrivacyModel) -> bool:
    """Return whether a model asks for what the rows of a person show in all tables, and not in one class."""
    return isinstance(model, KMAnonymity)


def list_counted_alone(judged: Judged) -> list[PrivacyModel]:
    """List the models that have a meaning for all tables, and are counted in that of the persons alone."""
    models = judged.question.models if judged.children else ()
    return [each for each in models if each.attribute is None and not isinstance(each, (KAnonymity, KMAnonymity))]


# A sample: classes stand for more people than they have.


def form_weighted_classes(judged: Judged) -> Classes | None:
    """Return the classes with the people for whom they are estimated to stand.

    None where no sample is declared, or a population is there to count in.
    """
    release, sample = judged.tables.sampled, judged.question.sample
    if release is None or judged.among is not None:
        return None
    weighted = weigh_classes(release, sample.fraction)
    outside = cast(literal(0), BigInteger).label("outside")
    sizes = select(weighted.c.equivalence_id, weighted.c.size).where(~weighted.c.suppressed).subquery()
    population = select(weighted.c.equivalence_id, weighted.c.people.label("size"), outside).subquery()
    return Classes(sizes, population=population, estimates_population=True)
