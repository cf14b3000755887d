"""A release gets into its place all or nothing, and what dead runs have left goes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from toolbox.engines.spark.places import (
    MANIFEST,
    MARKER,
    PREFIX,
    SILENCE,
    SUCCESS,
    LocalFiles,
    ReleasePlace,
    RenamedPlace,
    Run,
    StoredPlace,
)
from toolbox.errors import OutputError

DEAD = "00000000-00000000-0-1-1-0123456789abcdef"


def renamed(output: Path, *, replace: bool = False) -> RenamedPlace:
    return RenamedPlace(LocalFiles(), str(output), Run.new(), replace=replace)


def stored(output: Path, *, replace: bool = False) -> StoredPlace:
    return StoredPlace(LocalFiles(), str(output), Run.new(), replace=replace)


def write(place: ReleasePlace, text: str) -> str:
    staged = place.fresh()
    Path(staged).mkdir(parents=True)
    (Path(staged) / "part-0").write_text(text)
    return staged


def publish(place: ReleasePlace, text: str) -> None:
    place.prepare()
    place.publish(write(place, text))
    place.close()


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def make_dead(folder: Path, *, name: str = DEAD, output: str = "release", age: float = 2 * SILENCE) -> Path:
    staging = folder / f"{PREFIX}{name}"
    staging.mkdir(parents=True)
    (staging / MARKER).write_text(json.dumps({"run": name, "output": output}))
    set_age(staging, age)
    return staging


def set_age(folder: Path, age: float) -> None:
    then = time.time() - age
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (then, then))


def test_a_release_is_there_with_the_mark_of_success_or_not_at_all(tmp_path: Path) -> None:
    output = tmp_path / "new" / "release"
    place = renamed(output)
    place.prepare()
    staged = write(place, "1")
    assert not output.exists()
    place.publish(staged)
    place.close()
    assert {path.name for path in output.iterdir()} == {"part-0", SUCCESS}
    assert names(output.parent) == ["release"]


def test_a_release_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    place = renamed(tmp_path / "release")
    place.prepare()
    staged = write(place, "mine")
    publish(renamed(tmp_path / "release"), "theirs")
    with pytest.raises(OutputError, match="exists already"):
        place.publish(staged)
    place.close()
    assert (tmp_path / "release" / "part-0").read_text() == "theirs"
    assert names(tmp_path) == ["release"]


def test_an_old_release_is_replaced_as_a_whole(tmp_path: Path) -> None:
    publish(renamed(tmp_path / "release"), "old")
    (tmp_path / "release" / "part-1").write_text("old")
    publish(renamed(tmp_path / "release", replace=True), "new")
    assert (tmp_path / "release" / "part-0").read_text() == "new"
    assert not (tmp_path / "release" / "part-1").exists()
    assert names(tmp_path) == ["release"]


@pytest.mark.parametrize("is_file", [True, False])
def test_what_is_no_release_is_never_replaced(tmp_path: Path, is_file: bool) -> None:
    output = tmp_path / "home"
    if is_file:
        output.write_text("mine")
    else:
        output.mkdir()
        (output / "letter").write_text("mine")
    with pytest.raises(OutputError, match="does not look like a release"):
        renamed(output, replace=True).prepare()
    assert output.exists()


def test_an_old_release_is_put_back_if_the_new_one_cannot_be_moved(tmp_path: Path) -> None:
    publish(renamed(tmp_path / "release"), "old")

    class Failing(LocalFiles):
        def move(self, source: str, target: str) -> None:
            if "release-1" in source:
                raise KeyboardInterrupt
            super().move(source, target)

    place = RenamedPlace(Failing(), str(tmp_path / "release"), Run.new(), replace=True)
    place.prepare()
    staged = write(place, "new")
    with pytest.raises(KeyboardInterrupt):
        place.publish(staged)
    assert (tmp_path / "release" / "part-0").read_text() == "old"


def test_an_old_release_that_a_dead_run_was_replacing_is_put_back(tmp_path: Path) -> None:
    staging = make_dead(tmp_path, age=0)
    publish(renamed(staging / "old"), "old")
    set_age(staging, 2 * SILENCE)
    place = renamed(tmp_path / "release")
    with pytest.raises(OutputError, match="exists already"):
        place.prepare()
    place.close()
    assert (tmp_path / "release" / "part-0").read_text() == "old"
    assert names(tmp_path) == ["release"]


def test_the_folder_of_a_dead_run_is_removed(tmp_path: Path) -> None:
    staging = make_dead(tmp_path)
    renamed(tmp_path / "release").prepare()
    assert not staging.exists()


def test_a_folder_in_which_something_has_changed_today_stays(tmp_path: Path) -> None:
    staging = make_dead(tmp_path)
    (staging / "release-1").mkdir()
    renamed(tmp_path / "release").prepare()
    assert staging.exists()


@pytest.mark.parametrize("content", ["", "{}", '{"run": "another", "output": "release"}', "[]", "null"])
def test_a_folder_that_only_has_the_name_of_a_run_stays(tmp_path: Path, content: str) -> None:
    staging = make_dead(tmp_path)
    (staging / MARKER).write_text(content)
    set_age(staging, 2 * SILENCE)
    renamed(tmp_path / "release").prepare()
    assert staging.exists()


def test_a_link_with_the_name_of_a_run_is_not_followed(tmp_path: Path) -> None:
    target = make_dead(tmp_path / "elsewhere")
    (tmp_path / f"{PREFIX}{DEAD}").symlink_to(target)
    renamed(tmp_path / "release").prepare()
    assert target.exists()


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/release cannot be written: (Not a directory|File exists)"):
        renamed(tmp_path / "file" / "release").prepare()


def test_in_an_object_store_the_manifest_names_the_folder_of_the_release(tmp_path: Path) -> None:
    output = tmp_path / "release"
    place = stored(output)
    place.prepare()
    staged = write(place, "1")
    assert not (output / SUCCESS).exists()
    place.publish(staged)
    place.close()
    manifest = json.loads((output / MANIFEST).read_text())
    assert (output / manifest["folder"] / "part-0").read_text() == "1"
    assert (output / manifest["folder"] / SUCCESS).exists()
    assert {path.name for path in output.iterdir()} == {SUCCESS, MANIFEST, manifest["folder"]}
    assert manifest["files"] == [SUCCESS, "part-0"]


def test_in_an_object_store_an_old_release_is_seen_until_the_manifest_names_the_new_one(tmp_path: Path) -> None:
    output = tmp_path / "release"
    publish(stored(output), "old")
    before = (output / MANIFEST).read_text()
    with pytest.raises(OutputError, match="exists already"):
        stored(output).prepare()
    place = stored(output, replace=True)
    place.prepare()
    staged = write(place, "new")
    assert (output / MANIFEST).read_text() == before
    assert (output / json.loads(before)["folder"] / "part-0").read_text() == "old"
    place.publish(staged)
    place.close()
    folder = json.loads((output / MANIFEST).read_text())["folder"]
    assert (output / folder / "part-0").read_text() == "new"
    assert len(list(output.iterdir())) == 3


def test_in_an_object_store_what_was_not_published_goes(tmp_path: Path) -> None:
    place = stored(tmp_path / "release")
    place.prepare()
    write(place, "1")
    place.close()
    assert list((tmp_path / "release").iterdir()) == []


def test_in_an_object_store_files_of_others_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "letter").write_text("mine")
    with pytest.raises(OutputError, match="does not look like a release"):
        stored(tmp_path / "release", replace=True).prepare()
