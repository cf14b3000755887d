"""The page of a run: the judges measure the finished files before these come to their names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from toolbox.config.inputs import input_files
from toolbox.config.model import Config, Input, Limits
from toolbox.config.outputs import keep_for_owner
from toolbox.errors import InputError, UsageError
from toolbox.flows.new_file import content_of_page
from toolbox.privacy.model import PrivacyModel
from toolbox.release.release import Written
from toolbox.report.summary import Summary
from toolbox.store.store import Store


def require_page_can_be_made(config: Config) -> None:
    """Stop where a page is asked for of a release that no judge can read, before any other work.

    Raises
    ------
    UsageError
    """
    if config.output.html is not None and (config.engine is not None or config.output.path is None):
        raise UsageError(
            "--html describes a release in files, and this one becomes a table. Leave --html out, or write files."
        )


def page_of_run(
    config: Config,
    judges: Sequence[PrivacyModel],
    written: Written,
    summary: Summary,
    store: Store,
) -> dict[Path, Path]:
    """Write the page in the folder of the run.

    Parameters
    ----------
    judges : sequence of PrivacyModel
        What the release must satisfy.
    written : Written
        The finished files of the release.

    Returns
    -------
    dict of Path to Path
        The file of the page, and the path to which it goes; nothing where no page is asked for.
    """
    if config.output.html is None:
        return {}
    from toolbox.flows.asking import by_configuration
    from toolbox.flows.reporting import findings_of, judged, making_of
    from toolbox.report.html.page import page

    assert config.output.path is not None
    kind = config.output.report_kind
    output = replace(config.output, path=_named(written.files, store) / config.output.path.name)
    with _shared_memory(store, config.limits) as shared:
        limits = replace(shared, store=None, temp_dir=store.folder)
        original, population = (
            table if kind == "internal" and _can_be_read_again(table) else None
            for table in (config.input, config.population)
        )
        asked = replace(config, output=output, limits=limits, population=population)
        question = replace(by_configuration(asked), models=tuple(judges))
        release = question.release
        assert release is not None
        judgement = judged(
            question,
            release,
            kind,
            original=original,
            population=population,
            is_reordered=output.order != "input",
        )
    found = findings_of(question, config.output.path.name, kind, making_of(config, summary), judgement)
    finished = store.folder / "report.html"
    finished.write_text(page(found), encoding="utf-8", newline="\n")
    keep_for_owner(finished, content_of_page(kind))
    return {finished: config.output.html}


@contextmanager
def _shared_memory(store: Store, limits: Limits) -> Iterator[Limits]:
    """Lend half of the memory of a run, where it is limited, to the judges while they are at work."""
    if (memory := store.memory_limit) is None:
        yield limits
        return
    store.limit_memory(memory // 2)
    try:
        yield replace(limits, memory=f"{memory // 2_000_000}MB")
    finally:
        store.limit_memory(memory)


def _named(files: Mapping[Path, Path], store: Store) -> Path:
    """Give the finished files their names, in a folder of their own, so that judges find them as their readers will."""
    folder = store.folder / "judged"
    folder.mkdir()
    for finished, final in files.items():
        try:
            os.link(finished, folder / final.name)
        except OSError:  # some file systems know no links
            shutil.copyfile(finished, folder / final.name)
    return folder


def _can_be_read_again(source: Input | None) -> bool:
    """Return whether a table is files, which unlike streams and tables can be read twice."""
    if source is None or source.remote is not None:
        return False
    try:
        return all(path.is_file() for path in input_files(source))
    except InputError:
        return False
