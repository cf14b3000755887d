"""The notations in which people keep hierarchies, read into rows and written from outlines."""
