"""The options of the command line: those of the original, and our own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolbox.config.model import DEFAULT_K
from toolbox.config.settings import RUN
from toolbox.config.values import Option


def _of_run(*names: str) -> tuple[Option, ...]:
    """Return options of a run that other commands have, too."""
    return tuple(option for option in RUN if option.name in names)


READING = _of_run("separator", "header", "encoding", "decimal", "thousands", "missing", "input-table")
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


ANONYMIZE = (
    *RUN,
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
    Option("verbose", "show on standard error how far each step is, at least every 10 seconds", group="output"),
    Option("progress-json", "the same for programs: a JSON document on each line, five in a second", group="output"),
)
_DECLARING: Final = (
    *(
        "config",
        "input",
        "method",
        "k",
        "l",
        "c",
        "t",
        "model",
        "qi",
        "id",
        "person",
        "sensitive",
        "treat",
        "table",
        "hierarchy",
    ),
    *("kind", "ordered", "priority", "weight", "rows-are-people", "attacker", "save-config", "population"),
    *(
        "recoding",
        "save-recoding",
        "sample-weight",
        "sampling-fraction",
        "lattice",
        "compatibility",
        "engine",
        "engine-url",
    ),
    *("engine-set", "input-query", "input-format", "output-format"),
)
"""What a run is told of columns, models and methods, which a saved recoding says instead."""
APPLY = tuple(option for option in ANONYMIZE if option.name not in _DECLARING and option.group != "method")
COMMON = (
    Option("json", "print one JSON document on standard output", group="output"),
    Option("quiet", "print only errors", group="output"),
    Option("debug", "also print where in the program an error arose; this may show values of the data", group="output"),
)
SAVED_RECODING = Option("save-recoding", "with preview: also write the recoding", "FILE", "output")
_PEOPLE = Option("id", "columns that name people, to find several records of one person", "NAMES", "question")
_PERSON = Option("person", "columns that tell persons apart, whom classes count then", "NAMES", "question")
_CHILD = Option(
    "table",
    "release of another table of the same persons: visits=FILE:key=patient; with --qi visits.ward; may be repeated",
    "NAME=FILE",
    "question",
)
_COMPARED_CHILD = replace(_CHILD, help=f"{_CHILD.help}; :original=FILE names the rows that it was made from")
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
_NETWORK = replace(next(each for each in ANONYMIZE if each.name == "allow-network"), help="read s3://, gs:// and az://")
_MODEL = Option(
    "model",
    "also require any model: 'distinct l-diversity:l=3:attribute=illness'; may be repeated",
    "MODEL",
    "models",
    "model",
)
_SAMPLE = tuple(replace(option, group="question") for option in _of_run("sample-weight", "sampling-fraction"))
CHECK = (
    *_QUESTION,
    _PEOPLE,
    _PERSON,
    _CHILD,
    *_SAMPLE,
    Option("k", "also require k-anonymity", "K", "models", "k"),
    Option("l", "also require entropy l-diversity of every sensitive attribute", "L", "models", "l"),
    Option("c", "with l: recursive (c,l)-diversity instead", "C", "models", "c"),
    Option("t", "also require t-closeness of every sensitive attribute", "T", "models", "t"),
    _MODEL,
    Option("harmonised", "judge each sensitive attribute with the others as quasi-identifiers", group="models"),
    Option("population", "all people who could be in the release, for k-map and delta-presence", "FILE", "models"),
    Option(
        "sql",
        "print the query of each required model as a test of dbt, in which RELEASE is a model; no file is read",
        "duckdb|postgresql|mysql|mariadb|mssql",
        "models",
    ),
    *_MACHINE,
    _NETWORK,
)
_BOUND = (
    Option(
        "bound",
        "also prove what every such release loses at least, by lm, ncp, granularity or precision; may be repeated",
        "NAMES",
        "metrics",
    ),
    Option("bound-seconds", "most seconds of the search for each bound (default: 60)", "SECONDS", "metrics"),
)
_PAIRS = Option(
    "pairs", "also compare each pair of columns: two-way table, correlation, means, variances", group="metrics"
)
MEASURE = (
    *_QUESTION,
    replace(_PERSON, help="columns that tell persons apart, whom metrics of class sizes count then"),
    _COMPARED_CHILD,
    Option("weight", "weight of a quasi-identifier in weighted metrics; may be repeated", "NAME=NUMBER", "metrics"),
    Option("label", "column that a classifier should predict, for the classification metric", "NAME", "metrics"),
    Option("k", "k of the release, for the metrics that need it", "K", "metrics", "k"),
    *_BOUND,
    Option("certificate", "with one --bound: write its proof, a price for each combination", "FILE", "metrics"),
    _PAIRS,
    *_MACHINE,
    _NETWORK,
)
_FEW_COLUMNS = Option(
    "few-columns",
    "also count whom somebody finds who knows any N of the quasi-identifiers, or fewer",
    "N",
    "attackers",
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
    _COMPARED_CHILD,
    *_SAMPLE,
    Option(
        "household", "column that tells households apart, for the risk of records with the others", "NAME", "question"
    ),
    Option("original", "original records, for the consistency risk", "FILE", "attackers"),
    Option("population", "all people who could be in the release, for the journalist's risk", "FILE", "attackers"),
    _FEW_COLUMNS,
    Option(
        "control", "people of the same source who are not in the release: are they found as well?", "FILE", "attackers"
    ),
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
    _NETWORK,
)
REPORT = (
    *_QUESTION,
    Option("html", "page to write (default: release.html for release.csv)", "FILE", "release", "output"),
    *_of_run("report-kind", "report-language"),
    Option("force", "replace an existing page", group="release"),
    Option("original", "original records: what was lost, and before and after", "FILE", "attackers"),
    Option("population", "all people who could be in the release, for the journalist's risk", "FILE", "attackers"),
    *_ATTACKERS,
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "attackers"),
    *_BOUND,
    _PAIRS,
    *(option for option in CHECK if option.name in ("k", "l", "c", "t", "model")),
    *_MACHINE,
    _NETWORK,
)
INIT = (
    Option("output", "configuration to write (default: people.xml for people.csv)", "FILE", "suggestion", "o"),
    Option("force", "replace a file of this name", group="suggestion"),
    Option("yes", "accept every guess, without questions", group="suggestion"),
    Option(
        "preset", "a rule that goes before guesses: what HIPAA Safe Harbor lists", "hipaa-safe-harbor", "suggestion"
    ),
    Option(
        "zip-population",
        "with this preset: a table of ZIP codes and their people, to show three digits where more than 20,000 live",
        "FILE",
        "suggestion",
    ),
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
    Option("person", "columns that tell persons apart, who are counted then instead of records", "NAMES", "question"),
    Option("max-columns", "columns in the largest subsets to look at (default: 4)", "N", "question"),
    Option("suda", "also score the records that up to N columns single out (SUDA2)", "N", "question"),
    Option(
        "sampling-fraction", "share of the population that is in the table, for the DIS scores", "SHARE", "question"
    ),
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
    _NETWORK,
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
    _NETWORK,
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
    _PERSON,
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
    *(replace(option, group="measured") for option in _BOUND),
    Option("threshold", "risk above which a record is at risk (default: 0.2)", "P", "measured"),
    Option("plot", "also draw risk against loss: a file that ends in .png, .svg or .pdf", "FILE", "output"),
    *_MACHINE,
    _NETWORK,
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
    *(
        "bound",
        "set",
        "engine-set",
        "input",
        "person",
        "id",
        "qi",
        "sensitive",
        "hierarchy",
        "kind",
        "ordered",
        "priority",
    ),
    *("weight", "treat", "table", "model", "columns", "exclude", "known", "above", "rule", "methods", "metrics"),
}
METHOD_SETTINGS = ("dimension", "cut", "time_limit", "node_limit")
