"""Read recorded requests to chat models."""
