"""Read tasks of Cline, Roo Code and Kilo Code."""
