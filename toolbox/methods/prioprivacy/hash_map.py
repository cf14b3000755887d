"""The order in which a `java.util.HashMap` of texts is walked through, since Java 8.

The program behind the PrioPrivacy paper keeps the sets of columns that it may suppress in such a map and takes the
first one that will do. So its releases can only be repeated by walking through the sets as that map does.

The order follows from the published source of the class. A text has the hash of ``String.hashCode``, whose upper half
is mixed into the lower one. Its last bits are the number of the bucket, of as many buckets as the table has. A new text
goes to the end of its bucket. The table begins with 16 buckets; it doubles when it holds more texts than three quarters
of its buckets, and also when a bucket gets its ninth text while there are fewer than 64. Doubling splits each bucket in
two and keeps the order within. The map is walked through bucket by bucket.

References
----------
OpenJDK, ``java.util.HashMap`` (``hash``, ``putVal``, ``treeifyBin``, ``resize``) and ``java.lang.String.hashCode``.
"""

from __future__ import annotations

from collections.abc import Iterable

_FIRST_BUCKETS = 16
_MOST_IN_BUCKET = 8
"""More texts than these make a tree of a bucket, or of a small table a larger one."""
_LEAST_FOR_TREES = 64
_LOAD = 0.75


def hash_order(texts: Iterable[str]) -> list[str]:
    """Return texts in the order in which a HashMap holds them.

    Parameters
    ----------
    texts : iterable of str
        All different, in the order in which they are put into the map; no character beyond U+FFFF.

    Returns
    -------
    list of str

    Raises
    ------
    NotImplementedError
        If a bucket would become a tree, whose order is another. Sets of up to ten columns never make one.

    Examples
    --------
    >>> hash_order(["8 7", "8 0", "7 6"])
    ['8 0', '7 6', '8 7']
    """
    buckets: list[list[str]] = [[] for _ in range(_FIRST_BUCKETS)]
    for count, text in enumerate(texts, start=1):
        bucket = _bucket_of(text, buckets)
        bucket.append(text)
        if len(bucket) > _MOST_IN_BUCKET:
            if len(buckets) >= _LEAST_FOR_TREES:
                raise NotImplementedError(f"{len(bucket)} of {count} texts share a bucket, which Java makes a tree")
            buckets = _doubled(buckets)
        if count > _LOAD * len(buckets):
            buckets = _doubled(buckets)
    return [text for bucket in buckets for text in bucket]


def hash_of(text: str) -> int:
    """Hash a text as ``HashMap.hash`` does: 32 bits, not negative.

    Examples
    --------
    >>> hash_of("8 7")  # 56 * 31**2 + 32 * 31 + 55, which is below 2**16
    54863
    """
    code = 0
    for letter in text:
        code = (31 * code + ord(letter)) % 2**32
    return code ^ code >> 16


def _bucket_of(text: str, buckets: list[list[str]]) -> list[str]:
    return buckets[hash_of(text) % len(buckets)]


def _doubled(buckets: list[list[str]]) -> list[list[str]]:
    """Split each bucket in two; which half a text goes to is one more bit of its hash."""
    wider: list[list[str]] = [[] for _ in range(2 * len(buckets))]
    for bucket in buckets:
        for text in bucket:
            _bucket_of(text, wider).append(text)
    return wider
