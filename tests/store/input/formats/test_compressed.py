"""Packed files: known by their first bytes, and read as what they hold."""

import gzip
import os

import pyarrow as pa
import pytest

from toolbox.errors import InputError
from toolbox.store.input.formats.first_bytes import detect_compression, find_damage, open_binary

TEXT = b"age,town\n31,Graz\n" * 500


def packed(kind):
    if kind == "gzip":
        return gzip.compress(TEXT)
    if kind == "zstd":
        return pa.compress(TEXT, "zstd", asbytes=True)
    return TEXT


@pytest.fixture
def write(tmp_path):
    def write(content, name="in.csv"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("kind", ["gzip", "zstd", None])
@pytest.mark.parametrize("name", ["in.csv", "in.csv.gz", "in.zst"])
def test_the_first_bytes_tell_and_not_the_name(write, kind, name):
    path = write(packed(kind), name)
    assert detect_compression(path) == kind
    with open_binary(path) as file:
        assert file.read() == TEXT
    assert find_damage(path) is None


@pytest.mark.parametrize("content", [b"", b"\x1f", b"\x28\xb5\x2f", b"5*M\x18 rows", b"P*M\x17"])
def test_a_text_that_begins_nearly_so_is_not_packed(write, content):
    assert detect_compression(write(content)) is None


@pytest.mark.parametrize("first", [0x50, 0x5F])
def test_other_data_in_front_of_zstd_is_passed_over(write, first):
    path = write(bytes([first]) + b"\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc" + packed("zstd"))
    assert detect_compression(path) == "zstd"
    with open_binary(path) as file:
        assert file.read() == TEXT


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_packed_file_that_was_cut_off_is_damaged_and_named(write, kind):
    path = write(packed(kind)[:-9])
    error = find_damage(path)
    assert isinstance(error, InputError)
    assert str(error).startswith(f"{path} is a damaged {kind} file (")
    assert str(error).endswith("Get a complete copy.")


def test_a_text_that_was_cut_off_cannot_be_told_from_another(write):
    assert find_damage(write(TEXT[:-9])) is None


def test_a_damaged_file_behind_a_link_of_ours_is_named_as_its_user_does(write, tmp_path):
    path = write(packed("gzip")[:-9])
    link = tmp_path / "input_0.gz"
    link.symlink_to(path)
    for called, name in [(None, path), (tmp_path / "theirs.gz", tmp_path / "theirs.gz")]:
        with pytest.raises(InputError) as caught, open_binary(link, called) as file:
            file.read()
        assert str(caught.value).startswith(f"{name} is a damaged gzip file")


def test_a_pipe_is_refused_before_anybody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "people.csv")
    with pytest.raises(InputError, match=r"people\.csv is no regular file"):
        detect_compression(tmp_path / "people.csv")
