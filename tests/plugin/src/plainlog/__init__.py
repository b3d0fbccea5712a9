"""An example of a plugin of Inspector: the format of a plain log, a strategy and a command."""
