"""The checksum of the input, if a configuration asks for one."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from toolbox.config.model import Input, Output
from toolbox.errors import UsageError
from toolbox.flows.release.pipeline import find_digest_key, start_input_checksum
from toolbox.store.input.files import InputFiles

SHA_256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def files(tmp_path: Path) -> InputFiles:
    (tmp_path / "in.csv").write_bytes(b"abc")
    return InputFiles(Input(path=tmp_path / "in.csv"))


def test_a_plain_checksum_needs_no_key_and_a_keyed_one_is_made_with_it(files: InputFiles) -> None:
    plain, keyed = Output(path=None, input_digest="plain"), Output(path=None, input_digest="keyed")
    assert find_digest_key(plain) is None
    checksum = start_input_checksum(plain, files, None)
    assert checksum is not None
    assert checksum.result() == SHA_256_OF_ABC
    key = find_digest_key(keyed)
    assert key is not None
    assert find_digest_key(keyed) == key
    checksum = start_input_checksum(keyed, files, key)
    assert checksum is not None
    assert checksum.result() == hmac.digest(key, b"abc", "sha256").hex()


def test_nothing_is_computed_where_nobody_asks_or_there_are_no_files(files: InputFiles) -> None:
    assert start_input_checksum(Output(path=None), files, None) is None
    assert start_input_checksum(Output(path=None, input_digest="plain"), None, None) is None


def test_a_user_who_can_keep_no_key_is_told_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="--input-digest keyed needs a key, and none can be kept"):
        find_digest_key(Output(path=None, input_digest="keyed"))
    assert find_digest_key(Output(path=None, input_digest="none")) is None
