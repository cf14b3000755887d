"""What cannot be asked of a release that is no file, and of records that stay where they are."""

from __future__ import annotations

from collections.abc import Iterator

from toolbox.config.compatibility import OUR_OWN, Compatibility
from toolbox.config.given import Findings
from toolbox.config.model import Limits, MethodFacts, Output
from toolbox.config.places import Places


def check_remote(
    places: Places,
    output: Output,
    limits: Limits,
    method: MethodFacts | None,
    compatibility: Compatibility,
    findings: Findings,
) -> None:
    """Note what a table of a database cannot be, and what cannot be done without the records."""
    if places.engine is not None:
        problems = [*_of_engine(places, output, limits, method, compatibility)]
    elif places.output is not None:
        problems = [*_of_table(output, compatibility)]
    else:
        return
    for problem, remedy in problems:
        findings.fault(0, problem, remedy)


def _of_engine(
    places: Places, output: Output, limits: Limits, method: MethodFacts | None, compatibility: Compatibility
) -> Iterator[tuple[str, str]]:
    leave_out = "Leave it out, or read the records here: name another output."
    if places.input is None or places.output is None:
        role = "input" if places.input is None else "output"
        yield (
            f"The {role} is not in the engine {places.engine_name}.",
            "Records stay there: name a place of the engine.",
        )
    if output.format.has_groups:
        name = method.name if method is not None and method.only_format is not None else str(output.format)
        yield f"{name} deals single records into groups, which no engine does.", "Choose another method and format."
    if compatibility is not OUR_OWN:
        yield "compatibility asks for the files of 2010, which no engine writes.", leave_out
    elif output.order in ("input", "sorted"):
        yield f"order={output.order} is asked for, and an engine keeps no order of records.", "Leave it out."
    asked = {
        "--rejects": output.rejects is not None,
        "--store": limits.store is not None,
        "--split-size": output.split_size is not None,
        "--escape-formulas": output.escapes_formulas,
        "--input-digest": output.input_digest != "none",
    }
    for option, is_asked in asked.items():
        if is_asked:
            yield f"{option} is about files, and the records stay in the engine {places.engine_name}.", leave_out


def _of_table(output: Output, compatibility: Compatibility) -> Iterator[tuple[str, str]]:
    if compatibility is not OUR_OWN:
        yield "compatibility asks for the files of 2010, and the output is a table.", "Name a file as the output."
    if output.format.has_groups:
        yield f"{output.format} makes two tables, and the output names one.", "Name a file as the output."
    if output.split_size is not None:
        yield "--split-size is about files, and the output is a table of a database.", "Leave it out."
    if output.escapes_formulas:
        yield "--escape-formulas is about text, and the output is a table of a database.", "Leave it out."
