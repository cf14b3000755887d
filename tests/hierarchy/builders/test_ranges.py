"""Names of neighbouring texts."""

from helpers.built import HOSTILE_TEXTS
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.texts import range_of


def test_neighbours_are_named_by_their_ends():
    assert range_of(["low", "mid", "high"]) == "low..high"
    assert range_of(["low"]) == "low"


def test_what_could_be_read_otherwise_is_quoted():
    assert range_of(["a..b"]) == '"a..b"'
    assert range_of(["a", "b.."]) == 'a.."b.."'
    assert range_of(["a", ".b"]) == 'a..".b"'
    assert range_of(['"', "b"]) == '""""..b'
    assert range_of(["*"], root="*") == '"*"'
    assert range_of(["*"], root="all") == "*"


@given(
    st.lists(
        HOSTILE_TEXTS | st.sampled_from(["a", "b", ".", "..", "a.", ".b", "a..b"]), min_size=1, max_size=4, unique=True
    )
)
@example(["a", "a.", ".b", "b"])
def test_no_two_ranges_have_one_name(texts):
    ranges = {(first, last): range_of([first, last]) for first in texts for last in texts if first != last}
    ranges |= {(text, text): range_of([text]) for text in texts}
    assert len(set(ranges.values())) == len(ranges)
