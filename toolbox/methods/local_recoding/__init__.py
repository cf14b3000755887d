"""LocalRecoding: classes formed node by node over the lattice, at prices that learn from the release."""

from toolbox.methods.local_recoding.method import LocalRecoding

__all__ = ["LocalRecoding"]
