"""Text output of the commands."""
