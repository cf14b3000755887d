"""Which columns of a table identify people, before anything is released."""
