"""Answers to the hook events of coding agents (Claude Code, Codex), which never disturb the agent."""
