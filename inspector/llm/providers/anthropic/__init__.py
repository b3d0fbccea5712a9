"""Anthropic's Messages API: messages and requests."""
