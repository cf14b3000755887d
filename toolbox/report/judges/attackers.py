"""What `risk` and `report` say of attackers who match everybody, hold an earlier release, or meet a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from rich.console import Console

from toolbox.charts import draw_class_sizes, format_number, format_percent, render_figure, render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import count_in_bins, join_parts, render_list, render_paragraph, render_scrolling_table
from toolbox.messages import choose_setting_name, format_count, mark, say, say_count, write_figure
from toolbox.report.advice import BY_CLASSES, Advice, advise_on_certain_value
from toolbox.report.console import ResultTable, make_table
from toolbox.report.judges.face import MeasureFace, name_levels
from toolbox.risks.figures import MatchingBeliefs, MatchingRisk, ValueBeliefs
from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk, JointValues

# An attacker who matches everybody at once: the document, notes and advice.


def build_matching_document(matching: MatchingRisk) -> dict[str, Any]:
    """Return the part ``matching`` of the JSON document; its names are stable."""
    found = matching.beliefs
    return {
        "people": matching.people,
        "rows": matching.rows,
        "k": matching.k,
        "known": list(matching.attack.known),
        "insiders": matching.attack.insiders,
        "unassigned": matching.unassigned,
        "matchable_below_k": None if found is None else found.matchable_below_k,
        "matchable_with_one": None if found is None else found.matchable_with_one,
        "fewest": None if found is None else found.fewest,
        "expected_hits": None if found is None else found.expected_hits,
        "believed_above": None if found is None else name_levels(found.believed_above),
        "believed_by_tenths": [] if found is None else [list(people) for people in found.tenths],
        "right_guesses": None if found is None else found.right_guesses,
        "converged": None if found is None else found.has_converged,
        "counts": [] if found is None else [{"matchable": rows, "people": people} for rows, people in found.counts],
        "sensitive": [] if found is None else [_build_values_document(values) for values in found.values],
    }


def _build_values_document(values: ValueBeliefs) -> dict[str, Any]:
    return {**asdict(values), "believed_above": name_levels(values.believed_above)}


def list_matching_notes(matching: MatchingRisk) -> list[str]:
    """Return what to know of the figures."""
    if (found := matching.beliefs) is None:
        no_row = say_count(
            "%(count)s person gets no row, however rows are assigned: the release does not hold exactly these people.",
            "%(count)s people get no row, however rows are assigned: the release does not hold exactly these people.",
            matching.unassigned,
        )
        return [no_row]
    if found.has_converged:
        return []
    words = mark("Beliefs had not settled after %(rounds)s rounds: take those figures as rough. The others are exact.")
    return [say(words, rounds=found.rounds)]


def advise_on_matching(matching: MatchingRisk) -> Iterator[Advice]:
    """Advise on what an attacker learns who matches everybody at once."""
    if (found := matching.beliefs) is None:
        return
    if found.matchable_below_k:
        yield Advice(
            finding=_describe_few_rows(matching, found),
            severity="high",
            remedy=say(BY_CLASSES),
            effect=_find_remaining_effect(matching, say("At least k rows then remain for everybody.")),
        )
    yield from _advise_on_believed_rows(matching, found)
    for values in found.values:
        if values.certain:
            finding = say(
                "%(attribute)s is certain of %(people)s, whichever row is theirs.",
                attribute=values.attribute,
                people=_count_people(values.certain),
            )
            # Rows of several classes may be theirs, or fewer than those of one.
            yield advise_on_certain_value(finding, values.attribute, is_by_class=False)


def _describe_few_rows(matching: MatchingRisk, found: MatchingBeliefs) -> str:
    counted = {"k": matching.k, "alone": found.matchable_with_one}
    if found.matchable_with_one:
        return say_count(
            "When everybody must have a row, %(count)s person has fewer than k = %(k)s left, %(alone)s of them one.",
            "When everybody must have a row, %(count)s people have fewer than k = %(k)s left, %(alone)s of them one.",
            found.matchable_below_k,
            **counted,
        )
    return say_count(
        "When everybody must have a row, %(count)s person has fewer than k = %(k)s left.",
        "When everybody must have a row, %(count)s people have fewer than k = %(k)s left.",
        found.matchable_below_k,
        **counted,
    )


def _advise_on_believed_rows(matching: MatchingRisk, found: MatchingBeliefs) -> Iterator[Advice]:
    level, believed = found.believed_above[-1]
    if believed > found.matchable_with_one:
        yield Advice(
            finding=say_count(
                "%(count)s person with several rows left: one row is believed more strongly than %(level)s.",
                "%(count)s people with several rows left: one row is believed more strongly than %(level)s.",
                believed - found.matchable_with_one,
                level=f"{level:.4g}",
            ),
            severity="medium",
            remedy=say(BY_CLASSES),
            effect=_find_remaining_effect(matching, say("No row is then believed more strongly than 1/k.")),
        )


def _find_remaining_effect(matching: MatchingRisk, effect: str) -> str | None:
    """Return what classes lead to, unless some people of a class have told which rows are theirs: then less remains."""
    return None if matching.attack.insiders else effect


# Its tables.

_ALL_TOLD = mark("Everybody has told which row is theirs: nobody is left to find.")


def print_matching(console: Console, matching: MatchingRisk) -> None:
    """Print what such an attacker finds; `MatchingRisk` explains the figures."""
    found = matching.beliefs
    if found is None:
        people = format_count(matching.unassigned, "person gets", "people get")
        console.print(f"[red]{people} no row[/], however rows are assigned\n")
        return
    if not matching.people:
        console.print(f"{_ALL_TOLD.removesuffix('.')}\n")
        return
    console.print(f"an attacker who {matching.attack.in_words()}. Everybody has one row\n")
    console.print(_make_remaining_table(matching, found))
    console.print(_make_beliefs_table(matching, found))
    if found.values:
        console.print(_make_values_table(matching, found))


def _make_remaining_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    table = make_table("people by the rows that remain for them", *("rows", "people", ""), numbers=frozenset({0, 1, 2}))
    for row in count_in_bins(found.counts):
        table.add_row(row.name, f"{row.amount:,}", f"{row.amount / matching.people:.2%}")
    return table


def _make_beliefs_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    table = make_table(
        "people by how strongly one row is believed to be theirs",
        *("the row that is believed in most", "people", ""),
        numbers=frozenset({1, 2}),
    )
    for level, people in found.believed_above:
        table.add_row(f"above {level:.4g}", f"{people:,}", f"{people / matching.people:.2%}")
    table.add_row(
        "guessed rightly, as expected", f"{found.expected_hits:,.1f}", f"{found.expected_hits / matching.people:.2%}"
    )
    if found.right_guesses is not None:
        right = found.right_guesses
        table.add_row("guessed rightly, in truth", f"{right * matching.people:,.1f}", f"{right:.2%}")
    return table


def _make_values_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    levels = [f"above {level:.4g}" for level, _ in found.values[0].believed_above]
    table = make_table(
        "people by how strongly a sensitive value is believed, and guesses that are right",
        *("attribute", *levels, "certain", "right, as expected", "without the release"),
        numbers=frozenset(range(1, len(levels) + 4)),
    )
    for values in found.values:
        believed = [f"{people:,}" for _, people in values.believed_above]
        hits = f"{values.expected_hits / matching.people:.2%}"
        table.add_row(values.attribute, *believed, f"{values.certain:,}", hits, f"{values.share_without_release:.2%}")
    return table


# Its part of the page.


def _render_matching(matching: MatchingRisk) -> Markup:
    knows = say(
        "An attacker who %(knows)s, and matches all at once. Everybody has one row, and a row that somebody else needs "
        "is not yours. So fewer rows remain than fit.",
        knows=matching.attack.in_words(),
    )
    notes = list_matching_notes(matching)
    head = join_parts(
        element("h3", say("By matching everybody at once")),
        render_paragraph(knows),
        render_list(notes, "warnings") if notes else None,
    )
    if (found := matching.beliefs) is None:
        return head
    if not matching.people:
        return join_parts(head, render_paragraph(say(_ALL_TOLD)))
    return join_parts(
        head,
        _render_remaining_rows(matching, found),
        _draw_beliefs(matching, found),
        _render_believed_values(matching, found),
    )


def _render_remaining_rows(matching: MatchingRisk, found: MatchingBeliefs) -> Markup:
    said = say("For everybody at least %(rows)s rows remain.", rows=found.fewest)
    if found.matchable_below_k:
        words = mark("For %(people)s fewer than %(k)s rows remain, for %(alone)s of them one.")
        counted = {"k": matching.k, "alone": found.matchable_with_one}
        said = say(words, people=_count_people(found.matchable_below_k), **counted)
    title = say("People by the rows that remain for them")
    return _draw_hiding_people(found.counts, matching.k, key="remaining", title=title, says=said)


def _draw_beliefs(matching: MatchingRisk, found: MatchingBeliefs) -> Markup:
    """Draw how strongly one row is believed to be a person's, hatched above what k rows would allow."""
    ends = [write_figure(f"{step / 10:.1f}") for step in range(len(found.tenths) + 1)]
    names = [say("%(low)s to %(high)s", low=low, high=high) for low, high in pairwise(ends)]
    rows = [(name, *people) for name, people in zip(names, found.tenths, strict=True) if sum(people)]
    limit = f"1/k = {write_figure(f'{1 / matching.k:.2g}')}"
    counted = {"limit": limit, "share": format_percent(found.expected_hits / matching.people)}
    if found.right_guesses is None:
        caption = say(
            "People by how strongly one row is believed to be theirs; at risk: above %(limit)s. An attacker who "
            "guesses the most likely row finds %(share)s of the people, as expected.",
            **counted,
        )
    else:
        caption = say(
            "People by how strongly one row is believed to be theirs; at risk: above %(limit)s. An attacker who "
            "guesses the most likely row finds %(share)s of the people, as expected, and in fact %(right)s.",
            right=format_percent(found.right_guesses),
            **counted,
        )
    shown = render_table([say("belief"), say("people, at most %(limit)s", limit=limit), say("people above")], rows)
    title = say("People by the belief in one row")
    drawn = draw_class_sizes(rows, key="beliefs", title=title, unit=say("people"))
    return Markup(render_figure(drawn, shown, caption=caption, label=title))


def _render_believed_values(matching: MatchingRisk, found: MatchingBeliefs) -> Markup | None:
    if not found.values:
        return None
    levels = [
        say("believed above %(level)s", level=write_figure(f"{level:g}")) for level, _ in found.values[0].believed_above
    ]
    rights = say("right, as expected"), say("right without the release")
    heads = [say("sensitive attribute"), *levels, say("certain"), *rights]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            values.certain,
            format_percent(values.expected_hits / matching.people),
            format_percent(values.share_without_release),
        )
        for values in found.values
    ]
    shown = render_table(heads, rows, figures=range(1, len(heads)))
    said = say("People with a sensitive value that is believed so strongly, whichever row is theirs.")
    return join_parts(
        element("h3", say("Sensitive values")),
        render_paragraph(said),
        render_scrolling_table(shown, say("Beliefs in sensitive values")),
    )


def _draw_hiding_people(
    counts: Iterable[tuple[int, int]], k: int, *, key: str, title: str, says: str, noun: str = ""
) -> Markup:
    """Draw people by the rows among which they hide, hatched below k."""
    noun = noun or say("people")
    pairs = list(counts)
    small = {row.first: row.amount for row in count_in_bins(pair for pair in pairs if pair[0] < k)}
    rows = [(row.name, row.amount - small.get(row.first, 0), small.get(row.first, 0)) for row in count_in_bins(pairs)]
    heads = [say("rows"), say("%(noun)s, at least %(k)s", noun=noun, k=k), say("%(noun)s, fewer", noun=noun)]
    shown = render_table(heads, rows)
    return Markup(
        render_figure(
            draw_class_sizes(rows, key=key, title=title, unit=noun), shown, caption=f"{title}. {says}", label=title
        )
    )


def _count_people(count: int) -> str:
    return say_count("%(count)s person", "%(count)s people", count) if count else say("nobody")


MATCHING = MeasureFace(
    "matching",
    key="matching",
    document=build_matching_document,
    show=print_matching,
    list_notes=lambda found, _: list_matching_notes(found),
    advise=lambda found, _: advise_on_matching(found),
    render=_render_matching,
)


# An attacker who holds an earlier release: the document, notes and advice.

_LINKS = {"order": mark("by their order"), "none": mark("by nothing")}


def build_joint_document(joint: JointRisk) -> dict[str, Any]:
    """Return the part ``earlier`` of the JSON document; its names are stable."""
    return {
        "link": joint.link,
        "k": joint.k,
        "classes": None if joint.classes is None else _build_counts_document(joint.classes, "records"),
        "consistency": None if joint.consistency is None else _build_counts_document(joint.consistency, "people"),
        "sensitive": [{**asdict(values), "changed_share": values.changed_share} for values in joint.values],
        **({"by_person": True} if joint.by_person else {}),
        **({"releases": list(joint.earlier)} if joint.earlier else {}),
        **({} if joint.labels is None else {"labels": asdict(joint.labels)}),
    }


def _build_counts_document(figures: JointClasses | JointConsistency, noun: str) -> dict[str, Any]:
    return {**asdict(figures), "counts": [{"rows": rows, noun: amount} for rows, amount in figures.counts]}


def list_joint_notes(joint: JointRisk, *, in_python: bool = False) -> list[str]:
    """Return what to know of the figures."""
    if wrong := _find_wrong_links(joint):
        words = mark(
            "The order does not link the rows of one person: %(evidence)s. The figures with this link mean nothing. "
            "Name the column that links them, %(setting)s."
        )
        setting = choose_setting_name(
            "--key NAME, or --key none", python="key='name', or key='none'", in_python=in_python
        )
        return [say(words, evidence=wrong, setting=setting)]
    notes: list[str] = []
    if joint.consistency is not None and (unmatched := joint.consistency.unmatched):
        notes.append(
            say_count(
                "%(count)s person is not in both releases.", "%(count)s people are not in both releases.", unmatched
            )
        )
    # Who has a key in all of them is in all of them.
    lacking = [_describe_change(values, can_be_absent=not joint.earlier) for values in joint.values if values.none]
    return notes + lacking


def _describe_change(values: JointValues, *, can_be_absent: bool) -> str:
    if can_be_absent:
        return say_count(
            "%(count)s person has no %(attribute)s in common: it has changed, or they are not in both releases.",
            "%(count)s people have no %(attribute)s in common: it has changed, or they are not in both releases.",
            values.none,
            attribute=values.attribute,
        )
    return say_count(
        "%(count)s person has no %(attribute)s in common: it has changed.",
        "%(count)s people have no %(attribute)s in common: it has changed.",
        values.none,
        attribute=values.attribute,
    )


def _find_wrong_links(joint: JointRisk) -> str:
    """Return the evidence that rows in the same place belong to different people; nothing if there is none."""
    if joint.link != "order":
        return ""
    if joint.consistency is not None and joint.consistency.unmatched:
        return say_count(
            "%(count)s person fits no pair of linked rows",
            "%(count)s people fit no pair of linked rows",
            joint.consistency.unmatched,
        )
    for values in joint.values:
        if values.none:
            return say_count(
                "%(count)s pair of linked rows can have no %(attribute)s in common",
                "%(count)s pairs of linked rows can have no %(attribute)s in common",
                values.none,
                attribute=values.attribute,
            )
    return ""


def advise_on_earlier(joint: JointRisk) -> Iterator[Advice]:
    """Advise on what an earlier release tells besides, where the link is one."""
    if _find_wrong_links(joint):
        return
    classes, people = joint.classes, joint.consistency
    below = people.below_k if people is not None else classes.below_k if classes is not None else 0
    if below:
        is_by_order = joint.link == "order"
        remedy = say("Release nothing by which rows can be linked, or with the same classes as before.")
        if is_by_order:
            remedy = say("Release in a random order, or with the same classes as before.")
        yield Advice(
            finding=_describe_hiding(below, joint.k, is_of_people=people is not None or joint.by_person),
            severity="high" if is_by_order else "medium",
            remedy=remedy,
        )
    both, every = (
        mark("Both releases together leave one %(attribute)s for %(people)s."),
        mark("All releases together leave one %(attribute)s for %(people)s."),
    )
    for values in joint.values:
        if values.certain:
            words = both if len(joint.earlier) < 2 else every
            yield Advice(
                finding=say(words, attribute=values.attribute, people=_count_people(values.certain)),
                severity="high",
                remedy=say("Keep the same values in the class of each person (m-invariance)."),
            )


def _describe_hiding(below: int, k: int, *, is_of_people: bool) -> str:
    if is_of_people:
        return say_count(
            "Somebody who links the rows of both releases finds that %(count)s person hides among fewer than k = "
            "%(k)s.",
            "Somebody who links the rows of both releases finds that %(count)s people hide among fewer than k = %(k)s.",
            below,
            k=k,
        )
    return say_count(
        "Somebody who links the rows of both releases finds that %(count)s row hides among fewer than k = %(k)s.",
        "Somebody who links the rows of both releases finds that %(count)s rows hide among fewer than k = %(k)s.",
        below,
        k=k,
    )


# Its tables.


def print_joint(console: Console, joint: JointRisk) -> None:
    """Print what both releases tell together; `JointRisk` explains the figures."""
    link = _name_link(joint)
    beside = ", ".join(joint.earlier) or "the earlier release"
    console.print(f"beside {beside}, with rows linked {link}\n")
    if joint.classes is not None:
        _print_crossing(console, joint)
    if joint.values:
        _print_values(console, joint)


def _print_crossing(console: Console, joint: JointRisk) -> None:
    table = make_table(
        f"who hides in {_name_all(joint)} at once",
        *("counted", "all", f"below k = {joint.k}", "alone", "fewest"),
        numbers=frozenset(range(1, 5)),
    )
    classes, people = joint.classes, joint.consistency
    rows = "persons who" if joint.by_person else "rows that"
    if classes is not None:
        figures = classes.records, classes.below_k, classes.alone, classes.smallest
        where = "both" if len(joint.earlier) < 2 else "all"
        table.add_row(f"{rows} agree in {where}", *(f"{figure:,}" for figure in figures))
    if people is not None:
        counts = people.people, people.below_k, people.alone, people.lowest
        table.add_row(f"{rows} fit a person in both", *(f"{count:,}" for count in counts))
    console.print(table)


def _print_values(console: Console, joint: JointRisk) -> None:
    rows = "persons" if joint.by_person else "rows"
    last = [f"{rows} below k = {joint.k}"] if joint.classes is None else ["class with other values", "of all"]
    table = make_table(
        f"sensitive values that {_name_all(joint)} leave",
        *("attribute", "people", "one is left", "none is left", "fewest", *last),
        numbers=frozenset(range(1, 7)),
    )
    for values in joint.values:
        counts = values.people, values.certain, values.none, values.fewest
        share = values.changed_share
        more = (
            ["" if values.below_k is None else f"{values.below_k:,}"]
            if joint.classes is None or share is None
            else [f"{values.changed:,}", f"{share:.1%}"]
        )
        table.add_row(values.attribute, *(f"{count:,}" for count in counts), *more)
    console.print(table)


def _name_link(joint: JointRisk) -> str:
    return say(_LINKS[joint.link]) if joint.link in _LINKS else say("by %(column)s", column=joint.link)


def _name_all(joint: JointRisk) -> str:
    return "both releases" if len(joint.earlier) < 2 else "all releases"


# Its part of the page.


def _render_joint(joint: JointRisk) -> Markup:
    title, words = (
        say("Together with an earlier release"),
        mark("An attacker who holds an earlier release of the same people as well. Its rows are linked %(link)s."),
    )
    if len(joint.earlier) > 1:
        title, words = (
            say("Together with earlier releases"),
            mark("An attacker who holds earlier releases of the same people as well. Their rows are linked %(link)s."),
        )
    knows, notes = say(words, link=_name_link(joint)), list_joint_notes(joint)
    return join_parts(
        element("h3", title),
        render_paragraph(knows),
        render_list(notes, "warnings") if notes else None,
        # Figures of a link that is none say nothing, which the note has said.
        *(() if _find_wrong_links(joint) else (_render_crossing(joint), _render_joint_values(joint))),
    )


def _render_crossing(joint: JointRisk) -> Markup | None:
    if (people := joint.consistency) is not None:
        words = mark("For %(people)s fewer than %(k)s pairs of linked rows fit in both releases.")
        if joint.by_person:
            words = mark("For %(people)s fewer than %(k)s persons fit in both releases.")
        says = say(words, people=_count_people(people.below_k), k=joint.k)
        title = say("People by the linked rows that fit them in both releases")
        # Whom no pair fits is not in both releases, as a note tells, and is not found by them.
        in_both = [(found, fitted) for found, fitted in people.counts if found]
        return _draw_hiding_people(in_both, joint.k, key="joint", title=title, says=says) if in_both else None
    if (rows := joint.classes) is not None:
        noun, told, titled = (
            say("rows"),
            mark("%(below)s of %(all)s rows agree with fewer than %(k)s %(where)s."),
            mark("Rows by those that agree with them %(where)s"),
        )
        if joint.by_person:
            noun, told, titled = (
                say("persons"),
                mark("%(below)s of %(all)s persons agree with fewer than %(k)s %(where)s."),
                mark("Persons by those who agree with them %(where)s"),
            )
        says = say(told, below=rows.below_k, all=rows.records, k=joint.k, where=_say_where(joint))
        title = say(titled, where=_say_where(joint))
        return _draw_hiding_people(rows.counts, joint.k, key="joint", title=title, says=says, noun=noun)
    return None


def _say_where(joint: JointRisk) -> str:
    return say("in both releases") if len(joint.earlier) < 2 else say("in all releases")


def _render_joint_values(joint: JointRisk) -> Markup | None:
    rows: list[Sequence[str | float]] = [
        (values.attribute, values.people, values.certain, values.none, values.fewest) for values in joint.values
    ]
    if not rows:
        return None
    heads: list[str] = [say("sensitive attribute"), say("people"), say("one value is left"), say("none is left")]
    heads.append(say("fewest"))
    said: str = say("A person has a value that their class has %(where)s.", where=_say_where(joint))
    if all(values.changed_share is not None for values in joint.values):
        heads.append(say("class with other values"))
        rows = [
            (*row, f"{format_number(values.changed or 0)} ({format_percent(values.changed_share or 0)})")
            for row, values in zip(rows, joint.values, strict=True)
        ]
        more = say("Where a class has other values than before, m-invariance does not hold.")
        said = f"{said} {more}"
    return join_parts(
        render_paragraph(said), render_scrolling_table(render_table(heads, rows), say("Sensitive values that remain"))
    )


JOINT = MeasureFace(
    "joint",
    key="earlier",
    document=build_joint_document,
    show=print_joint,
    list_notes=lambda found, in_python: list_joint_notes(found, in_python=in_python),
    advise=lambda found, _: advise_on_earlier(found),
    render=_render_joint,
)
