"""OpenAI's Responses interface: requests."""
