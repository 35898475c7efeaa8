#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the sentences of the pages in docs that have more words than a reader should hold, the worst pages first.

    long_sentences.py [PAGE...]     with pages: their sentences, with lines and words

Code is one word, however long. A cell of a table and an item of a list are read as sentences of their own.
"""
import pathlib
import re
import sys

MOST = 25
ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(text):
    """Yields (line, text) of each paragraph, item and cell."""
    text = re.sub(r"```.*?```", lambda code: "\n" * code.group().count("\n"), text, flags=re.S)
    lines, first = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        line = line.strip()
        item = re.match(r"([-*]|\d+\.)\s+(.*)", line)
        if lines and (item or not line or line[0] in "#|<!"):
            yield first, " ".join(lines)
            lines = []
        if line.startswith("|"):
            yield from ((number, cell.strip()) for cell in line.strip("|").split("|"))
        elif line and line[0] not in "#<!":
            if not lines:
                first = number
            lines.append(item.group(2) if item else line)


def long_sentences(page):
    for line, text in blocks(page.read_text()):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        text = re.sub(r"`[^`]*`", "`code`", text).replace(".**", "**.")
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > MOST:
                yield line, len(words), sentence


def main():
    if len(sys.argv) > 1:
        for name in sys.argv[1:]:
            for line, words, sentence in long_sentences(pathlib.Path(name)):
                print(f"{name}:{line}: {words} words: {sentence}")
        return
    pages = [(sum(1 for _ in long_sentences(page)), page) for page in sorted((ROOT / "docs").rglob("*.md"))]
    for count, page in sorted(pages, key=lambda entry: -entry[0]):
        if count:
            print(f"{count:4} {page.relative_to(ROOT)}")


main()
