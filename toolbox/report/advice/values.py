"""Advice on what a release tells of values: by statistics, by the class, and by where a method stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolbox.messages import counted, either
from toolbox.report.advice.advice import Advice, on_one_value
from toolbox.report.minimality import Minimality
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk


def on_disclosed(found: StatisticsRisk | None, *, in_python: bool = False) -> Iterator[Advice]:
    """Advise on cells that follow from the statistics of their class."""
    if found is None or not found.cells_disclosed:
        return
    genvals = either("outputFormat='genVals'", python="output_format='genVals'", in_python=in_python)
    names = ", ".join(column.column for column in found.columns if column.solved)
    cells = f"{counted(found.cells_disclosed, 'cell')} ({found.share_disclosed:.1%})"
    yield Advice(
        finding=f"Statistics give back {cells} of {names}: only one multiset of values fits the class.",
        severity="high",
        remedy=f"statistics='rounded' leaves several, and {genvals} releases none.",
    )


def on_sensitive(found: Sequence[SensitiveRisk]) -> Iterator[Advice]:
    """Advise on sensitive values that are certain by the class, believed in, or near each other."""
    for values in found:
        if values.certain:
            people = counted(values.certain, "person", "people")
            yield on_one_value(
                f"{values.attribute} is certain of {people}, whose class has one value of it.", values.attribute
            )
    yield from on_beliefs(found)


def on_beliefs(found: Iterable[SensitiveRisk]) -> Iterator[Advice]:
    """Advise on sensitive values that are not certain by the class, but believed in or near each other."""
    for values in found:
        level, believed = values.believed_above[-1]
        if believed > values.certain:
            more = _more(believed - values.certain)
            yield Advice(
                finding=f"One value of {values.attribute} is believed more strongly than {level:.4g} of {more}.",
                severity="medium",
                remedy="Entropy l-diversity and t-closeness limit that.",
            )
        yield from _on_near(values)


def _on_near(values: SensitiveRisk) -> Iterator[Advice]:
    """Advise on classes whose values differ and mean nearly the same."""
    if values.similarity is None:
        return
    # Level 0 is one value; the highest is just below the root.
    if levels := values.similarity.levels:
        (_, same), (level, people) = levels[0], levels[-1]
        if people > same:
            yield Advice(
                finding=f"{values.attribute} is known in part of {_more(people - same)}: the values of their class "
                f"differ, and are all below one node of level {level} of the hierarchy.",
                severity="medium",
                remedy="t-closeness with distance='hierarchical' limits that.",
            )
    for share, people in values.similarity.narrow[:1]:
        if people:
            yield Advice(
                finding=f"{values.attribute} is nearly known of {_more(people)}: the numbers of their "
                f"class differ, and lie in an interval that holds at most {share:.0%} of all records.",
                severity="medium",
                remedy="t-closeness limits that.",
            )


def _more(people: int) -> str:
    return counted(people, "more person", "more people")


def on_minimality(found: Minimality | None) -> Iterator[Advice]:
    """Advise on a method that goes no further than models of sensitive values ask."""
    if found is not None:
        yield Advice(finding=found.finding(), severity="low", remedy="Stricter parameters leave room for that.")
