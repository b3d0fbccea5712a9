"""OpenAI's Responses API: requests."""
