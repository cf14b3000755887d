"""A treatment that somebody else installs: a run applies it, and recounts its promise on the finished release."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from helpers.plugged import install

import toolbox
from toolbox.config.model import Column, Config
from toolbox.errors import ConfigurationError, ProofError, UsageError
from toolbox.flows.release.anonymize import run

SOURCE = '''
from typing import ClassVar

from sqlalchemy import String, cast, func

from toolbox.treatments.treatment import Treatment

class Capitals(Treatment):
    """Texts in capital letters."""

    name: ClassVar[str] = "capitals"
    words: ClassVar[str] = "In capital letters"
    promise: ClassVar[str] = "no letter is small"

    def treat(self, value):
        return func.upper(cast(value, String))

    def is_kept_by(self, text):
        return text == func.upper(text)

class Careless(Capitals):
    """Promises capital letters, and changes nothing."""

    name = "careless"

    def treat(self, value):
        return cast(value, String)
'''
LINES = ["age,note,pay", "21,café,10", "21,,20", "34,café,30", '34,"a,b",40', "34,=x1,50"]
SHOWN = ["21,,20", "21,CAFÉ,10", '34,"A,B",40', "34,=X1,50", "34,CAFÉ,30"]


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "toolbox.treatments", {"capitals": "Capitals", "careless": "Careless"}, SOURCE)
    (tmp_path / "in.csv").write_text("\n".join([*LINES, ""]), encoding="utf-8")


def configured(folder: Path, output: str, treated: dict[str, str], **settings: object) -> Config:
    text = (
        f"<config k='2'><input filename='in.csv' header='true'/><output filename='{output}'/>"
        "<qid><att name='age'/></qid></config>"
    )
    (folder / "c.xml").write_text(text)
    config = toolbox.load_config(folder / "c.xml", **settings)  # type: ignore[arg-type]
    columns = ((Column(index=None, name=name), treatment) for name, treatment in treated.items())
    return replace(config, treated=tuple(columns))


@pytest.mark.slow
@pytest.mark.parametrize("escape", [False, True])
def test_a_run_applies_it_and_nothing_is_left_unchanged(tmp_path: Path, escape: bool) -> None:
    outcome = run(configured(tmp_path, "out.csv", {"note": "capitals"}, escape_formulas=escape, seed=3))
    header, *lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert header == "age,note,pay"
    assert sorted(lines) == [line.replace("=X", "'=X") if escape else line for line in SHOWN]
    # Only the column that is released as it is has a note that says so.
    assert [column.name for column in outcome.summary.passed] == ["pay"]


@pytest.mark.slow
@pytest.mark.parametrize("output", ["out.parquet", "out.csv.gz", "out.xlsx"])
def test_files_of_every_kind_are_read_back(tmp_path: Path, output: str) -> None:
    run(configured(tmp_path, output, {"note": "capitals"}))
    read = {".parquet": pd.read_parquet, ".gz": pd.read_csv, ".xlsx": partial(pd.read_excel, engine="calamine")}
    assert sorted(read[Path(output).suffix](tmp_path / output)["note"].dropna()) == ["=X1", "A,B", "CAFÉ", "CAFÉ"]
    with pytest.raises(ProofError):
        run(configured(tmp_path, f"b{output}", {"note": "careless"}))


@pytest.mark.slow
def test_a_release_that_breaks_the_promise_is_not_placed(tmp_path: Path) -> None:
    with pytest.raises(ProofError) as caught:
        run(configured(tmp_path, "out.csv", {"note": "careless"}))
    assert str(caught.value) == (
        "4 cells of 'note' would break what the treatment 'careless' promises: that no letter is small. "
        "Nothing was released."
    )
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_our_own_are_named_in_the_same_way(tmp_path: Path) -> None:
    run(configured(tmp_path, "out.csv", {"note": "escape", "pay": "drop"}))
    header, *lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert header == "age,note"
    assert sorted(lines) == ["21,", "21,café", '34,"a,b"', "34,'=x1", "34,café"]


@pytest.mark.slow
def test_two_tables_treat_it_too(tmp_path: Path) -> None:
    run(configured(tmp_path, "out.csv", {"note": "capitals"}, output_format="anatomy"))
    shown = pd.read_csv(tmp_path / "out_ST.csv")
    assert list(shown) == ["group", "note", "pay"]
    assert sorted(shown["note"].dropna()) == ["=X1", "A,B", "CAFÉ", "CAFÉ"]


@pytest.mark.slow
def test_a_caller_s_table_gets_treated_texts_beside_its_own_values(tmp_path: Path) -> None:
    config = replace(configured(tmp_path, "out.csv", {"note": "capitals"}), input=None)
    config = replace(config, output=replace(config.output, path=None))
    table = pd.DataFrame({"age": [21, 21, 34, 34], "note": ["a", None, "b", "a"], "pay": [1.5, 2, 3, 4]})
    import pyarrow as pa

    (part,) = run(config, table=pa.Table.from_pandas(table)).released
    assert part.passed == (None, None, 2)
    assert sorted(part.made.column("note").drop_null().to_pylist()) == ["A", "A", "B"]
    careless = replace(config, treated=((Column(index=None, name="note"), "careless"),))
    with pytest.raises(ProofError, match="3 cells of 'note'"):
        run(careless, table=pa.Table.from_pandas(table))


@pytest.mark.parametrize(
    ("treated", "message"),
    [
        (
            {"note": "capital"},
            "note: there is no treatment 'capital'. Did you mean 'capitals'? Write one of: ",
        ),
        ({"age": "capitals"}, "is declared twice"),
        ({"nota": "capitals"}, "has no column 'nota'. Did you mean 'note'?"),
    ],
)
def test_what_cannot_be_treated_is_told(tmp_path: Path, treated: dict[str, str], message: str) -> None:
    with pytest.raises((ConfigurationError, UsageError)) as caught:
        run(configured(tmp_path, "out.csv", treated))
    assert message in str(caught.value)
