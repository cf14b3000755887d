"""The other programs that the benchmark of peers runs, each on the same file and with the same question."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from xml.etree import ElementTree

from bench_inputs import CENSUS, SCRIPTS
from measure import CommandFailedError, measure

PROGRAMS = SCRIPTS / "peers"
RELEASE: Final = "release"
JUDGE: Final = "judge"
OURS = "toolbox"
NOT_GIVEN = "not given"
"""How the note begins of a program that nobody has named."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What every peer is asked for."""

    source: Path
    target: Path
    """Where the release goes."""
    released: Path
    """The release that is judged, ours."""
    k: int
    share: float
    """Largest share of records that may be suppressed."""
    config: Path
    hierarchies: Path
    columns: tuple[str, ...]
    """The quasi-identifiers."""
    identifier: str


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A program that anonymises a file, or judges one."""

    name: str
    task: Literal["release", "judge"] = RELEASE
    command: Callable[[Job], list[str]]
    missing: str | None = None
    """Why it cannot run."""


def census_job(source: Path, folder: Path, *, k: int, share: float) -> Job:
    """Return the question of the generated census."""
    root = ElementTree.parse(CENSUS.config).getroot()
    (identifier,) = (element.get("name", "") for element in root.findall("id/att"))
    config = Path(CENSUS.config)
    return Job(
        source=source,
        target=folder / "release.csv",
        released=folder / "ours" / "release.csv",
        k=k,
        share=share,
        config=config,
        hierarchies=config.parent / "hierarchies",
        columns=tuple(element.get("name", "") for element in root.findall("qid/att")),
        identifier=identifier,
    )


def ours(method: str) -> Peer:
    """Return one of our own methods."""

    def command(job: Job) -> list[str]:
        allowed = str(int(job.share * _records(job.source)))
        return [
            *(sys.executable, "-m", "toolbox", "-config", str(job.config), "-input", str(job.source)),
            *("-output", str(job.target), "-method", method, "-k", str(job.k), "-suppThreshold", allowed, "--quiet"),
        ]

    return Peer(name=f"{OURS}, {method}", command=command)


def our_check() -> Peer:
    return Peer(name=f"{OURS} check", task=JUDGE, command=lambda job: check_command(job, job.released))


def check_command(job: Job, release: Path) -> list[str]:
    """Return the command by which our judge looks at a release."""
    command = [sys.executable, "-m", "toolbox", "check", str(release), "--qi", ",".join(job.columns)]
    return [*command, "-k", str(job.k), "--json"]


def arx(jar: str | None, folder: Path) -> Peer:
    """Return ARX, which has no command for this: a small program of ours calls it."""
    missing = _absent(jar, "--arx JAR")
    if missing is None and shutil.which("javac") is None:
        missing = "there is no javac: apt-get install openjdk-17-jdk-headless"
    if missing is None:
        try:
            measure(["javac", "-cp", str(jar), "-d", str(folder), str(PROGRAMS / "Arx.java")])
        except CommandFailedError as error:
            missing = f"it could not be compiled: {error.reason.splitlines()[-1]}"
    path = f"{jar}:{folder}"
    return Peer(
        name="ARX",
        command=lambda job: ["java", "-cp", path, "Arx", *_common(job, str(job.share), str(job.hierarchies))],
        missing=missing,
    )


def anjana(python: str | None) -> Peer:
    return Peer(
        name="ANJANA",
        command=lambda job: [
            str(python),
            str(PROGRAMS / "anjana_release.py"),
            *_common(job, str(100 * job.share), str(job.hierarchies)),
        ],
        missing=_absent(python, "--anjana PYTHON"),
    )


def anonypy(python: str | None) -> Peer:
    return Peer(
        name="anonypy, Mondrian",
        command=lambda job: [str(python), str(PROGRAMS / "anonypy_release.py"), *_common(job)],
        missing=_absent(python, "--anonypy PYTHON"),
    )


def pycanon(python: str | None) -> Peer:
    return Peer(
        name="pyCANON",
        task=JUDGE,
        command=lambda job: [str(python), str(PROGRAMS / "pycanon_judge.py"), str(job.released), *job.columns],
        missing=_absent(python, "--pycanon PYTHON"),
    )


def sdcmicro(rscript: str | None) -> Peer:
    return Peer(
        name="sdcMicro",
        command=lambda job: [str(rscript), str(PROGRAMS / "sdcmicro.R"), *_common(job)],
        missing=_absent(rscript, "--sdcmicro RSCRIPT"),
    )


def mosaicrown(command: str | None) -> Peer:
    """Return whatever a command runs; it names the files and k as {input}, {output}, {k} and {columns}."""
    parts = shlex.split(command or "")

    def filled(job: Job) -> list[str]:
        places = {"{input}": job.source, "{output}": job.target, "{k}": job.k, "{columns}": ",".join(job.columns)}
        return [_filled(part, places) for part in parts]

    return Peer(name="MOSAICrOWN", command=filled, missing=_absent(parts[0] if parts else None, "--mosaicrown COMMAND"))


def _filled(part: str, places: dict[str, object]) -> str:
    for name, value in places.items():
        part = part.replace(name, str(value))
    return part


def _common(job: Job, *more: str) -> list[str]:
    return [str(job.source), str(job.target), str(job.k), *more, job.identifier, *job.columns]


def _absent(program: str | None, option: str) -> str | None:
    if program is None:
        return f"{NOT_GIVEN}: {option}"
    if shutil.which(program) is None and not Path(program).exists():
        return f"there is no {program}"
    return None


def _records(source: Path) -> int:
    with source.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1
