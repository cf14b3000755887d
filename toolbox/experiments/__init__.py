"""Studies: data sets x methods x requirements x repetitions, measured, kept as they come, and drawn."""
