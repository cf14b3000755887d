"""Two accounts without privileges: what one of them writes, the other can neither read nor lead elsewhere."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers import children
from helpers.injected import Ended, Runner

from toolbox.treatments.pseudonym import make_key_file

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="Only root can be two other users. Run it as root."
)
OWNER, OTHER = 1, 65534
"""The account that runs the toolbox, and the one that looks and lies in wait."""
ROWS = "".join(f"{'xy'[number % 2]},{number % 3},note {number}\n" for number in range(60))
CONFIG = """<config k='5'><input filename='{own}/in.csv' header='true'/><output filename='{place}/o.csv'/>
<qid><att name='a' type='category'/><att name='b'/></qid><sens><att name='c' type='category'/></sens></config>"""
PLAN = """name = "s"
methods = ["Mondrian"]
metrics = ["NCP"]
[parameters]
k = [2]
[[data]]
table = "{own}/good.csv"
quasi_identifiers = ["a", "b"]
sensitive = ["c"]
"""
RUN = "-config own/c.xml --quiet --threads 1"
PEOPLE = "who,born,town\n" + "".join(f"p{number},{1950 + number % 7},{'GLW'[number % 3]}\n" for number in range(40))
OF_PERSONS = (
    "anonymize own/people.csv --qi born,town --hierarchy born=intervals:3,9 --hierarchy town=suffix:1"
    " -method Datafly -k 3 --quiet --threads 1"
)
COMMANDS: dict[str, tuple[str, set[str]]] = {
    "a release with all that is written beside it": (
        f"{RUN} --html {{place}}/o.html --report-kind public"
        " --report {place}/o.json --rejects {place}/rejects --store {place}/db",
        {"o.csv", "o.html"},
    ),
    "a study": ("experiment own/p.toml --output {place}/study --jobs 1 --quiet", set()),
    "a configuration": ("init own/good.csv -o {place}/p.xml --yes --quiet", set()),
    "a key": ("key new {place}/k.key --quiet", set()),
    "persons with pseudonyms, and how they were generalised": (
        f"{OF_PERSONS} --person who --undeclared pass --treat who=pseudonym --key own/own.key"
        " -output {place}/persons.csv --save-recoding {place}/r.json",
        {"persons.csv"},
    ),
    "a folder by towns": (f"{OF_PERSONS} --id who -output {{place}}/o.parquet --partition-by town", {"o.parquet"}),
    "a hierarchy": ("hierarchy build own/good.csv intervals:2,4 --column b -o {place}/b.csv", set()),
}
"""What is run, and what of it everybody may read: what is published, and nothing that tells more."""


class Desk:
    """A folder of the first account, and one to which both may write."""

    def __init__(self, top: Path, runner: Runner) -> None:
        self.own, self.shared, self._runner = top / "own", top / "shared", runner
        self.own.mkdir(mode=0o700)
        self.shared.mkdir()
        (self.own / "in.csv").write_text(f"a,b,c\n{ROWS}one,too,many,values\n")
        (self.own / "good.csv").write_text(f"a,b,c\n{ROWS}")
        (self.own / "people.csv").write_text(PEOPLE)
        make_key_file(self.own / "own.key")
        for name, text in (("c.xml", CONFIG), ("p.toml", PLAN)):
            (self.own / name).write_text(text.format(own=self.own, place=self.shared))
        for path in (self.own, *self.own.iterdir(), top / "state"):
            os.chown(path, OWNER, OWNER)
        (top / "tmp").chmod(0o1777)
        top.chmod(0o755)
        self.share(0o1777)

    def share(self, mode: int) -> None:
        """Give the shared folder its permissions."""
        self.shared.chmod(mode)

    def run(self, command: str, umask: int = 0o022) -> Ended:
        words = command.format(place=self.shared).split()
        return self._runner.run(words, user=OWNER, umask=umask)

    def names(self) -> set[str]:
        return {path.name for path in self.shared.iterdir()}


@pytest.fixture(scope="module")
def warm() -> Iterator[tuple[Path, Runner]]:
    """Start a process that has imported what runs need: the accounts may not be able to read it."""
    # Not in the folder of pytest, which others may not enter.
    top = Path(tempfile.mkdtemp(prefix="toolbox-test-"))
    runner = Runner(top)
    with children.letting_last():
        runner.__enter__()
    yield top, runner
    runner.__exit__(None, None, None)
    shutil.rmtree(top)


@pytest.fixture
def desk(warm: tuple[Path, Runner]) -> Iterator[Desk]:
    top, runner = warm
    for name in ("own", "shared"):
        shutil.rmtree(top / name, ignore_errors=True)
    desk = Desk(top, runner)
    yield desk


def as_other(act: Callable[[], object]) -> None:
    """Do something as the other account, in a process of its own."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            act()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


@pytest.fixture(scope="module", autouse=True)
def imported(warm: tuple[Path, Runner]) -> None:
    """Run each command once as root."""
    top, runner = warm
    desk = Desk(top, runner)
    for command, _ in COMMANDS.values():
        run = runner.run(command.format(place=desk.shared).split())
        assert run.status == 0, run.err


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids="{:03o}".format)
@pytest.mark.parametrize("mode", [0o1777, 0o777], ids=["sticky", "not sticky"])
@pytest.mark.parametrize("what", COMMANDS)
def test_at_no_call_of_a_run_can_the_other_account_read_more_than_what_is_released(
    what: str, mode: int, umask: int, desk: Desk
) -> None:
    command, public = COMMANDS[what]
    desk.share(mode)
    run = desk.run(command, umask)
    assert (run.status, run.err) == (0, "")
    seen = {path for path in run.exposed if not Path(path).name.startswith((".err", ".calls", ".exposed", ".modules"))}
    assert {Path(path).relative_to("shared").parts[0] for path in seen} == (set() if umask == 0o077 else public)
    assert not {name for name in desk.names() if name.startswith(".")}


def _file(path: Path) -> None:
    path.write_text("his own\n")
    path.chmod(0o666)


def _hard_link(path: Path) -> None:
    _file(path.with_name("his"))
    os.link(path.with_name("his"), path)


def _link(path: Path) -> None:
    _file(path.with_name("his"))
    path.symlink_to(path.with_name("his"))


def _pipe(path: Path) -> None:
    os.mkfifo(path, 0o666)
    path.chmod(0o666)


def _socket(path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    path.chmod(0o777)


def _folder(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


PLANTS = {"file": _file, "hard link": _hard_link, "link": _link, "pipe": _pipe, "socket": _socket, "folder": _folder}
NAMES = {
    name: command
    for command, names in (
        (0, ("o.csv", "o.json", "rejects", "db", ".toolbox-lock")),
        (1, ("study/cells.jsonl", "study/lock", "study/results.csv", "study/experiment.html")),
        (2, ("p.xml",)),
        (3, ("k.key",)),
        (4, ("persons.csv", "r.json")),
        (5, ("o.parquet",)),
        (6, ("b.csv",)),
    )
    for name in names
}
"""Each name that can be foretold, and the command that would write it."""


def readable(folder: Path) -> dict[str, str]:
    """Return what the other account can read."""
    found: dict[str, str] = {}
    reading, writing = os.pipe()

    def read() -> None:
        for place, _, names in os.walk(folder):
            for name in names:
                path = Path(place) / name
                if path.is_file() and os.access(path, os.R_OK):
                    os.write(writing, f"{path.relative_to(folder)}\0{path.read_text(errors='replace')}\1".encode())

    as_other(read)
    os.close(writing)
    with os.fdopen(reading, errors="replace") as stream:
        for entry in stream.read().split("\1")[:-1]:
            name, text = entry.split("\0", 1)
            found[name] = text
    return found


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", [0o1777, 0o777], ids=["sticky", "not sticky"])
@pytest.mark.parametrize("plant", PLANTS)
def test_what_the_other_account_has_put_at_a_name_gets_nothing(plant: str, mode: int, name: str, desk: Desk) -> None:
    desk.share(mode)
    path = desk.shared / name
    if path.parent != desk.shared:
        path.parent.mkdir()
        os.chown(path.parent, OWNER, OWNER)
        path.parent.chmod(mode)
    as_other(lambda: PLANTS[plant](path))
    command, public = list(COMMANDS.values())[NAMES[name]]
    is_release = NAMES[name] in (0, 4, 5)
    run = desk.run(f"{command} --lock-timeout 0.1" if is_release else command)
    assert run.status in (0, 2), run.err
    assert "Traceback" not in run.err
    if run.status:
        # Or the name of the folder, where that is what is wrong.
        assert run.err.startswith("toolbox: ")
        assert str(path.parent) in run.err
    seen = readable(desk.shared)
    assert {Path(other).parts[0] for other in seen} <= {*public, "his", Path(name).parts[0]}
    assert seen.pop(str(Path(name).parent / "his"), "his own\n") == "his own\n"
    if name not in public:
        assert seen.get(name, "his own\n") == "his own\n"
    assert (desk.own / "in.csv").read_text().startswith("a,b,c\nx,0,note 0\n")
    assert not {other for other in desk.names() if other.startswith(".")} - {name}


@pytest.mark.slow
def test_results_of_a_study_that_the_other_account_has_written_are_not_continued(desk: Desk) -> None:
    study = desk.shared / "study"
    study.mkdir()
    os.chown(study, OWNER, OWNER)
    study.chmod(0o1777)
    as_other(lambda: _file(study / "cells.jsonl"))
    run = desk.run(COMMANDS["a study"][0])
    assert run.status == 2
    assert f"cells.jsonl belongs to user number {OTHER}" in run.err
    assert (study / "cells.jsonl").read_text() == "his own\n"


@pytest.mark.slow
def test_temporary_files_are_refused_where_everybody_may_rename_folders(desk: Desk) -> None:
    desk.share(0o777)
    run = desk.run(f"{RUN} --temp-dir {desk.shared}")
    assert (run.status, desk.names()) == (2, set())
    assert "--temp-dir" in run.err
    assert f"Run chmod +t '{desk.shared}', or name a folder of your own." in run.err
    desk.share(0o1777)
    assert desk.run(f"{RUN} --temp-dir {desk.shared}").status == 0
