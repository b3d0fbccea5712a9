"""The terminal app. No code outside this folder depends on it, except the commands that start it."""
