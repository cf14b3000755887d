"""The document of a saved recoding: what is none, or is damaged, is refused with its place."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.running import run_in_process

import toolbox
from toolbox import Recoding
from toolbox.config.reading.recoding import parse_recoding, read_recoding

PEOPLE = pd.DataFrame({"age": [21, 22, 34, 35, 48, 49], "town": ["Graz", "Linz"] * 3})
METHODS = ("Mondrian", "LocalRecoding", "Flash")


def text_of(method: str) -> str:
    hierarchies = {"age": "intervals:10,20", "town": [("Graz", "*"), ("Linz", "*")]}
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "town"], "hierarchies": hierarchies, "k": 2}
    return Recoding.fit(PEOPLE, method=method, **asked).to_json()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_what_is_written_is_read_as_the_same(method: str) -> None:
    text = text_of(method)
    read = parse_recoding(text, "it")
    assert read.text() == text
    assert read.document == json.loads(text)
    assert read.columns == ["age", "town"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[]", "no saved recoding"),
        ("{}", "no saved recoding"),
        ('{"recoding": 2}', "of version 2; this program reads version 1"),
        ('{"recoding": true}', "of version True"),
        ('{"recoding": 1}', "valid exactly by one definition"),
        ('{"recoding": 1, "made": NaN}', "NaN is no number of JSON"),
        ('{"recoding": 1, "made": 1e999}', "1e999 is no number of JSON"),
        ("[" * 100_000, "nested too deeply|no JSON"),
        (b"\xff\xfe", "no text in UTF-8|no JSON"),
    ],
)
def test_what_is_no_recoding_is_refused_with_what_was_found(text: str | bytes, found: str) -> None:
    with pytest.raises(toolbox.ConfigurationError, match=found):
        parse_recoding(text, "it")


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json", tmp_path / "absent" / "x.json"):
        with pytest.raises(toolbox.ConfigurationError, match=r"no such file|a folder"):
            read_recoding(path)


def test_the_place_of_a_fault_is_named() -> None:
    document = json.loads(text_of("Mondrian"))
    document["regions"]["columns"][0]["names"][0]["low"] = "x"
    with pytest.raises(toolbox.ConfigurationError, match=r"regions\.columns\[0\]\.names\[0\]\.low must be number"):
        parse_recoding(json.dumps(document), "it")


@pytest.mark.slow
def test_a_configuration_in_it_that_is_hostile_is_refused() -> None:
    document = json.loads(text_of("Flash"))
    for line in ("<!DOCTYPE config [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>", "<?run me?>"):
        hostile = {**document, "configuration": [line, *document["configuration"][1:]]}
        with pytest.raises(toolbox.ToolboxError, match=r"DOCTYPE|processing instruction"):
            Recoding.from_json(json.dumps(hostile)).transform(PEOPLE)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_whatever_is_damaged_a_release_is_proved_or_there_is_an_error_with_words(method: str) -> None:
    text, draw = text_of(method), random.Random(method)
    for _ in range(times(40, slow=700)):
        place, width = draw.randrange(len(text)), draw.choice((0, 1, 1, 5, 60))
        hostile = (
            text[:place]
            + draw.choice(("", "0", "9", "-1", '"', "]", "null", "1e999", "\\u0000"))
            + text[place + width :]
        )
        try:
            result = Recoding.from_json(hostile).transform(PEOPLE)
        except toolbox.ToolboxError as error:
            assert str(error)
        else:
            assert result.summary.proof.smallest_class is None or result.summary.proof.smallest_class >= 1
            assert len(result.release) == len(PEOPLE)


@pytest.mark.slow
def test_it_names_no_file_to_read_and_none_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recodings are sent around: who made one decides what is generalised, and nothing else."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)
    document = json.loads(text_of("Flash"))
    lines = document["configuration"]
    reading = [line.replace("build='intervals'", "file='/etc/passwd'") for line in lines]
    with pytest.raises(toolbox.ToolboxError, match="names a file in <vgh>"):
        Recoding.from_json(json.dumps({**document, "configuration": reading})).transform(PEOPLE)
    writing = [line.replace("<input ", "<output filename='stolen.csv'/><input filename='other.csv' ") for line in lines]
    assert writing != lines
    Path("hostile.json").write_text(json.dumps({**document, "configuration": writing}), encoding="utf-8")
    finished = run_in_process("apply", "hostile.json", "people.csv", "--small-classes", "merge")
    assert "Nothing names the output" in finished.stderr
    assert not Path("stolen.csv").exists()
