"""Command lines that people get wrong: each option with each odd value."""

from __future__ import annotations

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
