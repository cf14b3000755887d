"""Advice: each finding of a judge with what would lower it; pure functions over results."""
