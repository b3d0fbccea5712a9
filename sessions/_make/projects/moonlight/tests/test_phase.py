import unittest
from itertools import pairwise

from moonlight.phase import events, moment


class Phase(unittest.TestCase):
    def test_a_month_lies_between_new_moons(self):
        self.assertEqual((moment(1) - moment(0)).days, 29)

    def test_new_and_full_take_turns(self):
        names = [name for _, name in events(2026)]
        self.assertTrue(all(a != b for a, b in pairwise(names)))

    def test_a_year_has_24_or_25_moons(self):
        self.assertIn(len(list(events(2026))), (24, 25))
