"""LocalRecoding: classes formed over the lattice, the cheapest first, at prices that learn from the release."""

from toolbox.methods.local_recoding.method import LocalRecoding

__all__ = ["LocalRecoding"]
