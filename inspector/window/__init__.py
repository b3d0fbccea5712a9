"""What is in the context: sections, budget, atomic groups, plans and what they do to a window."""
