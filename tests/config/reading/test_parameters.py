"""The attributes of the root element: the method, its settings, the parameters of privacy."""

from decimal import Decimal

import pytest

from toolbox.config.formats import AS_IN_2010, OUR_OWN
from toolbox.config.model import Portion


@pytest.mark.parametrize(
    ("attributes", "name", "value"),
    [
        ("k='1'", "k", 1),
        ("k=' 25 '", "k", 25),
        ("k='9223372036854775807'", "k", 2**63 - 1),
        ("suppThreshold='0'", "suppression_threshold", 0),
        ("suppthreshold='7'", "suppression_threshold", 7),
        ("suppThreshold='2.5 %'", "suppression_threshold", Portion(Decimal("2.5"), is_percentage=True)),
        ("seed='0'", "seed", 0),
    ],
)
def test_a_parameter_is_read(desk, attributes, name, value):
    assert getattr(desk.read(desk.with_root(attributes)), name) == value


@pytest.mark.parametrize(
    ("attributes", "parameters"),
    [
        ("", (10, 10.0, None, 0.2)),
        ("l='2.5'", (10, 2.5, None, 0.2)),
        ("c='2'", (10, 10.0, 2.0, 0.2)),
        ("c='0'", (10, 10.0, None, 0.2)),
        ("c='-1.5'", (10, 10.0, None, 0.2)),
        ("t='1e-3'", (10, 10.0, None, 0.001)),
    ],
)
def test_the_parameters_of_the_original_toolbox_are_read_together(desk, attributes, parameters):
    assert desk.parameters(attributes) == parameters


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ("k='0'", "k='0' is too small. Write a whole number of at least 1."),
        ("k='2.0'", "k='2.0' is not a whole number. Write a whole number of at least 1."),
        ("k='1_000'", "k='1_000' is not a whole number. Write a whole number of at least 1."),
        ("k=''", "k='' is not a whole number. Write a whole number of at least 1."),
        (f"k='{2**63}'", f"k='{2**63}' is too large. Write a whole number of at least 1, with 18 digits at most."),
        ("l='0'", "l='0' is not positive. Write a number above 0."),
        ("l='nan'", "l='nan' is not a number. Write a number such as 2 or 0.5."),
        ("l='inf'", "l='inf' is not a number. Write a number such as 2 or 0.5."),
        ("c='1e999'", "c='1e999' is too large. Write a number below 1.8e308."),
        ("t='0'", "t='0' is not between 0 and 1. Write a number above 0 and below 1, such as 0.2."),
        ("suppThreshold='-1'", "suppThreshold='-1' is too small. Write a whole number of at least 0."),
        (
            "suppThreshold='101%'",
            "suppThreshold='101%' is no percentage from 0% to 100%. Write a number such as 20, or a share such as 2%.",
        ),
        ("suppressed='hide'", "suppressed='hide' is unknown. Write one of: keep, drop."),
        (
            "method='Datafyl'",
            "method='Datafyl' is unknown. Did you mean 'Datafly'? Write one of: Datafly, Incognito_k, Mondrian.",
        ),
    ],
)
def test_a_parameter_out_of_range_is_reported(desk, attributes, reason):
    assert desk.fault(desk.with_root(attributes)) == f"line 1: {reason}"


def test_a_number_of_thousands_of_digits_is_too_large_and_shown_in_part(desk):
    fault = desk.fault(desk.with_root(f"k='{'9' * 10_000}'"))
    assert (
        fault == f"line 1: k='{'9' * 60}...' is too large. Write a whole number of at least 1, with 18 digits at most."
    )


def test_k_of_one_is_allowed_with_a_warning(desk):
    config = desk.read(desk.with_root("k='1'"))
    assert config.warnings == ("k=1 protects nobody: a class of one record is released as it is.",)


def test_settings_of_the_method_are_read_as_it_registers_their_words(desk):
    config = desk.read(desk.with_root("cut='Classic' note=' as it is '"))
    assert config.settings == {"cut": "classic", "note": "as it is"}


def test_a_setting_with_an_unknown_word_is_reported(desk):
    fault = desk.fault(desk.with_root("cut='clasic'"))
    assert fault == "line 1: cut='clasic' is unknown. Did you mean 'classic'? Write one of: fallback, classic."


def test_a_setting_of_another_method_is_an_unknown_attribute(desk):
    fault = desk.fault(desk.with_root("order='up'"))
    assert fault == (
        "line 1: <config> has no attribute 'order'. "
        "It takes: method, k, l, c, t, suppThreshold, undeclared, rowsArePeople, attacker, suppressBy, recoding, smallClasses, epsilon, delta, sampleWeight, samplingFraction, seed, suppressed, "
        "compatibility, allowNetwork, cut, dimension, note."
    )


def test_an_unknown_method_is_the_only_fault_where_settings_hang_on_it(desk):
    (fault,) = desk.faults(desk.with_root("method='Mondrain' cut='classic'"))
    assert fault.startswith("line 1: method='Mondrain' is unknown. Did you mean 'Mondrian'?")


def test_settings_of_a_method_that_an_option_replaces_are_ignored_with_a_warning(desk):
    text = desk.with_root("method='Incognito_k' order='up'")
    config = desk.read(text, method="mondrian")
    assert (config.method, dict(config.settings)) == ("Mondrian", {})
    assert config.warnings == ("line 1: order='up' is ignored: Mondrian has no such setting.",)


def test_compatibility_is_utd_or_not_given(desk):
    assert desk.read(desk.with_root("compatibility='UTD'")).compatibility is AS_IN_2010
    assert desk.read(desk.with_root("")).compatibility is OUR_OWN
    assert "compatibility='utd2' is unknown" in desk.fault(desk.with_root("compatibility='utd2'"))


def test_one_attribute_in_two_spellings_is_reported(desk):
    fault = desk.fault(desk.with_root("suppThreshold='1' suppthreshold='2'"))
    assert fault == "line 1: suppThreshold and suppthreshold are the same attribute. Keep one of them."
