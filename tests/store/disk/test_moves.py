"""Files on their way to their places: all of them arrive, or none."""

from contextlib import ExitStack

import pytest

from toolbox.store.disk.folders import Folder
from toolbox.store.disk.journal import Move, finish_moves, go_back, mark_of


class Road:
    """The folder of a run with two new files, and the place where one of them replaces an earlier one."""

    def __init__(self, top, stack):
        for name in ("near", "place"):
            (top / name).mkdir()
        self.near, self.place = (stack.enter_context(Folder.opened(top / name)) for name in ("near", "place"))
        self.place.write("a", b"earlier a")
        self.place.link("a", self.near, "kept_a")
        self.moves = [self._move(name) for name in ("a", "b")]

    def _move(self, name):
        earlier = mark_of(self.place, name)
        self.near.write(f"new_{name}", f"new file {name}".encode())
        new = mark_of(self.near, f"new_{name}")
        return Move(self.near, self.place, f"new_{name}", name, f"kept_{name}", new, earlier)

    def content(self):
        return {name: self.place.read(name, 99).decode() for name in sorted(self.place.names())}


@pytest.fixture
def road(tmp_path):
    with ExitStack() as stack:
        yield Road(tmp_path, stack)


NEW = {"a": "new file a", "b": "new file b"}
EARLIER = {"a": "earlier a"}


def test_a_file_is_known_by_its_size_and_time_wherever_it_is(road):
    before = mark_of(road.near, "new_b")
    road.near.move("new_b", road.place, "b")
    assert mark_of(road.place, "b") == before
    assert mark_of(road.near, "new_b") is None
    assert before[0] == len("new file b")


def test_a_move_is_to_do_and_then_done_and_after_going_back_to_do_again(road):
    for move in road.moves:
        assert (move.is_to_do(), move.can_be_done(), move.is_done()) == (True, True, False)
        move.do()
        assert (move.is_to_do(), move.can_be_done(), move.is_done()) == (False, False, True)
    assert road.content() == NEW
    for move in road.moves:
        move.undo()
        assert (move.is_to_do(), move.is_done()) == (True, False)
    assert road.content() == EARLIER


@pytest.mark.parametrize("first", [0, 1])
def test_moves_that_were_cut_off_are_done_to_the_end(road, first):
    road.moves[first].do()
    finish_moves(road.moves)
    assert road.content() == NEW


@pytest.mark.parametrize("first", [0, 1])
def test_where_a_new_file_is_lost_all_goes_back(road, first):
    road.moves[first].do()
    road.near.remove(road.moves[1 - first].staged)
    if first == 1:  # what replaces nothing is put back, although what replaces something is lost
        finish_moves(road.moves)
        assert road.content() == EARLIER
    else:  # a new file that is nowhere has been removed by somebody after it came
        finish_moves(road.moves)
        assert road.content() == {"a": "new file a"}


def test_nothing_is_touched_before_the_first_move_and_after_the_last(road):
    finish_moves(road.moves)
    assert road.content() == EARLIER
    for move in road.moves:
        move.do()
    finish_moves(road.moves)
    assert road.content() == NEW


def test_nothing_is_touched_where_somebody_has_changed_a_file_since(road):
    road.moves[1].do()
    road.place.remove("a")
    road.place.write("a", b"of somebody else")
    finish_moves(road.moves)
    assert road.content() == {"a": "of somebody else", "b": "new file b"}


def test_after_going_back_no_later_run_goes_on(road):
    road.moves[0].do()
    go_back(road.moves)
    assert road.content() == EARLIER
    finish_moves(road.moves)
    assert road.content() == EARLIER
    assert not any(move.can_be_done() for move in road.moves)


def test_going_back_that_was_cut_off_before_its_first_step_is_gone_on_with(road):
    road.moves[0].do()
    for move in road.moves:
        move.give_up()
    finish_moves(road.moves)
    assert road.content() == EARLIER


def test_a_move_without_a_new_file_takes_the_earlier_one_away_and_brings_it_back(road):
    going = Move(road.near, road.place, "new_none", "a", "kept_a", None, mark_of(road.place, "a"))
    assert going.path == road.place.path / "a"
    going.do()
    assert (road.content(), going.is_done()) == ({}, True)
    going.do()
    going.undo()
    assert (road.content(), going.is_to_do()) == (EARLIER, True)
