"""Random input from a seed, for minutes or hours: `make fuzz`. What is found is kept as a case that the suite plays."""
