"""Prompts assembled from a window: a template, and a builder."""
