"""Screen 5: an agent's memory in the window, in its session and beyond it."""
