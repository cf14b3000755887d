"""Whole tables of databases, read here and written from here."""
