"""Read conversations of OpenHands."""
