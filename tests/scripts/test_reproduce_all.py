"""The command that repeats every published table, and the page that it has written."""

from pathlib import Path

import pytest
import reproduce_all as script
from reproductions.frame import Data, Number, Source, Table
from reproductions.page import TEXTS, document

SHOWN = script.PAGE.read_text(encoding="utf-8")


def test_without_the_data_it_says_which_folder_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        script.main(["--data", str(tmp_path)])
    assert ended.value.code == 2
    assert f"--data {tmp_path}: there is no folder data in it." in capsys.readouterr().err


def test_without_a_recorded_file_it_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("data", "fixtures"):
        (tmp_path / name).mkdir()
    with pytest.raises(SystemExit) as ended:
        script.main(["--data", str(tmp_path), "--only", "aepd"])
    assert ended.value.code == 2
    assert "table1.csv is not there." in capsys.readouterr().err


def test_a_document_that_nobody_knows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        script.main(["--only", "marchnad"])
    assert "invalid choice: 'marchnad'" in capsys.readouterr().err


def test_a_difference_without_a_reason_ends_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("data", "fixtures"):
        (tmp_path / name).mkdir()
    wrong = Source("aepd", {"claims": Table([Number("Table 1", "k", 2, 1)])})
    monkeypatch.setitem(script.SOURCES, "aepd", lambda data: wrong)
    assert script.main(["--data", str(tmp_path), "--only", "aepd"]) == 1
    assert "aepd, claims, Table 1, k: published 2, ours 1; nobody knows why" in capsys.readouterr().err


def test_the_page_has_the_text_of_each_document_with_a_table_in_each_place() -> None:
    lines = SHOWN.splitlines()
    sections = [line for line in lines if line.startswith("## ")]
    for name in script.SOURCES:
        text = (TEXTS / f"{name}.md").read_text(encoding="utf-8").splitlines()
        assert sections.pop(0) == text[0]
        assert [line for line in text if line not in lines and not line.startswith("<!-- ")] == []
    assert sections == []
    assert "<!--" not in SHOWN


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.real
@pytest.mark.parametrize(
    "name", ["singletons", *(pytest.param(name, marks=pytest.mark.slow) for name in ("marchand", "aepd"))]
)
def test_the_page_shows_what_is_computed_now(shared: Path, name: str) -> None:
    source = script.SOURCES[name](Data(shared))
    assert list(source.unexplained()) == []
    assert document(source) in SHOWN


@pytest.mark.real
@pytest.mark.slow
def test_the_whole_page_is_written_again(shared: Path, tmp_path: Path) -> None:
    assert script.main(["--data", str(shared), "--page", str(tmp_path / "page.md")]) == 0
    assert _without_times((tmp_path / "page.md").read_text(encoding="utf-8")) == _without_times(SHOWN)


def _without_times(text: str) -> list[str]:
    """Leave out the only row that says how long ours took."""
    return [line for line in text.splitlines() if "our search" not in line]
