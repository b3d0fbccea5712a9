"""Read sessions of opencode."""
