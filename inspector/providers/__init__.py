"""How each provider writes a message, and what it accepts."""
