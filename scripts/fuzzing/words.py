"""Command lines and plans that people get wrong: each option with each odd value, and plans in TOML and XML."""

from __future__ import annotations

import json

from fuzzing.cases import Case
from fuzzing.draw import Draw
from toolbox.cli.options.commands import COMMANDS

_TABLE = "age,town,ill\n" + "".join(
    f"{20 + row},{('Graz', 'Linz')[row % 2]},{'yn'[row % 3 == 0]}\n" for row in range(24)
)
_CONFIGURATION = """<config k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/><att name='town' type='category'/></qid><sens><att name='ill' type='category'/></sens></config>"""
_HIERARCHY = "Graz;Styria;*\nLinz;Upper Austria;*\n"
_PLAN = "[parameters]\nk = [2]\n[[data]]\ntable = 'in.csv'\nquasi_identifiers = ['age', 'town']\n"
_FILES = {
    "in.csv": _TABLE.encode(),
    "config.xml": _CONFIGURATION.encode(),
    "tree.csv": _HIERARCHY.encode(),
    "plan.toml": _PLAN.encode(),
}
_BEGINNINGS = {
    "anonymize": ("-config", "config.xml"),
    "check": ("in.csv", "--qi", "age,town"),
    "measure": ("in.csv", "in.csv", "--qi", "age,town"),
    "risk": ("in.csv", "--qi", "age,town"),
    "report": ("in.csv", "--qi", "age,town"),
    "init": ("in.csv", "--yes"),
    "detect": ("in.csv",),
    "singletons": ("in.csv", "--qi", "age,town"),
    "compare": ("config.xml",),
    "experiment": ("plan.toml", "--jobs", "1"),
    "hierarchy": ("check", "tree.csv"),
    "methods": (),
}
_ODD = (
    *("", "--", "-", "word", "-1", "0", "1e400", "9" * 40, "nan", "a, b ,c", " ", ",", "=", "age=", "=x", "age=--"),
    *("age=9" + "9" * 30, "in.csv", "no/such/file", "\x00", "\udcff", "é" * 300, "%s", "{}", "$HOME", "\\t", "'", '"'),
    *("town=a,b ,,c", "town=tree.csv", "age=intervals:-5", "age=prefix:0", "2", "yes", "evil:Evil"),
)
_NAMED = ("evil:Evil", "Mondrian", "Mondrian:cut=", "", "Mondriaan", ":", "os:system", "a:b:c", "x" * 2_000)


def draw_option(seed: int) -> Case:
    """Draw one command with one option, or two, of odd values."""
    draw = Draw(seed)
    command = draw.choice(sorted(_BEGINNINGS))
    words = [command, *_BEGINNINGS[command]]
    for _ in range(draw.choice((1, 1, 2))):
        # With --debug a traceback is what was asked for.
        option = draw.choice([each for each in COMMANDS[command].options if each.name != "debug"])
        flag = draw.choice(option.flags)
        if option.metavar is None:
            words += [flag] if draw.chance(0.8) else [f"{flag}={draw.choice(_ODD)}"]
        else:
            value = draw.choice(_ODD)
            words += draw.choice(([flag, value], [f"{flag}={value}"], [flag]))
    return Case(seed, _FILES, (), tuple(words), ("an odd option",))


def draw_plan(seed: int) -> Case:
    """Draw a plan, which may say anything; none of its words may be run as code."""
    draw = Draw(seed)
    trap = "open('imported', 'w').write('a plan ran code')\n"
    files = {**_FILES, "evil.py": trap.encode()}
    if draw.chance(0.5):
        name, text = "study.toml", _toml(draw)
    else:
        name, text = "study.xml", _xml(draw)
    data = text.encode("utf-8", "surrogatepass")
    if draw.chance(0.2):
        cut = draw.whole(0, len(data))
        data = data[:cut] + draw.choice((b"", b"\x00", b"\xff\xfe", b"<", b"]]>", b"\n[[")) + data[cut:]
    files[name] = data
    words = ("experiment", name, "--jobs", "1", "--output", "results")
    return Case(seed, files, (), words, ("an odd plan",))


def _value(draw: Draw) -> object:
    scalars = (*_NAMED, -1, 0, 2, 10**30, 0.5, True, "nan", "\u202e", "../" * 9, "$HOME", "in.csv", "age", "town")
    return draw.choice((draw.choice(scalars), [draw.choice(scalars) for _ in range(draw.whole(0, 3))]))


def _toml(draw: Draw) -> str:
    tops = (
        "name",
        "seed",
        "methods",
        "metrics",
        "models",
        "repetitions",
        "suppression_threshold",
        "threshold",
        "nonsense",
    )
    lines = [f"{word} = {_as_toml(_value(draw))}" for word in draw.some(tops, 3)]
    if draw.chance(0.4):
        lines += ["[classification]", f"learners = {_as_toml(_value(draw))}", f"splits = {_as_toml(_value(draw))}"]
    if draw.chance(0.7):
        lines += ["[parameters]", f"{draw.choice('klt')} = {_as_toml(_value(draw))}"]
    words = (
        "methods",
        "label",
        "separator",
        "encoding",
        "on_missing",
        "hierarchies",
        "kinds",
        "features",
        "configuration",
    )
    lines += ["[[data]]", "table = 'in.csv'", "quasi_identifiers = ['age', 'town']"]
    lines += [f"{word} = {_as_toml(_value(draw))}" for word in draw.some(words, 2)]
    return "\n".join(lines)


def _as_toml(value: object) -> str:
    # Texts, numbers, truth values and lists are written alike.
    return json.dumps(value, ensure_ascii=True)


def _xml(draw: Draw) -> str:
    def text() -> str:
        shown = str(_value(draw)).replace("&", "&amp;").replace("<", "&lt;").replace("'", "&apos;")
        return "".join(letter for letter in shown if letter.isprintable())

    parts = [f"<{draw.choice(('method', 'metric', 'learner', 'model', 'x'))} name='{text()}'/>" for _ in range(2)]
    head = draw.choice(("", "<?xml version='1.0'?>", "<!DOCTYPE plan [<!ENTITY e SYSTEM '/etc/hostname'>]>"))
    attribute = f"{draw.choice(('seed', 'name', 'threshold', 'repetitions', 'odd'))}='{text()}'"
    learned = f"<classification><learner name='{text()}'/></classification>" if draw.chance(0.4) else ""
    inner = f"<method name='{text()}'/>" if draw.chance(0.4) else ""
    data = f"<data table='in.csv' label='{text()}'>{inner}<qid><att name='age'/><att name='town'/></qid></data>"
    return f"{head}<plan {attribute}>{''.join(parts)}<parameters k='{text()}'/>{learned}{data}</plan>"
