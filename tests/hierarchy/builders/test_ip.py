"""Addresses by network."""

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError


def test_an_address_lies_in_networks_of_both_versions():
    assert built("ip").rows(["192.0.2.17", "10.0.0.1", "9.1.1.1", "2001:db8:1:2::1", "fe80::1%eth0"]) == [
        ("9.1.1.1", "9.1.1.0/24", "9.1.0.0/16", "9.0.0.0/8", "*"),
        ("10.0.0.1", "10.0.0.0/24", "10.0.0.0/16", "10.0.0.0/8", "*"),
        ("192.0.2.17", "192.0.2.0/24", "192.0.0.0/16", "192.0.0.0/8", "*"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32", "*"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48", "fe80::/32", "*"),
    ]


@pytest.mark.parametrize("text", ["192.0.2", "192.0.2.256", "10.0.0.0/8", "localhost", "01.2.3.4", "::g"])
def test_what_is_no_address_has_no_place(text):
    with pytest.raises(BuilderError, match="1 value is outside"):
        built("ip").rows(["192.0.2.17", text])
    assert built("ip:other=root").rows(["192.0.2.17", text])[-1] == (text, "*", "*", "*", "*")


@given(st.lists(st.ip_addresses(), min_size=1, max_size=20, unique=True))
def test_every_address_has_its_place(values):
    assert_is_hierarchy(built("ip").rows(values), list(map(str, values)))
    assert_is_stable(lambda: built("ip"), values[:4], values[4:])
