"""Answers to coding agents that call a program (hooks, status line), which never disturb the agent."""
