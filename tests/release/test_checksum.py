"""The checksum of the input, which tells a stranger nothing unless somebody asks for it."""

import hashlib
import hmac
from pathlib import Path

import pytest

from toolbox import Result, UsageError, anonymize, load_config
from toolbox.release.checksum import hmac_sha256
from toolbox.store.key import derived_key, sealed

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


def test_a_plain_digest_is_the_sha256_of_the_file(configuration: Path) -> None:
    summary = run(configuration, input_digest="plain").summary
    assert summary.sha256["input"] == hashlib.sha256(PEOPLE).hexdigest()
    assert summary.hmac_sha256 == {"input": None}


def test_a_keyed_digest_can_be_repeated_by_its_owner_and_by_nobody_else(
    configuration: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = derived_key("input digest")
    assert key is not None
    expected = hmac.new(key, PEOPLE, "sha256").hexdigest()
    summary = run(configuration, input_digest="keyed").summary
    assert (summary.sha256["input"], summary.hmac_sha256) == (None, {"input": expected})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))
    assert run(configuration, input_digest="keyed").summary.hmac_sha256["input"] != expected


def test_keys_for_different_purposes_tell_nothing_about_each_other() -> None:
    keys = [derived_key("input digest"), derived_key("other"), bytes.fromhex(sealed(b"derived:input digest") or "")]
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
    assert hmac_sha256(tmp_path / "long", b"k") == hmac.new(b"k", content, "sha256").hexdigest()
