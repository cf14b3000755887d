"""The command line needs no pandas, and for delimited text no pyarrow, so that an image of it is small."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.hostile import run_here

import toolbox

CONFIGS = Path(__file__).parents[2] / "configs"
COLUMNS = ("--qi", "age,postcode", "--sensitive", "illness", "-k", "3")


@pytest.fixture
def without_both(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.slow
@pytest.mark.usefixtures("without_both")
def test_a_table_is_released_and_judged_without_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ward, release = CONFIGS / "ward_12.csv", tmp_path / "release.csv"
    for command in (
        ("anonymize", ward, *COLUMNS, "-output", release),
        ("check", release, *COLUMNS),
        ("measure", ward, release, "--qi", "age,postcode"),
        ("risk", release, "--qi", "age,postcode", "--original", ward),
    ):
        assert run_here([str(word) for word in command], capsys).status == 0, command


@pytest.mark.slow
@pytest.mark.usefixtures("without_both")
def test_what_needs_one_of_them_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["anonymize", str(CONFIGS / "ward_12.csv"), *COLUMNS, "-output", str(tmp_path / "a.xlsx")], capsys)
    assert (run.status, run.err) == (
        2,
        "toolbox: This needs pyarrow, which is not installed. Write: pip install pyarrow.\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_a_call_in_python_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    people = pa.table({"age": [25, 27, 61, 64]})
    result = toolbox.anonymize(people, quasi_identifiers=["age"], k=2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert result.to_arrow().num_rows == 4
    with pytest.raises(ModuleNotFoundError) as raised:
        _ = result.release
    assert raised.value.__notes__ == ["This needs pandas: pip install 'anonymisation-toolbox[pandas]'"]
