"""Names of neighbouring texts."""

from helpers.built import HOSTILE_TEXTS
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.texts import format_range_name


def test_neighbours_are_named_by_their_ends():
    assert format_range_name(["low", "mid", "high"]) == "low..high"
    assert format_range_name(["low"]) == "low"


def test_what_could_be_read_otherwise_is_quoted():
    assert format_range_name(["a..b"]) == '"a..b"'
    assert format_range_name(["a", "b.."]) == 'a.."b.."'
    assert format_range_name(["a", ".b"]) == 'a..".b"'
    assert format_range_name(['"', "b"]) == '""""..b'
    assert format_range_name(["*"], root="*") == '"*"'
    assert format_range_name(["*"], root="all") == "*"


@given(
    st.lists(
        HOSTILE_TEXTS | st.sampled_from(["a", "b", ".", "..", "a.", ".b", "a..b"]), min_size=1, max_size=4, unique=True
    )
)
@example(["a", "a.", ".b", "b"])
def test_no_two_ranges_have_one_name(texts):
    ranges = {(first, last): format_range_name([first, last]) for first in texts for last in texts if first != last}
    ranges |= {(text, text): format_range_name([text]) for text in texts}
    assert len(set(ranges.values())) == len(ranges)
