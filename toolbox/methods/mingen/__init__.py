"""MinGen: full-domain generalisation to the satisfying node of the lattice that costs least."""

from toolbox.methods.mingen.method import MinGen

__all__ = ["MinGen"]
