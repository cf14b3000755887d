"""Releases by nobody knows whom, and commands that judge them: cells in the notations of all programs, or in none."""

from __future__ import annotations

import csv
from io import StringIO

from fuzzing.damage import damaged
from fuzzing.draw import Draw
from fuzzing.values import numbers, words

_CELLS = (
    *("[20:30)", "(20, 30]", "[20, 30[", "20-29", "20 - 29", "20~29", "<=50", ">5", "65+", "65 and over", "[7]", "{7}"),
    *("*", "**", "13***", "1*3", "{a,b}", '{"a,b",c}', "{", "{}", "{a", "a~b", "~", "a~", "[1:", "[2:1]", "[a:b]", "?"),
    *(
        "1e999",
        "-1e999",
        "nan",
        "inf",
        "[-inf:3]",
        "1" * 400,
        "[1e400:2e400]",
        "0e9999999999999999999",
        "1_0",
        "٣",
        "--",
    ),
    *("", "NULL", "a\0b", "x\ny", "{a,\nb}", " a ", "=1+1", "é", "\ufeff", "9" * 3_000 + "x", "(" * 2_000, "{" * 500),
    *("1-2-3", "1--2", "[1:2:3]", "<", "<=", "+", "{,}", "{a,,b}", '{"}', "[]", "()", "20..29", "5 to 9", "$1", "%s"),
)


def draw_published(draw: Draw) -> tuple[dict[str, bytes], list[str]]:
    """Draw a table with one or two odd columns, perhaps the original of it, and a question about it."""
    count = draw.choice((1, 4, 12, 30))
    plain = words(draw, 4, "utf-8") if draw.chance(0.5) else numbers(draw, 6)
    odd = draw.choice((0.0, 0.1, 0.6))
    original = [[draw.choice(plain), draw.choice(("x", "y", "z")), str(index % 3)] for index in range(count)]
    release = [[draw.choice(_CELLS) if draw.chance(odd) else row[0], *row[1:]] for row in original]
    files = {"release.csv": _table(draw, release), "original.csv": _table(draw, original)}
    if draw.chance(0.3):
        files["hierarchy.csv"] = "".join(f"{value};up;*\n" for value in plain).encode()
    if draw.chance(0.2):
        name = draw.choice(list(files))
        files[name] = damaged(draw, files[name])
    # What is odd in it may be refused, but nothing worse.
    draw.wrongs.append("a table of an unknown program")
    return files, _question(draw, files)


def _table(draw: Draw, rows: list[list[str]]) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=draw.choice((",", ",", ";", "\t")), lineterminator=draw.choice(("\n", "\r\n")))
    writer.writerows([["a", "b", "c"], *rows])
    return text.getvalue().encode()


def _question(draw: Draw, files: dict[str, bytes]) -> list[str]:
    command = draw.choice(("check", "check", "measure", "measure", "risk", "detect", "singletons"))
    names = {"measure": ["original.csv", "release.csv"], "singletons": ["original.csv"]}
    arguments = [command, *names.get(command, ["release.csv"]), "--json", "--threads", "1"]
    if command == "detect":
        return arguments
    arguments += ["--qi", draw.choice(("a", "a,b", "b", "a,b,c", "nobody", "", '"a', "a,a"))]
    if "hierarchy.csv" in files:
        arguments += ["--hierarchy", "a=hierarchy.csv"]
    if command in ("check", "measure") and draw.chance(0.5):
        arguments += ["-k", draw.choice(("2", "1", "0", "-1", "x", "9" * 30))]
    if command == "check":
        arguments += draw.choice(([], ["--sensitive", "c"], ["--sensitive", "c", "-l", "2"], ["-t", "0" * 3_000 + "x"]))
    if command == "risk" and draw.chance(0.7):
        arguments += ["--original", "original.csv"]
    if draw.chance(0.2):
        arguments += ["--kind", draw.choice(("a=number", "a=category", "a", "=", "a=x"))]
    return arguments
