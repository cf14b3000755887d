"""Advice: each finding of a judge with what would lower it; pure functions over results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from toolbox.messages import choose_setting_name, format_count
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof.proof import Proof
from toolbox.privacy.results import ModelResult
from toolbox.risks.coarser import BelowK
from toolbox.risks.risk import CertainValues, Consistency

# Advice: what was found in a release, and what would lower it. Where nothing is found, nothing is advised.

Severity = Literal["high", "medium", "low"]
_ORDER: tuple[Severity, ...] = ("high", "medium", "low")
BY_CLASSES = "Use a method that makes classes of k records: Mondrian, Datafly and LocalRecoding do."
"""What lowers every risk of being found."""
DIVERSE = "distinct l-diversity"
"""The simplest model under which no class has one sensitive value."""


@dataclass(frozen=True)
class SettingRemedy:
    """A setting that answers a note, for programs that offer it as a button."""

    setting: str
    """By its name in Python; ``role`` is that of columns."""
    value: str | None = None
    """What it should say; empty: nothing; None: somebody has to choose."""
    columns: tuple[str, ...] = ()
    """That it is about, if it is about some."""


class Note(str):
    """A note for the publisher that knows what was found, apart from the words for its remedy."""

    finding: str
    """Without a name of a setting."""
    remedies: tuple[SettingRemedy, ...]

    def __new__(cls, text: str, finding: str = "", *remedies: SettingRemedy) -> Note:
        """Make one; by default all of it is what was found."""
        made = super().__new__(cls, text)
        made.finding, made.remedies = finding or text, remedies
        return made

    def document(self) -> dict[str, Any]:
        """Return its entry among the remedies of a JSON document; the names are stable."""
        return {"note": str(self), "finding": self.finding, "remedies": [asdict(one) for one in self.remedies]}


def find_plain_words(note: str) -> str:
    """Return what a note says that anybody understands, who need not know a setting."""
    return note.finding if isinstance(note, Note) else note


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One finding, with what would lower it."""

    finding: str
    """A sentence."""
    severity: Severity
    """High where somebody can be found, a value is certain, or a requirement does not hold; medium where that takes
    more than the release, or is likely and not certain; low for what could be better."""
    remedy: str
    """A sentence on what to do."""
    effect: str | None = None
    """A sentence on what that leads to, where it is known."""
    setting: SettingRemedy | None = None
    """The setting that does it, if there is one."""

    def note(self) -> Note:
        """Return it as a note."""
        return Note(self.in_words(), self.finding, *([] if self.setting is None else [self.setting]))

    def in_words(self) -> str:
        """Return all of it as sentences.

        Examples
        --------
        >>> Advice(finding="3 records are alone.", severity="high", remedy="Leave zip out.").in_words()
        '3 records are alone. Leave zip out.'
        """
        return " ".join(part for part in (self.finding, self.remedy, self.effect) if part)

    def document(self) -> dict[str, Any]:
        """Return what stands in JSON documents; the names are stable."""
        return {name: value for name, value in asdict(self).items() if name != "setting"}


def advise_on_certain_value(finding: str, attribute: str | None, *, is_by_class: bool = True) -> Advice:
    """Advise on a sensitive value that is certain.

    t-closeness is no remedy: a class with one value is near the table if most of the table has it.

    Parameters
    ----------
    is_by_class : bool, optional
        Whether it is certain as all records of the class have it.
    """
    remedy = f"Require l-diversity of {attribute}, such as {DIVERSE} with l = 2."
    effect = "Every class then has at least two values of it." if is_by_class else None
    return Advice(finding=finding, severity="high", remedy=remedy, effect=effect)


def sort_by_severity(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    """Sort by severity, the most severe first, and leave out repetitions."""
    return tuple(sorted(dict.fromkeys(advice), key=lambda one: _ORDER.index(one.severity)))


# Advice on the classes of a release: too small ones, models that do not hold, values that a class gives away.

_FEW = 0.05
"""Share of the records that a publisher may rather suppress than make a column coarser for."""


def advise_on_classes(below: BelowK | None) -> Iterator[Advice]:
    """Advise on records, or persons, in classes of fewer than k: by the column that was counted to help most."""
    if below is None:
        return
    one, several = f"{below.noun} is", f"{below.noun}s are"
    records = format_count(below.records, one, several)
    where = "alone in their class" if below.k == 2 else f"in classes of fewer than k = {below.k}"
    finding = f"{records} {where}."
    if below.k > below.of:
        remedy = (
            f"No class can be that large: the release has {format_count(below.of, below.noun)}. Ask for a smaller k."
        )
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    few = below.records <= _FEW * below.of
    suppress = f"suppress {'it' if below.records == 1 else f'these {below.records:,}'}"
    if (best := below.best) is None:
        remedy = f"{suppress.capitalize()}, or make several columns coarser at once: no column alone is enough."
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    coarser = f"Leave {best.column} out" if best.is_left_out else f"Raise {best.column} by one level of its hierarchy"
    remedy = f"{coarser}, the column that helps most{f', or {suppress}' if few else ''}."
    left = format_count(best.records, one, several) if best.records else f"no {one}"
    effect = f"With {best.column} {'left out' if best.is_left_out else 'raised'}, {left} left in such classes."
    yield Advice(finding=finding, severity="high", remedy=remedy, effect=effect)


def advise_on_models(judged: Sequence[ModelResult], measured: Sequence[MeasuredParameter]) -> Iterator[Advice]:
    """Advise on required models that do not hold, and on sensitive attributes that a class gives away."""
    failing = [model for model in judged if not model.holds]
    for model in failing:
        of = f" of {model.attribute}" if model.attribute else ""
        achieved = "no value of it holds" if model.achieved is None else f"{model.achieved:.4g} is achieved"
        yield Advice(
            finding=f"{model.name}{of} is required with {model.required:.4g}, and {achieved}.",
            severity="high",
            remedy="Do not publish this release. Make it again with this model among those that are required.",
        )
    told = {model.attribute for model in failing}
    for one in measured:
        if one.name == DIVERSE and one.attribute not in told and one.achieved == 1:
            yield advise_on_certain_value(
                f"A class has one value of {one.attribute} in all of its records.", one.attribute
            )


def advise_on_certain(certain: Sequence[CertainValues]) -> Iterator[Advice]:
    """Advise on sensitive values that follow from the class."""
    for values in certain:
        if values.people:
            people = format_count(values.people, "person", "people")
            yield advise_on_certain_value(
                f"{values.attribute} is certain of {people}, whose class has one value of it.", values.attribute
            )


def advise_on_consistency(found: Consistency | None) -> Iterator[Advice]:
    """Advise on people whom few released records fit."""
    if found is None or not found.below_k:
        return
    people = f"{found.below_k:,} of {format_count(found.people, 'person', 'people')}"
    yield Advice(
        finding=f"{people} {'has' if found.below_k == 1 else 'have'} fewer than k = {found.k} released records that "
        "could be theirs.",
        severity="high",
        remedy=BY_CLASSES,
        effect="Everybody then fits at least k of them.",
    )


# Advice on what a run has written: the order of the records, suppressed records.


def advise_on_order(is_that_of_input: bool) -> Iterator[Advice]:
    """Advise on records that stand in the order of the input."""
    if is_that_of_input:
        yield Advice(
            finding="The records are in the order of the input: anybody who has another release of this table, or a "
            "list in its order, can join the two line by line.",
            severity="medium",
            remedy="order='shuffled' keeps no order.",
            setting=SettingRemedy("order", "shuffled"),
        )


def advise_on_few_suppressed(count: int, k: int, *, are_shown: bool) -> Iterator[Advice]:
    """Advise on suppressed records that stand out together, as they are fewer than k."""
    if are_shown and 0 < count < k:
        them = "it" if count == 1 else "them"
        yield Advice(
            finding=f"Only {format_count(count, 'suppressed record is', 'suppressed records are')} in the release, "
            f"fewer than k = {k}. Somebody who knows that a person is in the table, and in no class, can point at "
            f"{them}.",
            severity="medium",
            remedy=f"suppressed='drop' leaves {them} out.",
            setting=SettingRemedy("suppressed", "drop"),
        )


def advise_on_nothing_left(classes: int, *, in_python: bool) -> Iterator[Advice]:
    """Advise on a release of nothing but suppressed records."""
    if not classes:
        limit = choose_setting_name(
            "suppThreshold", python="suppression_threshold", options="-suppThreshold", in_python=in_python
        )
        yield Advice(
            finding="All records are suppressed, so that nothing is left to learn.",
            severity="low",
            remedy=f"Lower {limit} or k.",
            setting=SettingRemedy("models"),
        )


def note_rejected_lines(count: int, places: str, *, in_python: bool) -> Iterator[Note]:
    """Note the lines that could not be read, and where the first of them are."""
    if not count:
        return
    lines = format_count(count, "line could not be read and is", "lines could not be read and are")
    keeping = choose_setting_name("--rejects FILE", python="load_config(.., rejects='FILE')", in_python=in_python)
    found = f"{lines} not in the release: {places}."
    yield Note(f"{found} {keeping} keeps such lines.", found, SettingRemedy("files"))


def note_skipped_records(count: int, *, in_python: bool) -> Iterator[Note]:
    """Note the records that are left out as they lack a value."""
    if not count:
        return
    records = format_count(count, "record lacks a declared value and is", "records lack a declared value and are")
    setting = choose_setting_name(
        "onMissing='keep'", python="on_missing='keep'", options="--on-missing keep", in_python=in_python
    )
    found = f"{records} not in the release."
    keeping = f"{setting} keeps such records, with missing as a category."
    yield Note(f"{found} {keeping}", found, SettingRemedy("on_missing", "keep"))


# What a method gives away by going no further than a model of sensitive values asks.
#
# References ---------- Wong, Fu, Wang and Pei (2007). Minimality attack in privacy preserving data publishing. VLDB,
# 543-554. Cormode, Srivastava, Li and Li (2010). Minimizing minimality and maximizing utility.
# doi:10.14778/1920841.1920972


@dataclass(frozen=True, kw_only=True)
class Minimality:
    """A method that stops as soon as it may, and the models of sensitive values that decide when."""

    method: str
    models: tuple[str, ...]
    """Each with its parameters and its sensitive attribute."""

    def document(self) -> dict[str, Any]:
        """Return the part ``minimality`` of a JSON document; its names are stable."""
        return {**asdict(self), "models": list(self.models)}

    def finding(self) -> str:
        """Return what follows for the publisher."""
        decide = " and ".join(self.models)
        return (
            f"{self.method} generalises only as much as the models require, and {decide} {self._asks} for it because "
            "of sensitive values. Somebody who knows the method can rule out values with which less would have been "
            "enough (minimality attack), and so believe in others more than the models allow."
        )

    @property
    def _asks(self) -> str:
        return "asks" if len(self.models) == 1 else "ask"


def find_minimality(method: type[Anonymizer], models: Iterable[PrivacyModel]) -> Minimality | None:
    """Return what a method gives away by stopping; None if it does not, or no model looks at sensitive values."""
    looking = tuple(str(model) for model in models if model.attribute is not None)
    return Minimality(method=method.name, models=looking) if method.stops_at_first and looking else None


def advise_on_minimality(found: Minimality | None) -> Iterator[Advice]:
    """Advise on a method that goes no further than models of sensitive values ask."""
    if found is not None:
        yield Advice(
            finding=found.finding(),
            severity="low",
            remedy="Stricter parameters leave room for that.",
            setting=SettingRemedy("models"),
        )


def list_person_notes(proof: Proof, *, is_searched: bool) -> list[str]:
    """Return what a publisher must know of persons: who counts as one, and what is suppressed of them."""
    persons, notes = proof.persons, list[str]()
    if persons is None:
        return notes
    if persons.lacking:
        lack = format_count(persons.lacking, "record has", "records have")
        notes.append(f"{lack} no value of {persons.column}: together they count as one person.")
    if persons.suppressed and persons.suppressed_by == "record" and persons.count < proof.records:
        whole = format_count(persons.suppressed, "person")
        notes.append(f"Single records of {whole} are suppressed; other records of the same persons are released.")
    if proof.judges_profiles:
        notes.append("Persons are alike in all of their records together, and are suppressed with all of them.")
    elif is_searched and persons.suppressed_by == "person" and persons.count < proof.records:
        notes.append("The search counts each person once, also in what is lost and what is suppressed.")
    return notes
