"""Which records of a text the engine does not read, found part by part."""

import csv
import random
from pathlib import Path

import pytest
from sqlalchemy import FromClause, select

from toolbox.config.model import Input, Portion
from toolbox.store.engine.store import Store
from toolbox.store.input import text_count as audit
from toolbox.store.input.source import Account, RecordPlace
from toolbox.store.input.text import DelimitedSource

pytestmark = pytest.mark.sampled(3)

WIDTH = 3
ALL = Portion(100, is_percentage=True)  # type: ignore[arg-type]


def account(folder: Path, content: str, **given: object) -> tuple[Account, list[str]]:
    """Read a file; return its account and the texts of its rejected lines."""
    (folder / "in.csv").write_bytes(content.encode())
    with Store(folder) as store:
        source = DelimitedSource(Input(path=folder / "in.csv", max_rejects=ALL, **given), store)
        found = source.account(len(store.rows(select(source.relation()))))
        return found, [] if found.rejects.lines is None else [text for (text,) in store.rows(found.rejects.lines)]


@pytest.fixture(params=[(16_000_000, 50_000_000), (30, 50_000_000), (16_000_000, 3_500), (1, 0)], ids=str)
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare few bytes at once, or let the engine keep little."""
    monkeypatch.setattr(audit, "_GROUP", request.param[0])
    monkeypatch.setattr(audit, "_MOST_KEPT", request.param[1])


@pytest.mark.slow
@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", ["", 'a,"b\nB"\n', "\n\na,b\n"], ids=["no header", "header", "blank lines before"])
def test_rejected_lines_are_kept_in_their_order_with_their_places(tmp_path: Path, header: str, end: str) -> None:
    body = '1,2\n3\n\n4,"x\ny"\n5,6,7\n8,9\n"10\n11"\n\n12\n13,14\n15\n16,17,18\n19'
    found, texts = account(tmp_path, (header + body).replace("\n", end), header=bool(header))
    assert texts == ["3", "5,6,7", f'"10{end}11"', "12", "15", "16,17,18", "19"]
    before = header.count("\n")
    assert found.rejects.first == tuple(RecordPlace(before + line) for line in (2, 6, 8, 11, 13))
    assert (found.rejects.count, found.blank) == (7, 2 + header.startswith("\n") * 2)


def expected(body: str, separator: str) -> list[tuple[int, str]]:
    """Return the line and the text of each record that has not three values, by the module of Python's library."""
    found, begin, lines = [], 0, body.splitlines(keepends=True)
    marked = (line.replace(separator, "\x1f") for line in lines)
    reader = csv.reader(marked, delimiter="\x1f", strict=True)
    for values in reader:
        if values and len(values) != WIDTH:
            found.append((begin + 1, "".join(lines[begin : reader.line_num]).rstrip("\n")))
        begin = reader.line_num
    return found


@pytest.mark.slow
@pytest.mark.parametrize("separator", [",", "::", "§"])
@pytest.mark.parametrize("most", [0, 50_000_000], ids=["by their values", "as the engine lists them"])
def test_many_misfits_are_those_that_a_plain_reader_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, separator: str, most: int
) -> None:
    monkeypatch.setattr(audit, "_MOST_KEPT", most)
    rng = random.Random(separator)
    values = ["1", "x y", "ü", '"a, b"', '"::§"', '"p\nq"', '"say ""no"""', ""]
    rows = [separator.join([*rng.choices(values, k=rng.choice([0, 1, 2, 2, 2, 3])), "z"]) for _ in range(300)]
    body = "".join(f"{row}\n" for row in [separator.join("abc"), *rows])
    found, texts = account(tmp_path, body, header=False, separator=separator)
    misfits = expected(body, separator)
    assert texts == [text for _, text in misfits]
    assert found.rejects.count == len(misfits) > 100
    assert found.rejects.first == tuple(RecordPlace(line) for line, _ in misfits[:5])


@pytest.mark.slow
def test_the_engine_is_not_asked_to_list_many_misfits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It takes milliseconds for each, and keeps a kilobyte, so that it was asked for a few of them at a time.
    asked: list[bool] = []
    part = DelimitedSource._part

    def noted(self: DelimitedSource, path: Path, line_end: str | None, rejects: str | None) -> FromClause:
        asked.append(rejects is not None)
        return part(self, path, line_end, rejects)

    monkeypatch.setattr(DelimitedSource, "_part", noted)
    found, texts = account(tmp_path, "a,b\n" + "1,2\n3,4,5\n" * 50_000, header=True)
    assert (found.rejects.count, texts[0], len(texts)) == (50_000, "3,4,5", 50_000)
    # The whole part, its misfits and all others.
    assert asked == [False] * 3


@pytest.mark.usefixtures("parts")
def test_in_one_column_blank_lines_are_records(tmp_path: Path) -> None:
    found, texts = account(tmp_path, "a\n1\n\n2,3\n\n4\n", header=True)
    assert (found.rejects.first, texts, found.blank) == ((RecordPlace(4),), ["2,3"], 0)
