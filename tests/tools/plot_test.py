#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/internal/plot.py: which figures of a JSON it draws, and where. Its argument is the script."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SCRIPT = sys.argv.pop(1)
SVG = "{http://www.w3.org/2000/svg}"


def benchmark(name, **values):
    return {"name": name, "run_name": name, "real_time": 1.0, "time_unit": "us", **values}


class PlotTest(unittest.TestCase):
    def plot(self, benchmarks, *names):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "plot.svg"
            command = [sys.executable, SCRIPT, "a < b", str(target), *names]
            result = subprocess.run(command, input=json.dumps({"benchmarks": benchmarks}), capture_output=True, text=True)
            return result, ElementTree.parse(target).getroot() if target.exists() else None

    def words(self, root):
        return [element.text for element in root.iter(SVG + "text")]

    def test_lines_go_through_their_points(self):
        result, root = self.plot(
            [
                benchmark("A/1000/manual_time", real_time=2.0),
                benchmark("A/10/manual_time", real_time=20.0, halyard_ns=200.0),
                benchmark("rec/b/10", items_per_second=5e6),
                benchmark("rec/b/100", error_occurred=True),
                benchmark("AB/10"),
            ],
            "A",
            "rec/b",
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line.get("points").split() for line in root.iter(SVG + "polyline")]
        self.assertEqual([len(line) for line in lines], [2, 1])
        (x10, y200), (x1000, y2000) = [tuple(map(float, point.split(","))) for point in lines[0]]
        self.assertLess(x10, x1000)
        self.assertGreater(y200, y2000, "what costs more is drawn higher")
        self.assertEqual(lines[0][0], lines[1][0], "both are 200 ns of 10")
        self.assertIn("a < b", self.words(root))
        self.assertIn("2,000", self.words(root))

    def test_the_median_counts(self):
        entries = [benchmark("A/10", real_time=time, run_type="iteration") for time in (9.0, 8.0)]
        for aggregate, time in (("mean", 7.0), ("median", 3.0)):
            entries.append(benchmark("A/10", aggregate_name=aggregate, real_time=time))
        _, root = self.plot(entries, "A")
        self.assertIn("3,000", self.words(root))
        self.assertNotIn("9,000", self.words(root))

    def test_what_is_missing_is_named(self):
        result, root = self.plot([benchmark("A/10")], "B")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no benchmark B/<number>", result.stderr)
        self.assertIsNone(root)


unittest.main()
