"""Summaries read out of the conversation itself."""
