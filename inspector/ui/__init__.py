"""The terminal app. Nothing outside this folder knows that there is a screen."""
