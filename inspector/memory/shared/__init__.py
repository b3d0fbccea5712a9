"""Memory that several agents share (docs/memory.md), and agents that work with it."""
