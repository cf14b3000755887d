"""One file of a table that is split, as it grows."""

import gzip
import random

import pytest

from toolbox.release.files.split import Piece
from toolbox.store.input.formats.first_bytes import open_binary

NAMES = ["p.csv", "p.csv.gz", "p.csv.zst"]
LINE = b"31,Graz,flu\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_its_head_and_all_that_was_written(tmp_path, name):
    piece = Piece(tmp_path / name, 10_000, b"age,town,illness\n")
    for _ in range(5):
        piece.write(LINE)
    piece.close()
    with open_binary(tmp_path / name) as file:
        assert file.read() == b"age,town,illness\n" + 5 * LINE


def test_the_room_in_a_plain_file_is_exact(tmp_path):
    piece = Piece(tmp_path / "p.csv", 30, b"head\n")
    assert piece.count_free_bytes() == 25
    piece.write(LINE)
    assert piece.count_free_bytes() == 13
    piece.write(LINE)
    assert piece.count_free_bytes() == 1
    piece.close()
    assert (tmp_path / "p.csv").stat().st_size == 29


@pytest.mark.parametrize("name", NAMES[1:])
def test_whoever_fills_the_room_of_a_compressed_file_comes_near_its_size(tmp_path, name):
    chance = random.Random(1)
    piece = Piece(tmp_path / name, 5_000, b"")
    assert piece.count_free_bytes() == 5_000
    written = 0
    while room := piece.count_free_bytes():
        text = b"".join(b"%d,Graz,flu\n" % chance.randrange(10**6) for _ in range(max(1, room // 40)))
        piece.write(text)
        written += len(text)
    piece.close()
    size = (tmp_path / name).stat().st_size
    assert 4_800 <= size <= 5_400
    assert written > 1.5 * size


def test_the_same_text_is_the_same_gzip_whenever_it_is_written(tmp_path):
    for name in ("first.csv.gz", "second.csv.gz"):
        piece = Piece(tmp_path / name, 1000, b"head\n")
        piece.write(LINE)
        piece.close()
    first, second = ((tmp_path / name).read_bytes() for name in ("first.csv.gz", "second.csv.gz"))
    assert first == second
    assert gzip.decompress(first) == b"head\n" + LINE
    assert first[3:8] == b"\0\0\0\0\0", "neither a name nor a time"
