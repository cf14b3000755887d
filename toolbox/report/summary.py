"""What `anonymize` says: the result of a run, and the document with stable names that machines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolbox.messages import counted, either, is_asked_in_python
from toolbox.privacy.proof import Proof
from toolbox.report.advice.advice import Advice, by_severity
from toolbox.report.advice.runs import on_few_suppressed, on_nothing_left, on_order
from toolbox.report.advice.values import on_minimality
from toolbox.report.columns import column_notes, listed
from toolbox.report.formulas import FormulaResult, formula_notes
from toolbox.report.information import Information
from toolbox.report.minimality import Minimality
from toolbox.report.notebook import Shown
from toolbox.report.quasi_identifiers import QuasiIdentifierResult
from toolbox.report.solved import SolvedResult, on_statistics
from toolbox.risks.passing.columns import PassedColumn
from toolbox.store.source import Place, where
from toolbox.store.tables import LatticeNode, PopulationFigures, Searched

_SHOWN_NAMES = 20
"""Columns released as they are that the printed summary names."""
_FEW_NAMES = 3
"""Columns that nobody declared and that the summary names one by one; more are counted."""


def few_words(proof: Proof) -> str:
    """Say of each identifier how few people the class has that has fewest; no value of it is told."""
    told = []
    for few in proof.few_people:
        which = "the smallest class" if few.smallest == proof.smallest_class else "a class"
        told.append(f"{counted(few.smallest, 'record')} in {which}, but {few.people:,} {few.column}")
    return "; ".join(told)


@dataclass(frozen=True, kw_only=True, repr=False)
class Summary(Shown):
    """The result of a run, with the proof and what is needed to repeat it."""

    method: str
    settings: Mapping[str, str]
    records_read: int
    """Records that were cut into values."""
    records_skipped: int
    """Of these, records without a value in a declared column."""
    lines_rejected: int
    """Lines that could not be cut into values at all."""
    lines_blank: int
    """Lines without any character."""
    first_rejected: tuple[Place, ...]
    """Where the first of them stand."""
    proof: Proof
    k: int
    suppressed: str
    quasi_identifiers: tuple[QuasiIdentifierResult, ...]
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    versions: Mapping[str, str]
    sha256: Mapping[str, Any]
    """Checksums of the input (None unless it is asked for), the configuration and the release."""
    release: tuple[Path | str, ...]
    """Files, or the names of tables that are none."""
    is_in_order: bool = False
    """Whether the records stand in the order of the input."""
    solved: tuple[SolvedResult, ...] = ()
    """For each column of numbers, how many classes of genValsDist give their values back."""
    information: Information | None = None
    """What tells records apart, before and after."""
    minimality: Minimality | None = None
    """What the method gives away by going no further than models of sensitive values ask; None: nothing is known."""
    minimal_nodes: tuple[LatticeNode, ...] = ()
    """Every minimal satisfying node of the lattice, the best one first, where the method finds them all."""
    searched: Searched | None = None
    """How the lattice was searched for the release that costs least."""
    population: PopulationFigures | None = None
    """The people with whom a model compares the classes."""
    formulas: tuple[FormulaResult, ...] = ()
    """The columns of a release of delimited text with cells that a spreadsheet would run."""
    escapes_formulas: bool = False
    passed: tuple[PassedColumn, ...] = ()
    """The columns that are released as they are, with what speaks against it."""
    hmac_sha256: Mapping[str, Any] = field(default_factory=lambda: {"input": None})
    """Of the input, with the key of the user's, if that is asked for."""
    left_out: tuple[str, ...] = ()
    """Columns that nobody declared, where these are left out."""
    warnings: tuple[str, ...] = ()
    knows_people: bool = True
    """Whether identifiers were compared with the classes, if there are any."""
    parameters_left_out: tuple[str, ...] = ()
    """What was given and is not required, each as a sentence."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def records_released(self) -> int:
        """Records in the release."""
        left_out = self.proof.records_suppressed if self.suppressed == "drop" else 0
        return self.proof.records - left_out

    @property
    def not_proved(self) -> tuple[str, ...]:
        """What somebody may take for proved, and is not."""
        few = self.proof.few_people
        told = [f"{few_words(self.proof)}. Classes count records, not people."] if few else []
        if not self.knows_people:
            told.append("How many people a class has: the records stay where they are, and identifiers are not read.")
        return (*told, *self.parameters_left_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher, to be read before the release is handed out."""
        return (*self.remarks, *(advice.in_words() for advice in self.advice))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes that are no advice."""
        notes = [*self.warnings, *column_notes(self.passed, self.left_out)]
        notes += formula_notes(self.formulas, are_escaped=self.escapes_formulas)
        if self.lines_rejected:
            shown = where("line", self.first_rejected)
            more = ", ..." if self.lines_rejected > len(self.first_rejected) else ""
            lines = counted(self.lines_rejected, "line could not be read and is", "lines could not be read and are")
            notes.append(f"{lines} not in the release: {shown}{more}. --rejects FILE keeps such lines.")
        if self.records_skipped:
            records = counted(
                self.records_skipped, "record lacks a declared value and is", "records lack a declared value and are"
            )
            setting = either(
                "onMissing='keep'",
                python="on_missing='keep'",
                options="--on-missing keep",
                in_python=self.in_python,
            )
            notes.append(f"{records} not in the release. {setting} keeps such records, with missing as a category.")
        return tuple(notes)

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change, and what would lower it."""
        are_shown = self.suppressed == "keep"
        return by_severity(
            [
                *on_order(self.is_in_order),
                *on_statistics(self.solved, self.k),
                *on_nothing_left(self.proof.classes, in_python=self.in_python),
                *on_few_suppressed(self.proof.records_suppressed, self.k, are_shown=are_shown),
                *on_minimality(self.minimality),
            ]
        )

    def headline(self) -> str:
        """Return the most important facts in one line."""
        proof = self.proof
        smallest = "" if proof.smallest_class is None else f", smallest {proof.smallest_class:,}"
        models = (
            f"{model.name}{f' of {model.attribute}' if model.attribute else ''} "
            f"{'-' if model.achieved is None else f'{model.achieved:g}'} (required {model.required:g})"
            for model in proof.models
        )
        released = f"{self.records_released:,} records in {proof.classes:,} classes{smallest}"
        unproved = "".join(f"; not proved: {each}" for each in self.not_proved)
        return f"{self.method}, {released}; {'; '.join(models)}{unproved}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.summary import print_summary

        print_summary(
            console,
            facts=self._facts(),
            models=self.proof.models,
            not_proved=self.not_proved,
            quasi_identifiers=self.quasi_identifiers,
            minimal_nodes=self.minimal_nodes,
            notes=self.notes,
            release=self.release,
        )

    def _facts(self) -> dict[str, str]:
        """Return the lines at the head of the printed summary, by name."""
        proof = self.proof
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        average = "-" if proof.average_class is None else f"{proof.average_class:,.1f}"
        smallest = "-" if proof.smallest_class is None else f"{proof.smallest_class:,}"
        facts = {
            "method": f"{self.method} ({settings})" if settings else self.method,
            "records": f"{self.records_read:,} read, {self.records_skipped:,} skipped, "
            f"{proof.records_suppressed:,} suppressed, {self.records_released:,} released",
            "classes": f"{proof.classes:,}, smallest {smallest}, average {average} records",
        }
        if (kept := self.information) is not None:
            facts["kept"] = f"{kept.share:.0%} of the information, {kept.after:.1f} of {kept.before:.1f} bits"
        if (found := self.searched) is not None:
            bound = "" if found.bound is None else f", bound {found.bound:.6g}"
            is_best = "optimal" if found.is_proved else f"not proved{bound}"
            value = found.lack if found.value is None else f"{found.value:.6g} of {found.objective}, {is_best}"
            facts["objective"] = value
            facts["lattice"] = f"{found.nodes:,} nodes, {found.checked:,} checked"
        if (people := self.population) is not None:
            facts["population"] = f"{people.people:,} people in {people.name}"
        if self.passed:
            facts["unchanged"] = self._unchanged()
        return {**facts, "seconds": ", ".join(f"{step} {seconds:.2f}" for step, seconds in self.timings.items())}

    def _unchanged(self) -> str:
        """List the columns that are shown as they are; many that nobody declared are counted."""
        others = [column.name for column in self.passed if not column.is_declared]
        if len(others) <= _FEW_NAMES:
            names = [column.name if column.is_declared else f"{column.name} (not declared)" for column in self.passed]
            return listed(names, most=_SHOWN_NAMES)
        names = [column.name for column in self.passed if column.is_declared]
        counted_others = f"{len(others):,} columns that nobody declared"
        return f"{listed(names, most=_SHOWN_NAMES)}, and {counted_others}" if names else counted_others

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``anonymize``; its names are stable."""
        return {
            "toolbox_version": self.versions["toolbox"],
            "method": self.method,
            "settings": dict(self.settings),
            "records_read": self.records_read,
            "records_skipped": self.records_skipped,
            "lines_rejected": self.lines_rejected,
            "lines_blank": self.lines_blank,
            "first_rejected": [
                place.number if place.file is None else {"file": str(place.file), "line": place.number}
                for place in self.first_rejected
            ],
            "records_suppressed": self.proof.records_suppressed,
            "records_released": self.records_released,
            "classes": self.proof.classes,
            "smallest_class": self.proof.smallest_class,
            "average_class": self.proof.average_class,
            "requirements": [
                {"name": model.name, "attribute": model.attribute, "parameters": dict(model.parameters)}
                for model in self.proof.models
            ],
            "models": [
                {name: value for name, value in vars(model).items() if name != "parameters"}
                for model in self.proof.models
            ],
            **({"not_proved": list(self.not_proved)} if self.not_proved else {}),
            **({"few_people": [vars(few) for few in self.proof.few_people]} if self.proof.few_people else {}),
            "quasi_identifiers": [vars(result) for result in self.quasi_identifiers],
            "information": None if self.information is None else self.information.document(),
            "solvable": [solved._asdict() for solved in self.solved],
            "minimality": None if self.minimality is None else self.minimality.document(),
            "minimal_nodes": [{**node._asdict(), "levels": list(node.levels)} for node in self.minimal_nodes],
            **({} if self.searched is None else {"searched": self.searched.document()}),
            **({} if self.population is None else {"population": self.population.document()}),
            "timings": dict(self.timings),
            "versions": dict(self.versions),
            "sha256": dict(self.sha256),
            "hmac_sha256": dict(self.hmac_sha256),
            "formulas": {
                "escaped": self.escapes_formulas,
                "columns": [vars(result) for result in self.formulas],
            },
            "passed_through": [column.document() for column in self.passed],
            "left_out": list(self.left_out),
            "release": [str(path) for path in self.release],
            "advice": [advice.document() for advice in self.advice],
            "notes": list(self.notes),
        }
