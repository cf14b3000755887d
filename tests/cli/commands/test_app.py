"""The command `app`, typed wrongly; what it does is in `tests/app`."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.cli.commands import others as module
from toolbox.cli.main import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.csv"], "'nothing.csv' is no file that there is. Write toolbox app CONFIG, or toolbox app TABLE."),
        (["--port", "often"], "--port 'often' is not a whole number. Write a whole number of at least 0."),
        (["--port", "70000"], "is too large"),
        (["--root", "nowhere"], "--root is 'nowhere', which is no folder."),
        (["."], "'.' is a folder. Write toolbox app CONFIG, or toolbox app TABLE."),
        (["here.csv", "--root", "inner"], "here.csv is not below --root, which is "),
        (["--host", "0.0.0.0"], "There is no option '--host'."),
    ],
)
def test_what_is_wrong_is_told(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "here.csv").write_text("a")
    assert main(["app", *words]) == 2
    assert said in capsys.readouterr().err


def test_without_the_extra_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "_NEEDED", {"no_such_module": "starlette", "sys": "uvicorn"})
    assert main(["app"]) == 2
    expected = "The application needs starlette. Install the extra: pip install 'anonymisation-toolbox[app]'"
    assert expected in capsys.readouterr().err
