"""The options of the command line: those of the original, and our own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from toolbox.config.model import AS_IN_2010, DEFAULT_K, DEFAULT_L, DEFAULT_T


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


_ON_MISSING = "skip|fail|keep"
_COLUMNS = (
    Option("qi", "quasi-identifiers, which an attacker may know: a,b,c", "NAMES", "columns"),
    Option("id", "identifiers, which are dropped", "NAMES", "columns"),
    Option("person", "column that tells persons apart, where some have several records; dropped", "NAMES", "columns"),
    Option("sensitive", "columns that nobody should learn about a person; released as they are", "NAMES", "columns"),
    Option("hierarchy", "a file, or a builder such as age=intervals:5,10", "NAME=FILE|BUILDER", "columns"),
    Option("kind", "number, category, date or timestamp, as in born=date:%d.%m.%Y", "NAME=KIND", "columns"),
    Option("ordered", "categories whose order has a meaning: size=low,mid,high", "NAME=VALUES", "columns"),
    Option("priority", "rank of a quasi-identifier; 1 is the most important", "NAME=N", "columns"),
    Option("weight", "weight of a quasi-identifier in weighted loss", "NAME=NUMBER", "columns"),
    Option(
        "undeclared",
        "columns that nobody declares: release, drop, or stop (default without -config)",
        "pass|drop|fail",
        "columns",
    ),
    Option("rows-are-people", "each record is another person, even where identifiers repeat", group="columns"),
    Option("save-config", "also write the configuration that does the same", "FILE", "columns"),
)
READING = (
    Option("separator", "characters between values; \\t is a tab (default: guessed)", "TEXT", "reading", "separator"),
    Option("header", "whether the first line names the columns (default: yes)", "yes|no", "reading"),
    Option("encoding", "encoding of text, such as latin-1 (default: utf-8)", "NAME", "reading"),
    Option("decimal", "character before the decimals of numbers (default: a point)", ".|,", "reading"),
    Option("thousands", "character between the thousands of numbers (default: none)", "CHARACTER", "reading"),
    Option("missing", "text of a missing value (default: ?); an empty text is always missing", "TEXT", "reading"),
    Option("input-table", "sheet or table of the file, or table of the database, that is read", "NAME", "reading"),
)
"""How a table is read; every command that reads one has all of them."""
_DEFAULTS: Final = {
    "judged": {
        "missing": "text of a missing value in original records and the population, not in the release, where it is a "
        "value like any other (default: only an empty text)"
    },
    "looked at": {"missing": "text of a missing value (default: only an empty text); an empty text is always missing"},
    "guessed": {
        "header": "whether the first line names the columns (default: what it looks like)",
        "encoding": "encoding of the text (default: utf-8 if it fits, otherwise windows-1252)",
        "decimal": "character before the decimals of numbers (default: what they look like)",
        "thousands": "character between the thousands of numbers (default: what they look like)",
        "missing": "text of a missing value (default: what it looks like); an empty text is always missing",
    },
}


def _add_reading_defaults(default: str) -> tuple[Option, ...]:
    """Return the same options, with what holds in some commands where nobody says anything."""
    texts = _DEFAULTS[default]
    return tuple(replace(option, help=texts.get(option.name, option.help)) for option in READING)


_PAGE = (
    Option("html", "also write the report as a page for people, to print or to open offline", "FILE", "release"),
    Option(
        "report-kind",
        "page for people who may see the original records (default) or for the public",
        "internal|public",
        "release",
    ),
)
ANONYMIZE = (
    Option("config", "configuration to run (default: config.xml)", "FILE", "original"),
    Option("input", "records: files, folders or patterns, .csv.gz, .parquet, .xlsx, .sav, ..", "FILE", "original"),
    Option("output", "release to write; also .gz, .zst, .parquet, .xlsx, .sav or .dta", "FILE", "original"),
    Option(
        "method",
        "Datafly, Mondrian, LocalRecoding, Incognito_k, ..; `toolbox methods` lists all; or package.module:Class",
        "NAME",
        "original",
    ),
    Option("k", f"smallest equivalence class, in records (default: {DEFAULT_K})", "K", "original"),
    Option("l", f"l-diversity of the sensitive attribute (default: {DEFAULT_L:g})", "L", "original"),
    Option("c", "c of recursive (c,l)-diversity (default: entropy l-diversity)", "C", "original"),
    Option("t", f"t-closeness of the sensitive attribute (default: {DEFAULT_T})", "T", "original"),
    Option(
        "model",
        "any model, such as 'entropy l-diversity:l=3:attribute=illness'; -k with it is required as well",
        "MODEL",
        "original",
    ),
    Option("supp-threshold", "most records that may be suppressed (default: k)", "N", "original", "suppThreshold"),
    *_COLUMNS,
    Option("population", "all people who could be in the records, for k-map and delta-presence", "FILE", "columns"),
    *READING,
    Option(
        "on-missing", "records without a value: skip (default), fail, or keep as a category", _ON_MISSING, "reading"
    ),
    Option("max-rejects", "most lines that do not fit, or their share (default: 1%, at least 10)", "N|P%", "reading"),
    Option("rejects", "keep the lines that could not be read", "FILE", "reading"),
    Option(
        "output-format",
        "genVals (default), genValsDist or anatomy; `toolbox methods` lists all",
        "NAME",
        "release",
        "outputFormat",
    ),
    Option("output-separator", "characters between values of the release (default: as the input)", "TEXT", "release"),
    Option("order", "order of the records; shuffled tells nothing (default)", "input|shuffled|sorted", "release"),
    Option("seed", "make random choices reproducible", "N", "release"),
    Option("suppressed", "keep suppressed records, all values at the root, or drop them", "keep|drop", "release"),
    Option("statistics", "statistics of genValsDist: exact (default), or coarse", "exact|rounded", "release"),
    Option("split-size", "split the release into NAME-00001 .. of this size, such as 500MB", "SIZE", "release"),
    Option("escape-formulas", "write ' before cells that a spreadsheet would run (=, +, -, @)", group="release"),
    Option("report", "also write the summary as JSON", "FILE", "release"),
    *_PAGE,
    Option("lattice", "also write every node of the lattice: a .json list, or an .svg picture", "FILE", "release"),
    Option("input-digest", "checksum of the input in the summary (default: none)", "plain|keyed|none", "release"),
    Option(
        "compatibility",
        f"{AS_IN_2010.name}: write what the toolbox of 2010 wrote, byte for byte",
        AS_IN_2010.name,
        "release",
    ),
    Option(
        "dimension",
        "Mondrian: cut the column with the widest range, most values, or the widest share of its domain",
        "range|distinct|interval",
        "method",
    ),
    Option("time-limit", "Flash, OLA, MinGen: seconds to search; then release the best", "SECONDS", "method"),
    Option("node-limit", "Flash, OLA, MinGen: nodes to check; then release the best", "N", "method"),
    Option("cut", "Mondrian: fallback or classic cuts", "fallback|classic", "method"),
    Option("set", "a setting of any other method; may be repeated", "NAME=VALUE", "method"),
    Option("engine", "the records stay in this engine, and only counts leave it", "postgresql|spark", "engine"),
    Option("engine-url", "address of the engine, such as spark://HOST:7077 or local[4]; no password", "URL", "engine"),
    Option("engine-set", "a setting of Spark; may be repeated", "NAME=VALUE", "engine"),
    Option("input-query", "one select, instead of a table", "SQL", "engine"),
    Option("input-format", "format of a folder that Spark reads (default: by its ending)", "parquet|csv|orc", "engine"),
    Option("output-table", "table to make in the database that -output names by its URL", "NAME", "engine"),
    Option("replace", "replace an existing table, or an existing folder of a cluster", group="engine"),
    Option("memory-limit", "memory for the data, such as 2GB; more spills to disk", "SIZE", "machine"),
    Option("threads", "processor threads", "N", "machine"),
    Option("temp-dir", "folder for temporary files (default: the folder of the release)", "FOLDER", "machine"),
    Option("lock-timeout", "seconds to wait for another run into the same folder (default: 30)", "SECONDS", "machine"),
    Option("store", "keep the tables in this DuckDB file", "FILE", "machine"),
    Option("verbose", "show on standard error how far each step is, at least every 10 seconds", group="output"),
    Option("progress-json", "the same for programs: a JSON document on each line, five in a second", group="output"),
)
COMMON = (
    Option("json", "print one JSON document on standard output", group="output"),
    Option("quiet", "print only errors", group="output"),
    Option("debug", "also print where in the program an error arose; this may show values of the data", group="output"),
)
_PEOPLE = Option("id", "columns that name people, to find several records of one person", "NAMES", "question")
_PERSON = Option("person", "columns that tell persons apart, whom classes count then", "NAMES", "question")
_QUESTION = (
    Option("config", "configuration that declares the columns, as for a run", "FILE", "question", "config"),
    Option("qi", "or names of the quasi-identifiers: a,b,c; may be repeated", "NAMES", "question"),
    Option("sensitive", "the sensitive attributes", "NAMES", "question"),
    Option("hierarchy", "hierarchy of a quasi-identifier; may be repeated", "NAME=FILE|BUILDER", "question"),
    Option("kind", "what a column holds, if its values do not show it; may be repeated", "NAME=KIND", "question"),
    *_add_reading_defaults("judged"),
)
_MACHINE = tuple(
    replace(option, help="folder for temporary files (default: that of the system)")
    if option.name == "temp-dir"
    else option
    for option in ANONYMIZE
    if option.name in ("memory-limit", "threads", "temp-dir", "verbose")
)
_MODEL = Option(
    "model",
    "also require any model: 'distinct l-diversity:l=3:attribute=illness'; may be repeated",
    "MODEL",
    "models",
    "model",
)
CHECK = (
    *_QUESTION,
    _PEOPLE,
    _PERSON,
    Option("k", "also require k-anonymity", "K", "models", "k"),
    Option("l", "also require entropy l-diversity of every sensitive attribute", "L", "models", "l"),
    Option("c", "with l: recursive (c,l)-diversity instead", "C", "models", "c"),
    Option("t", "also require t-closeness of every sensitive attribute", "T", "models", "t"),
    _MODEL,
    Option("harmonised", "judge each sensitive attribute with the others as quasi-identifiers", group="models"),
    Option("population", "all people who could be in the release, for k-map and delta-presence", "FILE", "models"),
    *_MACHINE,
)
MEASURE = (
    *_QUESTION,
    Option("weight", "weight of a quasi-identifier in weighted metrics; may be repeated", "NAME=NUMBER", "metrics"),
    Option("label", "column that a classifier should predict, for the classification metric", "NAME", "metrics"),
    Option("k", "k of the release, for the metrics that need it", "K", "metrics", "k"),
    *_MACHINE,
)
_ATTACKERS = (
    Option("matching", "also match everybody at once: which rows remain for each person", group="attackers"),
    Option(
        "known",
        "with --matching: columns that the attacker knows (default: all); may be repeated",
        "NAMES",
        "attackers",
    ),
    Option("insiders", "with --matching: share of the people who have told their row, such as 0.05", "P", "attackers"),
    Option("earlier", "an earlier release of the same people, which the attacker also has", "FILE", "attackers"),
    Option(
        "key", "with --earlier: column that links the rows, or none (default: their order)", "NAME|none", "attackers"
    ),
)
RISK = (
    *_QUESTION,
    _PEOPLE,
    _PERSON,
    Option("original", "original records, for the consistency risk", "FILE", "attackers"),
    Option("population", "all people who could be in the release, for the journalist's risk", "FILE", "attackers"),
    *_ATTACKERS,
    Option(
        "above",
        "also count people with a sensitive value believed more strongly, such as 0.75; may be repeated",
        "P",
        "attackers",
    ),
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "attackers"),
    Option("k", "fewest released records that should fit a person (default: 5)", "K", "attackers", "k"),
    Option("plot", "also draw them: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
)
REPORT = (
    *_QUESTION,
    Option("html", "page to write (default: release.html for release.csv)", "FILE", "release", "output"),
    Option(
        "report-kind",
        "page for people who may see the original records (default) or for the public",
        "internal|public",
        "release",
    ),
    Option("force", "replace an existing page", group="release"),
    Option("original", "original records: what was lost, and before and after", "FILE", "attackers"),
    Option("population", "all people who could be in the release, for the journalist's risk", "FILE", "attackers"),
    *_ATTACKERS,
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "attackers"),
    *(option for option in CHECK if option.name in ("k", "l", "c", "t", "model")),
    *_MACHINE,
)
INIT = (
    Option("output", "configuration to write (default: people.xml for people.csv)", "FILE", "suggestion", "o"),
    Option("force", "replace a file of this name", group="suggestion"),
    Option("yes", "accept every guess, without questions", group="suggestion"),
    *_add_reading_defaults("guessed"),
    *_MACHINE,
)
DETECT = (
    Option(
        "config", "configuration that says how to read the table, and its identifiers", "FILE", "question", "config"
    ),
    Option(
        "columns",
        "columns that an attacker may know: a,b,c (default: all that do not clearly identify people); may be repeated",
        "NAMES",
        "question",
    ),
    Option("exclude", "columns to leave out; may be repeated", "NAMES", "question"),
    Option("all", "also look at columns that clearly identify people, by their names or values", group="question"),
    Option("max-columns", "columns in the largest subsets to look at (default: 4)", "N", "question"),
    *_add_reading_defaults("looked at"),
    Option(
        "on-missing",
        "drop records that lack a value, or count it as a value (default: drop)",
        "drop|value",
        "reading",
    ),
    Option("top", "subsets to show (default: 20)", "N", "output"),
    Option("plot", "also draw them: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
)
SINGLETONS = (
    *(option for option in _QUESTION if option.name != "sensitive" and option not in _add_reading_defaults("judged")),
    *READING,
    Option("k", "records in a class smaller than this stand out (default: 2)", "K", "variants", "k"),
    Option(
        "scope",
        "generalise only records that stand out, or all records (default: both are tried)",
        "local|global|both",
        "variants",
    ),
    Option("rule", "the only ways to generalise a column: parent, any, ..; may be repeated", "NAME=RULES", "variants"),
    Option("top", "variants to show (default: 20)", "N", "output"),
    *_MACHINE,
)
HIERARCHY = (
    Option("config", "configuration that declares the hierarchy, instead of a file", "FILE", "hierarchy", "config"),
    Option("column", "column of the configuration, or of the data", "NAME", "hierarchy"),
    Option("from", "notation of the file (default: what its content says)", "arx|utd|rules|child-parent", "hierarchy"),
    Option("header", "whether the first line of the file names columns (default: guessed)", "yes|no", "hierarchy"),
    Option("to", "notation to write (default: by the ending of -o; arx)", "arx|utd|rules|child-parent", "hierarchy"),
    Option("output", "file to write (default: standard output)", "FILE", "hierarchy", "o"),
    *(replace(option, group="data") for option in READING if option.name != "header"),
    Option("depth", "show: levels below the root to draw (default: as many as fit)", "N", "output"),
    Option("all", "show: leave nothing out", group="output"),
    Option("values", "show, check: also show values that occur only in the data", group="output"),
    *_MACHINE,
)
COMPARE = (
    Option("config", "configuration that declares the columns, if it is not named first", "FILE", "question", "config"),
    *(option for option in _QUESTION if option.name in ("qi", "sensitive", "hierarchy", "kind")),
    *READING,
    Option("weight", "weight of a quasi-identifier in weighted metrics; may be repeated", "NAME=NUMBER", "question"),
    Option(
        "methods", "methods to compare, with settings: Datafly,Mondrian:cut=classic (default: all)", "NAMES", "compared"
    ),
    Option(
        "k",
        f"values of k to compare: 3,5,10 (default: that of the configuration, or {DEFAULT_K})",
        "K,..",
        "compared",
        "k",
    ),
    Option("l", "also compare entropy l-diversity of every sensitive attribute", "L,..", "compared", "l"),
    Option("t", "also compare t-closeness of every sensitive attribute", "T,..", "compared", "t"),
    Option("supp-threshold", "most records that a run may suppress (default: k)", "N", "compared", "suppThreshold"),
    Option(
        "metrics",
        "what to measure (default: information kept, normalised certainty penalty, non-uniform entropy)",
        "NAMES",
        "measured",
    ),
    Option("by", "the metric that says which run is best (default: the first)", "NAME", "measured"),
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "measured"),
    Option("plot", "also draw risk against loss: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
)
EXPERIMENT = (
    Option(
        "output",
        "folder of the results (default: PLAN-results); existing results are not computed again",
        "FOLDER",
        "compared",
        "output",
    ),
    Option("allow-code", "let the plan name module:Class, which is imported and run", group="compared"),
    Option("jobs", "processes that run at once (default: one for each core); the results are the same", "N", "machine"),
    *_MACHINE,
)
APP = (
    Option("root", "look for files only below this folder (default: here)", "FOLDER", "machine"),
    Option("port", "port of this machine (default: any that is free)", "N", "machine"),
    Option("no-browser", "only print a link, and open no browser", group="machine"),
)
REPEATABLE = {
    *("set", "engine-set", "input", "person", "id", "qi", "sensitive", "hierarchy", "kind", "ordered", "priority"),
    *("weight", "model", "columns", "exclude", "known", "above", "rule", "methods", "metrics"),
}
METHOD_SETTINGS = ("dimension", "cut", "time_limit", "node_limit")
