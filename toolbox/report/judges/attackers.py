"""What `risk` and `report` say of attackers who match everybody, hold an earlier release, or meet a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from toolbox.charts import draw_class_sizes, format_number, format_percent, render_figure, render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import count_in_bins, join_parts, render_list, render_paragraph, render_scrolling_table
from toolbox.messages import choose_setting_name, format_count, say
from toolbox.privacy.measures import FewColumnsRisk, KnownColumns
from toolbox.report.advice import BY_CLASSES, Advice, advise_on_certain_value
from toolbox.report.console import ResultTable, make_table
from toolbox.report.judges.face import MeasureFace
from toolbox.risks.figures import MatchingBeliefs, MatchingRisk, ValueBeliefs
from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk

# Somebody who knows a few of the quasi-identifiers.

_MOST_SETS = 10
"""Sets of columns that a table for eyes lists."""


def build_few_columns_document(found: FewColumnsRisk) -> dict[str, Any]:
    """Return the part ``few_columns`` of the JSON document; its names are stable."""
    by_size = [{**asdict(known), "columns": len(known.columns)} for known in found.by_size]
    sets = [{**asdict(known), "columns": list(known.columns)} for known in found.sets]
    return {"k": found.k, "of": found.of, "noun": found.noun, "by_size": by_size, "sets": sets}


def _make_few_columns_rows(found: FewColumnsRisk) -> list[tuple[str, KnownColumns]]:
    """Return whom any columns find, by their number, and the worst sets, each with its name."""
    sizes: list[tuple[str, KnownColumns]] = [
        (say("any %(count)s", count=len(known.columns)), known) for known in found.by_size
    ]
    worst = [known for known in found.sets if known.below_k][:_MOST_SETS]
    return [*sizes, *((", ".join(known.columns), known) for known in worst)]


def _list_few_columns_heads(found: FewColumnsRisk) -> tuple[str, ...]:
    if found.noun == "person":
        alike, below = say("fewest persons alike"), say("persons below %(k)s", k=found.k)
    else:
        alike, below = say("fewest records alike"), say("records below %(k)s", k=found.k)
    return say("columns that somebody knows"), alike, below, say("alone")


def print_few_columns(console: Console, found: FewColumnsRisk) -> None:
    """Print whom somebody finds, by the columns that he knows."""
    table = make_table("known: a few columns", *_list_few_columns_heads(found), numbers=frozenset({1, 2, 3}))
    for name, known in _make_few_columns_rows(found):
        smallest = "-" if known.smallest is None else f"{known.smallest:,}"
        table.add_row(name, smallest, f"{known.below_k:,}", f"{known.alone:,}")
    console.print(table)


def _render_few_columns(found: FewColumnsRisk) -> Markup | None:
    rows: list[Sequence[str | float]] = [
        (name, "-" if known.smallest is None else known.smallest, known.below_k, known.alone)
        for name, known in _make_few_columns_rows(found)
    ]
    shown = render_table(_list_few_columns_heads(found), rows, figures=range(1, 4))
    said = say(
        "Nobody knows everything of a person. These are whom somebody finds who knows a few columns, of %(count)s.",
        count=found.of,
    )
    return join_parts(
        element("h3", say("Known: a few columns")),
        render_paragraph(said),
        render_scrolling_table(shown, say("Whom somebody finds by a few columns")),
    )


FEW_COLUMNS = MeasureFace(
    "few_columns",
    key="few_columns",
    document=build_few_columns_document,
    show=print_few_columns,
    render=_render_few_columns,
)


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
        "believed_above": None if found is None else _name_levels(found.believed_above),
        "believed_by_tenths": [] if found is None else [list(people) for people in found.tenths],
        "right_guesses": None if found is None else found.right_guesses,
        "converged": None if found is None else found.has_converged,
        "counts": [] if found is None else [{"matchable": rows, "people": people} for rows, people in found.counts],
        "sensitive": [] if found is None else [_build_values_document(values) for values in found.values],
    }


def _name_levels(believed: Sequence[tuple[float, int]]) -> dict[str, int]:
    return {f"{level:.4g}": people for level, people in believed}


def _build_values_document(values: ValueBeliefs) -> dict[str, Any]:
    return {**asdict(values), "believed_above": _name_levels(values.believed_above)}


def list_matching_notes(matching: MatchingRisk) -> list[str]:
    """Return what to know of the figures."""
    if (found := matching.beliefs) is None:
        people = format_count(matching.unassigned, "person gets", "people get")
        return [f"{people} no row, however rows are assigned: the release does not hold exactly these people."]
    if found.has_converged:
        return []
    return [
        f"Beliefs had not settled after {found.rounds:,} rounds: take those figures as rough. The others are exact."
    ]


def advise_on_matching(matching: MatchingRisk) -> Iterator[Advice]:
    """Advise on what an attacker learns who matches everybody at once."""
    if (found := matching.beliefs) is None:
        return
    if found.matchable_below_k:
        people = format_count(found.matchable_below_k, "person has", "people have")
        one = f", {found.matchable_with_one:,} of them one" if found.matchable_with_one else ""
        yield Advice(
            finding=f"When everybody must have a row, {people} fewer than k = {matching.k} left{one}.",
            severity="high",
            remedy=BY_CLASSES,
            effect=_find_remaining_effect(matching, "At least k rows then remain for everybody."),
        )
    yield from _advise_on_believed_rows(matching, found)
    for values in found.values:
        if values.certain:
            people = format_count(values.certain, "person", "people")
            finding = f"{values.attribute} is certain of {people}, whichever row is theirs."
            # Rows of several classes may be theirs, or fewer than those of one.
            yield advise_on_certain_value(finding, values.attribute, is_by_class=False)


def _advise_on_believed_rows(matching: MatchingRisk, found: MatchingBeliefs) -> Iterator[Advice]:
    level, believed = found.believed_above[-1]
    if believed > found.matchable_with_one:
        more = format_count(believed - found.matchable_with_one, "person", "people")
        yield Advice(
            finding=f"{more} with several rows left: one row is believed more strongly than {level:.4g}.",
            severity="medium",
            remedy=BY_CLASSES,
            effect=_find_remaining_effect(matching, "No row is then believed more strongly than 1/k."),
        )


def _find_remaining_effect(matching: MatchingRisk, effect: str) -> str | None:
    """Return what classes lead to, unless some people of a class have told which rows are theirs: then less remains."""
    return None if matching.attack.insiders else effect


# Its tables.


def print_matching(console: Console, matching: MatchingRisk) -> None:
    """Print what such an attacker finds; `MatchingRisk` explains the figures."""
    found = matching.beliefs
    if found is None:
        people = format_count(matching.unassigned, "person gets", "people get")
        console.print(f"[red]{people} no row[/], however rows are assigned\n")
        return
    if not matching.people:
        console.print("Everybody has told which row is theirs: nobody is left to find\n")
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

_AT_ONCE = "Everybody has one row, and a row that somebody else needs is not yours. So fewer rows remain than fit."


def _render_matching(matching: MatchingRisk) -> Markup:
    knows = f"An attacker who {matching.attack.in_words()}, and matches all at once. {_AT_ONCE}"
    notes = list_matching_notes(matching)
    head = join_parts(
        element("h3", "By matching everybody at once"),
        render_paragraph(knows),
        render_list(notes, "warnings") if notes else None,
    )
    if (found := matching.beliefs) is None:
        return head
    if not matching.people:
        return join_parts(head, render_paragraph("Everybody has told which row is theirs: nobody is left to find."))
    return join_parts(
        head,
        _render_remaining_rows(matching, found),
        _draw_beliefs(matching, found),
        _render_believed_values(matching, found),
    )


def _render_remaining_rows(matching: MatchingRisk, found: MatchingBeliefs) -> Markup:
    below, one = found.matchable_below_k, format_number(found.matchable_with_one)
    said = (
        f"For {_format_people(below)} fewer than {matching.k} rows remain, for {one} of them one."
        if below
        else f"For everybody at least {format_number(found.fewest)} rows remain."
    )
    return _draw_hiding_people(
        found.counts, matching.k, key="remaining", title="People by the rows that remain for them", says=said
    )


def _draw_beliefs(matching: MatchingRisk, found: MatchingBeliefs) -> Markup:
    """Draw how strongly one row is believed to be a person's, hatched above what k rows would allow."""
    names = [f"{step / 10:.1f} to {(step + 1) / 10:.1f}" for step in range(len(found.tenths))]
    rows = [(name, *people) for name, people in zip(names, found.tenths, strict=True) if sum(people)]
    hits = f"{format_percent(found.expected_hits / matching.people)} of the people"
    right = "" if found.right_guesses is None else f", and in fact {format_percent(found.right_guesses)}"
    limit = f"1/k = {1 / matching.k:.2g}"
    caption = (
        f"People by how strongly one row is believed to be theirs; at risk: above {limit}. An attacker who guesses "
        f"the most likely row finds {hits}, as expected{right}."
    )
    shown = render_table(["belief", f"people, at most {limit}", "people above"], rows)
    title = "People by the belief in one row"
    return Markup(
        render_figure(
            draw_class_sizes(rows, key="beliefs", title=title, unit="people"), shown, caption=caption, label=title
        )
    )


def _render_believed_values(matching: MatchingRisk, found: MatchingBeliefs) -> Markup | None:
    if not found.values:
        return None
    levels = [f"believed above {level:g}" for level, _ in found.values[0].believed_above]
    heads = ["sensitive attribute", *levels, "certain", "right, as expected", "right without the release"]
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
    said = "People with a sensitive value that is believed so strongly, whichever row is theirs."
    return join_parts(
        element("h3", "Sensitive values"),
        render_paragraph(said),
        render_scrolling_table(shown, "Beliefs in sensitive values"),
    )


def _draw_hiding_people(
    counts: Iterable[tuple[int, int]], k: int, *, key: str, title: str, says: str, noun: str = "people"
) -> Markup:
    """Draw people by the rows among which they hide, hatched below k."""
    pairs = list(counts)
    small = {row.first: row.amount for row in count_in_bins(pair for pair in pairs if pair[0] < k)}
    rows = [(row.name, row.amount - small.get(row.first, 0), small.get(row.first, 0)) for row in count_in_bins(pairs)]
    shown = render_table(["rows", f"{noun}, at least {k}", f"{noun}, fewer"], rows)
    return Markup(
        render_figure(
            draw_class_sizes(rows, key=key, title=title, unit=noun), shown, caption=f"{title}. {says}", label=title
        )
    )


def _format_people(count: int) -> str:
    return "nobody" if not count else "1 person" if count == 1 else f"{format_number(count)} people"


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

_LINKS = {"order": "by their order", "none": "by nothing"}


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
        remedy = choose_setting_name(
            "--key NAME, or --key none", python="key='name', or key='none'", in_python=in_python
        )
        return [
            f"The order does not link the rows of one person: {wrong}. The figures with this link mean nothing. Name "
            f"the column that links them, {remedy}."
        ]
    notes = []
    if joint.consistency is not None and joint.consistency.unmatched:
        notes.append(f"{format_count(joint.consistency.unmatched, 'person is', 'people are')} not in both releases.")
    for values in joint.values:
        if values.none:
            people = format_count(values.none, "person has", "people have")
            # Who has a key in all of them is in all of them.
            why = "it has changed" if joint.earlier else "it has changed, or they are not in both releases"
            notes.append(f"{people} no {values.attribute} in common: {why}.")
    return notes


def _find_wrong_links(joint: JointRisk) -> str:
    """Return the evidence that rows in the same place belong to different people; nothing if there is none."""
    if joint.link != "order":
        return ""
    if joint.consistency is not None and joint.consistency.unmatched:
        return f"{format_count(joint.consistency.unmatched, 'person fits', 'people fit')} no pair of linked rows"
    for values in joint.values:
        if values.none:
            return (
                f"{format_count(values.none, 'pair', 'pairs')} of linked rows can have no {values.attribute} in common"
            )
    return ""


def advise_on_earlier(joint: JointRisk) -> Iterator[Advice]:
    """Advise on what an earlier release tells besides, where the link is one."""
    if _find_wrong_links(joint):
        return
    classes, people = joint.classes, joint.consistency
    below = people.below_k if people is not None else classes.below_k if classes is not None else 0
    if below:
        nouns = ("person hides", "people hide") if people or joint.by_person else ("row hides", "rows hide")
        remedy = "Release in a random order" if joint.link == "order" else "Release nothing by which rows can be linked"
        yield Advice(
            finding=f"Somebody who links the rows of both releases finds that {format_count(below, *nouns)} among "
            f"fewer than k = {joint.k}.",
            severity="high" if joint.link == "order" else "medium",
            remedy=f"{remedy}, or with the same classes as before.",
        )
    for values in joint.values:
        if values.certain:
            people_of = format_count(values.certain, "person", "people")
            yield Advice(
                finding=f"{_name_all(joint).capitalize()} together leave one {values.attribute} for {people_of}.",
                severity="high",
                remedy="Keep the same values in the class of each person (m-invariance).",
            )


# Its tables.


def print_joint(console: Console, joint: JointRisk) -> None:
    """Print what both releases tell together; `JointRisk` explains the figures."""
    link = _LINKS.get(joint.link, f"by {joint.link}")
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


def _name_all(joint: JointRisk) -> str:
    return "both releases" if len(joint.earlier) < 2 else "all releases"


# Its part of the page.


def _render_joint(joint: JointRisk) -> Markup:
    link = _LINKS.get(joint.link, f"by {joint.link}")
    which = "earlier releases" if len(joint.earlier) > 1 else "an earlier release"
    knows = f"An attacker who holds {which} of the same people as well. Its rows are linked {link}."
    notes = list_joint_notes(joint)
    return join_parts(
        element("h3", f"Together with {which}"),
        render_paragraph(knows),
        render_list(notes, "warnings") if notes else None,
        # Figures of a link that is none say nothing, which the note has said.
        *(() if _find_wrong_links(joint) else (_render_crossing(joint), _render_joint_values(joint))),
    )


def _render_crossing(joint: JointRisk) -> Markup | None:
    if (people := joint.consistency) is not None:
        pairs = "persons" if joint.by_person else "pairs of linked rows"
        says = f"For {_format_people(people.below_k)} fewer than {joint.k} {pairs} fit in both releases."
        title = "People by the linked rows that fit them in both releases"
        # Whom no pair fits is not in both releases, as a note tells, and is not found by them.
        in_both = [(found, fitted) for found, fitted in people.counts if found]
        return _draw_hiding_people(in_both, joint.k, key="joint", title=title, says=says) if in_both else None
    if (rows := joint.classes) is not None:
        noun, those = ("persons", "who agree") if joint.by_person else ("rows", "that agree")
        below = f"{format_number(rows.below_k)} of {format_number(rows.records)} {noun}"
        says = f"{below} agree with fewer than {joint.k} in {_name_all(joint)}."
        title = f"{noun.capitalize()} by those {those} with them in {_name_all(joint)}"
        return _draw_hiding_people(rows.counts, joint.k, key="joint", title=title, says=says, noun=noun)
    return None


def _render_joint_values(joint: JointRisk) -> Markup | None:
    rows: list[Sequence[str | float]] = [
        (values.attribute, values.people, values.certain, values.none, values.fewest) for values in joint.values
    ]
    if not rows:
        return None
    heads = ["sensitive attribute", "people", "one value is left", "none is left", "fewest"]
    said = f"A person has a value that their class has in {_name_all(joint)}."
    if all(values.changed_share is not None for values in joint.values):
        heads.append("class with other values")
        rows = [
            (*row, f"{values.changed:,} ({format_percent(values.changed_share or 0)})")
            for row, values in zip(rows, joint.values, strict=True)
        ]
        said += " Where a class has other values than before, m-invariance does not hold."
    shown = render_table(heads, rows)
    return join_parts(
        render_paragraph(said), render_scrolling_table(shown, f"Sensitive values that {_name_all(joint)} leave")
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


# What a run says that has counted earlier releases before it released.


@dataclass(frozen=True)
class EarlierResult:
    """What a new release and earlier ones tell together of persons, as the summary of a run says it."""

    risk: JointRisk
    repair: Mapping[str, Any] | None = None
    """What a repair cost, by its names in the document."""

    @property
    def name(self) -> str:
        """The names of the earlier releases."""
        names = [Path(name).name for name in self.risk.earlier]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def line(self) -> str:
        """Return the line at the head of the printed summary."""
        found = self.risk.classes
        assert found is not None, "a run has a link"
        people = format_count(found.records, "person", "people")
        values = "".join(
            f"; {each.attribute}: at least {each.fewest:,} left, {each.changed_share or 0:.0%} in classes with others"
            for each in self.risk.values
        )
        return f"{people} also in {self.name}, at least {found.smallest:,} alike in {_name_all(self.risk)}{values}"

    def document(self) -> dict[str, Any]:
        """Return the part ``earlier`` of the JSON document."""
        return {**build_joint_document(self.risk), **({} if self.repair is None else {"repair": dict(self.repair)})}

    def notes(self) -> list[str]:
        """Return what to know of the figures."""
        labels, notes = self.risk.labels, list_joint_notes(self.risk)
        if labels is not None:
            people = format_count(labels.smallest, "person", "people")
            notes.append(
                f"{labels.agreeing:,} of {labels.classes:,} classes have labels that {self.name} has, too; all "
                f"releases together show at least {people} under the labels of a class."
            )
        if (made := self.repair) is not None:
            changed, out = (format_count(made[name], "person", "people") for name in ("below_k", "left_out_people"))
            notes.append(
                f"Values became wider for {changed} below k: {made['kept']:.0%} of the information is kept, not "
                f"{made['kept_before']:.0%}. Left out: {out}, whom no wider values would hide."
            )
        return notes

    def advice(self) -> list[Advice]:
        """Return what was found that calls for a change."""
        return list(advise_on_earlier(self.risk))
