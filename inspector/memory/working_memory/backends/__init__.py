"""Where working memories are kept."""
