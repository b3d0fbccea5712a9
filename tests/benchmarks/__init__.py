"""Measurements of the real thing. They print numbers and assert nothing: machines differ and are noisy."""
