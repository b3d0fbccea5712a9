"""The app in a browser on this machine, by textual-serve (the extra `web`)."""
