"""The manual of the UT Dallas toolbox: its defaults, its example, and recorded runs of its program."""

from __future__ import annotations

import csv
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import toolbox
from reproductions.frame import Data, Number, Source, Table, Value

EXAMPLE = """<?xml version="1.0"?>
<config method = 'Datafly' k = '5'>
  <input filename='census-income_ALL.data' separator=',' />
  <output filename='census-incomeK5.data' format = 'genValsDist' />
  <id>
    <att index='1' name='att1' />
    <att index='2' name='att2' />
  </id>
  <qid>
    <att index='12' name='sex'>
      <map>
        <entry cat='Female' int='0' />
        <entry cat='Male' int='1' />
      </map>
      <vgh value=' [1:2] ' >
    </vgh>
  </att>
  <att index='0' name = 'age'>
    <vgh value=' [0:100] ' >
      <node value=' [0:50] ' >
        <node value=' [0:25] ' />
        <node value=' [25:50] ' />
      </node>
      <node value=' [50:100] ' >
        <node value=' [50:75] ' />
        <node value=' [75:100] ' />
      </node>
    </vgh>
  </att>
</qid>
<sens>
  <att index='41' name='salary'>
    <map>
      <entry cat='- 50000.' int='0' />
      <entry cat='50000+.' int='1' />
    </map>
  </att>
</sens>
</config>
"""
"""Section 1.3, as it is printed."""
SHORTEST = """<config method='{method}'><input filename='in.data'/><output filename='out.data'/>
<qid><att index='0'><vgh value='[0:100]'/></att></qid><sens><att index='1'/></sens></config>"""
PEOPLE = "".join(f"{age},flu\n" for age in (20, 20, 20, 30, 30, 30) * 2)
NO_C = (
    "section 2.4 takes l-diversity for entropy where c is not set, and so did the program. With a c of 0.2 by default "
    "entropy could not be asked for."
)
NOT_CODED = "Female and Male are 0 and 1 in the map; a root of 1 to 2 leaves out Female. Ours names line 15 and what to write."
OTHER_CATEGORIES = "the sample at hand writes `-_50000.` for the salary, and what is not in the map is refused."


class Run(NamedTuple):
    """A recorded run of the program."""

    folder: Path

    @property
    def arguments(self) -> list[str]:
        return (self.folder / "args").read_text(encoding="utf-8").split()

    @property
    def outputs(self) -> list[Path]:
        return sorted(self.folder.glob("out*.data"))


def reproduce(data: Data) -> Source:
    """Read defaults and example, and repeat the recorded runs."""
    return Source(
        name="utd",
        title="The manual of the UT Dallas toolbox",
        reference="UT Dallas Data Security and Privacy Lab: *UT Dallas anonymization toolbox*, manual, 2010.",
        tables=[
            Table(
                "Section 1.4, Table 1: defaults",
                "What a configuration means that says nothing: `toolbox.load_config`, and for the threshold a run of Datafly "
                "with k = 10.",
                list(_defaults()),
            ),
            Table(
                "Section 1.3 and Figure 1: the example",
                "Datafly on the census, sex and age. The whole census is not at hand: ours is the sample of 463 records.",
                list(_example(data)),
            ),
            Table(
                "Recorded runs of the program",
                "Runs that were recorded, and those that `toolbox.anonymize` repeats with `compatibility='utd'`: the same "
                "bytes, or for the format anatomy the same groups.",
                list(_repeated(data)),
                heading="recorded",
            ),
        ],
        errata=[
            "Section 1.3: the root of sex is printed [1:2] over categories 0 and 1.",
            "Section 1.3: leaves such as [0:25] and [25:50] share a boundary. The first one takes the value, with a note.",
            "Section 1.3, footnote 3, and Table 1: c = 0.2 is no default of the program.",
            "Section 2.2: the median is said to go to the left side. In the recorded runs it is the first value of which "
            "half of the records are at or below it, and the left side ends with it.",
            "Section 2.3: Incognito is said to suppress up to k records. The program never did; ours does, unless the "
            "threshold is 0.",
        ],
        remarks=[
            "In 2010 the two files of anatomy had the records in one order, so that anybody could join them. Ours are "
            "ordered by group and shuffled within, and so are compared group by group "
            "([all differences that are on purpose](compatibility.md#what-is-not-as-in-2010-on-purpose)).",
            "The program's Anatomy has no recorded run: it ended with an error on all inputs.",
        ],
    )


def _defaults() -> Iterator[Number]:
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.xml"
        (Path(folder) / "in.data").write_text(PEOPLE, encoding="utf-8")

        def loaded(method: str) -> toolbox.Config:
            config.write_text(SHORTEST.format(method=method), encoding="utf-8")
            return toolbox.load_config(config)

        config.write_text(SHORTEST.replace(" method='{method}'", ""), encoding="utf-8")
        plain = toolbox.load_config(config)
        diverse = loaded("Incognito_l").requirements[0].parameters
        threshold = toolbox.anonymize(loaded("Datafly")).summary.settings["suppression_threshold"]
        facts: dict[str, tuple[Value, Value]] = {
            "-method": ("Mondrian", str(plain.method)),
            "-k": (10, _parameter(plain, "k")),
            "-l": (10, _parameter(loaded("Incognito_l"), "l")),
            "-c": (0.2, diverse["c"] if "c" in diverse else "unset"),
            "-t": (0.2, _parameter(loaded("Incognito_t"), "t")),
            "-suppThreshold": ("k", "k" if threshold == str(plain.k) else threshold),
            "-separator": ("comma", "comma" if plain.input.separator == "," else str(plain.input.separator)),
            "-outputFormat": ("genVals", plain.output.format.name),
        }
    for name, (published, ours) in facts.items():
        yield Number(name, "default", published, ours, why=NO_C if name == "-c" else "", known="unset", digits=1)


def _parameter(config: toolbox.Config, name: str) -> float:
    return config.requirements[0].parameters[name]


def _example(data: Data) -> Iterator[Number]:
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.xml"
        config.write_text(EXAMPLE, encoding="utf-8")
        yield Number("as it is printed", "example", "runs", _outcome(config), why=NOT_CODED, known="error in line 15")
        config.write_text(EXAMPLE.replace("[1:2]", "[0:1]"), encoding="utf-8")
        read = toolbox.load_config(config)
        yield Number("identifiers", "example", 2, len(read.identifiers))
        yield Number("quasi-identifiers", "example", "sex, age", ", ".join(str(q.column) for q in read.quasi_identifiers))
        for quasi_identifier, nodes in zip(read.quasi_identifiers, (1, 7), strict=True):
            assert quasi_identifier.hierarchy is not None
            drawn = sum(1 for _ in quasi_identifier.hierarchy.labels())
            yield Number(f"nodes of {quasi_identifier.column} in Figure 1", "example", nodes, drawn)
        yield Number("sensitive attributes", "example", 1, len(read.sensitive))
        shutil.copy(data.table("census-income_463.data"), Path(folder) / "census-income_ALL.data")
        config.write_text(EXAMPLE.replace("[1:2]", "[0:1]").replace("- 50000.", "-_50000."), encoding="utf-8")
        summary = toolbox.anonymize(toolbox.load_config(config)).summary
        is_anonymous = summary.proof.smallest_class >= 5 if summary.proof.smallest_class else False
        yield Number("the sample becomes 5-anonymous", "example", "yes", "yes" if is_anonymous else "no")


def _outcome(config: Path) -> str:
    try:
        toolbox.load_config(config)
    except toolbox.ConfigurationError as error:
        return "error in line 15" if "line 15" in str(error) else str(error)
    return "runs"


def _repeated(data: Data) -> Iterator[Number]:
    """Count by method, as the configurations name it, and by format."""
    recorded: Counter[tuple[str, str]] = Counter()
    equal: Counter[tuple[str, str]] = Counter()
    for folder in sorted(data.fixture("utd").iterdir()):
        kind, is_equal = repeat(Run(folder), data.table("census-income_463.data"))
        recorded[kind] += 1
        equal[kind] += is_equal
    for method, form in sorted(recorded):
        yield Number(method, form, recorded[method, form], equal[method, form])


def repeat(run: Run, census: Path) -> tuple[tuple[str, str], bool]:
    """Run one configuration again; return its method and format, and whether the release is as it was."""
    own = run.folder / "in.data"
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(own if own.exists() else census, folder / "in.data")
        shutil.copy(run.folder / "config.xml", folder)
        threshold = run.arguments[1] if run.arguments else None
        config = toolbox.load_config(folder / "config.xml", compatibility="utd", supp_threshold=threshold)
        toolbox.anonymize(config)
        pairs = [(folder / output.name, output) for output in run.outputs]
        form = config.output.format.name
        if form == "anatomy":
            is_equal = _groups([ours for ours, _ in pairs]) == _groups([theirs for _, theirs in pairs])
        else:
            is_equal = all(ours.read_bytes() == theirs.read_bytes() for ours, theirs in pairs)
        return (str(config.method), form), is_equal


def _groups(paths: list[Path]) -> list[tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]:
    """Return what each group holds in the two files, without its number, in a fixed order."""
    qit, st = sorted(paths)
    rows: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]] = defaultdict(lambda: ([], []))
    for *values, group in _read(qit):
        rows[group][0].append(tuple(values))
    for group, *values in _read(st):
        rows[group][1].append(tuple(values))
    return sorted((sorted(ground), sorted(sensitive)) for ground, sensitive in rows.values())


def _read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
