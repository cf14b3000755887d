"""The privacy models of a configuration that somebody edits: a list, or the parameters of 2010."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lxml import etree

from toolbox.config.edited import EditedDocument, detached, write
from toolbox.config.requirements import CLASSICAL
from toolbox.config.writing import drop, section

_K_ANONYMITY = "k-anonymity"


def listed_models(document: EditedDocument) -> list[dict[str, str]] | None:
    """Return the attributes of each ``<model>``; None if the parameters of the root say what is required."""
    listed = document.root.find("privacy")
    if listed is None:
        return None
    return [{str(name): str(text) for name, text in model.attrib.items()} for model in listed.iterfind("model")]


def set_models(document: EditedDocument, models: Sequence[Mapping[str, str]], *, is_k_usual: bool) -> None:
    """Write what is required.

    Parameters
    ----------
    models : sequence of mapping
        The attributes of each ``<model>``.
    is_k_usual : bool
        Whether ``k`` of the root is what the method takes, so that k-anonymity alone needs no list.

    Raises
    ------
    UsageError
        If XML cannot hold a text.
    """
    drop(document.root, *CLASSICAL)
    old = document.root.find("privacy")
    only = models[0] if len(models) == 1 else {}
    if is_k_usual and set(only) == {"name", "k"} and only["name"].strip().lower() == _K_ANONYMITY:
        if old is not None:
            detached(old)
        write(document.root, {"k": only["k"]})
        return
    made = []
    for attributes in models:
        model = etree.Element("model")
        write(model, attributes)
        made.append(model)
    listed = section(document.root, "privacy")
    for model in listed.findall("model"):
        detached(model)
    listed.extend(made)
