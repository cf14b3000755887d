"""What befalls files: a copy that broke off, a flipped bit, bytes that do not belong there."""

from __future__ import annotations

from fuzzing.draw import Draw

_STRAY = (b"\0", b'"', b'""', b"\r", b"\n", b"\xff", b"\xef\xbb\xbf", b",", b'\n"', b'",', b"\x1f", b"\r\n", b"\x1a")


def damaged(draw: Draw, data: bytes) -> bytes:
    """Damage a file in one to three places."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        place = draw.whole(0, max(0, len(data) - 1))
        match draw.whole(0, 7):
            case 0:
                data = data[:place]
            case 1:
                flipped = bytes([data[place] ^ (1 << draw.whole(0, 7))]) if data else b""
                data = data[:place] + flipped + data[place + 1 :]
            case 2:
                data = data[:place] + data[place + draw.whole(1, 40) :]
            case 3:
                data = data[:place] + data[max(0, place - 30) :]
            case 4 if draw.chance(0.1):
                # Longer than a line may be.
                data = data[:place] + b"x" * 9_000_000 + data[place:]
            case _:
                data = data[:place] + draw.choice(_STRAY) + data[place:]
    return data
