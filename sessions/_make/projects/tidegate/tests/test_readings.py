import tempfile
import unittest
from datetime import date
from pathlib import Path

from tidegate.readings import OutOfOrderError, load, of_day

HEADER = "utc,level_cm,quality\n"


class Load(unittest.TestCase):
    def load(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "gauge.csv")
            path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
            return load(path)

    def test_levels_and_quality(self):
        first, second = self.load("2026-01-12T14:00:00Z,41,ok", "2026-01-12T14:10:00Z,44,est")
        self.assertEqual((first.level, first.estimated), (41, False))
        self.assertTrue(second.estimated)

    def test_rows_out_of_order_are_refused(self):
        with self.assertRaises(OutOfOrderError):
            self.load("2026-01-12T14:10:00Z,41,ok", "2026-01-12T14:00:00Z,44,ok")

    def test_a_local_day_begins_at_local_midnight(self):
        readings = self.load("2026-01-12T22:50:00Z,41,ok", "2026-01-12T23:10:00Z,44,ok")
        self.assertEqual(len(of_day(readings, date(2026, 1, 13))), 1)
