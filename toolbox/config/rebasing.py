"""Relative paths of a configuration, as they are written where another folder is the start."""

from __future__ import annotations

import os
from pathlib import Path

from lxml import etree

from toolbox.config import urls

PATHS = (("input", "filename"), ("input/file", "name"), ("population", "filename"), ("output", "filename"))
"""Elements below the root, each with the attribute that is a path."""
OF_HIERARCHIES = ("qid/att/vgh", "sens/att/vgh")
"""Elements below the root whose ``file`` is one."""


def rebased(path: str, old: Path, new: Path) -> str:
    """Write a path for another folder; an absolute one stays as it is.

    Parameters
    ----------
    old, new : Path
        The folders from which it leads to the same file, before and after.

    Examples
    --------
    >>> rebased("people.csv", Path("data"), Path("configs/of/mine"))
    '../../../data/people.csv'
    """
    if Path(path).is_absolute() or os.path.abspath(old) == os.path.abspath(new):  # noqa: PTH100 - links stay links
        return path
    # Two dots lead up from the folder itself, which a link to it does not tell.
    start, target = os.path.realpath(new), old / path
    way = os.path.relpath(os.path.join(os.path.realpath(target.parent), target.name), start)  # noqa: PTH118
    return f"{way}/" if path.endswith("/") else way


def of_cluster(path: str, old: Path) -> str:
    """Write the place of a folder for a cluster, which knows no folder of ours; it may be a URI."""
    return path if urls.is_url(path) else str((old / path).absolute())


def rebase(root: etree._Element, old: Path, new: Path) -> None:
    """Rewrite every relative path of a configuration."""
    is_spark = (engine := root.find("engine")) is not None and engine.get("name", "").strip().lower() == "spark"
    of_files, of_hierarchies = PATHS, [(element, "file") for element in OF_HIERARCHIES]
    for place, name in (*of_files, *of_hierarchies):
        for element in root.iterfind(place):
            path = element.get(name)
            if path is not None:
                is_place = is_spark and (place, name) in of_files
                element.set(name, of_cluster(path, old) if is_place else rebased(path, old, new))
