"""Build sessions from the records of a file: messages, blocks, traces and trees."""
