"""MCP server over standard input and output: gives an agent its recorded sessions back, read-only.

`protocol_frames` speaks the protocol and imports no engine; `tool_answers` is imported by the first call of a tool.
"""
