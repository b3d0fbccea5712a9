"""How many tokens a text, a message, a session or a tool definition takes, and how well that is known."""
