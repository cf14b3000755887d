"""The method, its settings, and which privacy models a release must satisfy."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from lxml import etree

from toolbox.config import values
from toolbox.config.model import (
    Attribute,
    MethodFacts,
    ModelFacts,
    Parameter,
    Requirement,
    find_model_facts,
)
from toolbox.config.reading.overrides import Overrides
from toolbox.config.settings import SETTINGS, list_settings
from toolbox.config.values import RunSetting
from toolbox.config.xml.document import find_line, read_attribute
from toolbox.config.xml.structure import ROOT_ATTRIBUTES, check_attributes
from toolbox.errors import BadValueError, Findings, RawSetting, SettingError, did_you_mean, quote
from toolbox.hierarchy.hierarchy import format_number
from toolbox.messages import choose_setting_name

# The settings of the table: the option if there is one, otherwise the attribute.

ANY_CASE: Final = "suppThreshold"
"""The attribute of which the case never mattered."""


class SettingReader:
    """Reads settings from a document and the options that replace them; the findings take what is wrong."""

    def __init__(self, root: etree._Element, overrides: Overrides, findings: Findings) -> None:
        self._root = root
        self._overrides = overrides
        self._findings = findings

    def read(self, name: str) -> Any:
        """Return the value of a setting, or its default."""
        setting = SETTINGS[name]
        return self._findings.choose(
            self._overrides.given(name), self._find_attribute(setting), setting.read, setting.default
        )

    def read_held(self, holder: str, *, but: Collection[str] = ()) -> dict[str, Any]:
        """Return the values of all settings that a part of a `Config` has fields for, by their fields.

        Parameters
        ----------
        but : collection of str
            Settings that are read in another way.
        """
        held = [setting for setting in list_settings(holder=holder) if setting.field not in but]
        return {setting.place: self.read(setting.field) for setting in held}

    def read_others(self) -> dict[str, Any]:
        """Return what is said of settings that have no field in a `Config`."""
        others = (setting.field for setting in list_settings(holder="others"))
        return {name: self.read(name) for name in others if self.find(name) is not None}

    def find(self, name: str) -> RawSetting | None:
        """Return what is said of a setting; None for nothing."""
        return self._overrides.given(name) or self._find_attribute(SETTINGS[name])

    def _find_attribute(self, setting: RunSetting[Any]) -> RawSetting | None:
        if not setting.element:
            return None
        element = self._root if setting.element == "config" else self._root.find(setting.element)
        if setting.attribute == ANY_CASE:
            spelled = (str(name) for name in self._root.attrib if str(name).lower() == ANY_CASE.lower())
            return read_attribute(element, next(spelled, ANY_CASE))
        return read_attribute(element, setting.attribute)


# Which privacy models a release must satisfy: the original parameters of the root, or a list in ``<privacy>``.


class OriginalParameters(NamedTuple):
    """The privacy parameters of the original toolbox; which of them count depends on the method."""

    k: int
    l: float  # noqa: E741 - the name in the literature and in the configuration
    c: float | None
    t: float


CLASSICAL: Final = ("k", "l", "c", "t")
"""The attributes of ``<config>`` that ask for a privacy model, as in 2010."""
READERS: Final[Mapping[type, Callable[[str], Any]]] = {
    int: values.parse_whole_number,
    float: values.parse_real,
    str: str.strip,
}


def choose_original_requirement(
    method: MethodFacts, parameters: OriginalParameters, protected: str | None
) -> Requirement:
    """Choose the original parameters that go with the method.

    ``l`` alone means entropy l-diversity, with ``c`` recursive (c,l)-diversity.
    """
    chosen: tuple[str, dict[str, float]]
    match method.parameter:
        case "k":
            return Requirement(model="k-anonymity", parameters=MappingProxyType({"k": parameters.k}))
        case "t":
            chosen = "t-closeness", {"t": parameters.t}
        case "distinct l":
            chosen = "distinct l-diversity", {"l": parameters.l}
        case "l" if parameters.c is None:
            chosen = "entropy l-diversity", {"l": parameters.l}
        case "l":
            chosen = "recursive (c,l)-diversity", {"c": parameters.c, "l": parameters.l}
    return Requirement(model=chosen[0], attribute=protected, parameters=MappingProxyType(chosen[1]))


def list_original_parameters(method: MethodFacts) -> tuple[str, ...]:
    """List the original parameters that go with a method."""
    return {"k": ("k",), "l": ("l", "c"), "t": ("t",), "distinct l": ("l",)}[method.parameter]


def find_sensitive_attribute(method: MethodFacts, sensitive: Sequence[str]) -> str | None:
    """Return the attribute that the original parameters of a method protect; None if they protect none.

    Raises
    ------
    BadValueError
        If there is not just one.
    """
    if method.parameter == "k":
        return None
    if not sensitive:
        raise BadValueError(
            f"{method.name} protects a sensitive attribute, and none is declared.",
            choose_setting_name("Declare it: <sens><att .../></sens>.", options="Name it: --sensitive illness."),
        )
    if len(sensitive) > 1:
        raise BadValueError(
            f"{method.name} protects one sensitive attribute, and {len(sensitive)} are declared.",
            choose_setting_name(
                "Keep one, merge them into one column, or list a model for each in <privacy>.",
                options="Keep one, merge them into one column, or write a --model for each.",
            ),
        )
    return sensitive[0]


def find_unused_parameters(
    root: etree._Element, method: MethodFacts | None, parameters: OriginalParameters, overrides: Overrides
) -> dict[str, RawSetting]:
    """Return the original parameters that are given, and that the method does not take, by their names."""
    if method is None or root.find("privacy") is not None:
        return {}
    given = {name: overrides.given(name) or read_attribute(root, name) for name in CLASSICAL}
    # A c of 0 or less asks for nothing.
    is_set = {"c": parameters.c is not None}
    takes = list_original_parameters(method)
    return {
        name: found
        for name, found in given.items()
        if found is not None and name not in takes and is_set.get(name, True)
    }


def explain_unused_parameters(method: MethodFacts, unused: Mapping[str, RawSetting]) -> tuple[str, ...]:
    """Say of each parameter that compatibility leaves out that it is not required."""
    takes = " and ".join(list_original_parameters(method))
    return tuple(
        f"{name}={given.text.strip()} is not required: {method.name} takes {takes}, as in 2010."
        for name, given in unused.items()
    )


def _explain_alternative(parameter: str, method: MethodFacts, parameters: OriginalParameters) -> str:
    """Say how to require what the method does not take."""
    if method.parameter == "distinct l":
        return "Leave it out, or choose another method, such as Mondrian."
    taken: Parameter = "k" if parameter == "k" else "t" if parameter == "t" else "l"
    chosen = f"choose Incognito_{taken}, which takes {parameter}"
    own = choose_original_requirement(method, parameters, None)
    wanted = choose_original_requirement(replace(method, parameter=taken), parameters, None)
    models = [
        ":".join([each.model, *(f"{name}={format_number(float(value))}" for name, value in each.parameters.items())])
        for each in (own, wanted)
    ]
    options = " ".join(f"--model {shlex.quote(model)}" for model in models)
    both = choose_setting_name("list a <model> for each in <privacy>", options=f"require both: {options}")
    return f"Leave it out, {chosen}, or {both}."


def is_meant(name: str, facts: ModelFacts) -> bool:
    """Return whether an option says the parameter of its name: the k of k-map is no size of a class, as -k is."""
    return name != "k" or facts.k_is_class_size


@dataclass(frozen=True)
class RequirementReader:
    """Reads what a release must satisfy; the findings take what is wrong with it."""

    method: MethodFacts
    models: Mapping[str, ModelFacts]
    """The installed privacy models, by their names in lower case."""
    sensitive: Sequence[Attribute]
    findings: Findings
    leaves_parameters_out: bool = False
    """Whether original parameters that the method does not take are left out, as in 2010."""

    def read(
        self, root: etree._Element, parameters: OriginalParameters, overrides: Overrides
    ) -> tuple[Requirement, ...]:
        """Return all requirements of a configuration."""
        listed = root.find("privacy")
        if listed is None:
            return self._original(root, parameters, overrides)
        names = [name for name in CLASSICAL if name in root.attrib]
        if names:
            problem = f"{', '.join(f'{name}=' for name in names)} of <config> cannot be combined with <privacy>."
            self.findings.fault(
                find_line(root), problem, "Give it to a <model> of <privacy>, or remove one of the two."
            )
        found_models = [self._listed(element) for element in listed.iterfind("model")]
        return tuple(
            self._override_parameters(
                [requirement for requirement in found_models if requirement is not None], overrides
            )
        )

    def _original(
        self, root: etree._Element, parameters: OriginalParameters, overrides: Overrides
    ) -> tuple[Requirement, ...]:
        try:
            name = find_sensitive_attribute(self.method, [str(sensitive.column) for sensitive in self.sensitive])
        except BadValueError as error:
            sens = root.find("sens")
            self.findings.fault(find_line(root if sens is None else sens), *error.args)
            return ()
        takes = list_original_parameters(self.method)
        if not self.leaves_parameters_out:
            for parameter, given in find_unused_parameters(root, self.method, parameters, overrides).items():
                # A value that is wrong has its fault already.
                if not any(fault.found.startswith(f"{given} ") for fault in self.findings.faults):
                    problem = f"{given} would not be kept: {self.method.name} takes {' and '.join(takes)}."
                    self.findings.fault(given.line, problem, _explain_alternative(parameter, self.method, parameters))
        if "l" in takes and parameters.l <= 1:
            self.findings.warn(0, f"l={parameters.l:g} protects nobody: a class may have a single sensitive value.")
        if self.method.parameter == "distinct l" and not parameters.l.is_integer():
            problem = f"l={parameters.l:g} is no whole number: {self.method.name} forms groups of l records."
            self.findings.fault(find_line(root), problem, "Write a whole number, such as 2.")
        return (choose_original_requirement(self.method, parameters, name),)

    def _listed(self, element: etree._Element) -> Requirement | None:
        """Read one ``<model>``."""
        named = read_attribute(element, "name")
        if named is None:
            return None
        facts = find_model_facts(self.models, named.text, [str(name) for name in element.attrib])
        if facts is None:
            names = sorted(facts.name for facts in self.models.values())
            self.findings.read(named, lambda text: values.parse_word(text, names), None)
            return None
        check_attributes(element, ["name", "attribute", *facts.parameters], self.findings)
        parameters: dict[str, float | str] = {}
        for name, kind in facts.parameters.items():
            value: float | str | None = self.findings.read(read_attribute(element, name), READERS[kind], None)
            if value is not None:
                parameters[name] = value
        protected = self._find_protected_attribute(facts, element)
        missing = ", ".join(f"{name}=" for name in facts.needed if name not in element.attrib)
        if missing:
            self.findings.fault(find_line(element), f"The model {facts.name} lacks {missing}.", "Add it.")
        requirement = Requirement(
            model=facts.name, attribute=protected, parameters=MappingProxyType(parameters), line=find_line(element)
        )
        if all(name in parameters for name in facts.needed) and (protected or not facts.needs_attribute):
            self._check(facts, requirement)
        return requirement

    def _find_protected_attribute(self, facts: ModelFacts, element: etree._Element) -> str | None:
        """Find the sensitive attribute of a model: the one that the model names, or the only one."""
        setting = read_attribute(element, "attribute")
        if not facts.needs_attribute:
            if setting is not None:
                self.findings.fault(setting.line, f"{setting} means nothing: {facts.name} protects none.", "Remove it.")
            return None
        known = [str(sensitive.column) for sensitive in self.sensitive]
        if setting is None and len(known) == 1:
            return known[0]
        if setting is None:
            problem = f"The model {facts.name} does not say which sensitive attribute it protects."
            declared = choose_setting_name("Declare one in <sens>.", options="Name one in --sensitive.")
            written = choose_setting_name("Write attribute='...'", options="Write :attribute=NAME after it")
            remedy = f"{written}, one of: {', '.join(known)}." if known else declared
            self.findings.fault(find_line(element), problem, remedy)
            return None
        return self.findings.read(setting, lambda text: values.parse_word(text, known), None)

    def _check(self, facts: ModelFacts, requirement: Requirement) -> None:
        try:
            facts.check(requirement)
        except SettingError as error:
            setting, value, expected = error.args
            what = f"{setting}={quote(str(value))} of {facts.name} is out of range."
            self.findings.fault(requirement.line, what, f"Write {expected}.")

    def _override_parameters(self, listed: list[Requirement], overrides: Overrides) -> list[Requirement]:
        """Replace parameters by the options of the command line that have the same names."""
        for name in CLASSICAL:
            option = overrides.given(name)
            if option is None:
                continue
            replaced = self._find_meant_models(name, listed)
            if not replaced:
                self._note_meaningless_option(name, option)
            listed = [
                self._apply_option(requirement, name, option) if requirement in replaced else requirement
                for requirement in listed
            ]
        return listed

    def _find_meant_models(self, name: str, listed: Sequence[Requirement]) -> list[Requirement]:
        """Return the models whose parameter an option says."""
        having = [requirement for requirement in listed if name in requirement.parameters]
        return [each for each in having if is_meant(name, self.models[each.model.lower()])]

    def _note_meaningless_option(self, name: str, option: RawSetting) -> None:
        where = choose_setting_name("model of <privacy>", options="--model")
        if name == "k":
            model = choose_setting_name(
                f"<model name='k-anonymity' k='{option.text}'/>", options="--model k-anonymity:k=5"
            )
            problem = f"{option} is the size of a class, and no {where} has one."
            self.findings.fault(0, problem, f"Leave it out, or add {model}.")
        else:
            self.findings.fault(0, f"{option} means nothing: no {where} has {name}=.", "Leave it out.")

    def _apply_option(self, requirement: Requirement, name: str, option: RawSetting) -> Requirement:
        facts = self.models[requirement.model.lower()]
        value: float | str | None = self.findings.read(option, READERS[facts.parameters[name]], None)
        if value is None:
            return requirement
        replaced = replace(requirement, parameters=MappingProxyType({**requirement.parameters, name: value}))
        self._check(facts, replaced)
        return replaced


# The method, its settings and the parameters of privacy: the attributes of the root element.

DEFAULT_METHOD: Final = "Mondrian"


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The root element and the options that go with it."""

    method: str
    settings: Mapping[str, str]
    original: OriginalParameters
    held: Mapping[str, Any]
    """What a `Config` has fields for, by their names."""


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
        return methods[values.parse_word(text, names).lower()]  # raises, naming all methods

    def find_in_file(text: str) -> MethodFacts:
        # A configuration may come from strangers, so that it never decides which code is run.
        if ":" in text:
            raise BadValueError("would import code", f"Name an installed method, or give the option -method {text}.")
        return find(text)

    written = read_attribute(document, "method") or RawSetting("method", DEFAULT_METHOD)
    in_file = None if document is None else findings.read(written, find_in_file, None)
    option = overrides.given("method")
    return ChosenMethod(in_file if option is None else findings.read(option, find, None), in_file)


def read_parameters(root: etree._Element, method: ChosenMethod, overrides: Overrides, findings: Findings) -> Parameters:
    """Read the attributes of the root element and the options that replace them."""
    settings = SettingReader(root, overrides, findings)
    original = OriginalParameters(**{name: settings.read(name) for name in CLASSICAL})
    if original.k == 1:
        findings.warn(0, "k=1 protects nobody: a class of one record is released as it is.")
    held = settings.read_held("config", but=("compatibility",))
    said = settings.find("rows_are_people")
    if said is not None and held["rows_are_people"] and root.find("person") is not None:
        problem = f"{said.name} says that each record is a person, and a person is declared."
        findings.fault(said.line, problem, "Leave one of the two out.")
    attacker = settings.find("attacker")
    if attacker is not None and held["attacker"] == "profile" and root.find("person") is None:
        problem = f"{attacker.name} asks for the rows of each person, and no person is declared."
        findings.fault(attacker.line, problem, "Declare who the records are about: --person NAME, or <person>.")
    suppress_by = settings.find("suppress_by")
    if suppress_by is not None and root.find("person") is None:
        problem = f"{suppress_by.name} tells persons from rows, and no person is declared."
        findings.fault(suppress_by.line, problem, "Declare who the records are about: --person NAME, or <person>.")
    return Parameters(
        method=method.facts.name if method.facts else "",
        settings=MappingProxyType(_read_settings(root, method, overrides, findings)),
        original=original,
        held=held,
    )


def check_root_attributes(
    root: etree._Element, method: ChosenMethod, methods: Mapping[str, MethodFacts], findings: Findings
) -> None:
    """Note each attribute of the root element that is unknown: neither a common one nor a setting of the method."""
    spellings = [name for name in map(str, root.attrib) if name.lower() == ANY_CASE.lower()]
    if len(spellings) > 1:
        findings.fault(find_line(root), f"{' and '.join(spellings)} are the same attribute.", "Keep one of them.")
    # Where the method is unknown, blaming its settings as well would only bury the cause.
    candidates = [method.facts, method.in_file] if method.facts else list(methods.values())
    settings = dict.fromkeys(name for facts in candidates if facts for name in facts.settings)
    check_attributes(root, [*ROOT_ATTRIBUTES, *settings], findings, tolerated=spellings)


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
        setting = read_attribute(root, name)
        if setting is not None and name not in known:
            findings.warn(setting.line, f"{setting} is ignored: {facts.name} has no such setting.")
        elif setting is not None:
            _read_setting(name, setting, known[name], checks.get(name), settings, findings)
    for name, setting in overrides.list_given_settings().items():
        if name in known:
            _read_setting(name, setting, known[name], checks.get(name), settings, findings)
        else:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            findings.fault(0, f"{facts.name} has no setting {setting.name}.{did_you_mean(name, list(known))}", has)
    return settings


def _read_setting(
    name: str,
    setting: RawSetting,
    words: tuple[str, ...],
    check: Callable[[str], object] | None,
    settings: dict[str, str],
    findings: Findings,
) -> None:
    if check is not None and setting.text.strip() and findings.read(setting, check, None) is None:
        return
    read = partial(values.parse_word, known=words) if words else str.strip
    value = findings.read(setting, read, None)
    if value is not None:
        settings[name] = value
