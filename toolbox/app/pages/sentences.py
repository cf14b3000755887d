"""What figures mean: one plain sentence beside each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from toolbox import LossMetric
from toolbox.app.pages.rendering import format_percent, number
from toolbox.extensions import load_installed
from toolbox.messages import say, say_count, write_figure


@dataclass(frozen=True)
class Sentence:
    """A figure, and what it means."""

    name: str
    value: str
    words: str
    verdict: Literal["safe", "risk", ""] = ""
    """Whether it is as required, or the contrary; empty where nothing is required."""


def describe_check(document: Mapping[str, Any]) -> list[Sentence]:
    """Return the findings of a check as sentences."""
    smallest, records = document["smallest_class"], document["records"]
    found = [
        Sentence(say("Records"), number(records), say("are in the release.")),
        Sentence(
            say("Equivalence classes"),
            number(document["classes"]),
            say("groups of records that nobody can tell apart by the quasi-identifiers."),
        ),
        Sentence(say("Smallest class"), number(smallest), _describe_smallest_class(smallest)),
    ]
    if suppressed := document["records_suppressed"]:
        words = say("show nothing about the person except sensitive values; they are in no class.")
        found.append(Sentence(say("Suppressed"), number(suppressed), words))
    return [*found, *describe_models(document["models"])]


def describe_models(models: list[Mapping[str, Any]]) -> Iterator[Sentence]:
    """Return a sentence for each required privacy model: whether it holds."""
    for model in models:
        if model["required"] is not None:
            holds, required = bool(model["holds"]), _format_figure(model["required"])
            if holds:
                words = say("reached; %(required)s required: it holds.", required=required)
            else:
                words = say("reached; %(required)s required: it does not hold.", required=required)
            name = model["name"]
            if model["attribute"]:
                name = say("%(model)s of %(attribute)s", model=name, attribute=model["attribute"])
            yield Sentence(name, _format_figure(model["achieved"]), words, "safe" if holds else "risk")


def describe_proof(document: Mapping[str, Any]) -> list[Sentence]:
    """Return what a run has proved, and what it has not, as sentences."""
    unproved = (Sentence(say("Not proved"), "", sentence, "risk") for sentence in document.get("not_proved", ()))
    return [*describe_models(document["models"]), *unproved]


def describe_detail(share: float | None) -> Sentence:
    """Return what is left of the detail of the values: the headline of every preview."""
    words = say(
        "of the detail of all values: 100 % is the table as it was, at 0 % no cell says anything. The table of the "
        "columns shows it for each of them."
    )
    return Sentence(say("Detail left"), format_percent(share), words)


def describe_losses(document: Mapping[str, Any]) -> list[Sentence]:
    """Return what a release has lost, as sentences."""
    words = _find_meanings_of_shares()
    found = [(one["name"], one["value"]) for one in document["metrics"] if one["attribute"] is None]
    return [
        Sentence(say(name.capitalize()), format_percent(value), say(words[name]))
        for name, value in found
        if words.get(name)
    ]


def describe_bounds(document: Mapping[str, Any]) -> list[Sentence]:
    """Return what any release must lose, beside what this one has lost, where that was proved."""
    found = []
    for bound in document.get("bounds", ()):
        words = [
            say(
                "of the detail is the least that is lost, whatever the method: no release with these hierarchies and "
                "classes of this size loses less. That is proved."
            )
        ]
        if bound["released"] is not None:
            words.append(say("This one has lost %(share)s.", share=format_percent(bound["released"])))
        if bound["beyond"]:
            words.append(say("But it is another kind of release, which may lose less: %(kind)s.", kind=bound["beyond"]))
        found.append(Sentence(say("Least that must be lost"), format_percent(bound["value"]), " ".join(words)))
    return found


@cache
def _find_meanings_of_shares() -> Mapping[str, str]:
    """Return what each installed metric says of its value in percent, by its name."""
    found = load_installed("toolbox.loss_metrics", LossMetric, "loss metric", lambda metric: (metric.name,))  # type: ignore[type-abstract]
    return {metric.name: metric.meaning_of_share for metric in found.classes.values()}


def describe_risk(document: Mapping[str, Any]) -> list[Sentence]:
    """Return who is still at risk, as sentences."""
    found: list[Sentence] = []
    if prosecutor := document.get("prosecutor"):
        found += describe_attacker(prosecutor, document["threshold"])
    alone = document["uniqueness"]["records"]
    words: str = say("are alone in their class: somebody who knows their quasi-identifiers finds them.")
    found.append(Sentence(say("Alone"), number(alone), words, "risk" if alone else "safe"))
    if consistency := document.get("consistency"):
        least, below, k = consistency["lowest"], consistency["below_k"], consistency["k"]
        words = say("released records or more could belong to each person, by all rows that fit.")
        found.append(Sentence(say("Fit each person"), number(least), words))
        words = say("people: fewer than %(k)s released records could be theirs.", k=k)
        found.append(Sentence(say("Fitted by few"), number(below), words, "risk" if below else "safe"))
    return found


def describe_attacker(risk: Mapping[str, Any], threshold: float = 0.2) -> list[Sentence]:
    """Return the risks from an attacker who knows that a person is in the table."""
    at_risk = risk["records_at_risk"]
    return [
        Sentence(
            say("Highest risk"),
            format_percent(risk["highest"]),
            say(
                "is the chance to pick the right record of the person who is easiest to find, for somebody who knows "
                "that the person is in the table."
            ),
        ),
        Sentence(
            say("Average risk"),
            format_percent(risk["average"]),
            say("is the same chance for a person taken at random."),
        ),
        Sentence(
            say("Records at risk"),
            number(at_risk),
            say("have a higher risk than %(share)s.", share=format_percent(threshold)),
            "risk" if at_risk else "safe",
        ),
    ]


def _format_figure(value: float | Literal["infinity"] | None) -> str:
    """Write what a model requires or reaches: a count, or a number that is no whole one; infinity is a word in JSON."""
    if isinstance(value, str):
        return value
    return number(value) if value is None or float(value).is_integer() else write_figure(f"{value:,.6g}")


def _describe_smallest_class(size: int | None) -> str:
    if size is None:
        return say("All records are suppressed, so that there is no class.")
    if size == 1:
        return say("Somebody is alone in a class, and can be told from all others.")
    return say_count(
        "Everybody looks like at least %(count)s other.", "Everybody looks like at least %(count)s others.", size - 1
    )
