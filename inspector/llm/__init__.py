"""Providers, models and tokens: API rules, context windows and prices, and token counting."""
