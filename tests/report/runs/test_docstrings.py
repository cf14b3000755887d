"""What is read from a docstring in the style of numpydoc."""

from toolbox.report.runs.installed import ParameterDescription, parse_parameters, parse_section, read_summary


class Documented:
    """Do something
    in two lines.

    More of it.

    Parameters
    ----------
    size : int, >= 1
        How large,
        at least.

        Really.
    low, high : float
        Bounds.
    untyped
        No type.
    silent : str

    References
    ----------
    Somebody (1999).
    A paper. doi:10.1/2
    """


class Silent:
    pass


class Inheriting(Documented):
    pass


def test_the_summary_is_the_first_line() -> None:
    assert read_summary(Documented) == "Do something"
    assert read_summary(Silent) == ""


def test_parameters_have_a_kind_and_a_meaning_on_one_line() -> None:
    assert parse_parameters(Documented) == {
        "size": ParameterDescription("int, >= 1", "How large, at least. Really."),
        "low": ParameterDescription("float", "Bounds."),
        "high": ParameterDescription("float", "Bounds."),
        "untyped": ParameterDescription("", "No type."),
        "silent": ParameterDescription("str", ""),
    }
    assert parse_parameters(Silent) == {}


def test_a_section_is_the_text_below_its_title() -> None:
    assert parse_section(Documented, "References") == "Somebody (1999).\nA paper. doi:10.1/2"
    assert parse_section(Documented, "Notes") == ""


def test_a_class_without_words_of_its_own_does_not_speak_with_those_of_its_base() -> None:
    assert read_summary(Inheriting) == ""
