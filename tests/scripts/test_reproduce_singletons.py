"""The script that prints the paper's table beside ours; by default `test_reproduce_all` compares the same numbers."""

from pathlib import Path

import pytest
import reproduce_singletons as script


@pytest.mark.real
@pytest.mark.slow
def test_every_difference_from_the_paper_has_a_reason(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--data", str(shared)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "best QID anno_nascita, comune_residenza, sesso: 1,684 singletons (1.93%)"
    rows = [line for line in printed if line.startswith(tuple(row.name for row in script.TABLE))]
    assert len(rows) == 15
    assert [line[:6].strip() for line in rows if script.SAME_NAME in line or script.TYPING_ERROR in line] == [
        "M",
        "M, Y_a",
    ]


@pytest.mark.real
@pytest.mark.slow
def test_a_difference_without_a_reason_is_told(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = script.TABLE[1]._replace(singletons=1265)
    monkeypatch.setattr(script, "TABLE", (script.TABLE[0], wrong))
    assert script.main(["--data", str(shared)]) == 1
    assert "nobody knows why" in capsys.readouterr().out
