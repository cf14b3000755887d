"""Measure what methods, k and privacy models cost on the invented census, and write the tables of the guides.

    python scripts/compare_methods.py --write

writes the tables of docs/which_method.md and docs/which_k.md between their marks; without ``--write`` it prints them.
`tests/scripts/test_compare_methods.py` compares the pages with new measurements, but for the seconds.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import pandas as pd

import toolbox

TOP = Path(__file__).parents[1]
QUASI_IDENTIFIERS = ("age", "sex", "marital-status", "education", "occupation")
SENSITIVE = "diagnosis"
HIERARCHIES = {name: str(TOP / "configs" / "hierarchies" / f"{name}.csv") for name in QUASI_IDENTIFIERS}
_AGE_FIRST = {name: place for place, name in enumerate(("age", "occupation", "education", "marital-status", "sex"), 1)}

_LOST = "normalised-conditional-entropy"
"""The metric that the tables call *lost*, by which the optimum is chosen."""


@dataclass(frozen=True)
class Question:
    """One way to make a release of the census."""

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figures:
    """What is measured of one release."""

    classes: int
    suppressed: int
    lost: float
    """Normalised conditional entropy: the share of the information about the original values that is gone."""
    width: float
    """Normalised certainty penalty: the share of its column that a released value covers, on average."""
    age_lost: float
    told: int
    """People of whose class all members share the diagnosis."""
    surest: float
    """The largest share of a diagnosis in a class."""
    seconds: float


@dataclass(frozen=True)
class Table:
    """One table of a page: its heading, its rows and the cells of a row, without the first one."""

    page: str
    heading: tuple[str, ...]
    rows: Mapping[str, tuple[Question, ...]]
    cells: Callable[[Figures], tuple[str, ...]]
    seconds: bool = False
    """Whether the last cell is a time, which nobody can repeat."""

    def row(self, name: str, *, times: int = 1) -> tuple[str, ...]:
        """Measure one row."""
        return (name, *(cell for question in self.rows[name] for cell in self.cells(measured(question, times=times))))

    def lines(self, *, times: int = 1) -> Iterator[str]:
        """Yield the table as the page shows it."""
        yield _line(self.heading)
        yield _line(("---", *["--:"] * (len(self.heading) - 1)))
        yield from (_line(self.row(name, times=times)) for name in self.rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _k5(*models: toolbox.PrivacyModel) -> tuple[Question]:
    return (Question("Mondrian", {"models": [toolbox.KAnonymity(k=5), *models]}),)


TABLES: Mapping[str, Table] = {
    "methods": Table(
        page="which_method.md",
        heading=("method, k = 5", "classes", "suppressed", "lost", "width", "lost of age", "seconds"),
        rows={
            "Mondrian": (Question("Mondrian", {"k": 5}),),
            "Mondrian, by ncp": (Question("Mondrian", {"k": 5, "objective": "ncp"}),),
            "LocalRecoding": (Question("LocalRecoding", {"k": 5}),),
            "LocalRecoding, age weighs 5": (
                Question("LocalRecoding", {"k": 5, "weights": {**dict.fromkeys(QUASI_IDENTIFIERS, 1), "age": 5}}),
            ),
            "PrioPrivacy, age first": (Question("PrioPrivacy", {"k": 5, "priorities": _AGE_FIRST}),),
            "Singletons, local": (Question("Singletons", {"k": 5, "scope": "local"}),),
            "Incognito_k": (Question("Incognito_k", {"k": 5}),),
            "Incognito_k, may suppress 250": (Question("Incognito_k", {"k": 5, "suppression_threshold": 250}),),
            "Flash": (Question("Flash", {"k": 5, "objective": _LOST}),),
            **{
                f"{name}, may suppress 250": (
                    Question(name, {"k": 5, "objective": _LOST, "suppression_threshold": 250}),
                )
                for name in ("Flash", "OLA", "MinGen")
            },
            "Datafly": (Question("Datafly", {"k": 5}),),
            "Datafly, may suppress 250": (Question("Datafly", {"k": 5, "suppression_threshold": 250}),),
        },
        cells=lambda of: (
            f"{of.classes}", f"{of.suppressed}", f"{of.lost:.2f}", f"{of.width:.2f}", f"{of.age_lost:.2f}",
            f"{of.seconds:.1f}",
        ),
        seconds=True,
    ),
    "k": Table(
        page="which_k.md",
        heading=("k", "Mondrian: classes", "lost", "width", "LocalRecoding: classes", "lost", "width"),
        rows={
            f"{k}": (Question("Mondrian", {"k": k}), Question("LocalRecoding", {"k": k}))
            for k in (2, 3, 5, 10, 11, 20, 50, 100)
        },
        cells=lambda of: (f"{of.classes}", f"{of.lost:.2f}", f"{of.width:.2f}"),
    ),
    "models": Table(
        page="which_k.md",
        heading=("required, with Mondrian", "classes", "lost", "width", "people told", "surest"),
        rows={
            "k = 5": _k5(),
            "k = 10": (Question("Mondrian", {"k": 10}),),
            "k = 5, distinct l = 2": _k5(toolbox.DistinctLDiversity(l=2, attribute=SENSITIVE)),
            "k = 5, entropy l = 3": _k5(toolbox.EntropyLDiversity(l=3, attribute=SENSITIVE)),
            "k = 5, t = 0.5": _k5(toolbox.TCloseness(t=0.5, attribute=SENSITIVE)),
            "k = 5, t = 0.3": _k5(toolbox.TCloseness(t=0.3, attribute=SENSITIVE)),
            "k = 5, t = 0.2": _k5(toolbox.TCloseness(t=0.2, attribute=SENSITIVE)),
        },
        cells=lambda of: (f"{of.classes}", f"{of.lost:.2f}", f"{of.width:.2f}", f"{of.told}", f"{of.surest:.0%}"),
    ),
}  # fmt: skip


@cache
def _people() -> pd.DataFrame:
    return pd.read_csv(TOP / "configs" / "census_5000.csv")[[*QUASI_IDENTIFIERS, SENSITIVE]]


def measured(question: Question, *, times: int = 1) -> Figures:
    """Make the release that many times, for the median of the seconds, and measure it."""
    columns: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "hierarchies": HIERARCHIES}
    seconds = []
    for _ in range(times):
        began = perf_counter()
        made = toolbox.anonymize(
            _people(), method=question.method, sensitive=[SENSITIVE], order="input", **columns, **question.arguments
        )
        seconds.append(perf_counter() - began)
    losses = toolbox.measure(_people(), made.release, **columns)
    entropy = "normalised conditional entropy"
    return Figures(
        classes=int(losses.value("number of classes")),
        suppressed=int(losses.value("suppressed records")),
        lost=losses.value(entropy),
        width=losses.value("normalised certainty penalty"),
        age_lost=losses.value(entropy, "age"),
        seconds=median(seconds),
        **_given_away(made.release),
    )


def _given_away(release: pd.DataFrame) -> dict[str, Any]:
    """Return what classes tell of the diagnosis; suppressed records are in none."""
    seen = release[~(release[list(QUASI_IDENTIFIERS)] == "*").all(axis="columns")]
    counts = seen.groupby([*QUASI_IDENTIFIERS, SENSITIVE], observed=True).size()
    classes = counts.groupby(level=list(QUASI_IDENTIFIERS), observed=True)
    alone = classes.size() == 1
    return {"told": int(classes.sum()[alone].sum()), "surest": float((classes.max() / classes.sum()).max())}


def marks(name: str) -> tuple[str, str]:
    """Return the lines of a page between which a table stands."""
    return f"<!-- measured: {name} -->\n", "<!-- end -->"


def shown(name: str) -> str:
    """Return a table as its page shows it now."""
    begin, end = marks(name)
    page = (TOP / "docs" / TABLES[name].page).read_text(encoding="utf-8")
    return page.partition(begin)[2].partition(end)[0].strip()


def write(name: str, table: str) -> None:
    """Put a table in its place on its page."""
    begin, end = marks(name)
    page = TOP / "docs" / TABLES[name].page
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    page.write_text(f"{before}{begin}\n{table}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into the pages")
    parser.add_argument("--times", type=int, default=3, help="releases for each row, for the median of the seconds")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", UserWarning)
    for name, table in TABLES.items():
        text = "\n".join(table.lines(times=options.times if table.seconds else 1))
        print(text, end="\n\n")
        if options.write:
            write(name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
