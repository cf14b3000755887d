"""What befalls files: a copy that broke off, a flipped bit, bytes that do not belong there."""

from __future__ import annotations

from fuzzing.draw import Draw

_STRAY = (b"\0", b'"', b'""', b"\r", b"\n", b"\xff", b"\xef\xbb\xbf", b",", b'\n"', b'",', b"\x1f", b"\r\n", b"\x1a")


def damaged(draw: Draw, data: bytes) -> bytes:
    """Damage a file in one to three places."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        position = draw.whole(0, max(0, len(data) - 1))
        match draw.whole(0, 7):
            case 0:
                data = data[:position]
            case 1:
                flipped = bytes([data[position] ^ (1 << draw.whole(0, 7))]) if data else b""
                data = data[:position] + flipped + data[position + 1 :]
            case 2:
                data = data[:position] + data[position + draw.whole(1, 40) :]
            case 3:
                data = data[:position] + data[max(0, position - 30) :]
            case 4 if draw.chance(0.1):
                # Longer than a line may be.
                data = data[:position] + b"x" * 9_000_000 + data[position:]
            case _:
                data = data[:position] + draw.choice(_STRAY) + data[position:]
    return data
