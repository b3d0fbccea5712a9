"""When a context is compressed, and how: policy, engine, presets, savings."""
