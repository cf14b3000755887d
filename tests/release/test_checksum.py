"""The checksum of the input, which tells a stranger nothing unless somebody asks for it."""

import errno
import hashlib
import hmac
import os
import threading
import time
from pathlib import Path

import pytest

from toolbox import Result, UsageError, anonymize, load_config
from toolbox.release import checksum
from toolbox.release.checksum import FollowingChecksum, compute_hmac_sha256
from toolbox.store.disk.journal import derive_key, seal_content

PEOPLE = b"20,flu\n21,cold\n22,flu\n23,gout\n"


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_bytes(PEOPLE)
    path = tmp_path / "c.xml"
    path.write_text(
        "<config k='2'><input filename='people.csv'/><output filename='out.csv'/><qid><att index='0'/></qid>"
        "<sens><att index='1'/></sens></config>"
    )
    return path


def run(configuration: Path, **options: str) -> Result:
    return anonymize(load_config(configuration, **options))


def test_by_default_no_report_holds_anything_that_a_guessed_input_could_be_compared_with(configuration: Path) -> None:
    report = configuration.parent / "report.json"
    document = run(configuration, report=str(report)).summary.document()
    assert document["sha256"]["input"] is None
    assert document["hmac_sha256"] == {"input": None}
    assert hashlib.sha256(PEOPLE).hexdigest() not in report.read_text()


@pytest.mark.slow
def test_a_plain_digest_is_the_sha256_of_the_file(configuration: Path) -> None:
    summary = run(configuration, input_digest="plain").summary
    assert summary.sha256["input"] == hashlib.sha256(PEOPLE).hexdigest()
    assert summary.hmac_sha256 == {"input": None}


@pytest.mark.slow
def test_a_keyed_digest_can_be_repeated_by_its_owner_and_by_nobody_else(
    configuration: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = derive_key("input digest")
    assert key is not None
    expected = hmac.new(key, PEOPLE, "sha256").hexdigest()
    summary = run(configuration, input_digest="keyed").summary
    assert (summary.sha256["input"], summary.hmac_sha256) == (None, {"input": expected})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))
    assert run(configuration, input_digest="keyed").summary.hmac_sha256["input"] != expected


def test_keys_for_different_purposes_tell_nothing_about_each_other() -> None:
    keys = [derive_key("input digest"), derive_key("other"), bytes.fromhex(seal_content(b"derived:input digest") or "")]
    # What seals journals is no other purpose of ours: nothing is sealed that begins so.
    assert keys[0] == keys[2] != keys[1]


def test_without_a_place_for_a_key_nothing_is_read(configuration: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = configuration.parent / "no folder"
    place.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    with pytest.raises(UsageError, match=r"^--input-digest keyed needs a key, and none can be kept: .*none\.$"):
        run(configuration, input_digest="keyed")
    assert not (configuration.parent / "out.csv").exists()


def test_a_long_file_is_read_in_parts(tmp_path: Path) -> None:
    content = b"a,b\n" * 600_000
    (tmp_path / "long").write_bytes(content)
    assert compute_hmac_sha256(tmp_path / "long", b"k") == hmac.new(b"k", content, "sha256").hexdigest()


# The checksum of a file that grows


def grown(path: Path, blocks: list[bytes]) -> FollowingChecksum:
    with FollowingChecksum(path) as following, path.open("wb", buffering=0) as file:
        for block in blocks:
            file.write(block)
            time.sleep(0.005)
    return following


@pytest.mark.parametrize("blocks", [[], [b"a"], [b"ab\n" * 500_000, b"", b"c"] * 3], ids=["empty", "short", "long"])
def test_a_file_is_hashed_while_it_is_written(
    blocks: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(checksum, "compute_sha256")  # which reads it anew
    assert grown(tmp_path / "out.csv", blocks).result() == hashlib.sha256(b"".join(blocks)).hexdigest()


def test_what_was_written_elsewhere_in_the_file_meanwhile_counts(tmp_path: Path) -> None:
    following = grown(tmp_path / "out.csv", [b"first"])
    (tmp_path / "out.csv").write_bytes(b"another text")
    assert following.result() == hashlib.sha256(b"another text").hexdigest()


def test_a_file_that_does_not_reach_the_disk_has_no_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(checksum, "_FLUSHED", 4)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="Input/output error"):
        grown(tmp_path / "out.csv", [b"longer"]).result()


def test_nothing_follows_a_file_that_is_not_finished(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), FollowingChecksum(tmp_path / "out.csv"):
            assert set(threading.enumerate()) > before
            raise KeyboardInterrupt
        assert set(threading.enumerate()) == before
        (tmp_path / "out.csv").write_bytes(b"text")


@pytest.mark.slow
def test_a_release_has_the_checksums_of_its_files(configuration: Path) -> None:
    for root, files in (("k='2'", 1), ("method='Anatomy' l='2'", 2)):
        configuration.write_text(configuration.read_text().replace("k='2'", root))
        digests = run(configuration).summary.document()["sha256"]["release"]
        assert digests == {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in digests}
        assert len(digests) == files
