"""The models, the method and the loss metrics that a call names, and the population that models compare with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from toolbox.config.model import Attribute, Config
from toolbox.config.settings import SUPPRESS_BY, value_of
from toolbox.errors import UnknownColumnError, UsageError, did_you_mean, name_option
from toolbox.flows.arguments.checks import require_list
from toolbox.loss.metric import LossMetric, find_metric_name, load_known_metrics, make_standard_metrics
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import (
    Anonymizer,
    find_method,
    require_person_support,
    require_support,
)
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity, KMAnonymity
from toolbox.privacy.registry import check_hierarchies, make_models
from toolbox.recodings.applying import AppliedRecoding

# The privacy models and the method of a call: that they fit the declared columns, and each other.

_Default = TypeVar("_Default", int, None)


def list_call_models(models: Sequence[PrivacyModel] | None) -> tuple[PrivacyModel, ...]:
    """Return the models of a call; None is none.

    Raises
    ------
    UsageError
        If it is no list.
    """
    if isinstance(models, PrivacyModel):
        raise UsageError("models= is one model. Write a list, such as [KAnonymity(k=5)].")
    return require_list("models", models, "of models")


def add_k_anonymity(models: Sequence[PrivacyModel], k: int) -> tuple[PrivacyModel, ...]:
    """Return models with k-anonymity as one more, unless it is there."""
    return tuple(dict.fromkeys((*models, KAnonymity(k=k))))


def check_models(models: Sequence[PrivacyModel], protected: Sequence[Attribute]) -> None:
    """Stop where an argument is no model, or a model protects a column that is not declared as sensitive.

    Raises
    ------
    UsageError
    """
    known = [str(attribute.column) for attribute in protected]
    for model in list_call_models(models):
        if not isinstance(model, PrivacyModel):
            name = getattr(model, "__name__", type(model).__name__)
            raise UsageError(f"models= holds {name}, which is no privacy model. Write [KAnonymity(k=5)], say.")
        if model.attribute is not None and model.attribute not in known:
            place = choose_setting_name("The command line, in --sensitive,", python="The call, in sensitive=,")
            raise UnknownColumnError(model.attribute, place, known)


def find_smallest_class(models: Sequence[PrivacyModel], default: _Default) -> int | _Default:
    """Return the largest k of the models that require classes of k records; the default if none does."""
    return max((int(model.parameters()["k"]) for model in models if model.k_is_class_size), default=default)


def models_of(config: Config, models: Sequence[PrivacyModel] = ()) -> tuple[PrivacyModel, ...]:
    """Return the models of the caller, or else those of the configuration.

    Raises
    ------
    UsageError
        If a model needs a hierarchy that its attribute has not.
    """
    judges = tuple(models) or make_models(config.requirements)
    check_hierarchies(judges, config.sensitive)
    return judges


def find_judged_attributes(models: Sequence[PrivacyModel]) -> dict[str, bool]:
    """Return the sensitive attributes that are judged, and whether one of their models must know their values."""
    needs = [(model.attribute, model.needs_kind) for model in models if model.attribute is not None]
    return {name: any(kind for other, kind in needs if other == name) for name, _ in needs}


def make_method(config: Config, judges: tuple[PrivacyModel, ...], method: type[Anonymizer] | None = None) -> Anonymizer:
    """Return the method with its settings; the one that the configuration names, unless it is given.

    Raises
    ------
    UsageError
        If its classes cannot be released in the format, or it cannot list the nodes that are asked for.
    """
    chosen = AppliedRecoding.choose(config) if config.recoding is not None else method or find_method(config.method)
    only = chosen.only_format
    if only not in (None, config.output.format.name):
        raise UsageError(f"{config.method} releases only {only}. Write output_format='{only}'.")
    if config.output.lattice is not None and not chosen.lists_nodes:
        raise UsageError(
            f"{name_option('lattice')}: {chosen.name} lists no nodes. Leave it out, or choose Flash, OLA or MinGen."
        )
    require_support(chosen, judges)
    if config.person:
        by_profile, suppress_by = config.attacker == "profile", value_of(config, SUPPRESS_BY) or ""
        require_person_support(chosen, judges, by_profile=by_profile, suppress_by=suppress_by)
    return chosen.made(config, judges) if issubclass(chosen, AppliedRecoding) else chosen.configured(config, judges)


def require_joinable(
    config: Config, method: type[Anonymizer], models: Sequence[PrivacyModel], *, repairs: bool
) -> None:
    """Stop where child tables have quasi-identifiers, and something cannot judge them together with the main table.

    Parameters
    ----------
    repairs : bool
        Whether the release is made anew where earlier ones tell too much.

    Raises
    ------
    UsageError
    """
    judged = [name for name, child in config.child_tables.items() if child.quasi_identifiers]
    if not judged:
        return
    column = f"{judged[0]}.{config.child_tables[judged[0]].quasi_identifiers[0].column}"
    for model in models:
        if not isinstance(model, (KAnonymity, KMAnonymity)):
            raise UsageError(
                f"{model} is counted in one table, and {column} is judged together with the main table. Require "
                "k-anonymity or k^m-anonymity, or declare the column as sensitive: then nobody judges it."
            )
    require_person_support(method, [KAnonymity(k=config.k)], by_profile=True)
    if config.output.recoding is not None or config.recoding is not None:
        raise UsageError(
            f"A recoding is of one table, and {column} is generalised together with the main table. Leave "
            f"{name_option('recoding' if config.recoding is not None else 'save-recoding')} out."
        )
    if repairs:
        raise UsageError(
            f"A repair for earlier releases makes the main table anew, and {column} is judged with it. Leave "
            f"{name_option('earlier-repair')} out: then the run stops where earlier releases tell too much."
        )
    by_person = value_of(config, SUPPRESS_BY) == "person"
    is_whole = by_person or (config.attacker != "rows" and not any(model.looks_beyond_class for model in models))
    if not is_whole and config.suppression_threshold != 0 and all(model.suppression_helps for model in models):
        none = choose_setting_name("suppThreshold='0'", python="suppression_threshold=0", options="--suppThreshold 0")
        option, argument = "--suppress-by person", "suppress_by='person'"
        whole = choose_setting_name("suppressBy='person'", python=argument, options=option)
        raise UsageError(
            f"Where rows of {column} are judged one by one, a suppressed record would take others of its person along, "
            f"out of classes that need them. {whole} counts these, too; {none} suppresses nobody."
        )


def require_counted_alone(models: Sequence[PrivacyModel], why: str, *, has_population: bool | None = None) -> None:
    """Stop where a model asks for more than the counts of each class: for a population, or for other classes.

    Parameters
    ----------
    has_population : bool, optional
        Whether a population is counted as well; None: it cannot be.

    Raises
    ------
    UsageError
    """
    if comparing := [model for model in models if model.needs_columns or model.of_release]:
        elsewhere = "Read the records here: toolbox anonymize people.csv, or toolbox.anonymize; or require k-anonymity."
        raise UsageError(f"{comparing[0]} is not counted where {why}. {elsewhere}")
    asking = [model for model in models if model.needs_population]
    if asking and not has_population:
        elsewhere = "Read the records here: toolbox anonymize people.csv --population FILE, or toolbox.anonymize."
        if has_population is False:
            named = choose_setting_name("<population table='..'/>", options="--population TABLE", python="population=")
            raise UsageError(
                f"{asking[0]} compares with a population, and none is named. Write {named}: the engine has it."
            )
        raise UsageError(f"{asking[0]} compares with a population, which is not read where {why}. {elsewhere}")


# The loss metrics that a call or a command line names.


def choose_metrics(asked: Sequence[str | LossMetric], *others: str) -> tuple[LossMetric, ...]:
    """Return metrics by their names, as `find_metric_name` understands them; others as they are.

    Parameters
    ----------
    *others : str
        Names that may be asked for as well, for messages.

    Raises
    ------
    UsageError
        If there is no such metric.

    Examples
    --------
    >>> [metric.name for metric in choose_metrics(["Non-Uniform-Entropy", "precision", "ncp"])]
    ['non-uniform entropy', 'precision', 'normalised certainty penalty']
    """
    if isinstance(asked, (str, LossMetric)):
        raise UsageError("metrics= is one metric. Write a list, such as ['precision'].")
    known = {metric.name: metric for metric in make_standard_metrics()}
    return tuple(dict.fromkeys(_choose_metric(each, known, others) for each in require_list("metrics", asked)))


def _choose_metric(asked: str | LossMetric, known: dict[str, LossMetric], others: Sequence[str]) -> LossMetric:
    if isinstance(asked, LossMetric):
        return asked
    if not isinstance(asked, str):
        name = getattr(asked, "__name__", type(asked).__name__)
        raise UsageError(f"metrics= holds {name}, which is no metric. Write its name, such as 'precision'.")
    if (name := find_metric_name(asked, known)) is None:
        load_known_metrics().require_sound(asked)
        names = sorted({*others, *known})
        listed = f"There are: {', '.join(names)}."
        raise UsageError(f"There is no loss metric {asked!r}.{did_you_mean(asked, names)} {listed}")
    return known[name]
