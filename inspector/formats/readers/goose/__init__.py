"""Read sessions of Goose."""
