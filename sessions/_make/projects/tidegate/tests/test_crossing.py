import unittest

from tidegate.crossing import crossing, passed

from tests.helpers import local, rows


class Crossing(unittest.TestCase):
    def test_half_way_up(self):
        before, after = rows("2026-01-12 14:30", 50, 70)
        self.assertEqual(crossing(before, after, 60), local("2026-01-12 14:35"))

    def test_falling_water(self):
        before, after = rows("2026-01-12 14:30", 70, 50)
        self.assertEqual(crossing(before, after, 65).minute, 32)

    def test_still_water_crosses_at_once(self):
        before, after = rows("2026-01-12 14:30", 60, 60)
        self.assertEqual(crossing(before, after, 60), before.at)

    def test_a_level_that_was_not_reached(self):
        before, after = rows("2026-01-12 14:30", 50, 59)
        self.assertFalse(passed(before, after, 60))
