"""Which columns identify people, may be known to others, or are sensitive: guesses, each with its evidence."""
