"""A survey whose records stand for people: risks, an estimated k-map, pairs of columns; judged without the toolbox."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.integrate import quad

from fuzzing.cases import Case
from fuzzing.columns import Column
from fuzzing.covering import covers, tells_nothing
from fuzzing.draw import Draw
from fuzzing.months import CAP, draw_known_columns
from fuzzing.runner import Runner, Verdict

_SURVEY, _RELEASE = "survey.csv", "released.csv"
_ESTIMATING = ("Datafly", "Flash", "OLA", "MinGen", "Incognito", "LocalRecoding")
"""The methods that know a k-map whose people are estimated."""
_ODD_WEIGHTS = ("0", "-1", "", "x", "nan", "inf", "1e308", "0x10", "1,5", "-0")
_TREATMENTS = ("round:100", "top:4000", "swap:10", "noise:gaussian:50")
_TOLERANCE = 1e-6
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Survey:
    """What is run, and what the judge may know of it."""

    seed: int
    files: Mapping[str, bytes]
    columns: tuple[str, ...]
    """The words that declare the columns, to each command."""
    sample: tuple[str, ...]
    """The words that say for how many people a record stands."""
    release: tuple[str, ...]
    quasi: tuple[Column, ...]
    k: int
    fraction: float | None
    """The share of the population that was asked, where there are no weights."""
    has_persons: bool
    has_households: bool
    wrongs: tuple[str, ...]


def draw_survey(seed: int) -> Survey:
    """Draw a survey; the same seed draws the same one."""
    draw = Draw(seed)
    quasi = draw_known_columns(draw)
    has_persons, has_households = draw.chance(0.4), draw.chance(0.4)
    fraction = draw.choice((0.01, 0.1, 0.5, 1.0)) if draw.chance(0.3) else None
    files = {_SURVEY: _draw_table(draw, quasi, has_persons=has_persons)}
    for column in quasi:
        files |= column.generalisations.files
    columns = ["--qi", ",".join(column.name for column in quasi)]
    for column in quasi:
        columns += ["--kind", f"{column.name}={column.kind}"]
        columns += ["--hierarchy", f"{column.name}={column.generalisations.words}"]
    columns += ["--person", "person"] if has_persons else []
    name = "wait" if draw.wrong("no such column of weights", 0.05) else "weight"
    sample = ["--sample-weight", name] if fraction is None else ["--sampling-fraction", str(fraction)]
    k = draw.choice((2, 5, 20, 100))
    release = ["anonymize", _SURVEY, "-output", _RELEASE, "--undeclared", "pass", "--order", "input", "--json"]
    release += ["-method", draw.choice(_ESTIMATING), "-model", f"k-map:k={k}", "--seed", "3"]
    release += ["-suppThreshold", draw.choice(("0", "5", "50"))]
    release += [] if has_persons else ["--rows-are-people"]
    release += ["--treat", f"pay={draw.choice(_TREATMENTS)}"] if draw.chance(0.4) else []
    return Survey(
        seed,
        files,
        tuple(columns),
        tuple(sample),
        tuple(release),
        quasi,
        k,
        fraction,
        has_persons,
        has_households,
        tuple(draw.wrongs),
    )


def _draw_table(draw: Draw, quasi: Sequence[Column], *, has_persons: bool) -> bytes:
    """Draw respondents, each with a weight; with persons some of them answer several times."""
    rows = [[*(column.name for column in quasi), "person", "home", "weight", "pay"]]
    people = draw.choice((4, 12, 40, 90))
    homes = [str(draw.whole(1, people)) for _ in range(people)]
    weights = [str(draw.choice((1, 2, 10, 150, 0.5, 12.25, 3000))) for _ in range(people)]
    if draw.wrong("a weight that is none", 0.2):
        weights[draw.whole(0, people - 1)] = draw.choice(_ODD_WEIGHTS)
    for number, (home, weight) in enumerate(zip(homes, weights, strict=True)):
        cells = [draw.choice(column.values) for column in quasi]
        for _ in range(draw.choice((1, 1, 2, 3)) if has_persons else 1):
            cells = [draw.choice(column.values) for column in quasi] if draw.chance(0.2) else cells
            rows.append([*cells, f"p{number}", home, weight, str(draw.whole(1000, 6000))])
    if has_persons and draw.wrong("a person of two weights", 0.1):
        rows.append([*rows[1][:-2], "77777", "1000"])
    text = io.StringIO()
    csv.writer(text).writerows([rows[0], *draw.shuffled(rows[1:])])
    return text.getvalue().encode()


def run_survey(runner: Runner, seed: int) -> Verdict:
    """Measure a survey's risks, release it, check the release, and compare its pairs of columns."""
    survey = draw_survey(seed)
    verdict = Verdict(Case(seed, survey.files, (), (*survey.release, *survey.columns, *survey.sample), survey.wrongs))
    with runner.entered(verdict.case):
        judge = SurveyJudge(survey)
        household = ("--household", "home") if survey.has_households and not survey.has_persons else ()
        risk = ("risk", _SURVEY, *survey.columns, *survey.sample, *household, "-k", str(survey.k), "--json")
        if found := _run(runner, verdict, risk):
            verdict.faults += judge.find_wrong_risks(found)
        verdict.said.clear()
        found = _run(runner, verdict, verdict.case.arguments)
        if found is None:
            return verdict
        released = _read((runner.folder / _RELEASE).read_bytes())
        verdict.faults += judge.find_small_classes(released, int(found["records_suppressed"]))
        pairs = ("measure", _SURVEY, _RELEASE, *survey.columns, "--pairs", "--json")
        if (found := _run(runner, verdict, pairs)) is not None:
            verdict.faults += find_wrong_pairs(found["pairs"], len(released))
        else:
            verdict.faults.append("the release cannot be measured")
    return verdict


def _run(runner: Runner, verdict: Verdict, words: Sequence[str]) -> dict[str, Any] | None:
    """Run a command line that may write the release alone; return its document, if it did what it should."""
    before = runner.listed()
    answer = runner.call(words, verdict)
    released = runner.released(verdict, answer)
    verdict.faults += runner.changes(before, runner.listed(), released, frozenset())
    if answer.status not in (0, 3) and not verdict.case.wrongs and CAP not in answer.err:
        verdict.faults.append(f"a sound case ended with status {answer.status}: {words[0]}")
    return json.loads(answer.out) if answer.status == 0 else None


class SurveyJudge:
    """Judges what is said of a survey, and its release.

    Parameters
    ----------
    survey : Survey
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._rows = _read(survey.files[_SURVEY])

    def find_wrong_risks(self, document: Mapping[str, Any]) -> Iterator[str]:
        """Yield the figures of `risk` that are not those of the table."""
        classes = self._classes(self._rows)
        people = {cells: self._people(rows) for cells, rows in classes.items()}
        sizes = {cells: len(self._persons(rows)) for cells, rows in classes.items()}
        found = document["sample"]
        risks = {cells: _individual_risk(sizes[cells], people[cells]) for cells in classes}
        exact = sum(sizes[cells] * risks[cells] for cells in classes)
        expected = {
            "smallest": min(max(people[cells], sizes[cells]) for cells in classes),
            "below_k": sum(sizes[cells] for cells in classes if max(people[cells], sizes[cells]) < self._survey.k),
            "light": sum(sizes[cells] for cells in classes if people[cells] < sizes[cells]),
        }
        for name, figure in expected.items():
            if not math.isclose(found[name], figure, rel_tol=_TOLERANCE):
                yield f"{name} is {found[name]}, not {figure}"
        for name, figure in (("expected", exact), ("highest", max(risks.values()))):
            if not math.isclose(found["exact"][name], figure, rel_tol=1e-4):
                yield f"the exact risk, {name}, is {found['exact'][name]}, not {figure}"
        if found["household"] is not None:
            yield from self._households(found["household"])

    def _households(self, found: Mapping[str, float]) -> Iterator[str]:
        """Yield what is wrong with the risk that one of a household is found, each by the approximate risk."""
        spared: dict[str, float] = defaultdict(lambda: 1.0)
        for rows in self._classes(self._rows).values():
            risk = _approximate_risk(len(rows), self._people(rows))
            for row in rows:
                spared[row["home"]] *= 1 - risk
        risks = [1 - spared[row["home"]] for row in self._rows]
        for name, figure in (("expected", sum(risks)), ("highest", max(risks))):
            if not math.isclose(found[name], figure, rel_tol=1e-4, abs_tol=1e-9):
                yield f"the household risk, {name}, is {found[name]}, not {figure}"

    def find_small_classes(self, released: Rows, suppressed: int) -> Iterator[str]:
        """Yield what a release shows that does not cover its original, or that stands for too few people."""
        if len(released) != len(self._rows):
            yield f"the release has {len(released)} records, and the survey {len(self._rows)}"
            return
        for column in self._survey.quasi:
            pairs = zip(self._rows, released, strict=True)
            if any(not covers(column, after[column.name], before[column.name]) for before, after in pairs):
                yield f"{column.name} shows what does not cover its original"
        names = [column.name for column in self._survey.quasi]
        shown = [
            {**before, **{name: after[name] for name in names}}
            for before, after in zip(self._rows, released, strict=True)
        ]
        for cells, rows in self._classes(shown).items():
            people = max(self._people(rows), len(self._persons(rows)))
            hidden = suppressed and tells_nothing(self._survey.quasi, cells, self._rows)
            if people < self._survey.k * (1 - _TOLERANCE) and not hidden:
                yield f"a class stands for {people} people, of {self._survey.k}"

    def _classes(self, rows: Rows) -> dict[tuple[str, ...], Rows]:
        classes: dict[tuple[str, ...], Rows] = defaultdict(list)
        for row in rows:
            classes[tuple(row[column.name] for column in self._survey.quasi)].append(row)
        return classes

    def _persons(self, rows: Rows) -> dict[str, str]:
        """Return the weight of each person of a class."""
        name = "person" if self._survey.has_persons else "record"
        return {row[name]: row["weight"] for row in rows}

    def _people(self, rows: Rows) -> float:
        """Add up for how many people the persons of a class stand, each once."""
        fraction = self._survey.fraction
        return sum(float(weight) if fraction is None else 1 / fraction for weight in self._persons(rows).values())


def _individual_risk(size: int, people: float) -> float:
    """Return the expected value of 1/F of a class, by its integral."""
    p = min(size / people, 1.0)
    risk, _ = quad(lambda u: p * u ** (size - 1) / (p + (1 - p) * u), 0, 1, points=[min(p, 0.5)], limit=200)
    return float(risk)


def _approximate_risk(size: int, people: float) -> float:
    if size <= 2 or people <= size:
        return _individual_risk(size, people)
    p = size / people
    return p / (size - (1 - p))


def find_wrong_pairs(pairs: Mapping[str, Any], released: int) -> Iterator[str]:
    """Yield the cells of two-way tables that no release that covers its original can show."""
    for pair in pairs["pairs"]:
        cells = pair["cells"]
        for cell in cells:
            # A release that covers its original allows what the original is.
            if not cell["lowest"] <= cell["before"] <= cell["highest"]:
                yield f"a cell of {pair['columns']} is outside its bounds"
            if not cell["lowest"] - _TOLERANCE <= cell["after"] <= cell["highest"] + _TOLERANCE:
                yield f"what is expected of a cell of {pair['columns']} is outside its bounds"
        if not pair["more_cells"] and not math.isclose(sum(cell["after"] for cell in cells), released, rel_tol=1e-6):
            yield f"the cells of {pair['columns']} add up to {sum(cell['after'] for cell in cells)}, not {released}"


def _read(data: bytes) -> Rows:
    """Read a table; each record has its number, too."""
    rows = csv.DictReader(io.StringIO(data.decode()))
    return [{**row, "record": str(number)} for number, row in enumerate(rows)]
