"""What guidance asks of a release, answered by figures of its page: GDPR (WP216), HIPAA and EMA Policy 0070.

Nothing is counted here, and nothing is judged: each sentence repeats a figure and names the section that has it, or
says that the figure was not counted and which command counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolbox.charts import format_percent
from toolbox.charts.markup import Markup, element, escape_text
from toolbox.charts.rows import format_figure, join_parts, render_paragraph, render_section
from toolbox.messages import mark, say, say_count, show
from toolbox.report.columns import format_columns
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.making import find_detail_left

_SECTIONS = {
    "verdict": mark("Verdict"),
    "data": mark("Data"),
    "columns": mark("Columns"),
    "models": mark("Privacy models"),
    "losses": mark("What was lost"),
    "risks": mark("Who is still at risk"),
    "learned": mark("What an attacker really learns"),
    "limits": mark("What k-anonymity does not promise"),
    "repeating": mark("How to repeat it"),
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
            say("GDPR: the three risks of Opinion 05/2014 (WP216)"),
            (
                _answer("singled-out", say("Can a person be singled out?"), (*identified, *_name_undeclared(findings))),
                _answer("linked", say("Can records of a person be linked?"), _count_links(findings)),
                _answer("inferred", say("Can a value of a person be inferred?"), _count_inferences(findings)),
            ),
        ),
        Guidance(
            "hipaa-expert-determination",
            say("HIPAA: Expert Determination, 45 CFR 164.514(b)(1)"),
            (
                _answer("replicability", say("Replicability: which values recur?"), _name_known_columns(findings)),
                _answer("data-sources", say("Data source availability: where else do they stand?"), _compare(findings)),
                _answer("distinguishability", say("Distinguishability: who differs from all others?"), identified),
                _answer("very-small", say("Is the risk very small?"), _count_risk(findings)),
                _answer("documented", say("Are methods and results documented?"), _name_documents(findings)),
            ),
        ),
        Guidance(
            "ema-0070",
            say("EMA: anonymisation report, Policy 0070"),
            (
                _answer(
                    "direct-identifiers", say("Which columns are direct identifiers?"), _name_identifiers(findings)
                ),
                _answer(
                    "quasi-identifiers", say("Which columns are quasi-identifiers?"), _name_quasi_identifiers(findings)
                ),
                _answer("uniqueness", say("Who is unique?"), _count_alone(findings)),
                _answer("threshold", say("Is the risk at most 0.09?"), _count_above_ema_threshold(findings)),
                _answer("utility", say("What is left to be used?"), _count_utility(findings)),
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
    said: list[str] = [
        say(
            "Figures of this page in the order in which guidance asks for them. No sentence is a legal judgement: "
            "people judge whether a figure is small enough, whether the right columns were declared, and what others "
            "know."
        )
    ]
    if findings.is_public:
        said.append(say("A public report counts only what follows from the release; an internal one counts more."))
    parts = [part for each in list_guidance(findings) for part in _render_answers(each)]
    return render_section(
        "guidance", say("What guidance asks, and what was counted"), render_paragraph(" ".join(said)), *parts
    )


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
        told = join_parts(element("code", sentence.command), Markup(" "), escape_text(say("counts it.")))
    return element("li", f"{show(sentence.says)} ", told)


# The sentences: by classes and by the original records.


def _lack(what: str, command: str) -> FigureInWords:
    """Say that something was not counted, and what counts it."""
    return FigureInWords(say("Not counted: %(what)s.", what=what), command=command)


def _count_people(count: int) -> str:
    return say_count("%(count)s person", "%(count)s people", count)


def _count_alone(findings: PageFindings) -> Iterator[FigureInWords]:
    risk, counts = findings.risk, findings.counts
    if not counts.classes or counts.smallest is None:
        yield FigureInWords(say("All records are suppressed: no quasi-identifier tells one from another."), "verdict")
        return
    least = {
        "classes": say_count("%(count)s class", "%(count)s classes", counts.classes),
        "smallest": findings.count_records(counts.smallest),
    }
    if risk is None:
        words = mark("By the proof of the run, the smallest of %(classes)s has %(smallest)s.")
        yield FigureInWords(say(words, **least), "verdict")
        return
    alone = findings.say_of_records(
        "%(records)s is alone in a class; the smallest of %(classes)s has %(smallest)s.",
        "%(records)s are alone in a class; the smallest of %(classes)s has %(smallest)s.",
        risk.uniqueness.records,
        **least,
    )
    yield FigureInWords(alone, "risks")
    if (original := findings.original) is not None:
        before = say_count(
            "Before, %(count)s record was alone.", "Before, %(count)s records were alone.", original.alone
        )
        yield FigureInWords(before, "risks")


def _count_fitting(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say how many released records fit a person."""
    found = None if findings.risk is None else findings.risk.consistency
    what = say("how many released records could be those of each person")
    if found is not None:
        said = say(
            "Of %(people)s, %(exactly)s fit exactly one released record, and %(below)s fit fewer than %(k)s.",
            people=_count_people(found.people),
            exactly=found.alone,
            below=found.below_k,
            k=found.k,
        )
        yield FigureInWords(said, "risks")
    elif findings.losses is not None and not findings.unjudged:
        yield FigureInWords(
            say("Not counted: %(what)s, as some released values are not those of the records.", what=what)
        )
    else:
        yield _lack(what, "toolbox report --original FILE")


def _name_undeclared(findings: PageFindings) -> Iterator[FigureInWords]:
    if names := findings.undeclared:
        said = say_count(
            "%(count)s column is declared by nobody and released unchanged; no figure here counts what somebody knows "
            "of it: %(names)s.",
            "%(count)s columns are declared by nobody and released unchanged; no figure here counts what somebody "
            "knows of them: %(names)s.",
            len(names),
            names=format_columns(names),
        )
        yield FigureInWords(said, "columns")


# Links: of the records of a person with each other, with an earlier release, and with a population.


def _count_links(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _count_persons(findings)
    yield from _count_matches(findings)
    yield from _compare(findings)


def _count_persons(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say whether records of one person were counted as such."""
    proof = None if findings.summary is None else findings.summary.proof
    if proof is None or (persons := proof.persons) is None:
        what = say("which records are one person's; each record counts as a person")
        yield _lack(what, "toolbox check --person NAME")
    elif proof.smallest_class is not None:
        if persons.judged_by == "profile":
            words = mark(
                "The proof has counted %(persons)s (%(column)s); at least %(smallest)s are alike by all records of "
                "each."
            )
        else:
            words = mark(
                "The proof has counted %(persons)s (%(column)s); at least %(smallest)s are alike by each record."
            )
        counted, smallest = (
            say_count("%(count)s person", "%(count)s people", each) for each in (persons.count, proof.smallest_class)
        )
        yield FigureInWords(say(words, persons=counted, column=persons.column, smallest=smallest), "limits")


def _count_matches(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say for how many people one row remains where everybody is matched at once."""
    found = findings.matching
    if found is None:
        what = say("for how many people one record remains if everybody is matched at once")
        yield _lack(what, "toolbox report --original FILE --matching")
        return
    people = _count_people(found.people)
    if found.beliefs is None:
        words = mark("For %(count)s of %(people)s no record is left to match.")
        yield FigureInWords(say(words, count=found.unassigned, people=people), "learned")
        return
    said = say(
        "If everybody is matched at once, one record remains for %(one)s of %(people)s, and fewer than %(k)s for "
        "%(below)s.",
        one=found.beliefs.matchable_with_one,
        people=people,
        k=found.k,
        below=found.beliefs.matchable_below_k,
    )
    yield FigureInWords(said, "learned")


def _compare(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _compare_with_earlier(findings)
    yield from _compare_with_population(findings)


def _compare_with_population(findings: PageFindings) -> Iterator[FigureInWords]:
    """Say among how many people of a population records hide, counted or estimated."""
    journalist = None if findings.risk is None else findings.risk.journalist
    if journalist is not None:
        highest, average = (format_percent(each) for each in (journalist.highest, journalist.average))
        words = mark("Within the population that was named, the highest risk is %(highest)s, the average %(average)s.")
        yield FigureInWords(say(words, highest=highest, average=average), "risks")
    else:
        yield _lack(say("how many people of a population fit each record"), "toolbox report --population FILE")
    if (sample := findings.sample) is not None:
        said = say(
            "Estimated, not counted: each class stands for at least %(people)s people of the population, and the "
            "average risk is %(average)s.",
            people=format_figure(sample.smallest),
            average=format_percent(sample.exact.average),
        )
        yield FigureInWords(said, "learned")


def _compare_with_earlier(findings: PageFindings) -> Iterator[FigureInWords]:
    if (joint := findings.joint) is None:
        what = say("what this release and an earlier one tell together")
        yield _lack(what, "toolbox report --earlier FILE")
        return
    if joint.classes is None and not joint.values:
        yield _lack(say("who is alone in both releases, as nothing links their records"), "toolbox report --key NAME")
    if (found := joint.classes) is not None:
        told = {"alone": found.alone, "below": found.below_k, "k": joint.k}
        if joint.by_person:
            said = say_count(
                "%(count)s person is linked with the earlier release: %(alone)s alone in both, %(below)s among fewer "
                "than %(k)s.",
                "%(count)s people are linked with the earlier release: %(alone)s alone in both, %(below)s among fewer "
                "than %(k)s.",
                found.records,
                **told,
            )
        else:
            said = say_count(
                "%(count)s record is linked with the earlier release: %(alone)s alone in both, %(below)s among fewer "
                "than %(k)s.",
                "%(count)s records are linked with the earlier release: %(alone)s alone in both, %(below)s among fewer "
                "than %(k)s.",
                found.records,
                **told,
            )
        yield FigureInWords(said, "learned")
    remains = mark("Of %(people)s, one value of %(attribute)s remains by both releases for %(certain)s.")
    for each in joint.values:
        people = _count_people(each.people)
        said = say(remains, people=people, attribute=each.attribute, certain=each.certain)
        yield FigureInWords(said, "learned")


# Inferences: what classes and statistics tell of sensitive values.


def _count_inferences(findings: PageFindings) -> Iterator[FigureInWords]:
    if not any(column.role.startswith("sensitive") for column in findings.columns):
        what = say("what classes tell of a sensitive attribute, as none is declared")
        yield _lack(what, "toolbox report --sensitive NAMES")
        return
    for certain in findings.certain if findings.counts.classes else ():
        people = findings.count_people(certain.people)
        words = mark("The %(attribute)s of %(people)s is certain by their class.")
        yield FigureInWords(say(words, attribute=certain.attribute, people=people), "risks")
    for each in findings.sensitive:
        said = say(
            "By the class, a value of %(attribute)s is believed with at most %(most)s; who guesses is right in "
            "%(right)s, and in %(without)s without the release.",
            attribute=each.attribute,
            most=format_percent(each.largest),
            right=format_percent(each.right_guesses),
            without=format_percent(each.share_without_release),
        )
        yield FigureInWords(said, "learned")
    if (solved := findings.statistics) is not None:
        said = say_count(
            "Statistics of classes give %(disclosed)s of %(count)s cell back.",
            "Statistics of classes give %(disclosed)s of %(count)s cells back.",
            solved.cells,
            disclosed=solved.cells_disclosed,
        )
        yield FigureInWords(said, "learned")
    for model in findings.models:
        if model.attribute is not None and model.achieved is not None:
            said = say(
                "%(model)s of %(attribute)s: %(required)s required, %(achieved)s achieved.",
                model=model.name,
                attribute=model.attribute,
                required=format_figure(model.required),
                achieved=format_figure(model.achieved),
            )
            yield FigureInWords(said, "models")
    what = say("how much better such guesses are for people of the release than for others")
    yield _lack(what, "toolbox risk --control FILE")


# Columns, risk and documents, as HIPAA and EMA ask for them.


def _list_names(findings: PageFindings, role: str) -> list[str]:
    return [column.name for column in findings.columns if column.role.startswith(role)]


def _name_quasi_identifiers(findings: PageFindings) -> Iterator[FigureInWords]:
    names = _list_names(findings, "quasi-identifier")
    said = say_count(
        "%(count)s column is declared as a quasi-identifier: %(names)s.",
        "%(count)s columns are declared as quasi-identifiers: %(names)s.",
        len(names),
        names=format_columns(names),
    )
    yield FigureInWords(said, "columns")


def _name_known_columns(findings: PageFindings) -> Iterator[FigureInWords]:
    yield from _name_quasi_identifiers(findings)
    if names := _list_names(findings, "sensitive"):
        said = say_count(
            "%(count)s column is declared as sensitive and released unchanged: %(names)s.",
            "%(count)s columns are declared as sensitive and released unchanged: %(names)s.",
            len(names),
            names=format_columns(names),
        )
        yield FigureInWords(said, "columns")
    yield from _name_undeclared(findings)
    yield FigureInWords(say("Not counted: whether these values stay the same for a person. The expert judges that."))


def _name_identifiers(findings: PageFindings) -> Iterator[FigureInWords]:
    names = _list_names(findings, "identifier")
    if names:
        said = say_count(
            "%(count)s column is declared as an identifier and not released: %(names)s.",
            "%(count)s columns are declared as identifiers and not released: %(names)s.",
            len(names),
            names=format_columns(names),
        )
        yield FigureInWords(said, "columns")
    elif findings.is_public:
        yield FigureInWords(say("A public report does not tell which columns were left out."))
    else:
        yield FigureInWords(say("No column is declared as an identifier."), "columns")
    if (summary := findings.summary) is not None and summary.treatments:
        treated = format_columns([str(each["column"]) for each in summary.treatments])
        yield FigureInWords(say("Treated before they are released: %(columns)s.", columns=treated), "columns")
    yield from _name_undeclared(findings)


def _count_risk(findings: PageFindings) -> Iterator[FigureInWords]:
    risk = findings.risk
    if risk is None or risk.prosecutor is None:
        yield from _count_alone(findings)
        return
    found, threshold = risk.prosecutor, format_figure(risk.threshold)
    said = findings.say_of_records(
        "Of somebody who knows that a person is in the release, the highest risk is %(highest)s, the average "
        "%(average)s; %(records)s is above the threshold %(threshold)s.",
        "Of somebody who knows that a person is in the release, the highest risk is %(highest)s, the average "
        "%(average)s; %(records)s are above the threshold %(threshold)s.",
        found.records_at_risk,
        highest=format_percent(found.highest),
        average=format_percent(found.average),
        threshold=threshold,
    )
    yield FigureInWords(said, "risks")
    yield FigureInWords(say("The rule has no figure for a very small risk. The expert chooses the threshold."))


def _name_documents(findings: PageFindings) -> Iterator[FigureInWords]:
    if findings.checksums:
        said = say_count(
            "A checksum (SHA-256) tells %(count)s file of the release from all others.",
            "A checksum (SHA-256) tells %(count)s files of the release from all others.",
            len(findings.checksums),
        )
        yield FigureInWords(said, "data")
    told = {say("the command"): findings.command, say("the configuration"): findings.configuration}
    written = [say("the version of the program"), *(name for name, text in told.items() if text is not None)]
    yield FigureInWords(say("Written down: %(what)s.", what=", ".join(written)), "repeating")


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
    said = say(
        "The highest risk is %(highest)s. In classes of fewer than 11, where it is 0.1 or more: %(below)s; in classes "
        "of 11, where it is 1/11 = 0.0909: %(at)s. From 12 on it is below 0.09.",
        highest=format_figure(risk.prosecutor.highest),
        below=findings.count_records(small),
        at=findings.count_records(limit),
    )
    yield FigureInWords(said, "risks")
    yield from _compare_with_population(findings)


def _count_utility(findings: PageFindings) -> Iterator[FigureInWords]:
    if (left := find_detail_left(findings.losses)) is not None:
        yield FigureInWords(
            say("%(share)s of the detail of the quasi-identifiers is left.", share=format_percent(left)), "verdict"
        )
    if findings.losses is None:
        yield _lack(say("what the release has lost"), "toolbox report --original FILE")
        return
    said = say_count(
        "%(count)s metric of loss was counted; it does not say whether an analysis gives the same result.",
        "%(count)s metrics of loss were counted; none says whether an analysis gives the same result.",
        len({measure.name for measure in findings.losses.measures}),
    )
    yield FigureInWords(said, "losses")
