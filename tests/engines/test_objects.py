"""Objects of stores: read like files, stored when all is proved, and an older one is whole whatever goes wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from helpers import object_store
from helpers.object_store import BUCKET, KEY, SECRET, ObjectStore
from pyarrow import parquet

import toolbox
from toolbox.cli.main import main
from toolbox.config.model import Config, Input, Limits, Output
from toolbox.engines.objects import LocalCopies

PEOPLE = "age,sex,illness\n" + "".join(f"{20 + row % 40},{'fm'[row % 2]},{'abc'[row % 3]}\n" for row in range(200))
OLDER = b"an older release\n"
RELEASE = f"s3://{BUCKET}/out/release.csv"


@pytest.fixture(scope="module")
def running() -> Iterator[ObjectStore]:
    with object_store.running() as store:
        yield store


@pytest.fixture
def store(running: ObjectStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ObjectStore]:
    for name, value in object_store.environment(running).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    running.put("people.csv", PEOPLE.encode())
    running.put("out/release.csv", OLDER)
    running.door.requests.clear()
    yield running
    running.door.denied, running.door.most_sent, running.door.most_answered = (), 1 << 60, 1 << 60
    running.empty()


def config(tmp_path: Path, source: str = f"s3://{BUCKET}/people.csv", output: str = RELEASE, **said: object) -> Config:
    """Return the configuration of a run between two objects, whose copies lie in a folder of the test."""
    path = tmp_path / "census.xml"
    path.write_text(
        f"<config method='Mondrian' k='5' seed='1'><input filename='{source}' header='yes'/>"
        f"<output filename='{output}'/><qid><att name='age' type='number'/><att name='sex' type='category'/></qid>"
        "<sens><att name='illness'/></sens></config>"
    )
    copies = tmp_path / "copies"
    copies.mkdir(exist_ok=True)
    return toolbox.load_config(path, **{"allow_network": True, "temp_dir": copies, **said})


def is_nothing_left(tmp_path: Path) -> bool:
    return not [*(tmp_path / "copies").iterdir()]


@pytest.mark.slow
def test_the_release_of_an_object_is_that_of_the_file_and_nothing_is_left_here(
    store: ObjectStore, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    toolbox.anonymize(config(tmp_path, str(tmp_path / "people.csv"), str(tmp_path / "release.csv")))
    made = toolbox.anonymize(config(tmp_path))
    assert store.get("out/release.csv") == (tmp_path / "release.csv").read_bytes()
    assert is_nothing_left(tmp_path)
    assert made.to_arrow().num_rows == 200
    assert made.summary.release == (RELEASE,)


@pytest.mark.slow
def test_report_codebook_and_recoding_are_stored_with_it_and_a_file_is_one_of_this_machine(
    store: ObjectStore, tmp_path: Path
) -> None:
    beside = {name: f"s3://{BUCKET}/out/{name}.json" for name in ("report", "codebook", "save_recoding")}
    toolbox.anonymize(config(tmp_path, html=str(tmp_path / "page.html"), **beside))
    report = json.loads(store.get("out/report.json"))
    assert report["release"] == [RELEASE]
    assert [*report["sha256"]["release"]] == [RELEASE]
    assert json.loads(store.get("out/codebook.json"))["resources"][0]["path"] == ["release.csv"]
    assert sorted(store.names()) == [
        "out/codebook.json",
        "out/release.csv",
        "out/report.json",
        "out/save_recoding.json",
        "people.csv",
    ]
    assert (tmp_path / "page.html").exists()


@pytest.mark.slow
def test_a_prefix_is_a_folder_whose_names_tell_columns(store: ObjectStore, tmp_path: Path) -> None:
    for year in (2020, 2021):
        sink = pa.BufferOutputStream()
        rows = [{"age": 20 + row % 5, "sex": "f", "illness": "a"} for row in range(50)]
        parquet.write_table(pa.Table.from_pylist(rows), sink)
        store.put(f"lake/year={year}/part-0.parquet", sink.getvalue().to_pybytes())
    store.put("lake/_SUCCESS", b"")
    made = toolbox.anonymize(config(tmp_path, f"s3://{BUCKET}/lake/", f"s3://{BUCKET}/out/release.parquet"))
    assert made.summary.records_read == 100
    assert sorted(set(made.to_arrow()["year"].to_pylist())) == [2020, 2021]


@pytest.mark.slow
def test_a_pattern_names_some_of_them(store: ObjectStore, tmp_path: Path) -> None:
    for name in ("part-1.csv", "part-2.csv", "other.csv"):
        store.put(f"lake/{name}", PEOPLE.encode())
    assert toolbox.anonymize(config(tmp_path, f"s3://{BUCKET}/lake/part-*.csv")).summary.records_read == 400


@pytest.mark.slow
def test_without_permission_nothing_is_asked(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(toolbox.ConfigurationError, match="Nothing is fetched or stored without allow_network"):
        config(tmp_path, allow_network=False)
    source = f"s3://{BUCKET}/people.csv"
    with pytest.raises(toolbox.UsageError, match=r"without limits=Limits\(network=True\)"):
        toolbox.anonymize(source, quasi_identifiers=["age"], k=5)
    assert store.door.requests == []
    limits = Limits(network=True)
    made = toolbox.anonymize(source, quasi_identifiers=["age"], k=5, undeclared="drop", limits=limits)
    assert made.summary.records_read == 200


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"s3://{KEY}:{SECRET}@{BUCKET}/people.csv", "holds a password or parameters"),
        (f"s3://{BUCKET}/people.csv?secret={SECRET}", "holds a password or parameters"),
        (f"s3://{BUCKET}/out/../people.csv", "is no name of an object that a file could have"),
        (f"s3://{BUCKET}//people.csv", "is no name of an object that a file could have"),
        ("s3:///people.csv", "names no bucket"),
    ],
)
def test_a_url_with_a_key_in_it_or_a_way_out_is_refused_and_a_key_is_not_repeated(
    tmp_path: Path, url: str, says: str
) -> None:
    with pytest.raises(toolbox.ConfigurationError, match=says) as error:
        config(tmp_path, url)
    assert SECRET not in str(error.value)


def test_an_object_whose_name_leads_out_of_its_folder_is_not_fetched(store: ObjectStore, tmp_path: Path) -> None:
    store.put("lake/../../../out.csv", b"a\n1\n")
    with pytest.raises(toolbox.ToolboxError, match="whose name no file can have"):
        toolbox.anonymize(config(tmp_path, f"s3://{BUCKET}/lake/"))
    assert is_nothing_left(tmp_path)


def test_what_is_not_there_is_told_before_anything_is_computed(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(toolbox.InputError, match=rf"^s3://{BUCKET}/none.csv cannot be fetched: there is no such obj"):
        toolbox.anonymize(config(tmp_path, f"s3://{BUCKET}/none.csv"))
    with pytest.raises(toolbox.OutputError, match=r"^s3://nowhere/x.csv cannot be stored: there is no bucket 'nowh"):
        toolbox.anonymize(config(tmp_path, output="s3://nowhere/x.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("denied", ["PUT", "GET"])
def test_without_the_right_an_older_object_is_whole_and_no_key_is_told(
    store: ObjectStore, tmp_path: Path, denied: str
) -> None:
    store.door.denied = (denied, "POST") if denied == "PUT" else ("GET", "HEAD")
    wrong = toolbox.OutputError if denied == "PUT" else toolbox.InputError
    with pytest.raises(wrong, match="the store grants no right to do so") as error:
        toolbox.anonymize(config(tmp_path, report=str(tmp_path / "report.json")))
    assert KEY not in str(error.value)
    assert store.get("out/release.csv") == OLDER
    assert not (tmp_path / "report.json").exists()
    assert is_nothing_left(tmp_path)


def upload(tmp_path: Path, content: bytes) -> None:
    """Store a file as the release, as a run does."""
    finished = tmp_path / "finished"
    finished.write_bytes(content)
    named = Config(
        source="",
        path=None,
        input=Input(path=tmp_path),
        output=Output(path=Path(f"s3://{BUCKET}/out/release.csv")),
        limits=Limits(network=True, temp_dir=tmp_path),
        quasi_identifiers=(),
    )
    with LocalCopies(named) as copies:
        final = copies.config.output.path
        assert final is not None
        with copies.store({finished: final}, lambda: None) as (here, complete):
            assert here == {}
            complete()


@pytest.mark.slow
@pytest.mark.parametrize("lost_after", [0, 1 << 20, 13 << 20])
def test_where_the_connection_is_lost_half_way_through_an_older_object_is_whole(
    store: ObjectStore, tmp_path: Path, lost_after: int
) -> None:
    content = bytes(range(256)) * (22 << 12)  # several parts
    store.door.most_sent = lost_after + 4_000
    with pytest.raises(toolbox.OutputError, match="cannot be reached, or the connection was lost"):
        upload(tmp_path, content)
    store.door.most_sent = 1 << 60
    assert store.get("out/release.csv") == OLDER
    upload(tmp_path, content)
    assert store.get("out/release.csv") == content


_INTERRUPTED = """
import sys
from pathlib import Path
sys.path[:0] = ["tests", "tests/engines"]
import toolbox.engines.objects as objects
from test_objects import upload

class Reading:
    def __init__(self, file): self.file, self.blocks = file, 0
    def __enter__(self): return self
    def __exit__(self, *error): self.file.close()
    def read(self, size):
        self.blocks += 1
        if self.blocks > 1:
            raise KeyboardInterrupt
        return self.file.read(size)

opened = Path.open
def reopened(path, *said, **also):
    file = opened(path, *said, **also)
    return Reading(file) if path.name == "finished" and said == ("rb",) else file
Path.open = reopened
upload(Path(sys.argv[1]), bytes(range(256)) * (22 << 12))
"""


@pytest.mark.slow
def test_where_the_run_is_interrupted_half_way_through_an_older_object_is_whole_when_the_process_has_ended(
    store: ObjectStore, tmp_path: Path
) -> None:
    """Arrow completes an upload when its stream is freed, which must not happen to half of one."""
    here = Path(__file__).parents[2]
    command = [sys.executable, "-c", _INTERRUPTED, str(tmp_path)]
    ended = subprocess.run(command, cwd=here, env=dict(os.environ), capture_output=True, check=False)
    assert b"KeyboardInterrupt" in ended.stderr
    assert store.get("out/release.csv") == OLDER


@pytest.mark.slow
def test_where_the_connection_is_lost_while_it_is_fetched_nothing_is_left(store: ObjectStore, tmp_path: Path) -> None:
    store.put("people.csv", PEOPLE.encode() * 10_000)
    store.door.most_answered = 5 << 20
    with pytest.raises(
        toolbox.InputError, match=r"s3://census/people.csv cannot be fetched: the store cannot be reach"
    ):
        toolbox.anonymize(config(tmp_path))
    assert store.get("out/release.csv") == OLDER
    assert is_nothing_left(tmp_path)


def test_without_room_nothing_is_fetched(store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=100))
    with pytest.raises(toolbox.OutputError, match=r"have 1,416 bytes, and .* has room for 100"):
        toolbox.anonymize(config(tmp_path))
    assert not [each for each in store.door.requests if "people.csv" in each and each.startswith("GET /census/p")]


def test_without_arrow_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    with pytest.raises(toolbox.UsageError, match="Install pyarrow, or copy the object"):
        toolbox.anonymize(config(tmp_path))


def test_a_release_in_pieces_is_refused(tmp_path: Path) -> None:
    with pytest.raises(toolbox.ConfigurationError, match="split_size is about files of this machine"):
        config(tmp_path, split_size="1MB")


@pytest.mark.slow
def test_a_folder_is_stored_whole_with_the_mark_of_success_at_the_end_or_not_at_all(
    store: ObjectStore, tmp_path: Path
) -> None:
    folder = f"s3://{BUCKET}/out/release.parquet"
    with pytest.raises(toolbox.OutputError, match="the store grants no right"):
        store.door.denied = ("PUT", "POST")
        toolbox.anonymize(config(tmp_path, output=folder, partition_by="sex"))
    store.door.denied = ()
    assert store.names() == ["out/release.csv", "people.csv"]
    toolbox.anonymize(config(tmp_path, output=folder, partition_by="sex"))
    stored = [name.removeprefix("out/release.parquet/") for name in store.names()[1:-1]]
    assert stored == ["_SUCCESS", "sex=f/part-0.parquet", "sex=m/part-0.parquet"]
    with pytest.raises(toolbox.OutputError, match="is there already, and no folder is replaced"):
        toolbox.anonymize(config(tmp_path, output=folder, partition_by="sex"))


# Judges, which only read.


def judge(command: str, source: str, release: str, **said: Any) -> Any:
    """Return what a judge says of a release, without the seconds and the names of what it has read."""
    columns = {"quasi_identifiers": ["age", "sex"], **said}
    calls: dict[str, Callable[[], Any]] = {
        "risk": lambda: toolbox.risk(release, original=source, sensitive=["illness"], **columns),
        "check": lambda: toolbox.check(release, sensitive=["illness"], k=5, population=source, **columns),
        "measure": lambda: toolbox.measure(source, release, **columns),
        "singletons": lambda: toolbox.singletons(release, **columns),
        "detect": lambda: toolbox.detect(source, columns=["age", "sex"], **said),
        "compare": lambda: toolbox.compare(source, k=[5], methods=["Mondrian"], **columns),
    }
    document = calls[command]().document()
    return json.loads(re.sub(r'"[^"]*/((people|release)\.csv)"', r'"\1"', json.dumps(_without_seconds(document))))


def _without_seconds(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: _without_seconds(each) for name, each in document.items() if name not in ("timings", "seconds")}
    return [_without_seconds(each) for each in document] if isinstance(document, list) else document


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "risk",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("check", "measure", "singletons", "detect", "compare")
        ),
    ],
)
def test_a_judge_says_of_objects_what_it_says_of_files(store: ObjectStore, tmp_path: Path, command: str) -> None:
    release = "age,sex,illness\n" + "".join(
        f"{'[20:39]' if row % 40 < 20 else '[40:59]'},{'fm'[row % 2]},{'abc'[row % 3]}\n" for row in range(200)
    )
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "release.csv").write_text(release)
    store.put("out/release.csv", release.encode())
    copies = tmp_path / "copies"
    copies.mkdir()
    limits = Limits(network=True, temp_dir=copies)
    of_files = judge(command, str(tmp_path / "people.csv"), str(tmp_path / "release.csv"))
    assert judge(command, f"s3://{BUCKET}/people.csv", RELEASE, limits=limits) == of_files
    assert is_nothing_left(tmp_path)


def test_a_judge_asks_no_store_without_permission_and_calls_objects_by_their_names(store: ObjectStore) -> None:
    with pytest.raises(toolbox.UsageError, match=rf"^{RELEASE} is an object of a store. Nothing is fetched"):
        toolbox.risk(RELEASE, quasi_identifiers=["age"])
    assert store.door.requests == []
    with pytest.raises(toolbox.ToolboxError, match=RELEASE):
        toolbox.risk(RELEASE, quasi_identifiers=["age"], limits=Limits(network=True))


def test_the_command_line_lets_judges_read_them_and_the_page_names_them(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"s3://{BUCKET}/people.csv"
    asked = ["report", source, "--qi", "age,sex", "-k", "2", "--html", "page.html"]
    assert main(asked) == 2
    assert "Nothing is fetched or stored without --allow-network" in capsys.readouterr().err
    assert main([*asked, "--allow-network"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert source in page
    assert str(tmp_path) not in page
    assert main(["risk", f"s3://{KEY}:{SECRET}@{BUCKET}/people.csv", "--qi", "age", "--allow-network"]) == 2
    assert SECRET not in capsys.readouterr().err
