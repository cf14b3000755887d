"""The mode of 2010 as an object: what differs in it, each as a named fact."""

from dataclasses import fields

from toolbox.config.formats import AS_IN_2010, FORMATS, GEN_VALS, MODES, OUR_OWN, Compatibility


def test_users_write_the_name_of_the_mode() -> None:
    assert {"utd": AS_IN_2010} == MODES


def test_the_defaults_are_our_own_way_and_everything_differs_in_2010() -> None:
    assert Compatibility() == OUR_OWN
    assert [
        field.name for field in fields(OUR_OWN) if getattr(OUR_OWN, field.name) == getattr(AS_IN_2010, field.name)
    ] == []


def test_only_generalised_values_of_2010_can_be_judged() -> None:
    assert all(OUR_OWN.can_judge(FORMATS[name]) for name in FORMATS)
    assert [name for name in FORMATS if AS_IN_2010.can_judge(FORMATS[name])] == [GEN_VALS]
