"""What an attacker really learns: who has the release alone, who matches everybody, who holds an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolbox.charts import class_sizes, figure, percent, table, written
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import binned
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import all_of, listed, paragraph, scrolling, section
from toolbox.report.judges.attackers import joint_notes, matching_notes, wrongly_linked
from toolbox.report.judges.inferences import near_values, solved_in_words, statistics_notes
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import Beliefs, MatchingRisk
from toolbox.risks.sensitive import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk

# What a reader of the release infers who needs nothing else: from the statistics of classes, and from classes.


def from_statistics(found: StatisticsRisk | None) -> Markup | None:
    """Return the part on values that follow from statistics; None for a release without any."""
    if found is None:
        return None
    said = (
        "An attacker can try all values that a class may have, and finds those that fit its statistics. For "
        f"{written(found.cells_disclosed)} of {written(found.cells)} cells ({percent(found.share_disclosed)}) no other "
        "values fit: these classes give their original values back."
    )
    heads = ["column", "classes", "solved", "not decided", "cells given back", "share", "values tried"]
    rows = [
        (
            *(column.column, column.classes, column.solved, column.undecided, column.cells_disclosed),
            *(percent(column.share_disclosed), solved_in_words(column)),
        )
        for column in found.columns
    ]
    shown = table(heads, rows, figures=range(1, 6))
    return all_of(
        element("h3", "By the statistics of the classes"),
        paragraph(said),
        scrolling(shown, "Values that follow from statistics"),
        listed(notes, "warnings") if (notes := statistics_notes(found)) else None,
    )


def from_classes(found: Sequence[SensitiveRisk]) -> Markup | None:
    """Return the part on sensitive values that classes make likely; None where none are declared."""
    if not found:
        return None
    levels = [f"believed above {level:g}" for level, _ in found[0].believed_above]
    heads = ["sensitive attribute", *levels, "right, as expected", "right without the release", "grown by at most"]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            percent(values.right_guesses),
            percent(values.share_without_release),
            f"{values.skewness.largest_ratio:,.4g} times",
        )
        for values in found
    ]
    said = (
        "An attacker who finds the class of a person, or the group of an anatomy, believes in each sensitive value as "
        "strongly as it is frequent there. A missing value counts as a value."
    )
    shown = table(heads, rows, figures=range(1, len(heads)))
    return all_of(
        element("h3", "By the class of a person"), paragraph(said), scrolling(shown, "Beliefs by classes"), _near(found)
    )


def _near(found: Sequence[SensitiveRisk]) -> Markup | None:
    rows = [
        (values.attribute, words, people, percent(people / values.people))
        for values in found
        if values.similarity is not None
        for words, people in near_values(values.similarity)
    ]
    if not rows:
        return None
    shown = table(["sensitive attribute", "all values of the class are", "people", "share"], rows, figures={2, 3})
    return scrolling(shown, "People whose class has values that are near each other")


# What an attacker really learns: who has the release alone, who matches everybody, and who holds an earlier one.

_LINKS = {"order": "by their order", "none": "by nothing"}
_AT_ONCE = "Everybody has one row, and a row that somebody else needs is not yours. So fewer rows remain than fit."


def learned(findings: Findings) -> Markup:
    """Return the section; nothing where nothing is sensitive, and nobody asked for attackers who know more."""
    parts = (
        from_statistics(findings.statistics),
        from_classes(findings.sensitive),
        None if findings.matching is None else _matching(findings.matching),
        None if findings.joint is None else _joint(findings.joint),
    )
    if all(part is None for part in parts):
        return Markup()
    return section("learned", "What an attacker really learns", *parts)


def _matching(matching: MatchingRisk) -> Markup:
    knows = f"An attacker who {matching.attack.in_words()}, and matches all at once. {_AT_ONCE}"
    notes = matching_notes(matching)
    head = all_of(
        element("h3", "By matching everybody at once"), paragraph(knows), listed(notes, "warnings") if notes else None
    )
    if (found := matching.beliefs) is None:
        return head
    if not matching.people:
        return all_of(head, paragraph("Everybody has told which row is theirs: nobody is left to find."))
    return all_of(head, _remaining(matching, found), _believed(matching, found), _values(matching, found))


def _remaining(matching: MatchingRisk, found: Beliefs) -> Markup:
    below, one = found.matchable_below_k, written(found.matchable_with_one)
    said = (
        f"For {_people(below)} fewer than {matching.k} rows remain, for {one} of them one."
        if below
        else f"For everybody at least {written(found.fewest)} rows remain."
    )
    return _by_number(
        found.counts, matching.k, key="remaining", title="People by the rows that remain for them", says=said
    )


def _believed(matching: MatchingRisk, found: Beliefs) -> Markup:
    """Draw how strongly one row is believed to be a person's, hatched above what k rows would allow."""
    names = [f"{step / 10:.1f} to {(step + 1) / 10:.1f}" for step in range(len(found.tenths))]
    rows = [(name, *people) for name, people in zip(names, found.tenths, strict=True) if sum(people)]
    hits = f"{percent(found.expected_hits / matching.people)} of the people"
    right = "" if found.right_guesses is None else f", and in fact {percent(found.right_guesses)}"
    limit = f"1/k = {1 / matching.k:.2g}"
    caption = (
        f"People by how strongly one row is believed to be theirs; at risk: above {limit}. An attacker who guesses "
        f"the most likely row finds {hits}, as expected{right}."
    )
    shown = table(["belief", f"people, at most {limit}", "people above"], rows)
    title = "People by the belief in one row"
    return Markup(
        figure(class_sizes(rows, key="beliefs", title=title, unit="people"), shown, caption=caption, label=title)
    )


def _values(matching: MatchingRisk, found: Beliefs) -> Markup | None:
    if not found.values:
        return None
    levels = [f"believed above {level:g}" for level, _ in found.values[0].believed_above]
    heads = ["sensitive attribute", *levels, "certain", "right, as expected", "right without the release"]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            values.certain,
            percent(values.expected_hits / matching.people),
            percent(values.share_without_release),
        )
        for values in found.values
    ]
    shown = table(heads, rows, figures=range(1, len(heads)))
    said = "People with a sensitive value that is believed so strongly, whichever row is theirs."
    return all_of(element("h3", "Sensitive values"), paragraph(said), scrolling(shown, "Beliefs in sensitive values"))


def _joint(joint: JointRisk) -> Markup:
    link = _LINKS.get(joint.link, f"by {joint.link}")
    knows = f"An attacker who holds an earlier release of the same people as well. Its rows are linked {link}."
    notes = joint_notes(joint)
    return all_of(
        element("h3", "Together with an earlier release"),
        paragraph(knows),
        listed(notes, "warnings") if notes else None,
        # Figures of a link that is none say nothing, which the note has said.
        *(() if wrongly_linked(joint) else (_crossing(joint), _values_of_both(joint))),
    )


def _crossing(joint: JointRisk) -> Markup | None:
    if (people := joint.consistency) is not None:
        says = f"For {_people(people.below_k)} fewer than {joint.k} pairs of linked rows fit in both releases."
        title = "People by the linked rows that fit them in both releases"
        # Whom no pair fits is not in both releases, as a note tells, and is not found by them.
        in_both = [(pairs, fitted) for pairs, fitted in people.counts if pairs]
        return _by_number(in_both, joint.k, key="joint", title=title, says=says) if in_both else None
    if (rows := joint.classes) is not None:
        says = (
            f"{written(rows.below_k)} of {written(rows.records)} rows agree with fewer than {joint.k} in both releases."
        )
        title = "Rows by those that agree with them in both releases"
        return _by_number(rows.counts, joint.k, key="joint", title=title, says=says, noun="rows")
    return None


def _values_of_both(joint: JointRisk) -> Markup | None:
    rows = [(values.attribute, values.people, values.certain, values.none, values.fewest) for values in joint.values]
    if not rows:
        return None
    shown = table(["sensitive attribute", "people", "one value is left", "none is left", "fewest"], rows)
    said = "A person has a value that their class has in both releases."
    return all_of(paragraph(said), scrolling(shown, "Sensitive values that both releases leave"))


def _by_number(
    counts: Iterable[tuple[int, int]], k: int, *, key: str, title: str, says: str, noun: str = "people"
) -> Markup:
    """Draw people by the rows among which they hide, hatched below k."""
    pairs = list(counts)
    small = {row.first: row.amount for row in binned(pair for pair in pairs if pair[0] < k)}
    rows = [(row.name, row.amount - small.get(row.first, 0), small.get(row.first, 0)) for row in binned(pairs)]
    shown = table(["rows", f"{noun}, at least {k}", f"{noun}, fewer"], rows)
    return Markup(
        figure(class_sizes(rows, key=key, title=title, unit=noun), shown, caption=f"{title}. {says}", label=title)
    )


def _people(count: int) -> str:
    return "nobody" if not count else "1 person" if count == 1 else f"{written(count)} people"
