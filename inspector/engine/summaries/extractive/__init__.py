"""Extractive summaries, made of the conversation's own lines."""
