"""What a run is asked for: the method, the models, the format, and options of all kinds; sound ones or absurd ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from fuzzing.columns import Column
from fuzzing.draw import Draw

FULL_DOMAIN = ("Datafly", "Incognito_k", "Incognito_l", "Incognito_t")
# Each of them takes l or t instead of k.
ONE_SENSITIVE = ("Incognito_l", "Incognito_t", "Anatomy")
_OBJECTIVES: tuple[dict[str, str], ...] = (
    {},
    *({"loss": word} for word in ("bits", "mixed", "columns")),
    *({"objective": word} for word in ("lm", "ncp", "precision", "weighted-non-uniform-entropy")),
)
_METHODS = ("Mondrian", "Mondrian", "LocalRecoding", "PrioPrivacy", "Singletons", "Anatomy", *FULL_DOMAIN)
_ABSURD = ("", "0", "-1", "x", "1e9", "99999999999999999999", "nan", "2.5", "9" * 5_000, "١", " 3 ", "3\0", "\ud7ff")
_SIZES = ("200MB", "1GB", "512MiB", "99999999999TB", "1B", "0MB", "lots", "10KB")
_EXTENSIONS = ("csv", "csv", "csv", "csv", "csv.gz", "csv.zst", "parquet", "txt")


@dataclass
class Options:
    """What stands in the configuration and on the command line besides the columns."""

    method: str
    k: int
    output: str
    format: str
    missing: str
    on_missing: str
    suppressed: str
    seed: int | None
    separator: str | None
    """Of the release, if it is another one than that of the input."""
    split: bool
    max_rejects: str | None
    """Most lines that may be rejected: a number, a percentage, or as it is by default."""
    is_k_known: bool = True
    """Whether no absurd k has taken its place."""
    is_escaped: bool = False
    """Whether formulas are escaped."""
    root: dict[str, str] = field(default_factory=dict)
    """Attributes of the root element."""
    models: str = ""
    """The element ``privacy``, if there is one."""
    arguments: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    """Files that the run may write besides the release."""


def draw_method(draw: Draw) -> str:
    return draw.choice(_METHODS)


def draw_options(draw: Draw, method: str, columns: Sequence[Column]) -> Options:
    """Draw what goes with a method."""
    sensitive = [index for index, column in enumerate(columns) if column.role == "sens"]
    formats = ("anatomy",) if method == "Anatomy" else ("genVals", "genVals", "genVals", "genValsDist", "anatomy")
    options = Options(
        method=method,
        # With k = 1 nobody stands out, so that Singletons refuses it.
        k=draw.choice((2, 2, 2, 3, 3, 5) if method == "Singletons" else (1, 2, 2, 3, 3, 5)),
        output=f"out.{draw.choice(_EXTENSIONS)}",
        format=draw.choice(formats),
        missing=draw.choice(("?", "?", "?", "NA", "", "*", "a")),
        on_missing=draw.choice(("skip", "skip", "skip", "keep", "fail")),
        suppressed=draw.choice(("keep", "keep", "drop")),
        seed=draw.whole(0, 9) if draw.chance(0.5) else None,
        separator=draw.choice((None, None, None, ";", "\t", "::", "|")),
        split=draw.chance(0.08),
        max_rejects=draw.choice((None, None, None, "0", "3", "100%")),
    )
    _models(draw, options, sensitive)
    _switches(draw, options)
    _absurdities(draw, options)
    return options


def _models(draw: Draw, options: Options, sensitive: Sequence[int]) -> None:
    diversity = draw.choice((1, 2, 2, 3))
    options.root["method"] = options.method if draw.chance(0.8) else options.method.upper()
    if options.method not in ONE_SENSITIVE:
        options.root["k"] = str(options.k)
    if options.method in ("Incognito_l", "Anatomy"):
        options.root["l"] = str(diversity)
        if options.method == "Incognito_l" and draw.chance(0.5):
            options.root["c"] = draw.choice(("2", "0.5", "3"))
    if options.method == "Incognito_t":
        options.root["t"] = draw.choice(("0.3", "0.5", "0.9"))
    if options.method in ("Mondrian", "LocalRecoding", "Incognito_k") and sensitive and draw.chance(0.25):
        name = f"attribute='column {sensitive[0]}'"
        other = draw.choice(
            (
                f"name='distinct l-diversity' l='{diversity}'",
                f"name='entropy l-diversity' l='{diversity}'",
                f"name='recursive (c,l)-diversity' c='2' l='{diversity}'",
                "name='t-closeness' t='0.5' distance='equal'",
                f"name='p-sensitive k-anonymity' p='{diversity}' k='{options.k}'",
                f"name='(alpha,k)-anonymity' alpha='0.7' k='{options.k}'",
            )
        )
        options.models = f"<privacy><model name='k-anonymity' k='{options.k}'/><model {other} {name}/></privacy>"
        del options.root["k"]


def _switches(draw: Draw, options: Options) -> None:
    if "k" in options.root and draw.chance(0.1):
        options.arguments += ["-k", str(options.k)]
        options.root["k"] = "100"
    if draw.chance(0.3) and options.method in ("Datafly", "Incognito_k", "Singletons"):
        options.arguments += ["-suppThreshold", str(draw.choice((0, 1, 3, 100)))]
    if options.method == "Mondrian" and draw.chance(0.5):
        options.root["dimension"] = draw.choice(("range", "distinct", "interval"))
        options.root["cut"] = draw.choice(("fallback", "classic"))
        options.root["naming"] = draw.choice(("values", "values", "regions"))
    if options.method == "LocalRecoding":
        options.root |= draw.choice(_OBJECTIVES)
    if options.seed is not None:
        options.root["seed"] = str(options.seed)
    for name, extension, probability in (("report", "json", 0.1), ("rejects", "csv", 0.2), ("store", "duckdb", 0.04)):
        if draw.chance(probability):
            options.arguments += [f"--{name}", f"{name}.{extension}"]
            options.declared.add(f"{name}.{extension}")
    if options.max_rejects is not None:
        options.arguments += ["--max-rejects", options.max_rejects]
    if draw.chance(0.1) and not options.output.endswith("parquet"):
        options.arguments.append("--escape-formulas")
        options.is_escaped = True
    if draw.chance(0.2):
        options.arguments += ["--memory-limit", "300MB"]
    if draw.chance(0.1):
        options.arguments += ["--temp-dir", "temporary"]
    options.arguments += ["--threads", draw.choice(("1", "1", "1", "1", "1", "2", "4"))]


def _absurdities(draw: Draw, options: Options) -> None:
    if draw.wrong("an absurd number", 0.12):
        name = draw.choice(("-k", "-l", "-c", "-t", "-suppThreshold", "--seed", "--threads"))
        options.arguments += [name, draw.choice(_ABSURD)]
        options.is_k_known = name != "-k"
    if draw.wrong("an absurd size", 0.08):
        options.arguments += [draw.choice(("--memory-limit", "--split-size")), draw.choice(_SIZES)]
    if draw.wrong("an odd option", 0.08):
        options.arguments += draw.choice(
            (
                ["--nonsense"],
                ["-k"],
                ["--set", "x"],
                ["--set", "a=b"],
                ["--separator", ""],
                ["--separator", "\0"],
                ["-input", "missing-*.csv"],
                ["-input", "a\0b"],
                ["-output", ""],
                ["-output", "in.csv"],
                ["-output", "."],
                ["-output", "no/such/folder.csv"],
                ["-method", "a:b"],
                ["--json=1"],
                ["-outputFormat", "xml"],
                ["--temp-dir", "in.csv"],
                ["--compatibility", "2010"],
                ["--report", options.output],
                ["--quiet", "--verbose"],
            )
        )


def root_text(options: Options) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in options.root.items())
