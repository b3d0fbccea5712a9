import unittest

from tidegate import report
from tidegate.gate import WESTERHAVEN
from tidegate.windows import Window

from tests.helpers import local

NIGHT = [
    Window(local("2026-01-12 21:10"), local("2026-01-13 01:55")),
    Window(local("2026-01-13 09:40"), local("2026-01-13 14:20")),
]


class Board(unittest.TestCase):
    def test_columns_and_line_ends(self):
        feed = report.board(NIGHT)
        self.assertTrue(feed.startswith("opens,closes,minutes\r\n2026-01-12 21:10,2026-01-13 01:55,285\r\n"))
        self.assertTrue(feed.endswith("280\r\n"))

    def test_at_most_forty_rows(self):
        self.assertEqual(report.board(NIGHT * 30).count("\r\n"), 41)


class Sheet(unittest.TestCase):
    def test_a_window_belongs_to_the_day_on_which_it_opens(self):
        self.assertIn("Mon 12   21:10   01:55    285", report.sheet(NIGHT, WESTERHAVEN))

    def test_times_fill_their_column(self):
        self.assertEqual(len(report.clock(NIGHT[0].opens)), report.COLUMN)

    def test_total(self):
        self.assertIn("565   9 h 25", report.sheet(NIGHT, WESTERHAVEN))
