"""Screen 5: what an agent remembers, and where: in the window, in its session, and beyond it."""
