"""The file system of this machine, as publishing needs it. That of Hadoop is tried with the clusters."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from toolbox.engines.spark.places import LocalFiles, _join_path, _split_path, find_local_path, find_scheme


def test_a_folder_is_moved_only_where_nothing_is(tmp_path: Path) -> None:
    files, source, target = LocalFiles(), str(tmp_path / "a b"), f"{tmp_path.as_uri()}/target"
    files.put(f"{source}/x", b"1")
    files.put(f"{source}/x", b"2")
    assert (files.read(f"{source}/x"), files.names(source)) == (b"2", ["x"])
    files.move(source, target)
    assert (files.exists(source), files.is_folder(target)) == (False, True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileExistsError):
        files.move(target, str(tmp_path / "empty"))
    files.remove(target)
    files.remove(target)
    assert files.names(target) == []


def test_the_newest_change_is_that_of_anything_within(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    then = time.time() - 1000
    for path in (tmp_path / "deep" / "er", tmp_path / "deep", tmp_path):
        os.utime(path, (then, then))
    assert LocalFiles().find_newest_change(str(tmp_path)) == pytest.approx(then)
    os.utime(tmp_path / "deep" / "er", (then + 7, then + 7))
    assert LocalFiles().find_newest_change(str(tmp_path)) == pytest.approx(then + 7)


def test_a_link_is_removed_and_what_it_names_is_not(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert not LocalFiles().is_folder(str(tmp_path / "link"))
    LocalFiles().remove(str(tmp_path / "link"))
    assert (tmp_path / "kept").exists()


def test_paths_may_be_uris() -> None:
    assert find_local_path("file:///a%20b/c") == find_local_path("file:/a b/c") == Path("/a b/c")
    assert (find_scheme("/a"), find_scheme("file:/a"), find_scheme("s3a://bucket/a")) == ("file", "file", "s3a")
    assert _split_path("s3a://bucket/people/release/") == ("s3a://bucket/people", "release")
    assert _join_path("s3a://bucket/", "a", "b") == "s3a://bucket/a/b"
