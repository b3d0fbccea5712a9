"""Windows, facts, summaries and strategies: the contents of a context and how it is compressed."""
