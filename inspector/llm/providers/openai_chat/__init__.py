"""OpenAI's chat completions: messages, and requests made of them."""
