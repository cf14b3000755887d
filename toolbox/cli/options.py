"""The options of the command line: those of the original, with one dash or two and in any case, and our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolbox.config.compatibility import AS_IN_2010
from toolbox.config.formats import FORMATS, GEN_VALS
from toolbox.errors import UsageError, did_you_mean, quote


@dataclass(frozen=True)
class Option:
    """One option that takes a value, or a switch that takes none."""

    name: str
    """As it is written with two dashes."""
    help: str
    metavar: str | None = None
    """What stands for its value; None for a switch."""
    group: str = "run"
    original: str | None = None
    """As the original toolbox writes it, with one dash, where that is another word or the group does not say so."""

    @property
    def flags(self) -> list[str]:
        """The spellings that the help shows."""
        is_original = self.group == "original" or self.original is not None
        return [f"-{self.original or self.name}", f"--{self.name}"] if is_original else [f"--{self.name}"]

    @property
    def field(self) -> str:
        """Name of the attribute that holds its value."""
        return self.name.replace("-", "_")


*_FIRST, _LAST = FORMATS
_FORMATS = f"{', '.join(_FIRST)} or {_LAST}"

ANONYMIZE = (
    Option("config", "configuration to run (default: config.xml)", "FILE", "original"),
    Option(
        "method",
        "Datafly, Mondrian, LocalRecoding, Incognito_k, ..; `toolbox methods` lists all; or package.module:Class",
        "NAME",
        "original",
    ),
    Option("k", "smallest equivalence class, in records (default: 10)", "K", "original"),
    Option("l", "l-diversity of the sensitive attribute (default: 10)", "L", "original"),
    Option("c", "c of recursive (c,l)-diversity (default: entropy l-diversity)", "C", "original"),
    Option("t", "t-closeness of the sensitive attribute (default: 0.2)", "T", "original"),
    Option("supp-threshold", "most records that may be suppressed (default: k)", "N", "original", "suppThreshold"),
    Option("input", "records: files, folders or patterns, .gz, .zst, .parquet; may be repeated", "FILE", "original"),
    Option("separator", "characters between values; \\t is a tab (default: a comma)", "TEXT", "original"),
    Option("output", "release to write; also .gz, .zst or .parquet", "FILE", "original"),
    Option("output-format", f"{_FORMATS} (default: {GEN_VALS})", "NAME", "original", "outputFormat"),
    Option(
        "split-size", "split the release into files NAME-00001 and so on of this size, such as 500MB", "SIZE", "release"
    ),
    Option("escape-formulas", "write ' before cells that a spreadsheet would run (=, +, -, @)", group="release"),
    Option("order", "order of the records; shuffled tells nothing (default)", "input|shuffled|sorted", "release"),
    Option("statistics", "of genValsDist: exact (default), or coarse", "exact|rounded", "release"),
    Option("suppressed", "keep suppressed records with all at the root, or drop them", "keep|drop", "release"),
    Option(
        "undeclared",
        "columns that are not declared: release them, leave them out, or stop",
        "pass|drop|fail",
        "release",
    ),
    Option(
        "compatibility",
        f"{AS_IN_2010.name}: write what the toolbox of 2010 wrote, byte for byte",
        AS_IN_2010.name,
        "release",
    ),
    Option("engine", "let the records stay there, and only counts leave", "postgresql|spark", "engine"),
    Option("engine-url", "its address, such as spark://HOST:7077 or local[4]; no password", "URL", "engine"),
    Option("input-table", "table of the database that -input names by its URL", "NAME", "engine"),
    Option("output-table", "table to make in the database that -output names by its URL", "NAME", "engine"),
    Option("replace", "replace a table, or a folder of a cluster, that is there", group="engine"),
    Option("report", "also write the summary as JSON", "FILE", "release"),
    Option("lattice", "also write every node that a search of the lattice looked at, as JSON", "FILE", "release"),
    Option("input-digest", "checksum of the input in the summary (default: none)", "plain|keyed|none", "release"),
    Option("rejects", "keep the lines that could not be read", "FILE", "release"),
    Option("decimal", "what stands before the decimals of numbers (default: a point)", ".|,", "release"),
    Option("thousands", "the character between thousands of numbers (default: none)", "CHARACTER", "release"),
    Option("max-rejects", "most such lines, as a number or a share (default: 1%, at least 10)", "N|P%", "release"),
    Option("seed", "make what is random reproducible", "N", "release"),
    Option(
        "dimension",
        "Mondrian: cut the column with the widest range, most values, or the widest share of its domain",
        "range|distinct|interval",
        "method",
    ),
    Option("time-limit", "Flash, OLA, MinGen: seconds of the search; then the best found", "SECONDS", "method"),
    Option("cut", "Mondrian: fallback or classic cuts", "fallback|classic", "method"),
    Option("set", "a setting of any other method; may be repeated", "NAME=VALUE", "method"),
    Option("encoding", "encoding of the records, such as latin-1 (default: utf-8)", "NAME", "release"),
    Option("memory-limit", "memory for the data, such as 2GB; more spills to disk", "SIZE", "machine"),
    Option("threads", "processor threads", "N", "machine"),
    Option("temp-dir", "folder for temporary files (default: that of the release)", "FOLDER", "machine"),
    Option(
        "lock-timeout",
        "seconds to wait for another run that is releasing into the same folder (default: 30)",
        "SECONDS",
        "machine",
    ),
    Option("store", "keep the tables in this DuckDB file", "FILE", "machine"),
    Option("verbose", "tell on standard error how far each step is, at least every 10 seconds", group="output"),
)
COMMON = (
    Option("json", "print one JSON document on standard output", group="output"),
    Option("quiet", "print nothing but errors", group="output"),
    Option("debug", "also print where an error arose, in its own words; they may show values", group="output"),
)
_QUESTION = (
    Option("config", "configuration that declares the columns, as for a run", "FILE", "question", "config"),
    Option("qi", "or the quasi-identifiers, by their names: a,b,c; may be repeated", "NAMES", "question"),
    Option("sensitive", "the sensitive columns", "NAMES", "question"),
    Option("hierarchy", "hierarchy of a quasi-identifier; may be repeated", "NAME=FILE", "question"),
    Option("kind", "what a column holds, where its values do not tell; may be repeated", "NAME=KIND", "question"),
    Option(
        "separator",
        "characters between values (default: the first of , ; tab | that fits)",
        "TEXT",
        "question",
        "separator",
    ),
    Option("encoding", "encoding of the text, such as latin-1 (default: utf-8)", "NAME", "question"),
    Option("decimal", "what stands before the decimals of numbers (default: a point)", ".|,", "question"),
    Option("thousands", "the character between thousands of numbers (default: none)", "CHARACTER", "question"),
)
_MACHINE = tuple(option for option in ANONYMIZE if option.name in ("memory-limit", "threads", "temp-dir", "verbose"))
CHECK = (
    *_QUESTION,
    Option("k", "also require k-anonymity", "K", "models", "k"),
    Option("l", "also require entropy l-diversity of every sensitive column", "L", "models", "l"),
    Option("c", "with l: recursive (c,l)-diversity instead", "C", "models", "c"),
    Option("t", "also require t-closeness of every sensitive column", "T", "models", "t"),
    Option("harmonised", "judge each sensitive column with the others as quasi-identifiers", group="models"),
    Option("population", "table of all who could be in the release, for k-map and delta-presence", "FILE", "models"),
    *_MACHINE,
)
MEASURE = (
    *_QUESTION,
    Option("weight", "share of a quasi-identifier in weighted metrics; may be repeated", "NAME=NUMBER", "metrics"),
    Option("label", "column whose classes a classifier is to tell, for the classification metric", "NAME", "metrics"),
    Option("k", "k of the release, for the metrics that count with it", "K", "metrics", "k"),
    *_MACHINE,
)
RISK = (
    *_QUESTION,
    Option("original", "records that the release was made from, for the consistency risk", "FILE", "attackers"),
    Option("population", "table of all who could be in the release, for the journalist", "FILE", "attackers"),
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "attackers"),
    Option("k", "fewest released records that should fit a person (default: 5)", "K", "attackers", "k"),
    Option("plot", "also draw them: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
)
DETECT = (
    Option(
        "config", "configuration that says how to read the table, and its identifiers", "FILE", "question", "config"
    ),
    Option(
        "columns", "columns that an attacker could know (default: all): a,b,c; may be repeated", "NAMES", "question"
    ),
    Option("exclude", "columns to leave out; may be repeated", "NAMES", "question"),
    Option("max-columns", "columns in the largest subsets to look at (default: 4)", "N", "question"),
    Option("missing", "drop records that lack a value, or count it as one (default: drop)", "drop|value", "question"),
    *(option for option in _QUESTION if option.name in ("separator", "encoding")),
    Option("top", "subsets to show (default: 20)", "N", "output"),
    Option("plot", "also draw them: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
)
SINGLETONS = (
    *(option for option in _QUESTION if option.name != "sensitive"),
    Option("k", "whoever is in a class smaller than this stands out (default: 2)", "K", "variants", "k"),
    Option(
        "scope",
        "generalise only those who stand out, or all records (default: both are tried)",
        "local|global|both",
        "variants",
    ),
    Option("rule", "the only ways to generalise a column: parent, any, ..; may be repeated", "NAME=RULES", "variants"),
    Option("top", "variants to show (default: 20)", "N", "output"),
    *_MACHINE,
)
_HELP = Option("help", "show this and leave", group="output")
_VERSION = Option("version", "show the version and leave", group="output")
REPEATABLE = {"set", "input", "qi", "sensitive", "hierarchy", "kind", "weight", "columns", "exclude", "rule"}
METHOD_SETTINGS = ("dimension", "cut", "time_limit")


def _key(name: str) -> str:
    return name.lstrip("-").replace("-", "").replace("_", "").lower()


def normalised(arguments: Sequence[str], options: Sequence[Option]) -> list[str]:
    """Rewrite every known option with two dashes and its value after an equals sign.

    So a value may begin with a dash, and ``-suppThreshold 0``, ``-SUPPTHRESHOLD 0`` and ``--supp-threshold=0`` are one.

    Examples
    --------
    >>> normalised(["-suppThreshold", "0", "-SEPARATOR", "-", "--json"], (*ANONYMIZE, *COMMON))
    ['--supp-threshold=0', '--separator=-', '--json']

    Raises
    ------
    UsageError
        If there is no such option.
    """
    known = {_key(option.name): option for option in options} | {"h": _HELP, "help": _HELP, "version": _VERSION}
    result: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if "\0" in argument:
            raise UsageError(f"{quote(argument)} holds the control character U+0000. Remove it.")
        if not argument.startswith("-") or argument == "-":
            result.append(argument)
            continue
        name, equals, value = argument.partition("=")
        option = known.get(_key(name))
        if option is None:
            flags = [flag for option in options for flag in option.flags]
            raise UsageError(f"There is no option {quote(name)}.{did_you_mean(name, flags)} See toolbox --help.")
        if option.metavar is None or not (equals or (following := next(waiting, None)) is not None):
            result.append(f"--{option.name}{equals}{value}")
        else:
            result.append(f"--{option.name}={value if equals else following}")
    return result
