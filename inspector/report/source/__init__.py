"""Static analysis of how source code handles memory. The code is never run or imported."""
