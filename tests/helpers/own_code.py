"""Methods and loss metrics of somebody else: classes of a few lines, in a module where the command is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

_HEAD = """
import os
from dataclasses import dataclass
from typing import ClassVar
from toolbox import Anonymizer, LossMetric
"""
_METHOD = """
@dataclass(frozen=True, kw_only=True)
class {name}(Anonymizer):
    name: ClassVar[str] = "{name}"

    @classmethod
    def supports(cls, model):
        return True

    def anonymize(self, tables):
        {does}
"""
_METRIC = """
@dataclass(frozen=True, kw_only=True)
class {name}(LossMetric):
    name: ClassVar[str] = "my {name}"
    unit: ClassVar[str] = "classes"
    range: ClassVar[str] = "1 .. N"
    direction: ClassVar[str] = "higher"

    def values(self, comparison):
        {does}
"""
_NOTHING: Mapping[str, str] = MappingProxyType({})


class OwnCode:
    """A module with classes of somebody else, in the working directory of a test."""

    def __init__(
        self,
        module: str,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        methods: Mapping[str, str] = _NOTHING,
        metrics: Mapping[str, str] = _NOTHING,
        more: str = "",
    ) -> None:
        """Write it: of each class its name, and what it does. Python imports a module once, so each needs a new name."""
        self.file = folder / f"{module}.py"
        written = [_METHOD.format(name=name, does=does) for name, does in methods.items()]
        written += [_METRIC.format(name=name, does=does) for name, does in metrics.items()]
        self._text = "\n".join([_HEAD, *written, more])
        self.file.write_text(self._text)
        monkeypatch.chdir(folder)

    def line(self, text: str) -> int:
        """Return the line with a text that occurs once."""
        before, _ = self._text.split(text)
        return before.count("\n") + 1
