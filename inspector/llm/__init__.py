"""Providers, models and tokens: what an API accepts, what a model costs, and how large a text is."""
