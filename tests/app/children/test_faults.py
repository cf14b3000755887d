"""An error that nobody foresaw is told without its words, which may quote cells."""

from __future__ import annotations

from toolbox.app.children.protocol import hide_foreign_words, list_fault_sentences
from toolbox.app.project.variants import PreviewVariant
from toolbox.errors import ConfigurationError, Fault, UsageError


def test_our_own_errors_are_told_as_they_are() -> None:
    error = UsageError("Write 5.")
    assert hide_foreign_words(error) is error


def test_of_others_the_kind_and_our_line_are_told_and_no_word() -> None:
    variant = PreviewVariant(1, "", "", {}, {}, 0.0)
    try:
        _ = variant.classes
    except KeyError as error:
        told = str(hide_foreign_words(error))
    assert "KeyError in app/project/variants.py, line " in told
    assert "'classes'" not in told
    assert "secret" not in str(hide_foreign_words(ValueError("secret")))


def test_too_little_memory_is_no_fault_of_ours() -> None:
    assert "no more memory" in str(hide_foreign_words(MemoryError()))


def test_each_fault_of_a_configuration_is_a_sentence() -> None:
    error = ConfigurationError("c.xml", [Fault(3, "k is 0.", "Write 1."), Fault(4, "l is 0.", "Write 2.")])
    assert list_fault_sentences(error) == ["k is 0. Write 1.", "l is 0. Write 2."]
    assert list_fault_sentences(UsageError("Write 5.")) == ["Write 5."]
