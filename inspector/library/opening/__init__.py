"""Open and import sessions."""
