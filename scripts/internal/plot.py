#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what an operation costs against how many there are: plot.py TITLE TARGET.svg NAME... <benchmarks.json

NAME is a benchmark of the JSON whose name goes on with "/" and a number; each is a line of the plot. Both axes are
logarithmic. The figure is in nanoseconds: `halyard_ns` where a benchmark compares, else the time of one item or, where
it counts none, of an iteration. Medians if there are repetitions.
"""

import json
import math
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
COLOURS = ["#1b6ca8", "#c0392b", "#1e8449", "#7d3c98", "#b9770e"]
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def points_of(benchmarks, name):
    """[(n, nanoseconds)] of the benchmarks NAME/n, by n."""
    found = {}
    for entry in benchmarks:
        if entry.get("error_occurred") or entry.get("aggregate_name", "median") != "median":
            continue
        run = entry.get("run_name", entry["name"])
        n = run.removeprefix(name + "/").split("/")[0]
        if not run.startswith(name + "/") or not n.isdigit():
            continue
        if "aggregate_name" not in entry and int(n) in found:
            continue  # a single repetition beside the median
        time = entry["real_time"] * UNITS[entry.get("time_unit", "ns")]
        if "items_per_second" in entry:
            time = 1e9 / entry["items_per_second"]
        found[int(n)] = entry.get("halyard_ns", time)
    if not found:
        sys.exit(f"plot.py: the JSON has no benchmark {name}/<number>")
    return sorted(found.items())


def decades(low, high):
    """The powers of ten around a range, at least one decade."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return first, max(last, first + 1)


def number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def text(x, y, words, anchor="middle", size=12, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(words)}</text>'


def draw(title, lines):
    all_points = [point for _, points in lines for point in points]
    x_first, x_last = decades(min(n for n, _ in all_points), max(n for n, _ in all_points))
    y_first, y_last = decades(min(ns for _, ns in all_points), max(ns for _, ns in all_points))

    def x_of(n):
        return LEFT + (math.log10(n) - x_first) / (x_last - x_first) * (WIDTH - LEFT - RIGHT)

    def y_of(ns):
        return HEIGHT - BOTTOM - (math.log10(ns) - y_first) / (y_last - y_first) * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(WIDTH / 2, 22, title, size=15),
        text(WIDTH / 2, HEIGHT - 10, "n"),
        text(16, HEIGHT / 2, "ns each", extra=f' transform="rotate(-90 16 {HEIGHT / 2})"'),
    ]
    for exponent in range(x_first, x_last + 1):
        x = x_of(10**exponent)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(text(x, HEIGHT - BOTTOM + 18, number(10**exponent)))
    for exponent in range(y_first, y_last + 1):
        y = y_of(10**exponent)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, y + 4, number(10**exponent), anchor="end"))
    for index, (name, points) in enumerate(lines):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{x_of(n):.1f},{y_of(ns):.1f}" for n, ns in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for n, ns in points:
            out.append(f'<circle cx="{x_of(n):.1f}" cy="{y_of(ns):.1f}" r="3" fill="{colour}"/>')
            out.append(text(x_of(n), y_of(ns) - 8, number(ns), size=10))
        out.append(text(LEFT + 10, TOP + 16 * (index + 1), name, anchor="start", extra=f' fill="{colour}"'))
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    title, target, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    benchmarks = json.load(sys.stdin)["benchmarks"]
    picture = draw(title, [(name, points_of(benchmarks, name)) for name in names])
    with open(target, "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
