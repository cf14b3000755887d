"""The inputs of the benchmark: what is generated, and with which configuration each method reads it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from generated_file import PART
from measure import measure

SCRIPTS = Path(__file__).resolve().parent
CACHE = SCRIPTS / "cache"
OUTPUTS = 3
"""Sizes of the input for which there must be room beside it: a release, and twice as much for what is spilled."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """A kind of table, in any size."""

    name: str
    description: str
    generator: str
    """The script that makes it, without its ending."""
    record_bytes: int
    """What a record takes on disk, roughly, and not less."""
    config: str
    """Relative to the cache. Hierarchies for every quasi-identifier, so that it serves every method."""
    sizes: tuple[int, ...]
    """Numbers of records of the full benchmark."""
    fewer: Mapping[str, int] = field(default_factory=dict)
    """Number of quasi-identifiers, from the first, for methods that are given fewer than all."""
    programs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What runs in place of the methods that are asked for: the name of each, and the words that say so to the toolbox.
    ``{cache}`` and ``{source}`` in them are paths."""
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Files in the cache that programs need, and the words after ``python`` that make each, once."""

    def path(self, cache: Path, records: int) -> Path:
        """Return the path of the file of one size."""
        return cache / f"{self.name}_{records}.csv"


CENSUS = Input(
    name="census",
    description="nine quasi-identifiers that people share as in a coarsened census, a diagnosis, a count of visits",
    generator="generate_census",
    record_bytes=115,
    config=str(SCRIPTS.parent / "configs" / "census_datafly.xml"),
    sizes=(10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
    # All nine would be a lattice of 23,040 nodes, which is another benchmark than that of many records.
    fewer={"incognito_k": 5, "incognito_l": 5, "incognito_t": 5},
)
HARD = Input(
    name="hard",
    description="a zip code of 90,000 values and six levels, two coordinates, age, sex and marital status, nearly "
    "always a combination of its own; a lattice of 1,440 nodes",
    generator="generate_hard",
    record_bytes=75,
    config="hard.xml",
    sizes=(10_000, 100_000, 1_000_000, 3_000_000),
)
_BY_PERSON = ("-config", "{cache}/visits.xml", "-input", "{source}", "--person", "patient")
VISITS = Input(
    name="visits",
    description="a year of birth, a sex, a region and a place, which are generalised, an illness, a day and a cost; a "
    "person has five records. The saved recoding is that of another table of a million records",
    generator="generate_visits",
    record_bytes=58,
    config="visits.xml",
    sizes=(1_000_000, 10_000_000),
    programs={
        "Datafly by record": (*_BY_PERSON[:4], "--id", "patient"),
        "Datafly by person": _BY_PERSON,
        "Mondrian by person": (*_BY_PERSON, "-method", "Mondrian"),
        "Datafly by person, cost=round:10": (*_BY_PERSON, "--treat", "cost=round:10"),
        "Datafly by person, day=truncate:month": (*_BY_PERSON, "--treat", "day=truncate:month"),
        "Datafly by person, cost=noise:gaussian:5": (*_BY_PERSON, "--treat", "cost=noise:gaussian:5", "--seed", "1"),
        "Datafly by person, patient=pseudonym": (
            *_BY_PERSON,
            *("--treat", "patient=pseudonym", "--key", "{cache}/visits.key", "--suppressed", "drop"),
        ),
        "a saved recoding by person": ("apply", "{cache}/visits.json", "{source}"),
    },
    beside={
        "visits.key": ("-m", "toolbox", "key", "new", "{cache}/visits.key"),
        "visits_before.csv": (
            str(SCRIPTS / "generate_visits.py"),
            *("--records=1000000", "--seed=2", "--output={cache}/visits_before.csv"),
        ),
        "visits.json": (
            *("-m", "toolbox", "-config", "{cache}/visits.xml", "-input", "{cache}/visits_before.csv"),
            *(
                "--person",
                "patient",
                "-output",
                "{cache}/visits_released.csv",
                "--save-recoding",
                "{cache}/visits.json",
            ),
        ),
    },
)
INPUTS = {source.name: source for source in (CENSUS, HARD, VISITS)}


class NoRoomError(Exception):
    """The disk cannot hold what a benchmark writes."""

    def __str__(self) -> str:
        folder, free, needed, size = self.args
        return (
            f"{folder} has {free / 1e9:.1f} GB free, and {size} needs about {needed / 1e9:.1f} GB for the inputs, one "
            "output and what is spilled. Make room, name a folder on a larger disk with --cache, or leave the size out."
        )


def check_room(cache: Path, cases: Sequence[tuple[Input, int]]) -> None:
    """Stop unless the disk can hold all inputs that are still to be made, and the outputs of the largest run.

    Raises
    ------
    NoRoomError
        Before anything is written.
    """
    free, inputs = shutil.disk_usage(cache).free, 0
    for source, records in cases:
        size = source.record_bytes * records
        inputs += 0 if source.path(cache, records).exists() else size
        if inputs + OUTPUTS * size > free:
            raise NoRoomError(cache, free, inputs + OUTPUTS * size, f"{records:,} records of {source.name}")


def prepare(source: Input, cache: Path, records: int) -> Path:
    """Make the input unless it is in the cache, and read it once so that no program meets a cold disk."""
    path = source.path(cache, records)
    if not (path.exists() and (cache / source.config).exists()):
        script = str(SCRIPTS / f"{source.generator}.py")
        _make(path, [script, f"--records={records}", "--seed=1", f"--output={path}", "--force"])
    for name, words in source.beside.items():
        if not (cache / name).exists():
            _make(cache / name, fill_in(words, cache, path))
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass
    return path


def fill_in(words: Sequence[str], cache: Path, source: Path) -> list[str]:
    """Write the paths of this run into the words of a command."""
    return [word.replace("{cache}", str(cache)).replace("{source}", str(source)) for word in words]


def _make(path: Path, words: Sequence[str]) -> None:
    print(f"making {path}", file=sys.stderr)
    try:
        # A process of its own: a child's peak memory is at least its parent's, so this one must stay small.
        measure([sys.executable, *words])
    finally:
        # A generator that is killed because we are interrupted cannot tidy up.
        path.with_name(path.name + PART).unlink(missing_ok=True)


def configuration(source: Input, cache: Path, method: str) -> tuple[Path, int]:
    """Return the configuration for a method, and its number of quasi-identifiers."""
    config = cache / source.config
    tree = ElementTree.parse(config)
    attributes = tree.findall("qid/att")
    kept = source.fewer.get(method.lower(), len(attributes))
    # A requirement that the method does not take is refused.
    needless = ["k"] if method.lower() == "anatomy" and "k" in tree.getroot().attrib else []
    if kept == len(attributes) and not needless:
        return config, kept
    for name in needless:
        del tree.getroot().attrib[name]
    (declared,) = tree.findall("qid")
    for attribute in attributes[kept:]:
        declared.remove(attribute)
    for hierarchy in tree.findall("qid/att/vgh[@file]"):
        hierarchy.set("file", str(config.parent / hierarchy.get("file", "")))
    for output in tree.findall("output"):
        output.set("filename", "release.csv")
    shortened = cache / f"{source.name}_{kept}{'_without_k' if needless else ''}.xml"
    tree.write(shortened, encoding="utf-8")
    return shortened, kept
