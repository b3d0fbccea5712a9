"""Where the messages of a shared conversation are kept."""
