"""Recodings that are saved, and applied to other tables."""
