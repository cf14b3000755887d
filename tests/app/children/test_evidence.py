"""What speaks against the sensitive attributes: those that seem to be something else come first."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolbox import Project
from toolbox.app.children import profile_cache as module
from toolbox.app.children.profile_cache import Looks, find_column_profiles
from toolbox.app.screens.protect import _list_sensitive_profiles

_PEOPLE = "".join(
    f"{town},AT{number:04}{number * 7919 % 9973:06},{('flu', 'cold', 'gout')[number * number % 7 % 3]}\n"
    for number, town in enumerate(["Graz", "Wien", "Linz"] * 20)
)


@pytest.mark.slow
def test_a_column_that_names_people_is_told_before_one_that_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 60.0)
    (tmp_path / "people.csv").write_text("town,insurance number,diagnosis\n" + _PEOPLE)
    project = Project.of_file(tmp_path / "people.csv", tmp_path)
    project.set_roles({"town": "quasi-identifier", "diagnosis": "sensitive", "insurance number": "sensitive"})

    async def looked() -> None:
        looks = Looks()
        found = await find_column_profiles(looks, project)
        first, second = _list_sensitive_profiles(project, found)
        assert (first.name, first.seems, second.name, second.seems) == (
            *("insurance number", "an identifier"),
            *("diagnosis", ""),
        )
        assert "60 values" in first.words and "3 values" in second.words
        assert not any(text in note.words for note in (first, second) for text in ("flu", "AT00"))
        assert _list_sensitive_profiles(project, None) == []
        await looks.close()

    asyncio.run(looked())
