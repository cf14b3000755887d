"""What a publisher should know of the settings of a run, and of what came of them."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.config.model import Config
from toolbox.messages import counted, either, suppression_setting
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.report.information import Information, emptiness_notes
from toolbox.report.quasi_identifiers import QuasiIdentifierResult


def warnings_of(
    config: Config,
    method: Anonymizer,
    anonymization: Anonymization,
    information: Information,
    results: Sequence[QuasiIdentifierResult],
) -> tuple[str, ...]:
    """List the warnings of the configuration and of the method, and those that follow from the settings."""
    return (
        *config.warnings,
        *_order_warning(config),
        *_seed_warning(config),
        *_threshold_warning(config, method),
        *_suppressed_warning(config, anonymization),
        *_emptiness_notes(information, results, anonymization, method),
        *anonymization.tables.notes,
    )


def _emptiness_notes(
    information: Information,
    results: Sequence[QuasiIdentifierResult],
    anonymization: Anonymization,
    method: Anonymizer,
) -> tuple[str, ...]:
    if anonymization.tables.by_number or not anonymization.proof.classes:
        return ()
    at_root = [result.name for result in results if result.is_at_root]
    return emptiness_notes(information, at_root, len(results), whole_columns=method.full_domain)


def _suppressed_warning(config: Config, anonymization: Anonymization) -> tuple[str, ...]:
    count = anonymization.proof.records_suppressed
    are_shown = config.compatibility.shows_suppressed and config.output.format.tells_classes_apart
    if not (are_shown and count):
        return ()
    return (
        f"The values of {counted(count, 'suppressed record')} can be seen, as in 2010. Publish without compatibility.",
    )


def _threshold_warning(config: Config, method: Anonymizer) -> tuple[str, ...]:
    threshold = config.suppression_threshold
    allowed = method.suppression_limit
    if not threshold or allowed:
        return ()
    if allowed is not None:
        unhelped = ", ".join(model.name for model in method.models if not model.suppression_helps)
        return (f"{suppression_setting()}={threshold} is ignored: suppression does not help {unhelped}.",)
    return (f"{suppression_setting()}={threshold} is ignored: {config.method} suppresses nobody.",)


def _order_warning(config: Config) -> tuple[str, ...]:
    """Tell people who have a configuration of the toolbox of 2010 that line n is no longer line n."""
    if not (config.is_of_2010 and config.output.order == "shuffled" and config.output.format.order_can_be_chosen):
        return ()
    kept = either("order='input' on <output>, or --order input,", python="order='input'")
    return (
        "The records are shuffled: line n of the release is not line n of the input, as it was in the toolbox of 2010. "
        f"{kept} keeps the order of the input; compatibility='utd' keeps the old notation, too.",
    )


def _seed_warning(config: Config) -> tuple[str, ...]:
    if config.seed is None:
        return ()
    guesses = "Somebody who knows or guesses the seed can"
    if config.output.format.has_groups:
        return (f"{guesses} join the two tables of anatomy line by line. Publish without one.",)
    if config.output.order == "shuffled":
        return (f"{guesses} put the records into the order of the input again. Publish without one.",)
    return ()
