"""The app in a browser on this machine, with textual-serve (the extra `web`)."""
