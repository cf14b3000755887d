"""The flow of each command, from a question to its answer."""
