"""What the commands print as text."""
