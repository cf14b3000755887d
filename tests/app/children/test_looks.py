"""A table is looked at in a process of its own, once as long as it stays the same; errors come back as they are."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from toolbox import Sniffed
from toolbox.app.children.profile_cache import Looks, find_reading_arguments
from toolbox.errors import InputError


async def answered(looks: Looks, question: str, path: Path) -> object:
    while (found := await looks.ask(question, path, {"header": True})) is None:
        continue
    return found


@pytest.mark.slow
def test_an_answer_is_kept_until_the_table_changes_and_a_fault_is_told(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")

    async def ask() -> None:
        looks = Looks()
        first = await answered(looks, "sniff", path)
        assert isinstance(first, Sniffed) and first.columns == ("a", "b")
        assert await answered(looks, "sniff", path) is first
        path.write_text("")
        os.utime(path, ns=(1, 1))
        with pytest.raises(InputError, match="is empty"):
            await answered(looks, "sniff", path)
        await looks.close()

    asyncio.run(ask())


def test_what_a_project_says_of_the_reading_is_what_is_asked() -> None:
    assert find_reading_arguments({"separator": "\\t", "header": "true", "missing": "-", "encoding": "latin-1"}) == {
        "separator": "\t",
        "header": True,
        "encoding": "latin-1",
    }
    assert find_reading_arguments({}) == {"header": False}, "as in a configuration that says nothing"
