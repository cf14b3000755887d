"""The part of `risk` about an earlier release of the same people: how rows are linked, and what both tell together."""

from __future__ import annotations

from toolbox.errors import UsageError
from toolbox.flows.question import Question
from toolbox.flows.tables import JudgedTables, TableSource
from toolbox.messages import either
from toolbox.published.comparing import compared
from toolbox.published.linking import linked_by_key, linked_by_order
from toolbox.published.tables import Comparison
from toolbox.risks.joint import JointRisk, joint_classes, joint_consistency, linked_values, unlinked_values
from toolbox.store.store import Store

BY_ORDER, NO_LINK = "order", "none"


def key_column(link: str) -> str | None:
    """Return the column that links the releases, if one does."""
    return None if link in (BY_ORDER, NO_LINK) else link


def require_link(question: Question, *, has_earlier: bool, has_original: bool, link: str | None) -> str:
    """Return how the rows of two releases are linked, by their order if nothing is said.

    Raises
    ------
    UsageError
        If there is nothing to link, or nothing that could be said without a link.
    """
    earlier = either("--earlier FILE", python="earlier=")
    if not has_earlier:
        if link is not None:
            key = either("--key", python="key=")
            raise UsageError(f"{key} links two releases, and there is one. Also write {earlier}.")
        return NO_LINK
    if question.is_anatomy:
        raise UsageError("The groups of an anatomy cannot be compared with an earlier release. Leave it out.")
    if link != NO_LINK:
        return BY_ORDER if link is None else link
    if not has_original:
        original = either("--original FILE", python="original=")
        raise UsageError(f"Where rows are not linked, only people can be looked for in both. Also write {original}.")
    if not question.sensitive:
        sensitive = either("--sensitive NAMES", python="sensitive=")
        raise UsageError(f"Where rows are not linked, only sensitive values can be compared. Also write {sensitive}.")
    return NO_LINK


def assess_earlier(
    question: Question,
    store: Store,
    tables: JudgedTables,
    earlier: TableSource,
    *,
    beside: Comparison | None,
    link: str,
    k: int,
) -> JointRisk:
    """Measure what a release and an earlier one tell together.

    Parameters
    ----------
    tables : JudgedTables
        Of the release, read with the key.
    earlier : path, Input or pyarrow.Table
    beside : Comparison or None
        The release beside the original records, if there are any.
    link : str
        ``order``, ``none``, or the name of a column of both releases that names people.

    Raises
    ------
    ToolboxError
        If the earlier release cannot be read, or the link links nobody.
    """
    before = JudgedTables(question, store, earlier, key=key_column(link))
    release = tables.release if beside is None else beside.release
    beside_earlier = None if beside is None else compared(before.release, beside.people)
    if link == NO_LINK:
        assert beside is not None and beside_earlier is not None, "the caller has looked"
        return JointRisk(
            link=link, k=k, classes=None, consistency=None, values=unlinked_values(beside, beside_earlier, k)
        )
    linking = linked_by_order if link == BY_ORDER else linked_by_key
    linked = linking(release, tables.records, before.release, before.records)
    consistency = None
    if beside is not None and beside_earlier is not None:
        consistency = joint_consistency(beside, beside_earlier, linked, k)
    return JointRisk(
        link=link,
        k=k,
        classes=joint_classes(release, linked, k),
        consistency=consistency,
        values=linked_values(release, before.release, linked),
    )
