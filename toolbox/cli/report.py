"""The command `report`: options in, one call, a page out."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any, get_args

from toolbox.cli.answers import print_document, require_no_contradiction
from toolbox.cli.check import UNSATISFIED
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.cli.questions import original_of, question_of, release_of
from toolbox.cli.risk import THRESHOLD, attack_in, is_there
from toolbox.config import values
from toolbox.config.model import Input, ReportKind
from toolbox.config.outputs import PAGES
from toolbox.errors import UsageError, quote
from toolbox.flows.new_file import content_of_page, require_free, write_whole
from toolbox.flows.report import report_release
from toolbox.messages import tell
from toolbox.report.html.findings import Findings
from toolbox.report.sensitive import sensitive_document
from toolbox.report.statistics import statistics_document


def report(options: argparse.Namespace) -> int:
    """Run ``report`` and return its exit status."""
    require_no_contradiction(options)
    question = question_of(options, "report")
    reader = OptionReader(options)
    path = partial(values.path, folder=Path())
    threshold, population = reader.read("threshold", THRESHOLD), reader.read("population", path)
    attack, earlier = attack_in(options, reader), reader.read("earlier", path)
    kind = reader.read("report_kind", partial(values.word, known=get_args(ReportKind)))
    named = reader.read("html", path)
    reader.require_none_wrong()
    release, original = release_of(question, options.release), original_of(question, options.original)
    target = _page_of(release) if named is None else named
    if target.suffix.lower() not in PAGES:
        raise UsageError(
            f"{quote(str(target))} is no name of a page. Write --html FILE with a name that ends in {PAGES[0]}."
        )
    read = [table for table in (release, original, population, earlier) if table is not None]
    keeps = [name for table in read for name in (table.names if isinstance(table, Input) else [table])]
    require_free(target, replaces=options.force, keeps=keeps)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        findings = report_release(
            question,
            release,
            kind=kind or "internal",
            original=original if is_there(original) else None,
            population=population,
            threshold=threshold,
            attack=attack,
            earlier=earlier,
            link=options.key,
            command=options.command_line,
            watcher=watcher,
        )
    from toolbox.report.html.page import page

    write_whole(target, page(findings), content_of_page(findings.kind), replaces=options.force)
    if options.json:
        untold = [model.name for model in findings.untold]
        told = {"holds": findings.holds, "not_judged": untold, "advice": [one.document() for one in findings.advice]}
        print_document({"html": str(target), "kind": findings.kind, **told, **_inferred(findings)})
    elif not options.quiet:
        tell(f"wrote {target}, the {findings.kind} report.")
    return UNSATISFIED if findings.holds is False else 0


def _inferred(findings: Findings) -> dict[str, Any]:
    """Return what statistics and classes tell, as in the document of ``risk``; nothing for a public page."""
    found = findings.statistics
    return {
        "statistics": None if found is None else statistics_document(found),
        "sensitive": [sensitive_document(values) for values in findings.sensitive],
    }


def _page_of(release: Path | Input) -> Path:
    """Return the page that stands beside a release where nobody names one."""
    path = release.path if isinstance(release, Input) else release
    return path.with_name(f"{path.name.partition('.')[0] or 'release'}.html")
