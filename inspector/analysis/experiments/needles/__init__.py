"""Known facts, inserted at known depths: which strategy keeps them."""
