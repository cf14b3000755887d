"""The flow of each command: rooms called one after the other, from a question to its answer."""
