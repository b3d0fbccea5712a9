"""List and search the sessions on this machine."""
