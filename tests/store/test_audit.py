"""Which records of a text the engine does not read, found part by part."""

from pathlib import Path

import pytest
from sqlalchemy import select

from toolbox.config.model import Input, Portion
from toolbox.store import audit
from toolbox.store.delimited import DelimitedSource
from toolbox.store.source import Account, Place
from toolbox.store.store import Store

pytestmark = pytest.mark.sampled(3)

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


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", ["", 'a,"b\nB"\n', "\n\na,b\n"], ids=["no header", "header", "blank lines before"])
def test_rejected_lines_are_kept_in_their_order_with_their_places(tmp_path: Path, header: str, end: str) -> None:
    body = '1,2\n3\n\n4,"x\ny"\n5,6,7\n8,9\n"10\n11"\n\n12\n13,14\n15\n16,17,18\n19'
    found, texts = account(tmp_path, (header + body).replace("\n", end), header=bool(header))
    assert texts == ["3", "5,6,7", f'"10{end}11"', "12", "15", "16,17,18", "19"]
    before = header.count("\n")
    assert found.rejects.first == tuple(Place(before + line) for line in (2, 6, 8, 11, 13))
    assert (found.rejects.count, found.blank) == (7, 2 + header.startswith("\n") * 2)


@pytest.mark.usefixtures("parts")
def test_in_one_column_blank_lines_are_records(tmp_path: Path) -> None:
    found, texts = account(tmp_path, "a\n1\n\n2,3\n\n4\n", header=True)
    assert (found.rejects.first, texts, found.blank) == ((Place(4),), ["2,3"], 0)
