"""How a recorded session was remembered: what was sent, and what left the context when."""
