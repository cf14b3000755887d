"""Reads one file of any kind as a run reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from toolbox.config.model import Input
from toolbox.errors import ToolboxError
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import TableSource


class FileReader:
    """Reads files, each as a source of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def source(self, *paths: Path, **given: Any) -> TableSource:
        source = InputFiles(Input(path=paths[0], more=paths[1:], **given)).source(self._store)
        assert isinstance(source, TableSource)
        return source

    def rows(self, *paths: Path, **given: Any) -> list[tuple[Any, ...]]:
        """Return the header and the records; the account of them must hold."""
        source = self.source(*paths, **given)
        records = self._store.rows(select(source.relation()))
        source.account(len(records))
        return [tuple(source.headers or ()), *records]

    def kinds(self, *paths: Path, **given: Any) -> list[Any]:
        return list(self.source(*paths, **given).kinds)

    def notes(self, *paths: Path, **given: Any) -> list[str]:
        """Return what is said of the reading, without the file."""
        return [note.partition(": ")[2] for note in self.source(*paths, **given).notes]

    def refusal(self, *paths: Path, **given: Any) -> str:
        """Return why a file is not read, without its folder."""
        with pytest.raises(ToolboxError) as caught:
            self.rows(*paths, **given)
        return str(caught.value).replace(f"{paths[0].parent}/", "")


Read = Callable[..., FileReader]


@pytest.fixture
def read(store: Store) -> FileReader:
    return FileReader(store)
