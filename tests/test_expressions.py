"""Texts of any length: whatever reads the text of a user goes through it once, not once for each character.

A text of 50,000 characters takes what is linear a millisecond, and what is quadratic minutes. So nothing here measures a
time: a test that is still at work after a minute has failed.
"""

import ast
import importlib
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import product
from types import FrameType

import pytest
from helpers.sources import MODULES, nodes_of, read

from toolbox.config import values
from toolbox.errors import BadValueError, ConfigurationError
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import make_builder, parse_builder_words
from toolbox.hierarchy.date_formats import build_format_shape, has_only_dates
from toolbox.hierarchy.hierarchy import Interval, IntervalSyntaxError, format_interval
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.published.cells.meanings import _parse_mask
from toolbox.published.cells.notations import parse_dates, parse_interval, parse_members
from toolbox.queries.labels import parse_range_name
from toolbox.queries.scales import Calendar
from toolbox.store.input.text_file import _replace_line_separators
from toolbox.store.input.text_records import cut_pieces
from toolbox.store.values.column_type import _parse_exact_number

LENGTH = 50_000
# Read what other programs or our own code have written, or names that a file system bounds.
OF_OUR_OWN = {"report/runs/installed.py", "store/disk/workspace.py", "config/file_names.py"}
WITHIN_FUNCTIONS = {
    ("checks/promises.py", "fullmatch"),
    ("experiments/plan/plan.py", "escape"),
    ("experiments/plan/plan.py", "sub"),
    ("hierarchy/date_formats.py", "escape"),
    ("hierarchy/date_formats.py", "fullmatch"),
    ("hierarchy/hierarchy.py", "sub"),
    ("published/cells/notations.py", "Match"),
    ("published/cells/notations.py", "sub"),
    ("queries/labels.py", "fullmatch"),
    ("queries/scales.py", "escape"),
    ("release/kept_promises.py", "sub"),
    ("store/input/text_file.py", "compile"),
    ("store/input/text_file.py", "escape"),
    ("treatments/grids.py", "fullmatch"),
    ("treatments/pseudonym.py", "fullmatch"),
}


@contextmanager
def within_a_minute(what: str) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"{what} is still at work: the cost grows faster than the length.")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def hostile_texts() -> Iterator[str]:
    """Repeat what an expression may take in more than one way, behind what makes it begin, and end it otherwise."""
    for start, part in product(("", "[", "(1:"), ("1", "1.", "1e", " ", "1-", "1 ", "*", "a*", "a", "~")):
        yield start + part * (LENGTH // len(part)) + "x"
    for start, part in product(('"', ',"'), ("a", '""', ",", 'a""')):
        yield start + part * (LENGTH // len(part)) + "x"


HOSTILE = list(hostile_texts())


def patterns() -> dict[str, re.Pattern[str]]:
    """Find every expression of the package that reads what users write."""
    found = {}
    for module in MODULES:
        if module in OF_OUR_OWN or "re.compile" not in read(module):
            continue
        loaded = importlib.import_module(f"toolbox.{module.removesuffix('.py').replace('/', '.')}")
        found |= {f"{module} {name}": one for name, one in vars(loaded).items() if isinstance(one, re.Pattern)}
    return found


PATTERNS = patterns()


@pytest.mark.slow
def test_no_expression_looks_at_a_text_again_for_each_of_its_characters() -> None:
    for name, pattern in PATTERNS.items():
        with within_a_minute(name):
            for text in HOSTILE:
                pattern.fullmatch(text.encode() if isinstance(pattern.pattern, bytes) else text)


@pytest.mark.slow
def test_every_expression_is_known_here() -> None:
    """One that is made within a function needs a test of its own below."""
    used = set()
    for module in MODULES:
        if module in OF_OUR_OWN or "re." not in read(module):
            continue
        for function in nodes_of(read(module)):
            if isinstance(function, ast.FunctionDef):
                used |= {
                    (module, node.attr)
                    for node in ast.walk(function)
                    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"
                }
    assert used == WITHIN_FUNCTIONS
    assert len(PATTERNS) > 12


READERS: dict[str, Callable[[str], object]] = {
    "a whole number": lambda text: values.parse_integer(text, minimum=0),
    "a number": values.parse_real,
    "a share": values.parse_proper_fraction,
    "an amount of memory": values.parse_memory,
    "a size of files": values.parse_file_size,
    "a word": lambda text: values.parse_word(text, ("keep", "drop")),
    "an encoding": values.parse_encoding,
    "an interval": Interval.parse,
    "the label of an interval": format_interval,
    "a released interval": parse_interval,
    "a released set": parse_members,
    "a released mask": _parse_mask,
    "an exact number": _parse_exact_number,
    "the value of a hierarchy": lambda text: read_hierarchy_rows([(text, "*"), ("1", "*")], "the rows"),
    "the label of a hierarchy": lambda text: read_hierarchy_rows([("1", text), ("2", text)], "the rows"),
    "a builder": lambda text: make_builder(parse_builder_words(f"intervals:5:{text}") or {}),
    "widths": lambda text: make_builder({"build": "intervals", "width": text, "top": text}),
    "cuts": lambda text: make_builder({"build": "cuts", "at": text}),
    "categories in an order": lambda text: make_builder({"build": "order", "values": text, "size": text}),
    "an age": lambda text: make_builder({"build": "ages", "at": text, "width": text}),
    "a diagnosis": lambda text: make_builder({"build": "icd10"}).rows([text]),
    "a telephone number": lambda text: make_builder({"build": "telephone", "country": "43"}).rows([text]),
    "an address": lambda text: make_builder({"build": "ip"}).rows([text]),
    "an address of e-mail": lambda text: make_builder({"build": "email"}).rows([text]),
    "a date": lambda text: has_only_dates([text], with_time=False),
    "a timestamp": lambda text: has_only_dates([text], with_time=True),
    "a format of dates": build_format_shape,
    "released dates": lambda text: parse_dates(Calendar("date", format="%d.%m.%Y"), text),
    "the ends of a range": parse_range_name,
    "a line with quotes": lambda text: list(cut_pieces(BytesIO(text.encode()), b",", 2 * LENGTH)),
    "a line with a long separator": lambda text: list(_replace_line_separators([text], "1.")),
}
NUMBERS = [
    "9" * LENGTH, "-" + "0" * LENGTH + "7", "0." + "0" * LENGTH + "1", "1e" + "9" * LENGTH, "1e-" + "9" * LENGTH,
    "0e9999999999999999999", "-0e-9999999999999999999", "1e99999999999", "1e-99999999999", "9" * LENGTH + "GB",
    "0" * LENGTH + "1GB", "99999999999TB", f"[0:{'9' * LENGTH}]", f"[{'0' * LENGTH}:1e999999999]", f"{'9' * LENGTH}+",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", READERS)
def test_a_text_of_any_length_is_read_or_refused(what: str) -> None:
    with within_a_minute(what):
        for text in [*HOSTILE, *NUMBERS]:
            try:
                READERS[what](text)
            except (BadValueError, IntervalSyntaxError, ConfigurationError, BuilderError) as error:
                assert len(str(error)) < 1_000


def test_numbers_beyond_all_bounds_have_a_value_or_a_reason() -> None:
    with within_a_minute("a number"):
        assert values.parse_integer("-" + "0" * 20_000 + "7", minimum=-10) == -7
        assert values.parse_file_size("99999999999TB") == values.LARGEST_INTEGER
        assert values.parse_memory("1024TiB") == "1024TiB"
        for text in ("99999999999TB", "18446744073709551615KiB"):
            with pytest.raises(BadValueError, match="is more than any machine has"):
                values.parse_memory(text)
        assert _parse_exact_number("0e9999999999999999999") == _parse_exact_number("-0.0") == 0
        assert _parse_exact_number("1e-9999999999999999999") != 0
        assert _parse_exact_number("1e2") == _parse_exact_number("100")
