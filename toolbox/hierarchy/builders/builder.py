"""The contract of builders: a rule, its settings, and the hierarchy that it makes of the values of a column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, Self

from toolbox.errors import ConfigurationError, UsageError
from toolbox.hierarchy.builders.settings import OTHER, TEXT, Other, Setting

Takes = Literal["numbers", "texts", "dates", "anything"]
Kind = Literal["number", "category", "date"]
_COMMON: Final[Mapping[str, Setting]] = MappingProxyType({"other": OTHER, "root": TEXT})
ROOT: Final = "*"
DEEPEST: Final = 63
"""Most levels below a root, as in a hierarchy file."""


class Wrong(NamedTuple):
    """One thing that is wrong with the settings of a builder, or with what it is applied to."""

    found: str
    """A sentence."""
    remedy: str
    """What to write instead."""


class BuilderError(UsageError):
    """A builder cannot be made, or cannot make a hierarchy: everything that is wrong, at once."""

    def __init__(self, builder: str, wrong: Sequence[Wrong], file: ConfigurationError | None = None) -> None:
        super().__init__(builder, tuple(wrong), file)

    @property
    def wrong(self) -> tuple[Wrong, ...]:
        """All that is wrong."""
        parts: tuple[Wrong, ...] = self.args[1]
        return parts

    @property
    def file(self) -> ConfigurationError | None:
        """What is wrong with the file that the builder reads."""
        error: ConfigurationError | None = self.args[2]
        return error

    def __str__(self) -> str:
        said = f"{self.args[0]}: " + " ".join(f"{found} {remedy}".strip() for found, remedy in self.wrong)
        return said if self.file is None else f"{said}\n{self.file}"


@dataclass(frozen=True, kw_only=True)
class Builder(ABC):
    """A rule that makes a hierarchy of the values of a column.

    A subclass is a frozen dataclass of its settings, of which `settings` says how each is written. It supplies
    `_faults`, if settings can contradict each other, and what its kind asks for: see `NumberBuilder`, `TextBuilder`
    and `DateBuilder`. All leaves of what it makes lie at one depth, and a label never stands for two sets of values.
    """

    name: ClassVar[str]
    takes: ClassVar[Takes]
    main: ClassVar[str | None] = None
    """The setting that the command line writes without its name."""
    sample: ClassVar[str] = ""
    """A value of the main setting, for messages."""
    is_needed: ClassVar[bool] = True
    """Whether the main setting must be there."""
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    counts_records: ClassVar[bool] = False
    """Whether the hierarchy depends on how many records have each value."""

    other: Other = "error"
    """What becomes of a value that the hierarchy does not know: it is an error, or goes to the root at once."""
    root: str = ROOT
    """What the root is called."""

    def __post_init__(self) -> None:
        for name, setting in self.settings.items():
            if setting.has_levels and len(getattr(self, name)) > DEEPEST:
                found = f"{name}= lists {len(getattr(self, name)):,} levels."
                raise BuilderError(self.name, [Wrong(found, f"Write at most {DEEPEST}.")])
        if wrong := list(self._faults()):
            raise BuilderError(self.name, wrong)

    def _faults(self) -> Iterator[Wrong]:
        """Yield what is wrong with the settings together."""
        return iter(())

    @classmethod
    def all_settings(cls) -> dict[str, Setting]:
        """Return every setting with how it is written."""
        return {**cls.settings, **_COMMON}

    def attributes(self) -> dict[str, str]:
        """Return the attributes of ``<vgh>`` that declare this builder.

        Settings with their usual value are left out.
        """
        usual = {field.name: field.default for field in fields(self)}
        known = {name: (setting, getattr(self, name)) for name, setting in self.all_settings().items()}
        written = {name: setting.write(value) for name, (setting, value) in known.items() if value != usual[name]}
        return {"build": self.name, **written}

    @classmethod
    def is_said(cls, given: Mapping[str, str]) -> bool:
        """Return whether other settings say what the main one would."""
        return False

    @classmethod
    def example(cls) -> str:
        """Return an example of the main setting."""
        return f"{cls.main}='{cls.sample}'"

    def of(self, kind: Kind) -> Builder:
        """Return the builder for what a column was found to hold."""
        return self

    def opened(self, folder: Path) -> Self:
        """Return the builder with what its files hold.

        Raises
        ------
        ConfigurationError
            With all faults of a file, by line.
        """
        return self

    @abstractmethod
    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        """Return each value with its label on each level, the root last, as a hierarchy file has them.

        Parameters
        ----------
        values : iterable
            A value that occurs more often counts more, where that matters.

        Raises
        ------
        BuilderError
            If a value does not fit.
        """

    def _refuse(self, found: str, remedy: str) -> BuilderError:
        return BuilderError(self.name, [Wrong(found, remedy)])

    def _unknown(self, count: int) -> BuilderError:
        """Return the error about values that the hierarchy does not know."""
        what = "1 value is" if count == 1 else f"{count:,} values are"
        return self._refuse(f"{what} outside the hierarchy.", f"{self.hint} Or write other='root'.".strip())

    @property
    def hint(self) -> str:
        """What to do about values that the hierarchy does not know."""
        return "Correct them."
