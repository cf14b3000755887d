"""Pseudonyms are HMAC-SHA-256 by a key that shows nowhere: one to one, new in each release unless the same are asked for."""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import os
import stat
from pathlib import Path

import pandas as pd
import pytest
from helpers.treated import told
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

import toolbox
from toolbox.cli.main import main
from toolbox.errors import ToolboxError
from toolbox.store.engine.store import Store
from toolbox.treatments.pseudonym import Pseudonym, PseudonymDomain, make_key_file

NAMES = [f"name {number}" for number in range(60)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_key_file(Path("k.key"))
    lines = [f"{name},{20 + number % 2},{number}" for number, name in enumerate(NAMES)]
    Path("in.csv").write_text("\n".join(["patient,age,pay", *lines, lines[0], ",20,7", "?,21,8", ""]))
    return tmp_path


def release(name: str, *more: str) -> list[dict[str, str]]:
    words = "anonymize in.csv --person patient --qi age -k 5 --treat patient=pseudonym --quiet --undeclared pass"
    assert main([*words.split(), "--key", "k.key", "-output", name, *more]) == 0
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_tokens_are_one_to_one_of_one_length_and_no_original_is_in_the_file() -> None:
    rows = release("out.csv", "--report", "r.json")
    # The number of pay tells whose row it is; the first person has two.
    tokens = {row["pay"]: row["patient"] for row in rows if row["pay"] not in ("7", "8") or len(row["patient"]) == 32}
    assert len(set(tokens.values())) == 60
    assert {len(token) for token in tokens.values()} == {32}
    assert [row["patient"] for row in rows].count(tokens["0"]) == 2
    assert not any(name in Path("out.csv").read_text() for name in NAMES)
    # Missing stays missing, as it was written.
    assert sorted((row["patient"] for row in rows), key=len)[:2] == ["", "?"]
    ordered = [tokens[str(number)] for number in sorted(range(60), key=str)]
    assert ordered not in (sorted(ordered), sorted(ordered, reverse=True))


@pytest.mark.slow
def test_a_token_is_the_hmac_that_python_makes() -> None:
    rows = release("out.csv", "--report", "r.json")
    said = json.loads(Path("r.json").read_text())["pseudonyms"]
    key = bytes.fromhex(Path("k.key").read_text().split("\n")[1])
    subkey = hmac.new(key, bytes.fromhex(said["domain"]), hashlib.sha256).digest()
    expected = hmac.new(subkey, b"name 17", hashlib.sha256).hexdigest()[:32]
    assert [row["pay"] for row in rows if row["patient"] == expected] == ["17"]


@pytest.mark.slow
def test_whoever_has_all_names_but_no_key_finds_nobody() -> None:
    tokens = {row["patient"] for row in release("out.csv", "--report", "r.json")}
    said = json.loads(Path("r.json").read_text())["pseudonyms"]
    public = [b"", *(text.encode() for text in said.values()), *(bytes.fromhex(text) for text in said.values())]
    guesses = {hmac.new(key, name.encode(), hashlib.sha256).hexdigest()[:32] for key in public for name in NAMES}
    guesses |= {hashlib.sha256(name.encode()).hexdigest()[:32] for name in NAMES}
    assert not tokens & guesses


@pytest.mark.slow
def test_each_release_has_a_domain_of_its_own_unless_another_one_is_named() -> None:
    first, other = release("a.csv", "--report", "a.json"), release("b.csv")
    again = release("c.csv", "--same-domain-as", "a.json")
    tokens = [{row["patient"] for row in rows} - {"", "?"} for rows in (first, other, again)]
    assert tokens[0] == tokens[2]
    assert not tokens[0] & tokens[1]


@pytest.mark.slow
def test_the_key_is_in_no_file_that_a_run_writes(folder: Path) -> None:
    release("out.csv", "--report", "r.json", "--html", "r.html", "--save-config", "c.xml", "--store", "s.duckdb")
    key = Path("k.key").read_text().split("\n")[1]
    said = json.loads(Path("r.json").read_text())["pseudonyms"]
    subkey = hmac.new(bytes.fromhex(key), bytes.fromhex(said["domain"]), hashlib.sha256)
    pads = [bytes(byte ^ mask for byte in subkey.digest()) for mask in (0x36, 0x5C)]
    secrets = [bytes.fromhex(key), subkey.digest(), *pads]
    written = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "k.key"}
    assert len(written) == 6
    for content in written.values():
        for secret in secrets:
            assert secret not in content
            assert secret.hex().encode() not in content.lower()


@pytest.mark.slow
def test_a_report_says_who_can_be_joined_and_by_which_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "new", "other.key"]) == 0
    assert "made other.key, the key " in capsys.readouterr().out
    release("out.csv", "--report", "r.json")
    document = json.loads(Path("r.json").read_text())
    assert document["not_proved"] == [
        "All rows of one person can be joined by patient; classes are proved row by row, and what a person's rows say "
        "together may be unique. Datafly, Flash, OLA and MinGen prove it where a person is declared."
    ]
    (told_of,) = document["treatments"]
    assert (told_of["column"], told_of["treatment"], told_of["joins_rows"]) == ("patient", "pseudonym", True)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(texts=st.sets(st.text(st.characters(exclude_characters="\0?", exclude_categories=["Cs"]), min_size=1)))
def test_different_texts_have_different_tokens_and_each_is_that_of_python(texts: set[str]) -> None:
    domain = PseudonymDomain("f", "d", b"a subkey")
    with Store() as store:
        store.keep_secrets(domain.list_pads())
        rows = store.create_constant("texts", {"text": (str, sorted(texts))})
        found = dict(map(tuple, store.rows(select(rows.c.text, Pseudonym().treat(rows.c.text)))))
    assert found == {text: domain.make_token(text) for text in texts}
    assert len(set(found.values())) == len(texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "cells"),
    [
        (lambda tokens: tokens, 0),
        # Two persons have one token: a cell that is another, missing and too many, and a token too few.
        (lambda tokens: [tokens[1], *tokens[1:]], 3),
        (lambda tokens: ["value 0", *tokens[1:]], 4),
        (lambda tokens: [tokens[0][:20], *tokens[1:]], 3),
    ],
)
def test_a_release_with_other_tokens_breaks_the_promise(change, cells: int) -> None:  # type: ignore[no-untyped-def]
    domain, values = PseudonymDomain("f", "d", b"a subkey"), [f"value {number}" for number in range(5)]
    with Store() as store:
        store.keep_secrets(domain.list_pads())
        shown = change([domain.make_token(value) for value in values])
        ones = (int, [1] * 5)
        read = store.create_constant("read", {"value": (str, values), "size": ones})
        there = store.create_constant("there", {"text": (str, shown), "size": ones})
        assert store.scalar(told("pseudonym").count_broken(read, there)) == cells


def test_a_key_file_is_its_owner_s_and_is_never_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("k.key").read_text()
    assert stat.S_IMODE(Path("k.key").stat().st_mode) == 0o600
    assert main(["key", "new", "k.key"]) != 0
    assert "k.key exists, and a key is never replaced" in capsys.readouterr().err
    assert Path("k.key").read_text() == before
    for words in (["key"], ["key", "old", "x"], ["key", "new"], ["key", "new", "no/where"]):
        assert main(words) != 0
    assert "toolbox key new FILE" in capsys.readouterr().err


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arguments", "message", "setting"),
    [
        ({}, "A pseudonym, or a shift, needs a key file, and key= names none. Make one: toolbox key new FILE", "key"),
        ({"key": "none.key"}, "The key file none.key cannot be read: No such file or directory.", "key"),
        ({"key": os.devnull}, f"{os.devnull} is no file. Make a key file: toolbox key new FILE", "key"),
        ({"key": "in.csv"}, "in.csv is no key file. Make one: toolbox key new FILE", "key"),
        ({"key": "open.key"}, "The key file open.key may be read by others. Write chmod 600 open.key", "key"),
        ({"key": "k.key", "same_domain_as": "in.csv"}, "in.csv is no JSON.", "same-domain-as"),
        ({"key": "k.key", "same_domain_as": "deep"}, "deep is no JSON.", "same-domain-as"),
        ({"key": "k.key", "same_domain_as": "{}"}, "{} names no domain of pseudonyms.", "same-domain-as"),
        (
            {"key": "k.key", "same_domain_as": "other.json"},
            "are of the key 0123, and k.key is the key ",
            "same-domain-as",
        ),
        (
            {"key": "k.key", "treatments": {"patient": "redact"}},
            "key= is for pseudonyms and shifts, and no column is treated so.",
            "key",
        ),
    ],
)
def test_what_is_wrong_with_a_key_is_told_without_it_and_names_the_setting_that_answers_it(
    arguments: dict[str, object], message: str, setting: str
) -> None:
    Path("in.csv").chmod(0o600)
    Path("{}").write_text("{}")
    Path("deep").write_text("[" * 100_000)
    Path("other.json").write_text(json.dumps({"pseudonyms": {"key": "0123", "domain": "0" * 32}}))
    Path("open.key").write_bytes(Path("k.key").read_bytes())
    Path("open.key").chmod(0o640)
    asked = {"treatments": {"patient": "pseudonym"}, **arguments}
    with pytest.raises(ToolboxError) as caught:
        toolbox.anonymize("in.csv", person="patient", quasi_identifiers=["age"], k=5, **asked)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert caught.value.setting == setting
    assert Path("k.key").read_text().split("\n")[1] not in str(caught.value)


@pytest.mark.slow
def test_a_call_gives_the_tokens_of_the_command() -> None:
    rows = release("out.csv", "--report", "r.json")
    found = toolbox.anonymize(
        pd.read_csv("in.csv", dtype=str, keep_default_na=False).query("patient != '' and patient != '?'"),
        person="patient",
        quasi_identifiers=["age"],
        k=5,
        treatments={"patient": "pseudonym"},
        key="k.key",
        same_domain_as="r.json",
    ).release
    assert set(found["patient"]) == {row["patient"] for row in rows} - {"", "?"}
