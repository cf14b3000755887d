"""What a Python call says of memory and threads."""

import pytest

from toolbox.config.model import Limits
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import UsageError


def test_an_amount_alone_is_the_limit_of_memory():
    assert parse_limits("512 mb") == Limits(memory="512MB")
    assert parse_limits("2gib") == Limits(memory="2GiB")


def test_no_limits_stay_none():
    assert parse_limits(None) is None
    assert parse_limits(Limits()) == Limits()


def test_a_folder_for_temporary_files_may_be_a_text(tmp_path):
    assert parse_limits(Limits(temp_dir=str(tmp_path))) == Limits(temp_dir=tmp_path)


def test_the_amount_within_limits_is_read_and_all_else_kept(tmp_path):
    limits = Limits(memory="2gb", threads=1, store=tmp_path / "kept.duckdb", temp_dir=tmp_path, lock_timeout=0.0)
    assert parse_limits(limits) == Limits(
        memory="2GB", threads=1, store=tmp_path / "kept.duckdb", temp_dir=tmp_path, lock_timeout=0.0
    )


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            "much",
            "limits is 'much', which is not an amount of memory. Write a number and a unit, such as 512MB, 2GB or 2GiB.",
        ),
        (
            Limits(memory="0GB"),
            "limits is '0GB', which is not an amount of memory. Write a number and a unit, such as 512MB, 2GB or 2GiB.",
        ),
        (Limits(temp_dir=5), "limits.temp_dir is 5; write the path of a folder, or None."),
        (Limits(threads=0), "limits.threads is 0; write a whole number of at least 1."),
        (Limits(threads=1.5), "limits.threads is 1.5; write a whole number of at least 1."),
        (2, "limits is 2; write an amount of memory such as '2GB', or Limits(memory='2GB', threads=2)."),
    ],
)
def test_what_is_no_limit_is_refused_in_the_words_of_the_call(limits, message):
    with pytest.raises(UsageError) as caught:
        parse_limits(limits)
    assert str(caught.value) == message
