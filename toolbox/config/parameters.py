"""The method, its settings and the parameters of privacy: the attributes of the root element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, cast, get_args

from lxml import etree

from toolbox.config import values
from toolbox.config.compatibility import MODES, OUR_OWN, Compatibility
from toolbox.config.document import attribute, line_of
from toolbox.config.given import BadValueError, Findings, Given
from toolbox.config.model import DEFAULT_K, DEFAULT_L, DEFAULT_T, MethodFacts, Portion, Undeclared
from toolbox.config.overrides import Overrides
from toolbox.config.requirements import OriginalParameters
from toolbox.config.structure import check_attributes
from toolbox.errors import did_you_mean

DEFAULT_METHOD: Final = "Mondrian"
ROOT_ATTRIBUTES: Final = (
    *("method", "k", "l", "c", "t", "suppThreshold", "seed", "suppressed", "compatibility"),
    "undeclared",
    "rowsArePeople",
)

_THRESHOLD = "suppThreshold"


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The root element and the options that go with it."""

    method: str
    settings: Mapping[str, str]
    original: OriginalParameters
    suppression_threshold: int | Portion | None
    seed: int | None
    undeclared: Undeclared
    rows_are_people: bool


@dataclass(frozen=True)
class ChosenMethod:
    """The method of the run, and the one that the file names, which an option may have replaced."""

    facts: MethodFacts | None
    """None if it is unknown, which is a fault already."""
    in_file: MethodFacts | None


def choose_method(
    document: etree._Element | None, overrides: Overrides, methods: Mapping[str, MethodFacts], findings: Findings
) -> ChosenMethod:
    """Find the method of the run; without a document only an option can name it.

    Parameters
    ----------
    methods : mapping
        Imports ``package.module:Class`` if it is asked for one.
    """

    def find(text: str) -> MethodFacts:
        if ":" in text:
            return methods[text.strip()]
        facts = methods.get(text.strip().lower())
        if facts is not None:
            return facts
        names = sorted({facts.name for facts in methods.values()})
        return methods[values.word(text, names).lower()]  # raises, naming all methods

    def find_in_file(text: str) -> MethodFacts:
        # A configuration may come from strangers, so that it never decides which code is run.
        if ":" in text:
            raise BadValueError("would import code", f"Name an installed method, or give the option -method {text}.")
        return find(text)

    written = attribute(document, "method") or Given("method", DEFAULT_METHOD)
    in_file = None if document is None else findings.read(written, find_in_file, None)
    option = overrides.given("method")
    return ChosenMethod(in_file if option is None else findings.read(option, find, None), in_file)


def read_parameters(root: etree._Element, method: ChosenMethod, overrides: Overrides, findings: Findings) -> Parameters:
    """Read the attributes of the root element and the options that replace them."""
    from_zero = partial(values.integer, minimum=0)

    def given(name: str) -> tuple[Given | None, Given | None]:
        return overrides.given(name), attribute(root, name)

    k = findings.choose(*given("k"), partial(values.integer, minimum=1), DEFAULT_K)
    if k == 1:
        findings.warn(0, "k=1 protects nobody: a class of one record is released as it is.")
    threshold = findings.choose(overrides.given("supp_threshold"), _threshold(root), values.threshold, None)
    return Parameters(
        method=method.facts.name if method.facts else "",
        settings=MappingProxyType(_read_settings(root, method, overrides, findings)),
        original=OriginalParameters(
            k=k,
            l=findings.choose(*given("l"), values.positive_real, DEFAULT_L),
            c=findings.choose(*given("c"), values.positive_or_unset, None),
            t=findings.choose(*given("t"), values.proper_fraction, DEFAULT_T),
        ),
        suppression_threshold=threshold,
        seed=findings.choose(*given("seed"), from_zero, None),
        undeclared=cast(
            "Undeclared",
            findings.choose(*given("undeclared"), partial(values.word, known=get_args(Undeclared)), "pass"),
        ),
        rows_are_people=findings.choose(
            overrides.given("rows_are_people"), attribute(root, "rowsArePeople"), values.boolean, False
        ),
    )


def read_compatibility(root: etree._Element, overrides: Overrides, findings: Findings) -> Compatibility:
    """Return the mode that the root or an option asks for."""
    settings = overrides.given("compatibility"), attribute(root, "compatibility")
    name = findings.choose(*settings, partial(values.word, known=list(MODES)), None)
    return OUR_OWN if name is None else MODES[name]


def check_root_attributes(
    root: etree._Element, method: ChosenMethod, methods: Mapping[str, MethodFacts], findings: Findings
) -> None:
    """Note each attribute of the root element that is unknown: neither a common one nor a setting of the method."""
    spellings = [name for name in map(str, root.attrib) if name.lower() == _THRESHOLD.lower()]
    if len(spellings) > 1:
        findings.fault(line_of(root), f"{' and '.join(spellings)} are the same attribute.", "Keep one of them.")
    # Where the method is unknown, blaming its settings as well would only bury the cause.
    candidates = [method.facts, method.in_file] if method.facts else list(methods.values())
    settings = dict.fromkeys(name for facts in candidates if facts for name in facts.settings)
    check_attributes(root, [*ROOT_ATTRIBUTES, *settings], findings, tolerated=spellings)


def _threshold(root: etree._Element) -> Given | None:
    for name in root.attrib:
        if str(name).lower() == _THRESHOLD.lower():
            return attribute(root, str(name))
    return None


def _read_settings(
    root: etree._Element, method: ChosenMethod, overrides: Overrides, findings: Findings
) -> dict[str, str]:
    facts = method.facts
    if facts is None:
        return {}
    known, checks = facts.settings, facts.checks
    settings: dict[str, str] = {}
    replaced = method.in_file.settings if method.in_file else {}
    for name in dict.fromkeys([*known, *replaced]):
        setting = attribute(root, name)
        if setting is not None and name not in known:
            findings.warn(setting.line, f"{setting} is ignored: {facts.name} has no such setting.")
        elif setting is not None:
            _read_setting(name, setting, known[name], checks.get(name), settings, findings)
    for name, setting in overrides.given_settings().items():
        if name in known:
            _read_setting(name, setting, known[name], checks.get(name), settings, findings)
        else:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            findings.fault(0, f"{facts.name} has no setting {setting.name}.{did_you_mean(name, list(known))}", has)
    return settings


def _read_setting(
    name: str,
    setting: Given,
    words: tuple[str, ...],
    check: Callable[[str], object] | None,
    settings: dict[str, str],
    findings: Findings,
) -> None:
    if check is not None and setting.text.strip() and findings.read(setting, check, None) is None:
        return
    read = partial(values.word, known=words) if words else str.strip
    value = findings.read(setting, read, None)
    if value is not None:
        settings[name] = value
