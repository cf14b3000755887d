"""The last release is remembered."""

from __future__ import annotations

from pathlib import Path

from toolbox.app.released import Released


def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    document = {"release": ["out/release.csv"], "sha256": {"release": {"out/release.csv": "ab"}}}
    released = Released("f", document, str(tmp_path))
    released.write(tmp_path / "released.json")
    again = Released.read(tmp_path / "released.json")
    assert again == released
    assert (released.files, released.checksums) == ((tmp_path / "out/release.csv",), [("out/release.csv", "ab")])
    (tmp_path / "released.json").write_text("[]")
    assert Released.read(tmp_path / "released.json") is None
    assert Released.read(tmp_path / "nothing.json") is None
