"""Text and files of any kind: what a terminal may be shown, cells, glyphs, JSON, writing whole files."""
