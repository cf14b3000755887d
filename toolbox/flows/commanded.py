"""The configuration of a command line: a file with options, or options alone, and saving it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from toolbox.config.declarations import Declarations
from toolbox.config.file_kinds import has_types
from toolbox.config.inputs import input_files
from toolbox.config.model import Config
from toolbox.config.overrides import Overrides
from toolbox.errors import ConfigurationError, Fault, ToolboxError
from toolbox.flows.found_kinds import Found, found_kinds
from toolbox.flows.headers import header_of
from toolbox.methods.registry import method_facts
from toolbox.privacy.requirements import model_facts
from toolbox.report.columns import listed
from toolbox.store.separators import guessed_input, with_separator

_SHOWN = 30
"""Columns that a message names."""


def commanded_configuration(
    path: Path | None, overrides: Overrides, declarations: Declarations, faults: Sequence[Fault] = ()
) -> Config:
    """Read what a command line asks for.

    Parameters
    ----------
    path : Path, optional
        The configuration; None: the options say everything. Then the input has a header, its separator is guessed, and
        columns that are not declared are a fault, unless an option says otherwise.
    faults : sequence of Fault, optional
        What is wrong with the options already.

    Raises
    ------
    ConfigurationError
        With all that is wrong.
    """
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reader import read_config

    if path is None:
        overrides = replace(overrides, header=overrides.header or "true", undeclared=overrides.undeclared or "fail")
    methods, models = method_facts(), model_facts()
    read = partial(read_config, path, methods=methods, models=models)
    try:
        config = read(overrides=overrides, declarations=declarations, faults=faults)
    except ConfigurationError as error:
        raise _with_columns(error, overrides) from None
    if path is None:
        config, overrides = _with_guess(config, overrides, declarations)
    is_said = path is not None or overrides.decimal is not None or overrides.thousands is not None
    found = found_kinds(config, finds_figures=not is_said) if path is None or declarations else Found({})
    if found.kinds:
        # What was found is said like all else, so that a saved configuration says it too.
        declarations = replace(declarations, kinds={**found.kinds, **declarations.kinds})
        if found.figures is not None:
            marks = found.figures
            overrides = replace(overrides, decimal=marks.decimal, thousands=marks.thousands or None)
        again = read(overrides=overrides, declarations=declarations)
        source = config.input
        if source is not None and again.input is not None:
            source = replace(source, decimal=again.input.decimal, thousands=again.input.thousands)
        config = replace(again, input=source, warnings=(*again.warnings, *found.notes))
    return config if overrides.save_config is None else _saved(config, overrides, declarations)


def _with_guess(config: Config, overrides: Overrides, declarations: Declarations) -> tuple[Config, Overrides]:
    """Choose the separator with which the input has most of the columns, if nothing names it."""
    source = config.input
    if source is None or source.remote is not None or not source.guesses_separator:
        return config, overrides
    names = [*declarations.identifiers, *declarations.quasi_identifiers, *declarations.sensitive]
    with suppress(ToolboxError, OSError, ValueError):  # which the run reports
        fitting = guessed_input(source, names) if source.header else with_separator(config).input
        config = replace(config, input=fitting)
    known = config.input
    if known is None or known.guesses_separator or has_types(input_files(known)[0]):
        return config, overrides
    return config, replace(overrides, separator=known.separator)


def _saved(config: Config, overrides: Overrides, declarations: Declarations) -> Config:
    """Return the configuration with the text that is to be saved, which was read again and says the same."""
    from toolbox.config.reader import read_config
    from toolbox.config.sameness import differences
    from toolbox.config.saving import OF_ONE_RUN, Saving, require_replaceable

    target = config.output.configuration
    assert target is not None
    require_replaceable(target)
    methods, models = method_facts(), model_facts()
    method = overrides.method
    facts = (
        methods[method.strip() if ":" in method else method.strip().lower()]
        if method
        else methods.get(config.method.lower())
    )
    saving = Saving(config, target, overrides, declarations, facts)
    text = saving.text()
    beside = Overrides(**{name: getattr(overrides, name) for name in OF_ONE_RUN})
    if not saving.is_installed:
        beside = replace(beside, method=method, settings=overrides.settings)
    again = read_config(target, text=text, overrides=beside, methods=methods, models=models)
    if differing := differences(config, again):
        fault = Fault(0, f"The file would not say the same of {', '.join(differing)}.", "Leave out --save-config.")
        raise ConfigurationError("--save-config", [fault])
    return replace(config, saved=text)


def _with_columns(error: ConfigurationError, overrides: Overrides) -> ConfigurationError:
    """Return the error with the columns of the input, where nobody has said which of them may be known."""
    from toolbox.config.reader import NO_QUASI_IDENTIFIERS

    if not any(fault.found == NO_QUASI_IDENTIFIERS for fault in error.faults):
        return error
    paths = [Path(given.text) for given in overrides.given_inputs()]
    has_header = overrides.header is not None and overrides.header.lower() in ("true", "yes", "1")
    names = header_of(paths, separator=overrides.separator, encoding=overrides.encoding) if has_header else ()
    has = f" The columns are {listed(names, most=_SHOWN)}." if names else ""
    faults = [
        replace(fault, remedy=f"{fault.remedy}{has}") if fault.found == NO_QUASI_IDENTIFIERS else fault
        for fault in error.faults
    ]
    return ConfigurationError(error.args[0], faults)
