"""Everything that a run may be told, in one table: what it is called everywhere, how it is read, and what it says.

The reader of configurations, `Overrides`, the options of the command line, the writer of configurations, the settings
of a `Project`, the schema and the page of all attributes are made from this table. One more setting is one more row:
`value_of` returns what was said of it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, TypeVar

from toolbox.config import values
from toolbox.config.formats import AS_IN_2010, FORMATS, MODES
from toolbox.config.model import (
    DEFAULT_K,
    DEFAULT_L,
    DEFAULT_MISSING,
    DEFAULT_T,
    Attacker,
    Config,
    InputDigest,
    Limits,
    OnMissing,
    Order,
    ReportKind,
    Statistics,
    Suppressed,
    Undeclared,
)
from toolbox.config.values import Option, RunSetting
from toolbox.messages import Language

T = TypeVar("T")

REPORT_KIND: Final[RunSetting[ReportKind]] = RunSetting.take_word(
    "report-kind",
    "page for people who may see the original records (default) or for the public",
    ReportKind,
    "release",
    default="internal",
)
REPORT_LANGUAGE: Final = RunSetting.take_word(
    "report-language", "language of the page for people", Language, "release", default="en"
)
_DECISION: Final = tuple(
    RunSetting(name, words, "TEXT", "release", element="output", read=values.parse_filled_text, held="others")
    for name, words in (
        ("organisation", "who releases it, for the report"),
        ("purpose", "what it is released for, for the report"),
        ("decided-by", "who decides on the release, for the report"),
    )
)
KEY: Final = RunSetting.take_path("key", "key file of pseudonyms, which `toolbox key new FILE` makes", "columns")
SAME_DOMAIN: Final = RunSetting.take_path(
    "same-domain-as", "report (JSON) of a release with the same pseudonyms", "columns", "REPORT"
)
SMALL_CLASSES: Final = RunSetting.take_word(
    "small-classes",
    "classes that a saved recoding makes too small: merge or suppress them",
    ("merge", "suppress"),
    "columns",
    element="config",
    held="others",
    more="merge: they become wider along the saved tree, with as few others as that takes; suppress: as many records "
    "as suppThreshold allows. Otherwise a recoding with one level for each column suppresses them as far as that is "
    "allowed, and all else is merged.",
)
LEAVE: Final = "leave"
"""The word for small classes that stay as they are: what is made then is no release."""
EPSILON, DELTA = (
    RunSetting(
        name, words, "NUMBER", "columns", read=values.parse_positive_real, element="config", held="others", more=more
    )
    for name, words, more in (
        (
            "epsilon",
            "with a saved recoding: draw records by lot, for differential privacy",
            "Each record is drawn with probability 1 - exp(-epsilon), and classes below a k that follows from both "
            "numbers are left out. It goes together with delta.",
        ),
        ("delta", "the delta of (epsilon, delta)-differential privacy, such as 1e-6", ""),
    )
)
SUPPRESS_BY: Final = RunSetting.take_word(
    "suppress-by", "suppress rows, or whole persons", ("row", "person"), "columns", element="config", held="others"
)
EARLIER_KEY: Final = RunSetting.take_column(
    "earlier-key", "with --with: column that tells persons apart in all releases (default: --person)", "earlier"
)
EARLIER_REPAIR: Final = RunSetting.take_switch(
    "earlier-repair",
    "with --with: make values wider until nobody is below k in all releases together",
    "columns",
    element="earlier",
    held="others",
)
RUN: Final[tuple[Option, ...]] = (
    # What to do.
    Option("config", "configuration to run (default: config.xml)", "FILE", "original"),
    RunSetting.take_place(
        "input", "records: files, folders or patterns, .csv.gz, .parquet, .xlsx, .sav, ..", "FILE", "original"
    ),
    RunSetting.take_place(
        "output", "release to write; also .gz, .zst, .parquet, .xlsx, .sav or .dta", "FILE", "original"
    ),
    RunSetting.take_place(
        "method",
        "Datafly, Mondrian, LocalRecoding, Incognito_k, ..; `toolbox methods` lists all; or package.module:Class",
        "NAME",
        "original",
        element="config",
        default="Mondrian",
        more="The case of the name does not matter. A configuration names installed methods only.",
    ),
    RunSetting(
        "k",
        f"smallest equivalence class, in records (default: {DEFAULT_K})",
        "K",
        "original",
        held="apart",
        element="config",
        read=partial(values.parse_integer, minimum=1),
        default=DEFAULT_K,
        more="k-anonymity: the fewest records that share their quasi-identifiers.",
    ),
    RunSetting(
        "l",
        f"l-diversity of the sensitive attribute (default: {DEFAULT_L:g})",
        "L",
        "original",
        held="apart",
        element="config",
        read=values.parse_positive_real,
        default=DEFAULT_L,
        more="How many different sensitive values a class must have, in effect.",
    ),
    RunSetting(
        "c",
        "c of recursive (c,l)-diversity (default: entropy l-diversity)",
        "C",
        "original",
        held="apart",
        element="config",
        read=values.parse_positive_or_unset,
        more="0 or less: as if it were not given.",
    ),
    RunSetting(
        "t",
        f"t-closeness of the sensitive attribute (default: {DEFAULT_T})",
        "T",
        "original",
        held="apart",
        element="config",
        read=values.parse_proper_fraction,
        default=DEFAULT_T,
        more="How far the sensitive values of a class may be distributed from those of the table; between 0 and 1.",
    ),
    Option(
        "model",
        "any model, such as 'entropy l-diversity:l=3:attribute=illness'; -k with it is required as well",
        "MODEL",
        "original",
    ),
    RunSetting(
        "supp-threshold",
        "most records that may be suppressed (default: k)",
        "N",
        "original",
        "suppThreshold",
        element="config",
        read=values.parse_threshold,
        more="A number, 0 for none, or a share such as 2%. The case of this name does not matter.",
        held="config.suppression_threshold",
    ),
    # The columns.
    Option("qi", "quasi-identifiers, which an attacker may know: a,b,c", "NAMES", "columns"),
    Option("id", "identifiers, which are dropped", "NAMES", "columns"),
    Option("person", "column that tells persons apart, where some have several records; dropped", "NAMES", "columns"),
    Option("sensitive", "columns that nobody should learn about a person; released as they are", "NAMES", "columns"),
    Option(
        "treat",
        "another column is released so: pay=round:1000, born=truncate:year",
        "NAME=TREATMENT",
        "columns",
    ),
    KEY,
    SAME_DOMAIN,
    Option(
        "table",
        "another table of the same persons, released with this one: visits=visits.csv:key=patient",
        "NAME=FILE",
        "columns",
    ),
    Option("hierarchy", "a file, or a builder such as age=intervals:5,10", "NAME=FILE|BUILDER", "columns"),
    Option("kind", "number, category, date or timestamp, as in born=date:%d.%m.%Y", "NAME=KIND", "columns"),
    Option("ordered", "categories whose order has a meaning: size=low,mid,high", "NAME=VALUES", "columns"),
    Option("priority", "rank of a quasi-identifier; 1 is the most important", "NAME=N", "columns"),
    Option("weight", "weight of a quasi-identifier in weighted loss", "NAME=NUMBER", "columns"),
    RunSetting.take_word(
        "undeclared",
        "columns that nobody declares: release, drop, or stop (default without -config)",
        Undeclared,
        "columns",
        element="config",
        default="pass",
        more="pass: columns that stand in none of id, qid and sens are released as they are, and the summary names "
        "them; drop: they are left out; fail: the run stops.",
    ),
    RunSetting.take_switch(
        "rows-are-people",
        "each record is another person, even where identifiers repeat",
        "columns",
        element="config",
        more="Otherwise the identifiers are compared with the classes, and the verdict says where a class has fewer "
        "people than it should.",
    ),
    RunSetting.take_word(
        "attacker", "what somebody knows: each row, or all rows of a person", Attacker, "columns", element="config"
    ),
    SUPPRESS_BY,
    RunSetting.take_path(
        "save-config", "also write the configuration that does the same", "columns", held="output.configuration"
    ),
    RunSetting.take_place(
        "recoding",
        "generalise as a saved recoding says, instead of searching",
        "FILE",
        "columns",
        element="config",
        held="apart",
        more="It says what the columns are, and what every class must satisfy.",
    ),
    RunSetting.take_object(
        "save-recoding", "also write how values were generalised, for the next table", "columns", held="output.recoding"
    ),
    SMALL_CLASSES,
    EPSILON,
    DELTA,
    RunSetting.take_place(
        "earlier",
        "earlier releases, whose readers get this one, too: stop if people are below k in all of them",
        "FILE ..",
        "columns",
        also="with",
    ),
    EARLIER_KEY,
    EARLIER_REPAIR,
    RunSetting.take_place(
        "population", "all people who could be in the records, for k-map and delta-presence", "FILE", "columns"
    ),
    RunSetting.take_column(
        "sample-weight", "column with the people for whom each record stands, for risk, check and k-map", "config"
    ),
    RunSetting(
        "sampling-fraction",
        "share of the population in the records, where there are no weights",
        "SHARE",
        "columns",
        element="config",
        read=values.parse_sampling_fraction,
        held="others",
    ),
    # How the records are written.
    RunSetting(
        "separator",
        "characters between values; \\t is a tab (default: guessed)",
        "TEXT",
        "reading",
        "separator",
        element="input",
        read=values.parse_separator,
        default=",",
        more="A configuration that says nothing means a comma; a semicolon, a tab or a vertical bar is taken where a "
        "comma does not cut out the declared columns, with a note.",
    ),
    RunSetting(
        "header",
        "whether the first line names the columns (default: yes)",
        "yes|no",
        "reading",
        element="input",
        read=values.parse_boolean,
        default=False,
        more="A configuration that says nothing means no.",
    ),
    RunSetting(
        "header-line",
        "line of a text where its header stands, below a title (default: 1)",
        "NUMBER",
        "reading",
        element="input",
        read=values.parse_header_line,
        default=1,
        more="Lines above it are not read. Blank lines before the header need no setting.",
    ),
    RunSetting(
        "encoding",
        "encoding of text, such as latin-1 (default: utf-8)",
        "NAME",
        "reading",
        element="input",
        read=values.parse_encoding,
        default="utf-8",
    ),
    RunSetting(
        "decimal",
        "character before the decimals of numbers (default: a point)",
        ".|,",
        "reading",
        element="input",
        read=values.parse_decimal,
        default=".",
    ),
    RunSetting(
        "thousands",
        "character between the thousands of numbers (default: none)",
        "CHARACTER",
        "reading",
        element="input",
        read=values.parse_thousands,
        default="",
    ),
    RunSetting(
        "missing",
        "text of a missing value (default: ?); an empty text is always missing",
        "TEXT",
        "reading",
        element="input",
        default=DEFAULT_MISSING,
    ),
    RunSetting.take_place(
        "input-table",
        "sheet or table of the file, or table of the database, that is read",
        "NAME",
        "reading",
        element="input",
        more="Such as public.people.",
    ),
    RunSetting.take_word(
        "on-missing",
        "records without a value: skip, fail, or keep as a category (default: skip 1% at most)",
        OnMissing,
        "reading",
        element="input",
        more="A record that lacks a declared value is left out; or the run stops; or missing is a category of its own. "
        "Where nothing is said, at most 1 % of the records are left out; with more of them the run stops, and asks.",
    ),
    RunSetting(
        "max-rejects",
        "most lines that do not fit, or their share (default: 1%, at least 10)",
        "N|P%",
        "reading",
        element="input",
        read=values.parse_portion,
        more="With more lines that have too many or too few values, the run stops.",
    ),
    RunSetting.take_path("rejects", "keep the lines that could not be read", "reading", held="output"),
    # The release.
    RunSetting(
        "output-format",
        "genVals (default), genValsDist or anatomy; `toolbox methods` lists all",
        "NAME",
        "release",
        "outputFormat",
        element="output",
        read=lambda text: values.parse_word(text, FORMATS.names),
        more="genVals: generalised values; genValsDist: with the statistics of each class; anatomy: two tables, joined "
        "by a class number.",
        held="output.format",
    ),
    RunSetting(
        "output-separator",
        "characters between values of the release (default: as the input)",
        "TEXT",
        "release",
        element="output",
        read=values.parse_separator,
        held="output.separator",
    ),
    RunSetting.take_word(
        "order",
        "order of the records; shuffled tells nothing (default)",
        Order,
        "release",
        element="output",
        more="shuffled: a random one; sorted: by the released values; input: that of the input (the default with "
        "compatibility), by which two releases of one table can be joined line by line.",
    ),
    RunSetting(
        "seed",
        "make random choices reproducible",
        "N",
        "release",
        element="config",
        read=partial(values.parse_integer, minimum=0),
        more="Without it, the randomness is the operating system's.",
    ),
    RunSetting.take_word(
        "suppressed",
        "keep suppressed records, all values at the root, or drop them",
        Suppressed,
        "release",
        element="config",
        default="keep",
        held="output",
    ),
    RunSetting.take_word(
        "statistics",
        "statistics of genValsDist: exact (default), or coarse",
        Statistics,
        "release",
        element="output",
        default="exact",
        more="exact: from many small classes their values can be found; rounded: so coarse that at least k multisets "
        "of values have those of a class.",
    ),
    RunSetting(
        "split-size",
        "split the release into NAME-00001 .. of this size, such as 500MB",
        "SIZE",
        "release",
        element="output",
        read=values.parse_file_size,
    ),
    RunSetting(
        "partition-by",
        "release a folder, NAME.parquet or .csv, with a file for each value of these columns",
        "NAMES",
        "release",
        element="output",
        read=values.parse_column_names,
        more="As Hive and Spark read it: year=2020/part-0.parquet. The folder must not be there yet.",
        held="output.partition_by",
    ),
    RunSetting.take_switch(
        "escape-formulas",
        "write ' before cells that a spreadsheet would run (=, +, -, @)",
        "release",
        element="output",
        held="output.escapes_formulas",
    ),
    RunSetting.take_object("report", "also write the summary as JSON", "release", held="output"),
    RunSetting.take_object(
        "html", "also write the report as a page for people, to print or to open offline", "release", held="output"
    ),
    REPORT_KIND,
    REPORT_LANGUAGE,
    *_DECISION,
    RunSetting.take_object(
        "codebook", "also write what each column of the release is (JSON)", "release", held="output"
    ),
    RunSetting(
        "lattice",
        "also write every node of the lattice: a .json list, or an .svg picture",
        "FILE",
        "release",
        read=values.parse_lattice_path,
        held="output",
    ),
    RunSetting.take_word(
        "input-digest",
        "checksum of the input in the summary (default: none)",
        InputDigest,
        "release",
        element="output",
        default="none",
        more="plain: its SHA-256, by which whoever guesses the last unknown cell can confirm it; keyed: an HMAC with a "
        "key of the user's, which only they can compare; none: nothing.",
    ),
    RunSetting.take_word(
        "compatibility",
        f"{AS_IN_2010.name}: write what the toolbox of 2010 wrote, byte for byte",
        tuple(MODES),
        "release",
        element="config",
        more="Without its bugs.",
    ),
    # Databases and clusters.
    RunSetting.take_place(
        "engine",
        "the records stay in this engine, and only counts leave it",
        "postgresql|mariadb|mysql|spark",
        "engine",
    ),
    RunSetting.take_place(
        "engine-url", "address of the engine, such as spark://HOST:7077 or local[4]; no password", "URL", "engine"
    ),
    Option("engine-set", "a setting of Spark; may be repeated", "NAME=VALUE", "engine"),
    RunSetting.take_place(
        "input-query",
        "one select, instead of a table",
        "SQL",
        "engine",
        element="input",
        more="Its rows are the records.",
    ),
    RunSetting(
        "input-format",
        "format of a folder that Spark reads (default: by its ending)",
        "parquet|csv|orc",
        "engine",
        held="apart",
        element="input",
        more="Other engines that read folders have formats of their own.",
    ),
    RunSetting.take_place(
        "output-table",
        "table to make in the database that -output names by its URL",
        "NAME",
        "engine",
        element="output",
        more="Such as release.people.",
    ),
    RunSetting.take_switch(
        "replace",
        "replace an existing table, or an existing folder of a cluster",
        "engine",
        held="apart",
        element="output",
    ),
    # The machine.
    RunSetting.take_switch(
        "allow-network", "read and write s3://, gs:// and az://", "machine", element="config", held="limits.network"
    ),
    RunSetting(
        "memory-limit",
        "memory for the data, such as 2GB; more spills to disk",
        "SIZE",
        "machine",
        read=values.parse_memory,
        held="limits.memory",
    ),
    RunSetting(
        "threads",
        "processor threads",
        "N",
        "machine",
        read=partial(values.parse_integer, minimum=1, maximum=values.MOST_THREADS),
        held="limits",
    ),
    RunSetting.take_path(
        "temp-dir",
        "folder for temporary files (default: the folder of the release)",
        "machine",
        "FOLDER",
        held="limits",
    ),
    RunSetting(
        "lock-timeout",
        "seconds to wait for another run into the same folder (default: 30)",
        "SECONDS",
        "machine",
        read=values.parse_seconds,
        default=Limits.lock_timeout,
        held="limits",
    ),
    RunSetting.take_path("store", "keep the tables in this DuckDB file", "machine", held="limits"),
)
"""All options of a run, in the order of the help; the settings of methods have options of their own."""
SETTINGS: Final[dict[str, RunSetting[Any]]] = {option.field: option for option in RUN if isinstance(option, RunSetting)}
"""The settings among them, by their names in Python."""


def list_settings(
    element: str | None = None, *, holder: str | None = None, with_places: bool = False
) -> list[RunSetting[Any]]:
    """List the settings that an element of a configuration says, or that a part of a `Config` holds.

    Examples
    --------
    >>> [setting.attribute for setting in list_settings("config", holder="config")]
    ['suppThreshold', 'undeclared', 'rowsArePeople', 'attacker', 'seed', 'compatibility']
    """
    return [
        setting
        for setting in SETTINGS.values()
        if element in (None, setting.element)
        and holder in (None, setting.holder)
        and (with_places or not setting.is_place)
    ]


def name_option(name: str) -> str:
    """Return what messages call a setting, or a setting of the method.

    Examples
    --------
    >>> name_option("supp_threshold"), name_option("on_missing"), name_option("cut")
    ('-suppThreshold', '--on-missing', '--cut')
    """
    if name == "engine_settings":
        return "--engine-set"
    return SETTINGS[name].flags[0] if name in SETTINGS else f"--{name.replace('_', '-')}"


def value_of(config: Config, setting: RunSetting[T]) -> T:
    """Return the value of a setting that has no field in a `Config`, or its default."""
    value: T = config.others.get(setting.field, setting.default)
    return value
