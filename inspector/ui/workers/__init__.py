"""Background work, and the delivery of its results to the screen."""
