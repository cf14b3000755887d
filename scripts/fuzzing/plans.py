"""Studies in TOML and XML: sound ones of a few cells, sound ones with something odd in them, and nonsense."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from fuzzing.cases import Case
from fuzzing.draw import Draw

_NAMED = ("evil:Evil", "Mondrian", "Mondrian:cut=", "", "Mondriaan", ":", "os:system", "a:b:c", "x" * 2_000)
_SCALARS = (*_NAMED, -1, 0, 2, 10**30, 0.5, True, "nan", "\u202e", "../" * 9, "$HOME", "in.csv", "age", "town")
_COLUMNS = ("age", "town", "ill", "two words", "town, or place", "a=b", 'says "x"', "1", "Größe", "*", "--k", " age")
"""Names that a table may have; each is a name like any other."""
_TITLES = ("study", "a study", "<&>", "Größe 漢", "'quoted'", '"quoted"', "x" * 120, "../up", "$k", "--json", "[bold]")
_TOWNS = ("Graz", "Linz", "St. Pölten", "a;b", "a,b", 'say "x"', "-", "0")
_METHODS = ("Mondrian", "Mondrian:cut=classic", "LocalRecoding", "Datafly", "Incognito_k", "OLA", "MinGen")
_HIERARCHICAL = ("Datafly", "Incognito_k", "OLA", "MinGen")
_METRICS = ("NCP", "precision", "discernibility", "C_avg", "granularity", "classification metric", "number of classes")
_LEARNED = {"learners": ["logistic regression"], "splits": 2, "test_share": 0.3}
"""What needs an extra that may not be there, so that no sound study has it."""
_SAID = (
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
_SAID_OF_DATA = (
    *("methods", "label", "separator", "encoding", "on_missing", "hierarchies", "kinds", "features", "configuration"),
    *("table", "quasi_identifiers", "sensitive", "identifiers", "name", "nonsense"),
)
_DAMAGE = (b"", b"\x00", b"\xff\xfe", b"<", b"]]>", b"\n[[")
_TRAP = "open('imported', 'w').write('a plan ran code')\n"
_FOLDER = "results"

Words = dict[str, Any]


def draw_plan(seed: int) -> Case:
    """Draw a plan: every second one is sound and runs to its end, and none of its words may be run as code."""
    draw = Draw(seed)
    table, study, cells = _study(draw)
    is_toml, form = draw.chance(0.5), draw.choice(("sound", "sound", "odd", "nonsense"))
    if form == "odd":
        for _ in range(draw.choice((1, 1, 2))):
            _make_odd(draw, study)
    if form == "nonsense":
        data = (_any_toml(draw) if is_toml else _any_xml(draw)).encode("utf-8", "surrogatepass")
        table = "age,town\n" + "".join(f"{20 + row},{_TOWNS[row % 2]}\n" for row in range(24))
    else:
        data = (as_toml(study) if is_toml else as_xml(study)).encode("utf-8", "surrogatepass")
    if form != "sound" and draw.chance(0.2):
        cut = draw.whole(0, len(data))
        data = data[:cut] + draw.choice(_DAMAGE) + data[cut:]
    name = "study.toml" if is_toml else "study.xml"
    files = {"in.csv": table.encode(), "evil.py": _TRAP.encode(), name: data}
    words = ("experiment", name, "--jobs", "1", "--output", _FOLDER, "--json")
    wrongs = () if form == "sound" else (f"an {form} plan" if form == "odd" else form,)
    return Case(seed, files, (), words, wrongs, cells=cells if form == "sound" else 0)


# A study that can be done, of one to four cells.


def _study(draw: Draw) -> tuple[str, Words, int]:
    """Draw a table, the words of a sound study of it, and how many cells that has."""
    number, place, ill = draw.some(_COLUMNS, 3)
    separator = draw.choice((",", ",", ";", "|"))
    rows = [
        [str(draw.whole(18, 90)), draw.choice(_TOWNS), draw.choice(("flu", "cold", "gout"))]
        for _ in range(draw.whole(20, 60))
    ]
    methods = draw.some(_METHODS, draw.choice((1, 1, 2)))
    required = {"k": draw.some((2, 3, 5), draw.choice((1, 1, 2)))}
    data: Words = {"table": "in.csv", "quasi_identifiers": [number, place], "sensitive": [ill], "label": ill}
    data["kinds"] = {number: "number", place: "category"}
    if draw.chance(0.3) or set(methods) & set(_HIERARCHICAL):
        data["hierarchies"] = {number: "intervals:10,40", place: "auto:2"}
    if separator != "," or draw.chance(0.3):
        data["separator"] = separator
    study: Words = {"name": draw.choice(_TITLES), "methods": methods, "metrics": draw.some(_METRICS, 2)}
    study["parameters"] = required
    if draw.chance(0.3):
        study |= {"seed": draw.whole(0, 9), "threshold": 0.1}
    study["data"] = [data]
    return _as_csv([[number, place, ill], *rows], separator), study, len(methods) * len(required["k"])


def _as_csv(rows: list[list[str]], separator: str) -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _make_odd(draw: Draw, study: Words) -> None:
    """Say one thing of a study in another way: a value of another type, a word that there is not, nothing."""
    what = draw.choice(("study", "data", "data", "parameters", "column", "less", "learners"))
    (data,) = study["data"]
    if what == "study":
        study[draw.choice(_SAID)] = _value(draw)
    elif what == "data":
        data[draw.choice(_SAID_OF_DATA)] = _value(draw)
    elif what == "parameters":
        study["parameters"] = {draw.choice("kltx"): _value(draw)}
    elif what == "learners":
        study["classification"] = {**_LEARNED, draw.choice(("splits", "test_share", "nonsense")): _value(draw)}
    elif what == "column":
        earlier = _several(data.get("quasi_identifiers", ()))
        data["quasi_identifiers"] = [*earlier[: draw.whole(0, 2)], draw.choice(_COLUMNS)]
    else:
        data.pop(draw.choice(sorted(data)))


# The two notations.


def as_toml(study: Mapping[str, Any]) -> str:
    """Write a study as TOML."""
    plain = {word: said for word, said in study.items() if word not in ("parameters", "classification", "data")}
    lines = _toml_of(plain)
    for word in ("parameters", "classification"):
        if word in study:
            lines += [f"[{word}]", *_toml_of(study[word])]
    for data in study["data"]:
        lines += ["[[data]]", *_toml_of(data)]
    return "\n".join(lines) + "\n"


def _toml_of(words: Mapping[str, Any]) -> list[str]:
    lines = []
    for word, said in words.items():
        inner = ", ".join(f"{_as_toml(name)} = {_as_toml(each)}" for name, each in _mapping(said).items())
        lines.append(f"{word} = {{{inner}}}" if inner else f"{word} = {_as_toml(said)}")
    return lines


def _as_toml(value: object) -> str:
    # Texts, numbers, truth values and lists are written alike.
    return json.dumps(value, ensure_ascii=True)


def as_xml(study: Mapping[str, Any]) -> str:
    """Write a study as XML."""
    (data,) = study["data"]
    listed = {"methods": "method", "metrics": "metric"}
    skipped = {*listed, "parameters", "classification", "data"}
    parts = ["".join(map(_method, _several(study.get("methods", ()))))]
    parts += [f"<metric name={_quoted(name)}/>" for name in _several(study.get("metrics", ()))]
    parameters = study.get("parameters", {})
    numbers = {name: ",".join(map(str, _several(said))) for name, said in parameters.items()}
    parts.append(f"<parameters{_attributes(numbers)}/>")
    if learned := study.get("classification"):
        learners = "".join(f"<learner name={_quoted(name)}/>" for name in learned["learners"])
        said = {word: value for word, value in learned.items() if word != "learners"}
        parts.append(f"<classification{_attributes(said)}>{learners}</classification>")
    parts.append(_data(data))
    plain = {word: said for word, said in study.items() if word not in skipped}
    return f"<plan{_attributes(plain)}>{''.join(parts)}</plan>"


def _data(data: Mapping[str, Any]) -> str:
    sections = {"quasi_identifiers": "qid", "sensitive": "sens", "identifiers": "id"}
    skipped = {*sections, "hierarchies", "kinds", "methods", "features"}
    kinds, trees = (_mapping(data.get(word)) for word in ("kinds", "hierarchies"))
    inner = "".join(map(_method, _several(data.get("methods", ()))))
    for word, section in sections.items():
        if word in data:
            columns = "".join(_column(name, kinds, trees) for name in _several(data[word]))
            inner += f"<{section}>{columns}</{section}>"
    inner += "".join(f"<feature name={_quoted(name)}/>" for name in _several(data.get("features", ())))
    return f"<data{_attributes({word: said for word, said in data.items() if word not in skipped})}>{inner}</data>"


def _mapping(said: object) -> Words:
    return said if isinstance(said, dict) else {}


def _column(name: object, kinds: Mapping[str, str], trees: Mapping[str, str]) -> str:
    built = {"intervals:10,40": "<vgh build='intervals' width='10,40'/>", "auto:2": "<vgh build='auto' levels='2'/>"}
    kind = f" type={_quoted(kinds[str(name)])}" if str(name) in kinds else ""
    return f"<att name={_quoted(name)}{kind}>{built.get(str(trees.get(str(name))), '')}</att>"


def _method(said: object) -> str:
    name, _, setting = str(said).partition(":")
    word, is_set, value = setting.partition("=")
    own = f" {word}={_quoted(value)}" if is_set and word.isidentifier() else ""
    return f"<method name={_quoted(name)}{own}/>"


def _several(said: object) -> list[object]:
    return list(said) if isinstance(said, (list, tuple)) else [said]


def _attributes(said: Mapping[str, object]) -> str:
    return "".join(f" {word}={_quoted(value)}" for word, value in said.items())


def _quoted(value: object) -> str:
    return quoteattr("".join(letter for letter in str(value) if letter.isprintable()))


# Plans that may say anything.


def _value(draw: Draw) -> object:
    return draw.choice((draw.choice(_SCALARS), [draw.choice(_SCALARS) for _ in range(draw.whole(0, 3))]))


def _any_toml(draw: Draw) -> str:
    lines = [f"{word} = {_as_toml(_value(draw))}" for word in draw.some(_SAID, 3)]
    if draw.chance(0.4):
        lines += ["[classification]", f"learners = {_as_toml(_value(draw))}", f"splits = {_as_toml(_value(draw))}"]
    if draw.chance(0.7):
        lines += ["[parameters]", f"{draw.choice('klt')} = {_as_toml(_value(draw))}"]
    lines += ["[[data]]", "table = 'in.csv'", "quasi_identifiers = ['age', 'town']"]
    lines += [f"{word} = {_as_toml(_value(draw))}" for word in draw.some(_SAID_OF_DATA[:9], 2)]
    return "\n".join(lines)


def _any_xml(draw: Draw) -> str:
    def text() -> str:
        return _quoted(_value(draw))

    parts = [f"<{draw.choice(('method', 'metric', 'learner', 'model', 'x'))} name={text()}/>" for _ in range(2)]
    head = draw.choice(("", "<?xml version='1.0'?>", "<!DOCTYPE plan [<!ENTITY e SYSTEM '/etc/hostname'>]>"))
    attribute = f"{draw.choice(('seed', 'name', 'threshold', 'repetitions', 'odd'))}={text()}"
    learned = f"<classification><learner name={text()}/></classification>" if draw.chance(0.4) else ""
    inner = f"<method name={text()}/>" if draw.chance(0.4) else ""
    data = f"<data table='in.csv' label={text()}>{inner}<qid><att name='age'/><att name='town'/></qid></data>"
    return f"{head}<plan {attribute}>{''.join(parts)}<parameters k={text()}/>{learned}{data}</plan>"
