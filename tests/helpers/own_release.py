"""Tables whose categories hold what is hard to write and to read back, and how they are released and judged again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hypothesis import strategies as st

import toolbox
from toolbox.flows.judge.check import check_release
from toolbox.flows.judge.measure import measure_release
from toolbox.flows.judge.question import make_configured_question
from toolbox.flows.judge.risk import assess_risk
from toolbox.report.judges.measure import LossReport
from toolbox.report.judges.risk import RiskReport

SEPARATORS = (",", ";", "\t", "|", "||", ":", "~~~~~~", "ab")
FORMS = ("csv", "csv.gz", "csv.zst", "parquet", "split")
METHODS = ("Mondrian", "LocalRecoding", "PrioPrivacy", "Singletons", "Datafly", "Incognito_k")
_ATOMS = [
    *(
        "\r",
        "\n",
        "\r\n",
        " ",
        "\t",
        '"',
        "'",
        ",",
        ";",
        "|",
        "{",
        "}",
        "[",
        "]",
        ":",
        "~",
        "-",
        "*",
        "#",
        "=",
        "+",
        "@",
    ),
    *("a", "b", "1", "12", "1:2", "[1:2]", "<=5", "65+", "{a,b}", "a~b", "12*", "null", "nan", "\\N", "é", "x" * 3000),
    *("\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\xa0", "\ufeff", "\x01"),
]
"""What a value is put together from."""

VALUES = st.lists(st.sampled_from(_ATOMS), min_size=1, max_size=3).map("".join).filter(lambda text: text != "?")


@dataclass(frozen=True)
class Case:
    """A table of categories, numbers and another column, and how it is released."""

    headers: tuple[str, str, str]
    rows: tuple[tuple[str, str, str], ...]
    method: str = "Mondrian"
    naming: str = "values"
    has_hierarchy: bool = False
    separator: str = ","
    form: str = "csv"
    format: str = "genVals"
    escapes: bool = False

    def files(self, folder: Path) -> Path:
        """Write the input, the hierarchy and the configuration; return the latter."""
        lines = [self.headers, *self.rows]
        (folder / "in.csv").write_text(
            "".join(self.separator.join(map(_quoted, line)) + "\n" for line in lines), encoding="utf-8", newline=""
        )
        values = list(dict.fromkeys(row[0] for row in self.rows))
        paths = [(value, f"group {number // 2}", "everything") for number, value in enumerate(values)]
        (folder / "tree.csv").write_text(
            "".join(";".join(map(_quoted, path)) + "\n" for path in paths), encoding="utf-8", newline=""
        )
        tree = "<vgh file='tree.csv'/>" if self.has_hierarchy else ""
        low = "<vgh value='[0:20]'><node value='[0:5)'/><node value='[5:20]'/></vgh>" if self.has_hierarchy else ""
        naming = f"naming='{self.naming}'" if self.method == "Mondrian" else ""
        target = f"out.{'csv' if self.form == 'split' else self.form}"
        split = "splitSize='1KB'" if self.form == "split" else ""
        (folder / "c.xml").write_text(
            f"""<config method='{self.method}' k='2' {naming} suppressed='keep'>
            <input filename='in.csv' header='true' separator={quoteattr(self.separator)}/>
            <output order='input' filename='{target}' format='{self.format}' {split} escapeFormulas='{str(self.escapes).lower()}'/>
            <qid><att index='0' type='category' priority='1'>{tree}</att><att index='1' priority='2'>{low}</att></qid>
            </config>""",
            encoding="utf-8",
        )
        return folder / "c.xml"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a table and a way to release it."""
    values = draw(st.lists(VALUES, min_size=1, max_size=6, unique=True))
    numbers = st.sampled_from(["1", "2", "3", "8", "13"])
    rows = draw(st.lists(st.tuples(st.sampled_from(values), numbers, VALUES), min_size=4, max_size=24))
    method = draw(st.sampled_from(METHODS))
    separator = draw(st.sampled_from(SEPARATORS))
    headers = draw(st.lists(VALUES.map(lambda text: text[:40]), min_size=3, max_size=3, unique_by=str.casefold))
    return Case(
        headers=(headers[0], headers[1], headers[2]),
        rows=tuple(rows),
        method=method,
        naming=draw(st.sampled_from(["values", "regions"])),
        has_hierarchy=method in ("Datafly", "Incognito_k") or draw(st.booleans()),
        separator=separator,
        form=draw(st.sampled_from(FORMS)),
        format=draw(st.sampled_from(["genVals", "genValsDist"])),
        escapes=draw(st.booleans()),
    )


def judged_again(path: Path) -> tuple[toolbox.CheckReport, LossReport, RiskReport]:
    """Check and measure the release of a configuration, and its risks, from the files that it names."""
    question = make_configured_question(toolbox.load_config(path))
    assert question.release is not None
    assert question.original is not None
    return (
        check_release(question, question.release),
        measure_release(question, question.original, question.release),
        assess_risk(question, question.release, original=question.original),
    )


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
