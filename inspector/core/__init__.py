"""Types and helpers that every other package may import: conversations, text, errors, caches and settings."""
