"""The manual of the UT Dallas toolbox: its defaults, its example, and recorded runs of its program."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import toolbox
from reproductions.frame import Data, Number, Source, Table, Value
from reproductions.utd_runs import repeated

EXAMPLE = Path(__file__).with_name("utd_example.xml")
"""The configuration of section 1.3, as it is printed."""
SHORTEST = """<config {method}><input filename='in.data'/><output filename='out.data'/>
<qid><att index='0'><vgh value='[0:100]'/></att></qid><sens><att index='1'/></sens></config>"""
"""A configuration that leaves everything to the defaults."""
PEOPLE = "20,flu\n30,flu\n" * 6
NO_C = (
    "section 2.4 takes l-diversity for entropy where c is not set, and so did the program. With a c of 0.2 by default "
    "entropy could not be asked for."
)
NOT_CODED = (
    "Female and Male are 0 and 1 in the map, and a root of 1 to 2 leaves out Female. Ours names line 15, what is wrong "
    "and what to write."
)


def reproduce(data: Data) -> Source:
    """Read defaults and example, and repeat the recorded runs."""
    with TemporaryDirectory() as folder:
        defaults, example = list(_defaults(Path(folder))), list(_example(data, Path(folder)))
    return Source(
        "utd",
        {
            "defaults": Table(defaults),
            "example": Table(example),
            "runs": Table(list(repeated(data)), heading="recorded"),
        },
    )


def _defaults(folder: Path) -> Iterator[Number]:
    def loaded(method: str = "") -> toolbox.Config:
        written = SHORTEST.format(method=method and f"method='{method}'")
        return _loaded(folder, written)

    (folder / "in.data").write_text(PEOPLE, encoding="utf-8")
    plain, diverse = loaded(), dict(loaded("Incognito_l").requirements[0].parameters)
    threshold = toolbox.anonymize(loaded("Datafly")).summary.settings["suppression_threshold"]
    assert plain.input is not None
    facts: dict[str, tuple[Value, Value]] = {
        "-method": ("Mondrian", str(plain.method)),
        "-k": (10, plain.requirements[0].parameters["k"]),
        "-l": (10, diverse["l"]),
        "-c": (0.2, diverse.get("c", "unset")),
        "-t": (0.2, loaded("Incognito_t").requirements[0].parameters["t"]),
        "-suppThreshold": ("k", "k" if threshold == str(plain.k) else threshold),
        "-separator": (",", str(plain.input.separator)),
        "-outputFormat": ("genVals", plain.output.format.name),
    }
    for name, (published, ours) in facts.items():
        yield Number(name, "default", published, ours, why=NO_C if name == "-c" else "", known="unset", digits=1)


def _loaded(folder: Path, text: str) -> toolbox.Config:
    config = folder / "config.xml"
    config.write_text(text, encoding="utf-8")
    return toolbox.load_config(config)


def _example(data: Data, folder: Path) -> Iterator[Number]:
    printed = EXAMPLE.read_text(encoding="utf-8")
    yield _number("as it is printed", "runs", _outcome(folder, printed), why=NOT_CODED, known="error in line 15")
    corrected = printed.replace("[1:2]", "[0:1]")
    read = _loaded(folder, corrected)
    yield _number("identifiers", 2, len(read.identifiers))
    yield _number("quasi-identifiers", "sex, age", ", ".join(str(one.column) for one in read.quasi_identifiers))
    for one, nodes in zip(read.quasi_identifiers, (1, 7), strict=True):
        assert one.hierarchy is not None
        yield _number(f"nodes of {one.column} in Figure 1", nodes, sum(1 for _ in one.hierarchy.labels()))
    yield _number("sensitive attributes", 1, len(read.sensitive))
    shutil.copy(data.table("census-income_463.data"), folder / "census-income_ALL.data")
    proof = toolbox.anonymize(_loaded(folder, corrected.replace("- 50000.", "-_50000."))).summary.proof
    yield _number("the release is 5-anonymous", "yes", "yes" if (proof.smallest_class or 0) >= 5 else "no")


def _number(row: str, published: Value, ours: Value, *, why: str = "", known: Value | None = None) -> Number:
    return Number(row, "example", published, ours, why=why, known=known)


def _outcome(folder: Path, text: str) -> str:
    try:
        _loaded(folder, text)
    except toolbox.ConfigurationError as error:
        return "error in line 15" if "line 15" in str(error) else str(error)
    return "runs"
