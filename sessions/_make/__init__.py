"""The makers of the sample sessions: one module for each, and what they share."""
