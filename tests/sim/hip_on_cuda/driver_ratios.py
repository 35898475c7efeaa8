# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two reports of halyard-bench whose lines were measured against the same program of the vendor's API.

    driver_ratios.py HIP.json CUDA.json

Each line: both drivers' times, the ratio of the times, and the ratio of what each costs against the raw program. The
second leaves out what changed on the machine between the two runs.
"""
import json
import sys

TARGET = 1.10


def lines(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["benchmarks"]
    return {row["name"].split("/")[1]: row for row in rows if "ratio" in row}


def main():
    hip, cuda = (lines(path) for path in sys.argv[1:3])
    print("| line | HIP | CUDA | times | against raw | within %.2f |" % TARGET)
    print("|---|---|---|---|---|---|")
    above = []
    for name in hip:
        times = hip[name]["halyard_ns"] / cuda[name]["halyard_ns"]
        costs = hip[name]["ratio"] / cuda[name]["ratio"]
        if costs > TARGET:
            above.append(name)
        figures = (hip[name]["halyard_ns"] / 1000, cuda[name]["halyard_ns"] / 1000, times, costs)
        print("| %s |" % name, "%.2f µs | %.2f µs | %.3f | %.3f |" % figures, "no |" if costs > TARGET else "yes |")
    print("%d of %d lines within %.2f" % (len(hip) - len(above), len(hip), TARGET), "; above:" if above else "", *above)


main()
