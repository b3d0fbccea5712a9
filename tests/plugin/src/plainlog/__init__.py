"""An example of a plugin of Inspector: the format of a plain log, a memory store, a strategy and a command."""
