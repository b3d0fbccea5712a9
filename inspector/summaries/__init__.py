"""Summarisers: callables that turn messages into one text of about a given size."""
