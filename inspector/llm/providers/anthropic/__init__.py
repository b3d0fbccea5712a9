"""Anthropic's Messages interface: messages, and requests made of them."""
