"""Advice: each finding of a judge with what would lower it; pure functions over results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from toolbox.messages import choose_setting_name, mark, say, say_count
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
BY_CLASSES = mark("Use a method that makes classes of k records: Mondrian, Datafly and LocalRecoding do.")
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
    remedy = say("Require l-diversity of %(column)s, such as %(model)s with l = 2.", column=attribute, model=DIVERSE)
    effect = say("Every class then has at least two values of it.") if is_by_class else None
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
    is_by_person = below.noun == "person"
    counted = {"k": below.k, "records": _count_below(below.records, is_by_person)}
    finding = (
        say_count(
            "%(records)s is alone in their class.", "%(records)s are alone in their class.", below.records, **counted
        )
        if below.k == 2
        else say_count(
            "%(records)s is in classes of fewer than k = %(k)s.",
            "%(records)s are in classes of fewer than k = %(k)s.",
            below.records,
            **counted,
        )
    )
    if below.k > below.of:
        remedy = say(
            "No class can be that large: the release has %(records)s. Ask for a smaller k.",
            records=_count_below(below.of, is_by_person),
        )
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    if (best := below.best) is None:
        remedy = say_count(
            "Suppress it, or make several columns coarser at once: no column alone is enough.",
            "Suppress these %(count)s, or make several columns coarser at once: no column alone is enough.",
            below.records,
        )
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    yield Advice(
        finding=finding,
        severity="high",
        remedy=_advise_coarser(best.column, best.is_left_out, below),
        effect=_describe_rest(best.column, best.is_left_out, best.records, is_by_person),
    )


def _count_below(count: int, is_by_person: bool) -> str:
    if is_by_person:
        return say_count("%(count)s person", "%(count)s people", count)
    return say_count("%(count)s record", "%(count)s records", count)


def _advise_coarser(column: str, is_left_out: bool, below: BelowK) -> str:
    """Say what makes a column coarser; and suppress, where few records are too small."""
    coarser = say("Leave %(column)s out", column=column)
    if not is_left_out:
        coarser = say("Raise %(column)s by one level of its hierarchy", column=column)
    if below.records > _FEW * below.of:
        return say("%(remedy)s, the column that helps most.", remedy=coarser)
    return say_count(
        "%(remedy)s, the column that helps most, or suppress it.",
        "%(remedy)s, the column that helps most, or suppress these %(count)s.",
        below.records,
        remedy=coarser,
    )


def _describe_rest(column: str, is_left_out: bool, records: int, is_by_person: bool) -> str:
    """Say how many are left in classes that are too small."""
    if not records:
        left: str = (
            say("no person is left in such classes") if is_by_person else say("no record is left in such classes")
        )
    else:
        left = say_count(
            "%(records)s is left in such classes",
            "%(records)s are left in such classes",
            records,
            records=_count_below(records, is_by_person),
        )
    if is_left_out:
        return say("With %(column)s left out, %(left)s.", column=column, left=left)
    return say("With %(column)s raised, %(left)s.", column=column, left=left)


def advise_on_models(judged: Sequence[ModelResult], measured: Sequence[MeasuredParameter]) -> Iterator[Advice]:
    """Advise on required models that do not hold, and on sensitive attributes that a class gives away."""
    failing = [model for model in judged if not model.holds]
    for model in failing:
        name = model.name
        if model.attribute:
            name = say("%(model)s of %(attribute)s", model=name, attribute=model.attribute)
        required = f"{model.required:.4g}"
        if model.achieved is None:
            words = mark("%(model)s is required with %(required)s, and no value of it holds.")
            finding = say(words, model=name, required=required)
        else:
            words = mark("%(model)s is required with %(required)s, and %(achieved)s is achieved.")
            finding = say(words, model=name, required=required, achieved=f"{model.achieved:.4g}")
        yield Advice(
            finding=finding,
            severity="high",
            remedy=say("Do not publish this release. Make it again with this model among those that are required."),
        )
    told = {model.attribute for model in failing}
    for one in measured:
        if one.name == DIVERSE and one.attribute not in told and one.achieved == 1:
            finding = say("A class has one value of %(attribute)s in all of its records.", attribute=one.attribute)
            yield advise_on_certain_value(finding, one.attribute)


def advise_on_certain(certain: Sequence[CertainValues]) -> Iterator[Advice]:
    """Advise on sensitive values that follow from the class."""
    for values in certain:
        if values.people:
            finding = say(
                "%(attribute)s is certain of %(people)s, whose class has one value of it.",
                attribute=values.attribute,
                people=say_count("%(count)s person", "%(count)s people", values.people),
            )
            yield advise_on_certain_value(finding, values.attribute)


def advise_on_consistency(found: Consistency | None) -> Iterator[Advice]:
    """Advise on people whom few released records fit."""
    if found is None or not found.below_k:
        return
    yield Advice(
        finding=say_count(
            "%(count)s of %(people)s has fewer than k = %(k)s released records that could be theirs.",
            "%(count)s of %(people)s have fewer than k = %(k)s released records that could be theirs.",
            found.below_k,
            people=say_count("%(count)s person", "%(count)s people", found.people),
            k=found.k,
        ),
        severity="high",
        remedy=say(BY_CLASSES),
        effect=say("Everybody then fits at least k of them."),
    )


# Advice on what a run has written: the order of the records, suppressed records.


def advise_on_order(is_that_of_input: bool) -> Iterator[Advice]:
    """Advise on records that stand in the order of the input."""
    if is_that_of_input:
        yield Advice(
            finding=say(
                "The records are in the order of the input: anybody who has another release of this table, or a list "
                "in its order, can join the two line by line."
            ),
            severity="medium",
            remedy=say("%(setting)s keeps no order.", setting="order='shuffled'"),
            setting=SettingRemedy("order", "shuffled"),
        )


def advise_on_few_suppressed(proof: Proof, k: int, *, are_shown: bool) -> Iterator[Advice]:
    """Advise on suppressed records that stand out together, as they are fewer than k, or of fewer than k persons."""
    records, persons = proof.records_suppressed, proof.persons
    if are_shown and 0 < (records if persons is None else persons.suppressed) < k:
        found = say_count(
            "Only %(count)s suppressed record is in the release, fewer than k = %(k)s. Somebody who knows that a "
            "person is in the table, and in no class, can point at it.",
            "Only %(count)s suppressed records are in the release, fewer than k = %(k)s. Somebody who knows that a "
            "person is in the table, and in no class, can point at them.",
            records,
            k=k,
        )
        if persons is not None:
            found = say_count(
                "The suppressed records in the release are of only %(count)s person, fewer than k = %(k)s. Somebody "
                "who knows that a person is in the table, and in no class, can point at them.",
                "The suppressed records in the release are of only %(count)s persons, fewer than k = %(k)s. Somebody "
                "who knows that a person is in the table, and in no class, can point at them.",
                persons.suppressed,
                k=k,
            )
        yield Advice(
            finding=found,
            severity="medium",
            remedy=say_count(
                "%(setting)s leaves it out.", "%(setting)s leaves them out.", records, setting="suppressed='drop'"
            ),
            setting=SettingRemedy("suppressed", "drop"),
        )


def advise_on_nothing_left(classes: int, *, in_python: bool) -> Iterator[Advice]:
    """Advise on a release of nothing but suppressed records."""
    if not classes:
        limit = choose_setting_name(
            "suppThreshold", python="suppression_threshold", options="-suppThreshold", in_python=in_python
        )
        yield Advice(
            finding=say("All records are suppressed, so that nothing is left to learn."),
            severity="low",
            remedy=say("Lower %(limit)s or k.", limit=limit),
            setting=SettingRemedy("models"),
        )


def note_rejected_lines(count: int, places: str, *, in_python: bool) -> Iterator[Note]:
    """Note the lines that could not be read, and where the first of them are."""
    if not count:
        return
    keeping = choose_setting_name("--rejects FILE", python="load_config(.., rejects='FILE')", in_python=in_python)
    found = say_count(
        "%(count)s line could not be read and is not in the release: %(places)s.",
        "%(count)s lines could not be read and are not in the release: %(places)s.",
        count,
        places=places,
    )
    yield Note(f"{found} {keeping} keeps such lines.", found, SettingRemedy("files"))


def note_skipped_records(count: int, *, in_python: bool) -> Iterator[Note]:
    """Note the records that are left out as they lack a value."""
    if not count:
        return
    setting = choose_setting_name(
        "onMissing='keep'", python="on_missing='keep'", options="--on-missing keep", in_python=in_python
    )
    found = say_count(
        "%(count)s record lacks a declared value and is not in the release.",
        "%(count)s records lack a declared value and are not in the release.",
        count,
    )
    keeping = f"{setting} keeps such records, with missing as a category."
    yield Note(f"{found} {keeping}", found, SettingRemedy("on_missing", "keep"))


# What a method gives away by going no further than a model of sensitive values asks.
#
# Wong, Fu, Wang and Pei (2007). Minimality attack in privacy preserving data publishing. VLDB, 543-554.
#
# Cormode, Srivastava, Li and Li (2010). Minimizing minimality and maximizing utility. doi:10.14778/1920841.1920972


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
        return say_count(
            "%(method)s generalises only as much as the models require, and %(models)s asks for it because of "
            "sensitive values. Somebody who knows the method can rule out values with which less would have been "
            "enough (minimality attack), and so believe in others more than the models allow.",
            "%(method)s generalises only as much as the models require, and %(models)s ask for it because of "
            "sensitive values. Somebody who knows the method can rule out values with which less would have been "
            "enough (minimality attack), and so believe in others more than the models allow.",
            len(self.models),
            method=self.method,
            models=" and ".join(self.models),
        )


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
            remedy=say("Stricter parameters leave room for that."),
            setting=SettingRemedy("models"),
        )


def list_person_notes(proof: Proof, *, is_searched: bool) -> list[str]:
    """Return what a publisher must know of persons: who counts as one, and what is suppressed of them."""
    persons, notes = proof.persons, list[str]()
    if persons is None:
        return notes
    if persons.lacking:
        notes.append(
            say_count(
                "%(count)s record has no value of %(column)s: together they count as one person.",
                "%(count)s records have no value of %(column)s: together they count as one person.",
                persons.lacking,
                column=persons.column,
            )
        )
    if persons.suppressed_partly and persons.suppressed_by == "row":
        notes.append(
            say_count(
                "Single records of %(count)s person are suppressed; other records of the same persons are released.",
                "Single records of %(count)s persons are suppressed; other records of the same persons are released.",
                persons.suppressed_partly,
            )
        )
    if proof.judges_profiles:
        notes.append(say("Persons are alike in all of their records together, and are suppressed with all of them."))
    elif is_searched and persons.suppressed_by == "person" and persons.count < proof.records:
        notes.append(say("The search counts each person once, also in what is lost and what is suppressed."))
    return notes
