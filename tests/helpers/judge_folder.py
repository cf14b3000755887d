"""A folder with records, a release of them by another program, a hierarchy and a configuration; and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.running import Finished

PEOPLE = "name,age,town,illness\nAda,21,Graz,flu\nBo,23,Linz,cold\nCy,38,Graz,flu\nDi,39,Wels,gout\nEd,64,Wels,flu\n"
RELEASE = "age,town,illness\n[20:25),*,flu\n[20:25),*,cold\n35-40,*,flu\n35-40,*,gout\n*,*,flu\n"
TOWNS = "Graz;south;*\nLinz;north;*\nWels;north;*\n"
CONFIG = """<config method='Mondrian' k='2'>
  <input filename='people.csv' header='true'/>
  <output order='input' filename='release.csv'/>
  <id><att name='name'/></id>
  <qid><att name='age'/><att name='town'><vgh file='towns.csv'/></att></qid>
  <sens><att name='illness' type='category'/></sens>
</config>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the records, a release by another program, a hierarchy and a configuration."""
    for name, text in {
        "people.csv": PEOPLE,
        "release.csv": RELEASE,
        "towns.csv": TOWNS,
        "c.xml": CONFIG,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def achieved(finished: Finished) -> dict[tuple[str, str | None], object]:
    """Return the first measured value of every model."""
    found: dict[tuple[str, str | None], object] = {}
    for one in finished.document["models"]:
        if one["required"] is None:
            found.setdefault((one["name"], one["attribute"]), one["achieved"])
    return found


def values(finished: Finished) -> dict[tuple[str, str | None], float]:
    return {(one["name"], one["attribute"]): one["value"] for one in finished.document["metrics"]}
