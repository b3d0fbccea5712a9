"""Read Codex rollouts."""
