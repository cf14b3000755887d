"""Which machine this is, told without its name."""

import socket

import pytest

from toolbox.store.disk.directory_lock import Machine, describe_machine


@pytest.mark.parametrize(
    ("other", "may_be"),
    [
        (Machine("aaaaaaaa", "11111111"), True),
        (Machine("aaaaaaaa", "22222222"), True),
        (Machine("bbbbbbbb", "11111111"), True),
        (Machine("bbbbbbbb", "22222222"), False),
    ],
    ids=["itself", "after a power cut", "a container of another name", "another machine"],
)
def test_a_machine_is_known_by_its_name_or_by_its_start(other, may_be):
    this = Machine("aaaaaaaa", "11111111")
    assert this.may_be(other) is may_be
    assert other.may_be(this) is may_be


def test_this_machine_has_a_name_for_folders_that_tells_nobody_its_own():
    host, boot = str(describe_machine()).split("-")
    assert all(len(part) == 8 and set(part) <= set("0123456789abcdef") for part in (host, boot))
    assert socket.gethostname() not in str(describe_machine())
    assert describe_machine() == describe_machine()
