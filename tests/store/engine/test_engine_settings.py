"""The settings with which the engine is started."""

from pathlib import Path

import pytest

from toolbox.config.model import Limits
from toolbox.errors import UsageError
from toolbox.store.engine.connection import build_engine_settings

FOLDER = Path("/run/of/mine")


def test_the_engine_spills_into_its_own_folder_and_keeps_the_order_of_records():
    settings = build_engine_settings(Limits(), FOLDER)
    assert settings["temp_directory"] == "/run/of/mine/spill"
    assert settings["preserve_insertion_order"] is True


def test_whatever_reaches_for_the_network_or_for_this_process_is_off():
    settings = build_engine_settings(Limits(), FOLDER)
    doors = {name for name, value in settings.items() if value is False}
    assert doors == {
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "allow_community_extensions",
        "allow_unsigned_extensions",
        "allow_persistent_secrets",
        "python_enable_replacements",
    }


def test_limits_are_set_only_where_there_are_some():
    assert not {"memory_limit", "threads"} & build_engine_settings(Limits(), FOLDER).keys()
    settings = build_engine_settings(Limits(memory="2 gib", threads=3), FOLDER)
    assert (settings["memory_limit"], settings["threads"]) == ("2GiB", 3)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(memory="80%"), "The limit memory='80%' is not an amount of memory. Write a number and a unit, such as"),
        (Limits(threads=0), "The limit threads='0' is too small. Write a whole number of at least 1."),
        (Limits(threads=513), "The limit threads='513' is too large. Write a whole number from 1 to 512."),
    ],
)
def test_a_limit_that_is_none_is_refused_in_our_words(limits, message):
    with pytest.raises(UsageError) as caught:
        build_engine_settings(limits, FOLDER)
    assert str(caught.value).startswith(message)
