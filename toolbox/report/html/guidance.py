"""What guidance asks of a release, answered by figures of its page: GDPR (WP216), HIPAA and EMA Policy 0070.

Nothing is counted here, and nothing is judged: each sentence repeats a figure and names the section that has it, or
says that the figure was not counted and which command counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolbox.charts import format_number, format_percent
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import format_figure, join_parts, render_paragraph, render_section
from toolbox.messages import format_count
from toolbox.report.columns import format_columns
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.making import find_detail_left

_SECTIONS = {
    "verdict": "Verdict",
    "data": "Data",
    "columns": "Columns",
    "models": "Privacy models",
    "losses": "What was lost",
    "risks": "Who is still at risk",
    "learned": "What an attacker really learns",
    "limits": "What k-anonymity does not promise",
    "repeating": "How to repeat it",
}
"""The headings of the sections that sentences lead to, by their keys."""


class FigureInWords(NamedTuple):
    """A figure of the page in words, or that it was not counted."""

    says: str
    section: str | None = None
    """The key of the section with the figure; None where it was not counted."""
    command: str | None = None
    """What counts it, where that was not done."""


class Answer(NamedTuple):
    """What was counted for one question of a document."""

    key: str
    question: str
    sentences: tuple[FigureInWords, ...]


class Guidance(NamedTuple):
    """A document of guidance, with its questions."""

    key: str
    name: str
    answers: tuple[Answer, ...]


def list_guidance(findings: PageFindings) -> tuple[Guidance, ...]:
    """Answer each question of each document by what the page has counted."""
    identified = (*_count_alone(findings), *_count_fitting(findings))
    return (
        Guidance(
            "gdpr",
            "GDPR: the three risks of Opinion 05/2014 (WP216)",
            (
                _answer("singled-out", "Can a person be singled out?", (*identified, *_name_undeclared(findings))),
                _answer("linked", "Can records of a person be linked?", _count_links(findings)),
                _answer("inferred", "Can a value of a person be inferred?", _count_inferences(findings)),
            ),
        ),
        Guidance(
            "hipaa-expert-determination",
            "HIPAA: Expert Determination, 45 CFR 164.514(b)(1)",
            (
                _answer("replicability", "Replicability: which values recur?", _name_known_columns(findings)),
                _answer("data-sources", "Data source availability: where else do they stand?", _compare(findings)),
                _answer("distinguishability", "Distinguishability: who differs from all others?", identified),
                _answer("very-small", "Is the risk very small?", _count_risk(findings)),
                _answer("documented", "Are methods and results documented?", _name_documents(findings)),
            ),
        ),
        Guidance(
            "ema-0070",
            "EMA: anonymisation report, Policy 0070",
            (
                _answer("direct-identifiers", "Which columns are direct identifiers?", _name_identifiers(findings)),
                _answer("quasi-identifiers", "Which columns are quasi-identifiers?", _name_quasi_identifiers(findings)),
                _answer("uniqueness", "Who is unique?", _count_alone(findings)),
                _answer("threshold", "Is the risk at most 0.09?", _count_above_ema_threshold(findings)),
                _answer("utility", "What is left to be used?", _count_utility(findings)),
            ),
        ),
    )


def _answer(key: str, question: str, sentences: Iterable[FigureInWords]) -> Answer:
    return Answer(key, question, tuple(sentences))


def document_guidance(findings: PageFindings) -> list[dict[str, Any]]:
    """Return the part ``guidance`` of the JSON document; its names are stable."""
    return [
        {
            "guidance": each.key,
            "answers": [
                {"question": answer.key, "sentences": [sentence._asdict() for sentence in answer.sentences]}
                for answer in each.answers
            ],
        }
        for each in list_guidance(findings)
    ]


def render_guidance(findings: PageFindings) -> Markup:
    """Return the section."""
    said = (
        "Figures of this page in the order in which guidance asks for them. No sentence is a legal judgement: people "
        "judge whether a figure is small enough, whether the right columns were declared, and what others know."
    )
    if findings.is_public:
        said += " A public report counts only what follows from the release; an internal one counts more."
    parts = [part for each in list_guidance(findings) for part in _render_answers(each)]
    return render_section("guidance", "What guidance asks, and what was counted", render_paragraph(said), *parts)


def _render_answers(guidance: Guidance) -> Iterator[Markup]:
    yield element("h3", guidance.name)
    for answer in guidance.answers:
        yield element("h4", answer.question)
        yield element("ul", *map(_render_sentence, answer.sentences))


def _render_sentence(sentence: FigureInWords) -> Markup:
    told = Markup()
    if sentence.section is not None:
        told = join_parts(
            Markup("("), element("a", _SECTIONS[sentence.section], href=f"#{sentence.section}-heading"), Markup(")")
        )
    elif sentence.command is not None:
        told = join_parts(element("code", sentence.command), Markup(" counts it."))
    return element("li", f"{sentence.says} ", told)


# The sentences: by classes and by the original records.


def _lack(what: str, command: str) -> FigureInWords:
    """Say that something was not counted, and what counts it."""
    return FigureInWords(f"Not counted: {what}.", command=command)


def _count_alone(findings: PageFindings) -> Iterator[FigureInWords]:
    risk, counts = findings.risk, findings.counts
    if not counts.classes or counts.smallest is None:
        yield FigureInWords("All records are suppressed: no quasi-identifier tells one from another.", "verdict")
        return
    least = f"the smallest of {format_count(counts.classes, 'class', 'classes')} has {findings.count(counts.smallest)}"
    if risk is None:
        yield FigureInWords(f"By the proof of the run, {least}.", "verdict")
        return
    alone = findings.count(risk.uniqueness.records, "record is", "records are")
    yield FigureInWords(f"{alone} alone in a class; {least}.", "risks")
    if (original := findings.original) is not None:
        yield FigureInWords(f"Before, {format_count(original.alone, 'record was', 'records were')} alone.", "risks")


def _count_fitting(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say how many released records fit a person."""
    found = None if findings.risk is None else findings.risk.consistency
    what = "how many released records could be those of each person"
    if found is not None:
        people = format_count(found.people, "person", "people")
        exactly, below = (format_number(number) for number in (found.alone, found.below_k))
        yield FigureInWords(
            f"Of {people}, {exactly} fit exactly one released record, and {below} fit fewer than {found.k}.", "risks"
        )
    elif findings.original is not None and not findings.unjudged:
        yield FigureInWords(f"Not counted: {what}, as some released values are not those of the records.")
    else:
        yield _lack(what, "toolbox report --original FILE")


def _name_undeclared(findings: PageFindings) -> Iterator[FigureInWords]:
    if names := findings.undeclared:
        columns = format_count(len(names), "column is", "columns are")
        yield FigureInWords(
            f"{columns} declared by nobody and released unchanged; no figure here counts what somebody knows of "
            f"{'it' if len(names) == 1 else 'them'}: {format_columns(names)}.",
            "columns",
        )


# Links: of the records of a person with each other, with an earlier release, and with a population.


def _count_links(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _count_persons(findings)
    yield from _count_matches(findings)
    yield from _compare(findings)


def _count_persons(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say whether records of one person were counted as such."""
    proof = None if findings.summary is None else findings.summary.proof
    if proof is None or (persons := proof.persons) is None:
        what = "which records are one person's; each record counts as a person"
        yield _lack(what, "toolbox check --person NAME")
    elif proof.smallest_class is not None:
        rows = "by all records of each" if persons.judged_by == "profile" else "by each record"
        smallest = format_count(proof.smallest_class, "person")
        yield FigureInWords(
            f"The proof has counted {format_count(persons.count, 'person')} ({persons.column}); at least {smallest} "
            f"are alike {rows}.",
            "limits",
        )


def _count_matches(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say for how many people one row remains where everybody is matched at once."""
    found = findings.matching
    if found is None:
        what = "for how many people one record remains if everybody is matched at once"
        yield _lack(what, "toolbox report --original FILE --matching")
        return
    people = format_count(found.people, "person", "people")
    if found.beliefs is None:
        yield FigureInWords(f"For {format_number(found.unassigned)} of {people} no record is left to match.", "learned")
        return
    one, below = (format_number(n) for n in (found.beliefs.matchable_with_one, found.beliefs.matchable_below_k))
    yield FigureInWords(
        f"If everybody is matched at once, one record remains for {one} of {people}, and fewer than {found.k} for "
        f"{below}.",
        "learned",
    )


def _compare(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _compare_with_earlier(findings)
    yield from _compare_with_population(findings)


def _compare_with_population(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say among how many people of a population records hide, counted or estimated."""
    journalist = None if findings.risk is None else findings.risk.journalist
    if journalist is not None:
        highest, average = (format_percent(each) for each in (journalist.highest, journalist.average))
        risk = f"the highest risk is {highest}, the average {average}"
        yield FigureInWords(f"Within the population that was named, {risk}.", "risks")
    else:
        yield _lack("how many people of a population fit each record", "toolbox report --population FILE")
    if (sample := findings.sample) is not None:
        yield FigureInWords(
            f"Estimated, not counted: each class stands for at least {format_figure(sample.smallest)} people of the "
            f"population, and the average risk is {format_percent(sample.exact.average)}.",
            "learned",
        )


def _compare_with_earlier(findings: PageFindings) -> Iterator[FigureInWords]:
    if (joint := findings.joint) is None:
        what = "what this release and an earlier one tell together"
        yield _lack(what, "toolbox report --earlier FILE")
        return
    if joint.classes is None and not joint.values:
        yield _lack("who is alone in both releases, as nothing links their records", "toolbox report --key NAME")
    if (found := joint.classes) is not None:
        nouns = ("person is", "people are") if joint.by_person else ("record is", "records are")
        linked = format_count(found.records, *nouns)
        alone, below = (format_number(number) for number in (found.alone, found.below_k))
        yield FigureInWords(
            f"{linked} linked with the earlier release: {alone} alone in both, {below} among fewer than {joint.k}.",
            "learned",
        )
    for each in joint.values:
        people = format_count(each.people, "person", "people")
        yield FigureInWords(
            f"Of {people}, one value of {each.attribute} remains by both releases for {format_number(each.certain)}.",
            "learned",
        )


# Inferences: what classes and statistics tell of sensitive values.


def _count_inferences(findings: PageFindings) -> Iterator[FigureInWords]:
    if not any(column.role.startswith("sensitive") for column in findings.columns):
        what = "what classes tell of a sensitive attribute, as none is declared"
        yield FigureInWords(f"Not counted: {what}.", command="toolbox report --sensitive NAMES")
        return
    for certain in findings.certain if findings.counts.classes else ():
        people = findings.count(certain.people, "person", "people")
        yield FigureInWords(f"The {certain.attribute} of {people} is certain by their class.", "risks")
    for each in findings.sensitive:
        yield FigureInWords(
            f"By the class, a value of {each.attribute} is believed with at most {format_percent(each.largest)}; who "
            f"guesses is right in {format_percent(each.right_guesses)}, and in "
            f"{format_percent(each.share_without_release)} without the release.",
            "learned",
        )
    if (solved := findings.statistics) is not None:
        yield FigureInWords(
            f"Statistics of classes give {format_number(solved.cells_disclosed)} of "
            f"{format_count(solved.cells, 'cell')} back.",
            "learned",
        )
    for model in findings.models:
        if model.attribute is not None and model.achieved is not None:
            said = f"{model.name} of {model.attribute}: {format_figure(model.required)} required, "
            yield FigureInWords(f"{said}{format_figure(model.achieved)} achieved.", "models")
    what = "how much better such guesses are for people of the release than for others"
    yield _lack(what, "toolbox risk --control FILE")


# Columns, risk and documents, as HIPAA and EMA ask for them.


def _list_names(findings: PageFindings, role: str) -> list[str]:
    return [column.name for column in findings.columns if column.role.startswith(role)]


def _name_quasi_identifiers(findings: PageFindings) -> Iterator[FigureInWords]:
    names = _list_names(findings, "quasi-identifier")
    declared = format_count(len(names), "column is", "columns are")
    yield FigureInWords(f"{declared} declared as quasi-identifiers: {format_columns(names)}.", "columns")


def _name_known_columns(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _name_quasi_identifiers(findings)
    if names := _list_names(findings, "sensitive"):
        declared = format_count(len(names), "column is", "columns are")
        yield FigureInWords(
            f"{declared} declared as sensitive and released unchanged: {format_columns(names)}.", "columns"
        )
    yield from _name_undeclared(findings)
    yield FigureInWords("Not counted: whether these values stay the same for a person. The expert judges that.")


def _name_identifiers(findings: PageFindings) -> Iterator[FigureInWords]:
    names = _list_names(findings, "identifier")
    if names:
        declared = format_count(len(names), "column is", "columns are")
        yield FigureInWords(f"{declared} declared as identifiers and not released: {format_columns(names)}.", "columns")
    elif findings.is_public:
        yield FigureInWords("A public report does not tell which columns were left out.")
    else:
        yield FigureInWords("No column is declared as an identifier.", "columns")
    if (summary := findings.summary) is not None and summary.treatments:
        treated = format_columns([str(each["column"]) for each in summary.treatments])
        yield FigureInWords(f"Treated before they are released: {treated}.", "columns")
    yield from _name_undeclared(findings)


def _count_risk(findings: PageFindings) -> Iterator[FigureInWords]:
    risk = findings.risk
    if risk is None or risk.prosecutor is None:
        yield from _count_alone(findings)
        return
    found, threshold = risk.prosecutor, format_figure(risk.threshold)
    records = findings.count(found.records_at_risk, "record is", "records are")
    yield FigureInWords(
        f"Of somebody who knows that a person is in the release, the highest risk is {format_percent(found.highest)}, "
        f"the average {format_percent(found.average)}; {records} above the threshold {threshold}.",
        "risks",
    )
    yield FigureInWords(
        "The rule has no figure for a very small risk. The expert chooses the threshold: --threshold P."
    )


def _name_documents(findings: PageFindings) -> Iterator[FigureInWords]:
    if findings.checksums:
        files = format_count(len(findings.checksums), "file")
        yield FigureInWords(f"A checksum (SHA-256) tells {files} of the release from all others.", "data")
    told = {"the command": findings.command, "the configuration": findings.configuration}
    written = ["the version of the program", *(name for name, text in told.items() if text is not None)]
    yield FigureInWords(f"Written down: {', '.join(written)}.", "repeating")


_EMA_LARGEST = 11
"""The class whose risk, 1/11 = 0.0909, EMA's 0.09 is usually taken for."""


def _count_above_ema_threshold(findings: PageFindings) -> Iterator[FigureInWords]:
    risk = findings.risk
    if risk is None or risk.prosecutor is None:
        yield from _count_alone(findings)
        return
    sizes = risk.histogram
    small = sum(each.records for each in sizes if each.size < _EMA_LARGEST)
    limit = sum(each.records for each in sizes if each.size == _EMA_LARGEST)
    below, at = (findings.count(records, "record is", "records are") for records in (small, limit))
    yield FigureInWords(
        f"The highest risk is {format_figure(risk.prosecutor.highest)}. {below} in classes of fewer than 11, where it "
        f"is 0.1 or more; {at} in classes of 11, where it is 1/11 = 0.0909. From 12 on it is below 0.09.",
        "risks",
    )
    yield from _compare_with_population(findings)


def _count_utility(findings: PageFindings) -> Iterator[FigureInWords]:
    if (left := find_detail_left(findings.losses)) is not None:
        yield FigureInWords(f"{format_percent(left)} of the detail of the quasi-identifiers is left.", "verdict")
    if findings.losses is None:
        yield _lack("what the release has lost", "toolbox report --original FILE")
        return
    metrics = format_count(len({measure.name for measure in findings.losses.measures}), "metric")
    yield FigureInWords(
        f"{metrics} of loss were counted; none says whether an analysis gives the same result.", "losses"
    )
