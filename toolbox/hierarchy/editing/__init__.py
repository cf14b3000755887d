"""Edits of a hierarchy: functions from rows to rows."""
