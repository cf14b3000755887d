"""Each quasi-identifier: what became of its values, as a picture with its table."""

from __future__ import annotations

from toolbox.charts import bars, before_after, figure, percent, table, written
from toolbox.charts.markup import Markup, element, shortened
from toolbox.messages import counted
from toolbox.report.html.findings import Bar, ColumnPicture, Findings
from toolbox.report.html.parts import all_of, paragraph, section

_SHOWN = 5
_NAME = 60


def quasi_identifiers(findings: Findings) -> Markup:
    """Return the section with all of them."""
    words = (
        "Each pair of pictures has one scale. On the right, a record with a generalised value is divided "
        "evenly among all values that it may have: that is what a reader of the release can know."
        if findings.original is not None
        else "How often each released value occurs. This page does not show what the columns held before."
    )
    parts = [_one(findings, picture, number) for number, picture in enumerate(findings.pictures, start=1)]
    return section("quasi-identifiers", "What became of each quasi-identifier", paragraph(words), *parts)


def _one(findings: Findings, picture: ColumnPicture, number: int) -> Markup:
    key = f"qid-{number}"
    drawn = _pair(findings, picture, key) if picture.before else _released(findings, picture, key)
    heading = element("h3", element("bdi", shortened(picture.name, _NAME)))
    return element("div", heading, drawn, class_="column")


def _sentence(findings: Findings, picture: ColumnPicture) -> str:
    records, said = findings.counts.records, []
    if picture.original_values is not None:
        values = counted(picture.original_values, "original value became", "original values became")
        said.append(f"{values} {written(picture.released_values)} in the release.")
    else:
        said.append(f"{_values(picture.released_values)} in the release.")
    if picture.exact is not None and records:
        share = percent(picture.exact / records)
        few = {0: "No record shows its exact value.", records: "Every record shows its exact value."}
        said.append(few.get(picture.exact, f"{share} of the records show their exact value."))
    if findings.hides_suppressed and picture.not_told > findings.counts.suppressed:
        besides = counted(picture.not_told - findings.counts.suppressed, "record shows", "records show")
        said.append(f"Apart from the suppressed records, {besides} nothing at all here.")
    elif picture.not_told:
        said.append(f"{findings.count(picture.not_told, 'record shows', 'records show')} nothing at all here.")
    if lost := _lost(findings, picture.name):
        said.append(f"The column has lost {percent(lost)} (normalised certainty penalty).")
    if picture.released_values == 1 and (picture.original_values or 0) > 1:
        said.append("The column shows one value everywhere: you can leave it out.")
    return " ".join(said)


def _values(count: int) -> str:
    return "There is 1 value" if count == 1 else f"There are {written(count)} values"


def _lost(findings: Findings, name: str) -> float | None:
    if findings.losses is None:
        return None
    found = (
        m.value for m in findings.losses.measures if (m.name, m.attribute) == ("normalised certainty penalty", name)
    )
    return next(found, None)


def _pair(findings: Findings, picture: ColumnPicture, key: str) -> Markup:
    name = shortened(picture.name, _NAME)
    after = [Bar(bar.name, round(bar.records)) for bar in picture.after]
    drawn = before_after(picture.before, after, key=key, title=name, upright=picture.is_number)
    rows = [(old.name, old.records, new.records) for old, new in zip(picture.before, after, strict=True)]
    heads = ["value", "records before", "records after, about"]
    label = f"{name}, before and after"
    shown = figure(drawn, table(heads, rows), caption=_sentence(findings, picture), label=label)
    return all_of(Markup(shown), _most_frequent(picture))


def _most_frequent(picture: ColumnPicture) -> Markup:
    named = [
        f"{shortened(name or 'missing', _NAME)} ({written(records)})"
        for name, records in picture.most_frequent[:_SHOWN]
    ]
    return paragraph(f"Most frequent in the release: {'; '.join(named)}.", "small")


def _released(findings: Findings, picture: ColumnPicture, key: str) -> Markup:
    root = _untold(findings, picture)
    shown = [bar for bar in picture.most_frequent if not findings.hides(bar.records) and bar.records != root]
    name = shortened(picture.name, _NAME)
    said = _rest(findings, picture, shown)
    label = f"{name}, most frequent released values"
    drawn, rows = bars(shown, key=key, title=label), table(["released value", "records"], shown)
    return all_of(Markup(figure(drawn, rows, caption=_sentence(findings, picture), label=label)), said)


def _rest(findings: Findings, picture: ColumnPicture, shown: list[Bar]) -> Markup:
    root = _untold(findings, picture)
    values = picture.released_values - len(shown) - (root > 0)
    records = findings.counts.records - root - round(sum(bar.records for bar in shown))
    if values < 1:
        return Markup()
    others = "Another value is" if values == 1 else f"Another {written(values)} values are"
    return paragraph(f"{others} shown by {findings.count(records)}.", "small")


def _untold(findings: Findings, picture: ColumnPicture) -> int:
    """Return the records that show the root, if their number and another one would tell how many are suppressed."""
    return picture.not_told if findings.hides_suppressed or findings.hides(picture.not_told) else 0
