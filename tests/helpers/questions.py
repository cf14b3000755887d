"""Questions about columns: by their names, as a call asks, and by a configuration with their positions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from toolbox.config.model import Attribute, Column, Config, Input, Output, QuasiIdentifier
from toolbox.flows.judge.question import Question, TableDescription, make_described_question


def question(*names: str, **said: Any) -> Question:
    """Ask about quasi-identifiers with these names."""
    return make_described_question("test", TableDescription(quasi_identifiers=names, **said))


def column(index: int | None = None, name: str | None = None) -> Column:
    return Column(index=index, name=name)


def configured(**changes: object) -> Question:
    """Ask by a configuration: identifiers 0 and 3, quasi-identifiers 1 and 4, sensitive 5, all by their positions."""
    config = Config(
        source="c.xml",
        path=None,
        input=Input(path=Path("in.csv"), separator=";", encoding="latin-1"),
        output=Output(path=Path("out.csv")),
        identifiers=(column(0), column(3)),
        quasi_identifiers=(
            QuasiIdentifier(column=column(1, "age"), kind="number"),
            QuasiIdentifier(column=column(4, "town"), kind="category"),
        ),
        sensitive=(Attribute(column=column(5, "illness"), kind=None),),
    )
    return Question(config=replace(config, **changes))  # type: ignore[arg-type]
