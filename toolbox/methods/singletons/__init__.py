"""Singletons: generalise the people who stand out, and as few others as possible."""

from toolbox.methods.singletons.method import Singletons

__all__ = ["Singletons"]
