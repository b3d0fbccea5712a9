"""Readers, one module or folder per format."""
