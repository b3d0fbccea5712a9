"""New and full moons of a year."""
