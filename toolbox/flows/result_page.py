"""The page of a result in Python: the judges look at its tables, or at the files that it was written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolbox.config.model import ReportKind
from toolbox.errors import UsageError
from toolbox.flows.asking import by_configuration
from toolbox.flows.attacking import attackers_of
from toolbox.flows.callers_tables import judged_table
from toolbox.flows.models import judges_of
from toolbox.flows.new_file import content_of_page, require_free, write_whole
from toolbox.flows.outcome import AskedRelease
from toolbox.flows.population import population_of
from toolbox.flows.reporting import findings_of, judged, making_of
from toolbox.report.html.page import page
from toolbox.report.summary import Summary
from toolbox.risks.matching.figures import Attack

_NAME = "release"
"""What a page calls a table that has no name."""


def page_of_result(
    summary: Summary,
    asked: AskedRelease | None,
    tables: Sequence[Any],
    kind: ReportKind,
    path: str | Path | None,
    attack: Attack | None = None,
) -> str:
    """Judge a release and return its page; `Result.to_html` explains the arguments.

    Raises
    ------
    UsageError
    OutputError
    """
    target = None if path is None else Path(path)
    if target is not None:
        require_free(target, replaces=True)
    if asked is None:
        raise UsageError(
            "A result that was pickled does not know its source any more. Judge its release with toolbox report."
        )
    config = asked.config
    if config.engine is not None or config.output.remote is not None:
        raise UsageError("The release became a table elsewhere. Read it, and judge it with toolbox.check and risk.")
    question = replace(by_configuration(config), models=tuple(judges_of(config, asked.models)))
    release = judged_table(tables[0], question) if question.release is None else question.release
    original = population = None
    if kind == "internal":
        original = asked.source()
        if any(model.needs_population for model in question.models):
            population = population_of(config, asked.population).table
    attackers = attackers_of(
        question, kind, attack=attack, earlier=None, link=None, original=original, population=population
    )
    is_reordered = config.output.order != "input"
    judgement = judged(
        question,
        release,
        kind,
        original=original,
        population=population,
        attackers=attackers,
        is_reordered=is_reordered,
    )
    name = _NAME if config.output.path is None else config.output.path.name
    text = page(findings_of(question, name, kind, making_of(config, summary), judgement))
    if target is not None:
        write_whole(target, text, content_of_page(kind), replaces=True)
    return text
