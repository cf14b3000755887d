"""The values of a column: numbers in several spellings, plain words, and texts that have broken readers."""

from __future__ import annotations

from fuzzing.draw import Draw

_WORDS = ("red", "green", "blue", "Graz", "Linz", "Wien", "flu", "cold", "gout", "yes", "no", "Ohio", "Iowa", "a", "b")
_ODD = (
    *("a,b", 'say "hi"', "two\nlines", "two\r\nlines", "carriage\rreturn", " leading", "trailing ", "\ttab", "a\tb"),
    *("*", "**", "{a,b}", "{a}", "[1:2]", "(3:4)", "[5]", "20-29", "<=5", "a~b", "130**", "a;b", "a|b", "||", "#x"),
    *("=1+2", "+x", "-y", "@z", "NULL", "null", "nan", "inf", "True", "0x1F", "1_000", "007", "7", "1e3", "-0", "1.0"),
    *("é", "Ünï", "日本", "😀", "e\u0301", "\u200b", "x\ufeff", "İ", "ß", "A", "aa", "\u0665", "\x7f", "\x01", "\x85"),
    *("'", "''", "\\", "\\N", "%s", "{}", "{", "}", "$1", "--", "/*", ";", '"', '""', '"a"', "a\\nb", "\u2028", "??"),
    *("x" * 300, "y" * 5_000, " ", "  ", ":", "]", "[", "(", ",", ",,", "a=b", "NaN", "-inf", "1;2", "&amp;", "<x>"),
)


def words(draw: Draw, count: int, encoding: str) -> list[str]:
    """Draw different categories, all of which the encoding can write."""
    odd = draw.choice((0.0, 0.0, 0.2, 0.6))
    drawn = [draw.choice(_ODD) if draw.chance(odd) else draw.choice(_WORDS) for _ in range(count)]
    if draw.chance(0.1):
        drawn += [f"{word}{index}" for index, word in enumerate(drawn)]
    return list(dict.fromkeys(word for word in drawn if is_writable(word, encoding)))[:count] or ["a"]


def is_writable(text: str, encoding: str) -> bool:
    """Return whether an encoding can write a text and read it back unchanged."""
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


def numbers(draw: Draw, count: int) -> list[str]:
    """Draw numbers, as texts; two may be spellings of one."""
    low, step = draw.choice(((0, 1), (15, 5), (-20, 3), (100_000, 1), (-3, 1), (1_000_000_000_000, 7)))
    decimals = draw.choice(("", "", "", ".5", ".25", ".125"))
    drawn = [f"{low + step * draw.whole(0, count)}{decimals}" for _ in range(count)]
    if draw.chance(0.2):
        drawn += [_spelled(draw, text) for text in draw.some(drawn, 3)]
    return list(dict.fromkeys(drawn))


def _spelled(draw: Draw, number: str) -> str:
    whole = "." not in number
    return draw.choice((f"{number}e0", f"{number}.0" if whole else f"{number}0", f" {number}", f"{number} "))
