"""Addresses of e-mail by domain."""

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError


def test_an_address_has_a_domain_and_a_top_level_domain():
    assert built("email").rows(["ada@Mail.Example.org", '"b@c"@x.at', "root@localhost", "d@x.at."]) == [
        ("d@x.at.", "*@x.at", "*.at", "*"),
        ('"b@c"@x.at', "*@x.at", "*.at", "*"),
        ("root@localhost", "*@localhost", "*.localhost", "*"),
        ("ada@Mail.Example.org", "*@mail.example.org", "*.org", "*"),
    ]


@pytest.mark.parametrize("text", ["ada", "@x.at", "ada@", "ada@x..at", "ada@x at", "a@b.c, d@e.f", "a@[10.0.0.1]"])
def test_what_is_no_address_has_no_place(text):
    with pytest.raises(BuilderError, match="an address is name@domain"):
        built("email").rows(["ada@x.at", text])


@pytest.mark.slow
@given(st.lists(st.emails(), min_size=1, max_size=15, unique=True))
def test_every_address_has_its_place(values):
    assert_is_hierarchy(built("email").rows(values), values)
    assert_is_stable(lambda: built("email"), values[:4], values[4:])
