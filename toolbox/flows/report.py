"""The flow of `report`: one page about a release made by whichever program, by all judges."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from toolbox.config.inputs import input_files
from toolbox.config.model import Input, ReportKind
from toolbox.errors import InputError, ToolboxError, UsageError
from toolbox.flows.attacking import attackers_of
from toolbox.flows.headers import header_of
from toolbox.flows.question import Question
from toolbox.flows.reporting import Making, findings_of, judged
from toolbox.flows.tables import TableSource
from toolbox.messages import either
from toolbox.release.checksum import sha256
from toolbox.report.html.findings import Findings
from toolbox.risks.matching.figures import Attack
from toolbox.steps import Steps, Watcher


def report_release(
    question: Question,
    release: Path | Input,
    *,
    kind: ReportKind = "internal",
    original: TableSource | None = None,
    population: TableSource | None = None,
    threshold: float | None = None,
    attack: Attack | None = None,
    earlier: TableSource | None = None,
    link: str | None = None,
    command: str | None = None,
    watcher: Watcher | None = None,
) -> Findings:
    """Judge a release, and return what a page says of it.

    Parameters
    ----------
    question : Question
        The columns, and what the release claims to satisfy.
    release : path or Input
    kind : {'internal', 'public'}
        A public page is written without a look at the original records.
    original, population : path, Input or pyarrow.Table, optional
    threshold : float, optional
        Risk above which a record is at risk.
    attack : Attack, optional
        One who matches everybody at once.
    earlier : path, Input or pyarrow.Table, optional
        An earlier release of the same people, which an attacker holds as well.
    link : str, optional
        What links its rows, as in `toolbox.risk`.
    command : str, optional
        The command line that asks for it.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    if kind == "public" and population is not None:
        told = "A public page tells nothing that the release does not tell, and so nothing of a population"
        raise UsageError(f"{told}. Leave {either('--population', python='population=')} out.")
    original = original if kind == "internal" else None
    attackers = attackers_of(
        question, kind, attack=attack, earlier=earlier, link=link, original=original, population=population
    )
    steps = Steps(watcher)
    with steps.step("measure"):
        judgement = judged(
            question,
            release,
            kind,
            original=original,
            population=population,
            threshold=threshold,
            attackers=attackers,
        )
    if isinstance(judgement, ToolboxError):
        raise judgement
    paths = _files(release)
    data = [("Release", str(path)) for path in paths] + [("Original records", str(path)) for path in _files(original)]
    making = Making(
        method=None if question.by_name else question.config.method,
        command=command,
        data=tuple(data),
        checksums={path.name: sha256(path) for path in paths},
        undeclared=_undeclared(question, paths),
    )
    return findings_of(question, paths[0].name, kind, making, judgement)


def _files(table: TableSource | None) -> tuple[Path, ...]:
    if not isinstance(table, (Path, Input)):
        return ()
    with suppress(InputError):
        return tuple(input_files(table if isinstance(table, Input) else Input(path=table)))
    return ()


def _undeclared(question: Question, paths: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the columns of a release that nobody declared, as far as its header tells."""
    declared = {str(column.column).casefold() for column in (*question.quasi_identifiers, *question.sensitive)}
    separator = None if question.by_name else question.config.release_separator
    names = header_of(paths, separator=separator)
    return tuple(name for name in names if name.casefold() not in declared)
