import unittest

from tidegate.gate import WESTERHAVEN
from tidegate.windows import Window, open_windows

from tests.helpers import local, rows


class Windows(unittest.TestCase):
    def test_opens_when_deep_enough_and_closes_when_not(self):
        (window,) = open_windows(rows("2026-01-12 14:00", 40, 80, 120, 100, 80, 40), WESTERHAVEN)
        self.assertEqual(window, Window(local("2026-01-12 14:05"), local("2026-01-12 14:45")))
        self.assertEqual(window.minutes, 40)

    def test_closes_for_high_water_and_opens_again(self):
        levels = [40, 80, 120, 160, 180, 190, 200, 190, 180, 160, 120, 80, 40]
        first, second = open_windows(rows("2026-01-12 14:00", *levels), WESTERHAVEN)
        self.assertEqual((first.minutes, second.minutes), (40, 40))

    def test_a_short_opening_is_left_out(self):
        self.assertEqual(open_windows(rows("2026-01-12 14:00", 40, 80, 80, 40), WESTERHAVEN), [])

    def test_a_window_that_has_not_ended_is_left_out(self):
        self.assertEqual(open_windows(rows("2026-01-12 14:00", 40, 80, 120, 120), WESTERHAVEN), [])
