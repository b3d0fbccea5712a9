"""Test a judge of compactions: texts whose order is known in advance, scored at the compactions of a recording."""
