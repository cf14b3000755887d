"""Attackers who are asked for, of `risk` and `report`: who matches everybody, and who holds an earlier release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from toolbox.config.model import ReportKind
from toolbox.errors import UsageError
from toolbox.flows.earlier import NO_LINK, assess_earlier, key_column, require_link
from toolbox.flows.matching import assess_matching, require_people
from toolbox.flows.question import Question
from toolbox.flows.tables import JudgedTables, TableSource
from toolbox.messages import either
from toolbox.published.tables import Comparison
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import Attack, MatchingRisk
from toolbox.steps import Steps


@dataclass(frozen=True, kw_only=True)
class Attackers:
    """Attackers who do more than look at one person of one release."""

    attack: Attack | None = None
    """By matching everybody at once."""
    earlier: TableSource | None = None
    """With an earlier release."""
    linked_by: str = NO_LINK
    """What links its rows, as `JointRisk.link`."""

    @property
    def key(self) -> str | None:
        """The column that links the rows, if one does."""
        return key_column(self.linked_by)


NOBODY = Attackers()


class Learned(NamedTuple):
    """What they learn; None if not asked for."""

    matching: MatchingRisk | None = None
    joint: JointRisk | None = None


NOTHING = Learned()


def attackers_of(
    question: Question,
    kind: ReportKind = "internal",
    *,
    attack: Attack | None,
    earlier: TableSource | None,
    link: str | None,
    original: TableSource | None,
    population: TableSource | None,
) -> Attackers:
    """Return who attacks.

    Raises
    ------
    UsageError
        If such an attacker lacks what is needed, or a page for everybody would tell what one learns.
    """
    if kind == "public":
        asked = {
            either("--matching", python="matching="): attack,
            either("--earlier", python="earlier="): earlier,
        }
        for name, attacker in asked.items():
            if attacker is not None:
                told = "A public page tells nothing that the release does not tell, and so not what an attacker learns"
                raise UsageError(f"{told} who knows more. Leave {name} out, or write an internal page.")
    require_people(question, attack, is_anybody_named=original is not None or population is not None)
    linked_by = require_link(question, has_earlier=earlier is not None, has_original=original is not None, link=link)
    return Attackers(attack=attack, earlier=earlier, linked_by=linked_by)


def learned(
    question: Question,
    tables: JudgedTables,
    attackers: Attackers,
    *,
    beside: Comparison | None,
    people: Comparison | None,
    k: int,
    steps: Steps | None = None,
) -> Learned:
    """Measure what they learn.

    Parameters
    ----------
    tables : JudgedTables
        Read with the key.
    beside : Comparison or None
        The release beside the original records.
    people : Comparison or None
        The same, or else the release beside a population.
    steps : Steps, optional
        Who wants to know how far it is.
    """
    steps = steps or Steps()
    matching = joint = None
    if attackers.earlier is not None:
        with steps.step("compare"):
            joint = assess_earlier(
                question, tables.store, tables, attackers.earlier, beside=beside, link=attackers.linked_by, k=k
            )
    if attackers.attack is not None and people is not None:
        with steps.step("match"):
            matching = assess_matching(question, people, k, attackers.attack)
    return Learned(matching, joint)
