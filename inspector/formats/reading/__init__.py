"""Read files, archives and databases of other programs."""
