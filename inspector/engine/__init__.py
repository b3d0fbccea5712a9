"""Windows, facts, summaries and strategies: what is in a context and how it is compressed."""
