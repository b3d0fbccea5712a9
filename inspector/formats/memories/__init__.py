"""Memory stores of other programs, read-only: rule files, notes, graphs and the tables of memory libraries."""
