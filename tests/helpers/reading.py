"""Reads delimited text that a test writes out."""

from pathlib import Path

import pytest
from sqlalchemy import literal, select, union_all

from toolbox.config.model import Input
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Account, RecordPlace
from toolbox.store.input.text import DelimitedSource

Lines = list[tuple[RecordPlace, str]]


def account_of(source: DelimitedSource, store: Store, read: int) -> tuple[Account, Lines]:
    """Return the account of a reading, and the first rejected lines: where they stand and what they say."""
    account = source.account(read)
    texts = [] if account.rejects.lines is None else [text for (text,) in store.rows(account.rejects.lines)]
    assert len(texts) == account.rejects.count
    return account, list(zip(account.rejects.first, texts, strict=False))


class Reader:
    """Writes a file and reads it, each in a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "in.csv"
        self.folder = folder

    def rows(self, content: str | bytes, **given: object) -> list[tuple[str | None, ...]]:
        return self.read(content, **given)[0]

    def rejects(self, content: str | bytes, **given: object) -> Lines:
        return self.read(content, **given)[1]

    def account(self, content: str | bytes, **given: object) -> tuple[int, int, int]:
        """Return how many records are read, lines rejected, lines blank."""
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            read = len(store.rows(select(source.relation())))
            account = source.account(read)
            return read, account.rejects.count, account.blank

    def read(self, content: str | bytes, **given: object) -> tuple[list[tuple[str | None, ...]], Lines]:
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            rows = store.rows(select(source.relation()))
            return rows, account_of(source, store, len(rows))[1]

    def headers(self, content: str | bytes, **given: object) -> tuple[tuple[str, ...] | None, int]:
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            return source.headers, source.width

    def places(self, content: str | bytes, position: int, *known: str, **given: object) -> list[int]:
        """Find the lines in which a column holds another text than those known."""
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Store(self.folder) as store:
            source = DelimitedSource(Input(path=self.path, **given), store)
            texts = union_all(*(select(literal(text).label("text")) for text in known)).subquery()
            return [place.number for place in source.places(position, select(texts.c.text))]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)
