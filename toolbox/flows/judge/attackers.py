"""Attackers who are asked for: who matches everybody at once, and who holds an earlier release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from sqlalchemy import TableClause

from toolbox.config.model import ReportKind
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.checks import require_list, require_whole
from toolbox.flows.judge.classes.released import form_all_classes
from toolbox.flows.judge.judge import Judged, Wanted
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables, TableSource
from toolbox.messages import choose_setting_name
from toolbox.privacy.measures import FewColumnsRisk, measure_few_columns
from toolbox.published.comparing import compare_release, link_rows_by_key, link_rows_by_order
from toolbox.risks.control import ControlRisk, measure_control
from toolbox.risks.figures import Attack, MatchingRisk
from toolbox.risks.joint import (
    JointClasses,
    JointRisk,
    compare_linked_values,
    compare_unlinked_values,
    count_lone_links,
    measure_joint_consistency,
)

# The part of `risk` about an earlier release of the same people: how rows are linked, and what both tell together.

BY_ORDER, NO_LINK = "order", "none"


def find_key_column(question: Question, link: str) -> str | None:
    """Return the column that links the releases row by row, if one does; persons may be linked instead."""
    return None if link in (BY_ORDER, NO_LINK) or _links_persons(question, link) else link


def _links_persons(question: Question, link: str) -> bool:
    """Return whether the rows of each person are linked: the key is what tells persons apart."""
    return bool(question.person) and tuple(name.strip() for name in link.split(",")) == question.person


def require_link(question: Question, *, has_earlier: bool, has_original: bool, link: str | None) -> str:
    """Return how the rows of two releases are linked, by their order if nothing is said.

    Raises
    ------
    UsageError
        If there is nothing to link, or nothing that could be said without a link.
    """
    earlier = choose_setting_name("--earlier FILE", python="earlier=")
    if link is not None and not isinstance(link, str):
        raise SettingError("key", link, "the name of one column, or None")
    if not has_earlier:
        if link is not None:
            key = choose_setting_name("--key", python="key=")
            raise UsageError(f"{key} links two releases, and there is one. Also write {earlier}.")
        return NO_LINK
    if question.is_anatomy:
        raise UsageError("The groups of an anatomy cannot be compared with an earlier release. Leave it out.")
    if link != NO_LINK:
        return BY_ORDER if link is None else link
    if not has_original:
        original = choose_setting_name("--original FILE", python="original=")
        raise UsageError(f"Where rows are not linked, only people can be looked for in both. Also write {original}.")
    if not question.sensitive:
        sensitive = choose_setting_name("--sensitive NAMES", python="sensitive=")
        raise UsageError(f"Where rows are not linked, only sensitive values can be compared. Also write {sensitive}.")
    return NO_LINK


def _assess_earlier(judged: Judged, earlier: TableSource, link: str, k: int) -> JointRisk:
    """Measure what a release, read with the column that links, and an earlier one tell together.

    Parameters
    ----------
    link : str
        ``order``, ``none``, or the name of a column of both releases that names people.

    Raises
    ------
    ToolboxError
        If the earlier release cannot be read, or the link links nobody.
    """
    tables, beside = judged.tables, judged.beside
    by_person = tables.by_person is not None
    before = JudgedTables(judged.question, judged.store, earlier, key=find_key_column(judged.question, link))
    if by_person:
        beside = judged.by_person
    beside_earlier = None if beside is None else compare_release(before.release, beside.people)
    if link == NO_LINK:
        assert beside is not None and beside_earlier is not None, "the caller has looked"
        values = compare_unlinked_values(beside, beside_earlier, k)
        return JointRisk(link=link, k=k, classes=None, consistency=None, values=values, by_person=by_person)
    linked = _link_rows(tables, before, link)
    consistency = None
    if beside is not None and beside_earlier is not None:
        consistency = measure_joint_consistency(beside, beside_earlier, linked, k)
    release = tables.release if beside is None else beside.release
    counted = count_lone_links(judged.store, linked)
    return JointRisk(
        link=link,
        k=k,
        classes=JointClasses.count(judged.store, counted, k),
        consistency=consistency,
        values=compare_linked_values(release, [before.release], counted),
        by_person=by_person,
    )


def _link_rows(tables: JudgedTables, earlier: JudgedTables, link: str) -> TableClause:
    """Link the rows of two releases, or the persons of these rows where these are known.

    Raises
    ------
    UnknownColumnError
        If one has no column that tells persons apart, who shall be linked.
    """
    person = tables.question.person
    if _links_persons(tables.question, link):
        for each in (tables, earlier):
            each.find_released_columns(person)
        assert tables.by_person is not None and earlier.by_person is not None, "both have the columns"
        return tables.by_person.link_persons(earlier.by_person)
    linking = link_rows_by_order if link == BY_ORDER else link_rows_by_key
    if tables.by_person is None or tables.records_by_person is None:
        return linking(tables.release, tables.records, earlier.release, earlier.records)
    return linking(tables.by_person, tables.records_by_person, earlier.release, earlier.records, len(person))


# The part of `risk` about an attacker who matches everybody at once.


def make_attack(matching: bool, known: Sequence[str], insiders: float | None) -> Attack | None:
    """Describe an attacker who matches everybody at once; None without one.

    Raises
    ------
    SettingError
        If the share of insiders is no share.
    UsageError
        If something is said of an attacker who is not asked for.
    """
    names = require_list("known", known, "of columns")
    if not matching:
        if names or insiders is not None:
            said = choose_setting_name("--known" if names else "--insiders", python="known=" if names else "insiders=")
            remedy = choose_setting_name("--matching", python="matching=True")
            raise UsageError(f"{said} describes an attacker who matches, and none is asked for. Also write {remedy}.")
        return None
    share = 0.0 if insiders is None else insiders
    if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
        raise SettingError("insiders", insiders, "a share of at least 0 and below 1, such as 0.05")
    return Attack(known=tuple(map(str, names)), insiders=float(share))


def require_people(question: Question, attack: Attack | None, *, is_anybody_named: bool) -> None:
    """Stop where nobody is there whom an attacker could match, if one does, before anything is read.

    Raises
    ------
    UsageError
    """
    if attack is None:
        return
    from toolbox.risks.matching.matching import require_scipy

    require_scipy()
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    for name in attack.known:
        if name not in names:
            raise UnknownColumnError(name, "The list of quasi-identifiers", names)
    if not is_anybody_named:
        people = choose_setting_name("--original FILE or --population FILE", python="original= or population=")
        raise UsageError(f"The risk from matching compares with people, and none are named. Write {people}.")


def _assess_matching(judged: Judged, k: int, attack: Attack) -> MatchingRisk:
    """Match everybody at once with the rows of a release."""
    from toolbox.risks.matching.matching import measure_matching_risk, read_graph

    people = judged.find_people()
    names = [str(attribute.column) for attribute in judged.question.quasi_identifiers]
    graph, held = read_graph(people, [names.index(name) for name in attack.known])
    return measure_matching_risk(graph, k, attack, held)


def _assess_few_columns(judged: Judged, k: int, most: int) -> FewColumnsRisk:
    """Count whom somebody finds who knows a few of the quasi-identifiers."""
    classes = form_all_classes(judged.store, judged.shown, None)
    return measure_few_columns(judged.store, classes, most, k)


def _assess_control(judged: Judged, original: TableSource, control: TableSource, k: int) -> ControlRisk:
    """Run the same attacks on the people of a release and on people who are not in it."""
    inside = judged.tables.read_known_people(original)
    outside = judged.tables.read_known_people(control, inside[0].people)
    return measure_control(inside, outside, k)


def _require_control(question: Question, original: TableSource | None, control: TableSource | None) -> None:
    """Stop where a control group has nothing to be compared with."""
    if control is None:
        return
    name = choose_setting_name("--control FILE", python="control=")
    if question.is_anatomy:
        raise UsageError(f"The groups of an anatomy say whom they hold: no attack is needed. Leave {name} out.")
    if original is None:
        records = choose_setting_name("--original FILE", python="original=")
        raise UsageError(f"{name} is compared with the people of the release. Also write {records}.")


# Attackers who are asked for, of `risk` and `report`: who matches everybody, and who holds an earlier release.


@dataclass(frozen=True, kw_only=True)
class Attackers:
    """Attackers who do more than look at one person of one release."""

    attack: Attack | None = None
    """By matching everybody at once."""
    earlier: TableSource | None = None
    """With an earlier release."""
    linked_by: str = NO_LINK
    """What links its rows, as `JointRisk.link`."""
    key: str | None = None
    """The column that links its rows one by one, if one does."""
    few_columns: int | None = None
    """By any so many of the quasi-identifiers."""
    control: tuple[TableSource, TableSource] | None = None
    """The people of the release, and people of the same source who are not in it."""

    def list_measures(self, k: int) -> dict[str, Wanted]:
        """Return what is measured of them, who should find at least k records for a person."""
        wanted = {}
        if (earlier := self.earlier) is not None:
            wanted["joint"] = Wanted(lambda judged: _assess_earlier(judged, earlier, self.linked_by, k), "compare")
        if (attack := self.attack) is not None:
            wanted["matching"] = Wanted(lambda judged: _assess_matching(judged, k, attack), "match", needs_pairs=True)
        if (most := self.few_columns) is not None:
            wanted["few_columns"] = Wanted(lambda judged: _assess_few_columns(judged, k, most))
        if (control := self.control) is not None:
            wanted["control"] = Wanted(lambda judged: _assess_control(judged, *control, k))
        return wanted


NOBODY = Attackers()


def make_attackers(
    question: Question,
    kind: ReportKind = "internal",
    *,
    attack: Attack | None,
    earlier: TableSource | None,
    link: str | None,
    original: TableSource | None,
    population: TableSource | None,
    few_columns: int | None = None,
    control: TableSource | None = None,
) -> Attackers:
    """Return who attacks.

    Raises
    ------
    UsageError
        If such an attacker lacks what is needed, or a page for everybody would tell what one learns.
    """
    if kind == "public":
        asked = {
            choose_setting_name("--matching", python="matching="): attack,
            choose_setting_name("--earlier", python="earlier="): earlier,
        }
        for name, attacker in asked.items():
            if attacker is not None:
                told = "A public page tells nothing that the release does not tell, and so not what an attacker learns"
                raise UsageError(f"{told} who knows more. Leave {name} out, or write an internal page.")
    require_people(question, attack, is_anybody_named=original is not None or population is not None)
    linked_by = require_link(question, has_earlier=earlier is not None, has_original=original is not None, link=link)
    _require_control(question, original, control)
    if few_columns is not None:
        require_whole("few_columns", few_columns, least=1)
        if question.is_anatomy:
            few = choose_setting_name("--few-columns", python="few_columns=")
            raise UsageError(
                f"Anatomy leaves quasi-identifiers as they are, and hides nobody among them. Leave {few} out."
            )
    both = None if control is None or original is None else (original, control)
    return Attackers(
        attack=attack,
        earlier=earlier,
        linked_by=linked_by,
        key=find_key_column(question, linked_by),
        few_columns=few_columns,
        control=both,
    )
