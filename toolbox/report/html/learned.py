"""What an attacker really learns: who has the release alone, who matches everybody, who holds an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolbox.charts import draw_class_sizes, format_number, format_percent, render_figure, render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import count_in_bins
from toolbox.report.advice import find_wrong_links
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.parts import join_parts, render_list, render_paragraph, render_scrolling_table, render_section
from toolbox.report.judges.attackers import list_joint_notes, list_matching_notes
from toolbox.report.judges.inferences import format_tried_values, list_near_values, list_statistics_notes
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import MatchingBeliefs, MatchingRisk
from toolbox.risks.sensitive import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk

# What a reader of the release infers who needs nothing else: from the statistics of classes, and from classes.


def render_statistics(found: StatisticsRisk | None) -> Markup | None:
    """Return the part on values that follow from statistics; None for a release without any."""
    if found is None:
        return None
    disclosed = f"{format_number(found.cells_disclosed)} of {format_number(found.cells)} cells"
    said = (
        "An attacker can try all values that a class may have, and finds those that fit its statistics. For "
        f"{disclosed} ({format_percent(found.share_disclosed)}) no other "
        "values fit: these classes give their original values back."
    )
    heads = ["column", "classes", "solved", "not decided", "cells given back", "share", "values tried"]
    rows = [
        (
            *(column.column, column.classes, column.solved, column.undecided, column.cells_disclosed),
            *(format_percent(column.share_disclosed), format_tried_values(column)),
        )
        for column in found.columns
    ]
    shown = render_table(heads, rows, figures=range(1, 6))
    return join_parts(
        element("h3", "By the statistics of the classes"),
        render_paragraph(said),
        render_scrolling_table(shown, "Values that follow from statistics"),
        render_list(notes, "warnings") if (notes := list_statistics_notes(found)) else None,
    )


def render_class_beliefs(found: Sequence[SensitiveRisk]) -> Markup | None:
    """Return the part on sensitive values that classes make likely; None where none are declared."""
    if not found:
        return None
    levels = [f"believed above {level:g}" for level, _ in found[0].believed_above]
    heads = ["sensitive attribute", *levels, "right, as expected", "right without the release", "grown by at most"]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            format_percent(values.right_guesses),
            format_percent(values.share_without_release),
            f"{values.skewness.largest_ratio:,.4g} times",
        )
        for values in found
    ]
    said = (
        "An attacker who finds the class of a person, or the group of an anatomy, believes in each sensitive value as "
        "strongly as it is frequent there. A missing value counts as a value."
    )
    shown = render_table(heads, rows, figures=range(1, len(heads)))
    return join_parts(
        element("h3", "By the class of a person"),
        render_paragraph(said),
        render_scrolling_table(shown, "Beliefs by classes"),
        _render_near_values(found),
    )


def _render_near_values(found: Sequence[SensitiveRisk]) -> Markup | None:
    rows = [
        (values.attribute, words, people, format_percent(people / values.people))
        for values in found
        if values.similarity is not None
        for words, people in list_near_values(values.similarity)
    ]
    if not rows:
        return None
    shown = render_table(
        ["sensitive attribute", "all values of the class are", "people", "share"], rows, figures={2, 3}
    )
    return render_scrolling_table(shown, "People whose class has values that are near each other")


# What an attacker really learns: who has the release alone, who matches everybody, and who holds an earlier one.

_LINKS = {"order": "by their order", "none": "by nothing"}
_AT_ONCE = "Everybody has one row, and a row that somebody else needs is not yours. So fewer rows remain than fit."


def render_attacks(findings: PageFindings) -> Markup:
    """Return the section; nothing where nothing is sensitive, and nobody asked for attackers who know more."""
    parts = (
        render_statistics(findings.statistics),
        render_class_beliefs(findings.sensitive),
        None if findings.matching is None else _render_matching(findings.matching),
        None if findings.joint is None else _render_joint(findings.joint),
    )
    if all(part is None for part in parts):
        return Markup()
    return render_section("learned", "What an attacker really learns", *parts)


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


def _render_joint(joint: JointRisk) -> Markup:
    link = _LINKS.get(joint.link, f"by {joint.link}")
    knows = f"An attacker who holds an earlier release of the same people as well. Its rows are linked {link}."
    notes = list_joint_notes(joint)
    return join_parts(
        element("h3", "Together with an earlier release"),
        render_paragraph(knows),
        render_list(notes, "warnings") if notes else None,
        # Figures of a link that is none say nothing, which the note has said.
        *(() if find_wrong_links(joint) else (_render_crossing(joint), _render_joint_values(joint))),
    )


def _render_crossing(joint: JointRisk) -> Markup | None:
    if (people := joint.consistency) is not None:
        says = f"For {_format_people(people.below_k)} fewer than {joint.k} pairs of linked rows fit in both releases."
        title = "People by the linked rows that fit them in both releases"
        # Whom no pair fits is not in both releases, as a note tells, and is not found by them.
        in_both = [(pairs, fitted) for pairs, fitted in people.counts if pairs]
        return _draw_hiding_people(in_both, joint.k, key="joint", title=title, says=says) if in_both else None
    if (rows := joint.classes) is not None:
        below = f"{format_number(rows.below_k)} of {format_number(rows.records)} rows"
        says = f"{below} agree with fewer than {joint.k} in both releases."
        title = "Rows by those that agree with them in both releases"
        return _draw_hiding_people(rows.counts, joint.k, key="joint", title=title, says=says, noun="rows")
    return None


def _render_joint_values(joint: JointRisk) -> Markup | None:
    rows = [(values.attribute, values.people, values.certain, values.none, values.fewest) for values in joint.values]
    if not rows:
        return None
    shown = render_table(["sensitive attribute", "people", "one value is left", "none is left", "fewest"], rows)
    said = "A person has a value that their class has in both releases."
    return join_parts(
        render_paragraph(said), render_scrolling_table(shown, "Sensitive values that both releases leave")
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
