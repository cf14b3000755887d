"""A package of somebody else with plug-ins of any kind, as if it were installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, group: str, entries: Mapping[str, str], source: str) -> None:
    """Install a module of a new name with the entry points of one group, until the test ends.

    Parameters
    ----------
    entries : mapping of str to str
        The class of each entry point, in the module; one with a colon stands in another module.
    source : str
        The text of the module.
    """
    module = f"somebodys_{group.partition('.')[2]}_{len(list(folder.glob('*.dist-info')))}"
    (folder / f"{module}.py").write_text(source)
    facts = folder / f"{module}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = (f"{name} = {target if ':' in target else f'{module}:{target}'}" for name, target in entries.items())
    (facts / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, module)
    monkeypatch.syspath_prepend(str(folder))
