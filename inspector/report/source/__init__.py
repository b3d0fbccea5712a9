"""What source code shows of how it handles memory, without running or importing any of it."""
