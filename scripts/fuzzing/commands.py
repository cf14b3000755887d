"""The main job without a configuration: columns, hierarchies and settings as options."""

from __future__ import annotations

from collections.abc import Sequence

from fuzzing.columns import Column
from fuzzing.dialects import Dialect
from fuzzing.options import Options

SAVED = "saved.xml"
_OF_METHODS = ("naming", "loss", "objective")


def is_sayable(columns: Sequence[Column], options: Options, dialect: Dialect | None) -> bool:
    """Return whether options can say the same as a configuration would."""
    trees = all(column.generalisations.words or not column.has_hierarchy for column in columns)
    names = [column.name for column in columns]
    has_names = dialect is None or dialect.header
    are_names = len(set(names)) == len(names) and all(name.strip() and name.isprintable() for name in names)
    return trees and not options.models and (are_names or not has_names)


def can_be_saved(options: Options, dialect: Dialect | None, columns: Sequence[Column]) -> bool:
    """Return whether XML can hold what the options say, and a second run has nothing random."""
    texts = [options.missing, *(column.generalisations.words for column in columns)]
    is_printable = all(text.isprintable() for text in texts) and (dialect is None or dialect.separator != "\x1e")
    return is_printable and (options.format != "anatomy" or options.seed is not None)


def command_of(columns: Sequence[Column], options: Options, dialect: Dialect | None, files: Sequence[str]) -> list[str]:
    """Return the words of the command line that say what the configuration of a case would."""
    has_names = dialect is None or dialect.header
    keys = [_quoted(column.name) if has_names else str(index) for index, column in enumerate(columns)]
    words = ["anonymize", *files, "--undeclared", "pass", "--order", "input"]
    for option, role in (("--id", "id"), ("--qi", "qid"), ("--sensitive", "sens")):
        if named := [key for key, column in zip(keys, columns, strict=True) if column.role == role]:
            words += [option, ",".join(named)]
    for key, column in zip(keys, columns, strict=True):
        if column.role in ("qid", "sens"):
            words += ["--kind", f"{key}={column.kind}"]
        if column.has_hierarchy:
            words += ["--hierarchy", f"{key}={column.generalisations.words}"]
    words += _settings(options)
    words += ["-output", options.output, "-outputFormat", options.format]
    words += ["--missing", options.missing, "--on-missing", options.on_missing, "--suppressed", options.suppressed]
    if options.separator:
        words += ["--output-separator", options.separator]
    if options.split:
        words += ["--split-size", "1KB"]
    if dialect is not None:
        words += ["-separator", dialect.separator, "--header", "yes" if dialect.header else "no"]
        words += ["--encoding", dialect.encoding]
    return words


def _settings(options: Options) -> list[str]:
    """Return the attributes of the root element as options, but for those that options say already."""
    words = []
    for name, value in options.root.items():
        if f"-{name}" in options.arguments or f"--{name}" in options.arguments or name == "suppressed":
            continue
        words += ["--set", f"{name}={value}"] if name in _OF_METHODS else [f"--{name}", value]
    return words


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
