"""PrioPrivacy: local recoding, from the quasi-identifier that matters least to the most important."""

from toolbox.methods.prioprivacy.method import PrioPrivacy

__all__ = ["PrioPrivacy"]
