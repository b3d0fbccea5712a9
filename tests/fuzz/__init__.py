"""Input that nobody would write, made at random from a seed, and what the real commands make of it."""
