"""Work in the background, and how its results come back to the screen."""
