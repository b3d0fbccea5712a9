"""Nouns of a conversation, text, errors, caches and settings that every other room may use."""
