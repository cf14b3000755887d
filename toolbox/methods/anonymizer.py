"""The contract of a method: a subclass rewrites the tables, the base class checks, proves and counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, final

from toolbox.config.model import Config, MethodFacts
from toolbox.errors import SettingError, UnsatisfiableError, UsageError, did_you_mean
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof import Proof, prove
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Anonymization:
    """The finished tables, with the proof that they satisfy the declared models."""

    tables: Tables
    proof: Proof


def setting(default: str, words: tuple[str, ...]) -> Any:
    """Declare a field of a method that users set by a word in the configuration or on the command line."""
    return field(default=default, metadata={"words": words})


@dataclass(frozen=True, kw_only=True)
class Anonymizer(ABC):
    """A method that rewrites the loaded tables until every class satisfies the declared models.

    A subclass is a frozen dataclass of the method's settings. It supplies `anonymize`, and an entry point under
    ``toolbox.methods``, whose name is the one users write in the XML.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    reference: ClassVar[str] = ""
    """Where the method is published."""
    full_domain: ClassVar[bool] = False
    """Whether it needs, of every quasi-identifier, a hierarchy with all leaves at one depth."""

    models: tuple[PrivacyModel, ...]
    """What every class must satisfy; at least one."""

    def __post_init__(self) -> None:
        for given in fields(self):
            words = given.metadata.get("words")
            if words and getattr(self, given.name) not in words:
                raise SettingError(given.name, getattr(self, given.name), "one of " + ", ".join(words))
        for model in self.models:
            if not self.supports(model):
                raise UsageError(f"{self.name} cannot honour {model.name}. Choose another method or model.")

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        """Whether the method can honour a privacy model; by default one that needs no sensitive attribute."""
        return model.attribute is None

    @abstractmethod
    def anonymize(self, tables: Tables) -> Tables:
        """Return the rewritten pair. Reads and writes through ``tables`` only."""

    @final
    def run(self, tables: Tables) -> Anonymization:
        """Anonymise, then prove it: `rewrite`, then `prove`."""
        return self.prove(tables, self.rewrite(tables))

    @final
    def rewrite(self, tables: Tables) -> Tables:
        """Anonymise, unless no release can satisfy the models.

        Raises
        ------
        UnsatisfiableError
            If there are fewer records than the smallest class that the models allow.
        """
        least = max(model.least_records for model in self.models)
        if tables.record_count < least:
            raise UnsatisfiableError(
                f"The table has {tables.record_count} records, and a class needs at least {least}. "
                "Lower k or add records."
            )
        return self.anonymize(tables)

    @final
    def prove(self, initial: Tables, finished: Tables) -> Anonymization:
        """Check the finished tables, independently of how they were made.

        Raises
        ------
        ProofError
            If they do not hold.
        """
        return Anonymization(finished, prove(initial, finished, self.models))

    @final
    def settings(self) -> dict[str, str]:
        """Return the method's own settings, as text."""
        return {one.name: str(getattr(self, one.name)) for one in fields(self) if one.name != "models"}

    @classmethod
    @final
    def facts(cls) -> MethodFacts:
        """Tell a configuration what it must know of the method."""
        settings = {given.name: given.metadata["words"] for given in fields(cls) if "words" in given.metadata}
        return MethodFacts(name=cls.name, full_domain=cls.full_domain, settings=settings)

    @classmethod
    @final
    def configured(cls, config: Config, models: tuple[PrivacyModel, ...]) -> Self:
        """Make the method with the settings of a configuration."""
        given: dict[str, Any] = {name.lower(): value for name, value in config.settings.items()}
        common: Mapping[str, Any] = {
            "suppression_threshold": config.k if config.suppression_threshold is None else config.suppression_threshold,
            "seed": config.seed,
        }
        names = {one.name for one in fields(cls)}
        for name in given:
            if name not in cls.facts().settings:
                known = sorted(cls.facts().settings)
                listed = f"It has: {', '.join(known)}." if known else "It has none."
                raise UsageError(f"{cls.name} has no setting {name!r}.{did_you_mean(name, known)} {listed}")
        chosen = {name: value for name, value in {**common, **given}.items() if name in names}
        return cls(models=models, **chosen)
