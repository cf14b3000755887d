"""What `scripts/fuzz.py` is made of: cases drawn from a seed, the run of one, and a judge who knows no toolbox."""
