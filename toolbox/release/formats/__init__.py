"""The formats of a release."""
