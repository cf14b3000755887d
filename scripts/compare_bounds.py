"""Measure what LocalRecoding loses beside the least that any release must lose, and beside what ARX has lost.

    TOOLBOX_DATA=shared python scripts/compare_bounds.py --results bounds.jsonl --write

measures each table at each k, and writes docs/loss_metrics.md between its marks; without ``--write`` it prints the
table. What stands in the file of results is not measured again, so that a long run can be cut off.
`tests/scripts/test_compare_bounds.py` compares the page with a new measurement of its fastest rows.
"""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd

import toolbox

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "loss_metrics.md"
BEGIN, END = "<!-- measured: bounds -->\n", "<!-- end -->"
KS = (2, 5, 10, 25)
ENTROPY = "non-uniform entropy"
HEADING = (
    "table",
    "k",
    "lm: LocalRecoding",
    "bound",
    "ARX",
    "entropy kept: LocalRecoding",
    "ARX",
    "CPU seconds: by lm",
    "by entropy",
    "of the bound",
)


@dataclass(frozen=True)
class Table:
    """A table with the hierarchies of its quasi-identifiers."""

    file: Path
    hierarchies: Mapping[str, Any]
    recorded: str = ""
    """Its name among the recorded results of ARX; empty where there are none."""
    separator: str = ";"

    @property
    def columns(self) -> list[str]:
        """Its quasi-identifiers."""
        return list(self.hierarchies)


@dataclass(frozen=True)
class Figures:
    """What was measured of one table at one k."""

    table: str
    k: int
    lm: float
    """Of LocalRecoding with this objective."""
    kept: float
    """Share of the entropy, with that objective."""
    bound: float
    columns: int
    """Those that the bound counts; it holds without the others, and is lower."""
    seconds: tuple[float, float, float]
    """CPU seconds: LocalRecoding by lm, by entropy, and the bound."""


def list_tables(shared: Path) -> dict[str, Table]:
    """Return the tables by what the page calls them."""
    adult, local = shared / "data" / "adult_hierarchies", shared / "fixtures" / "arx" / "local"
    trees = {file.stem.removeprefix("adult_hierarchy_"): file for file in sorted(adult.glob("*.csv"))}
    names = ("age", "sex", "race", "marital-status", "education")
    five = {name: adult / f"adult_hierarchy_{name}.csv" for name in names}
    of_files = {
        name: {file.stem: file for file in sorted((local / f"{name}_h").glob("*.csv"))}
        for name in ("credit", "census5000")
    }
    households = dict.fromkeys(("urbrur", "roof", "walls", "water", "electcon", "relat", "sex"))
    return {
        "Adult, 5 columns": Table(shared / "data" / "adult.csv", five, "adult5"),
        "Adult, 9 columns": Table(shared / "data" / "adult.csv", trees),
        "credit": Table(local / "credit.csv.gz", of_files["credit"], "credit"),
        "census": Table(local / "census5000.csv.gz", of_files["census5000"], "census5000"),
        "testdata": Table(
            shared / "data" / "sdc" / "testdata.csv", {**households, "age": "intervals:5,10,20"}, separator=","
        ),
    }


def measure(name: str, table: Table, k: int, seconds: float) -> Figures:
    """Make the release that loses least by each objective, and prove what any release must lose."""
    trees = {column: tree for column, tree in table.hierarchies.items() if tree is not None}
    kinds = {column: "category" for column in table.columns if column not in trees}
    declared: dict[str, Any] = {"quasi_identifiers": table.columns, "hierarchies": trees, "kinds": kinds}
    losses, spent = [], []
    with toolbox.open(table.file, separator=table.separator, **declared) as session:
        by_lm: dict[str, Any] = {"metrics": ["lm"], "objective": "lm"}
        for asked in (by_lm, {"metrics": [ENTROPY], "loss": "bits"}):
            began = process_time()
            variant = session.run(method="LocalRecoding", k=k, **asked)
            spent.append(process_time() - began)
            assert variant.losses is not None
            losses.append(variant.losses.value(asked["metrics"][0]))
    began = process_time()
    bound = toolbox.loss_bound(table.file, k=k, seconds=seconds, separator=table.separator, **declared)
    times = (spent[0], spent[1], process_time() - began)
    return Figures(name, k, losses[0], losses[1], bound.value, bound.columns, times)


def list_rows(figures: Sequence[Figures], recorded: pd.DataFrame, tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield the table of the page: of ARX what loses least by each measure, whatever its classes."""
    yield _format_line(HEADING)
    yield _format_line(("---", *["--:"] * (len(HEADING) - 1)))
    for found in figures:
        own = recorded[(recorded.dataset == tables[found.table].recorded) & (recorded.k == found.k)]
        of_arx = own[own.program.str.startswith("arx")]
        least, most = ("-", "-") if of_arx.empty else (f"{of_arx.lm.min():.4f}", f"{of_arx.nue_kept.max():.4f}")
        partly = "" if found.columns == len(tables[found.table].columns) else f" ({found.columns} columns)"
        shown = (f"{found.lm:.4f}", f"{found.bound:.4f}{partly}", least, f"{found.kept:.4f}", most)
        yield _format_line((found.table, str(found.k), *shown, *(f"{second:.1f}" for second in found.seconds)))


def _format_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def find_shared() -> Path:
    """Return the folder of the real data."""
    given = os.environ.get("TOOLBOX_DATA")
    return Path(given) if given else TOP.parent / "shared"


def read_recorded(shared: Path) -> pd.DataFrame:
    """Read what ARX has lost."""
    return pd.read_csv(shared / "fixtures" / "arx" / "local" / "results.csv")


def measure_all(tables: Mapping[str, Table], ks: Sequence[int], seconds: float, results: Path | None) -> list[Figures]:
    """Measure each table at each k, unless that is in the file of results, which is added to."""
    known: dict[tuple[str, int], Figures] = {}
    if results is not None and results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            found = Figures(**json.loads(line))
            known[found.table, found.k] = found
    for name, table in tables.items():
        for k in ks:
            if (name, k) not in known:
                known[name, k] = measure(name, table, k, seconds)
                print(known[name, k], file=sys.stderr)
                if results is not None:
                    with results.open("a", encoding="utf-8") as stream:
                        stream.write(f"{json.dumps(asdict(known[name, k]))}\n")
    return [known[name, k] for name in tables for k in ks]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    parser.add_argument("--seconds", type=float, default=60.0, help="most seconds of the search for each bound")
    parser.add_argument("--results", type=Path, help="file of what was measured, which is added to")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", UserWarning)
    shared = find_shared()
    tables = list_tables(shared)
    figures = measure_all(tables, KS, options.seconds, options.results)
    text = "\n".join(list_rows(figures, read_recorded(shared), tables))
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
