"""OpenAI's chat completions API: messages and requests."""
