"""Gives OpSource of a SPIR-V module another number of the language.

  set_language.py MODULE NUMBER
"""
import struct
import sys

OP_SOURCE = 3
HEAD_WORDS = 5

path, language = sys.argv[1], int(sys.argv[2])
with open(path, "rb") as file:
    words = [word for (word,) in struct.iter_unpack("<I", file.read())]
at = HEAD_WORDS
while words[at] & 0xFFFF != OP_SOURCE:
    at += words[at] >> 16
words[at + 1] = language
with open(path, "wb") as file:
    file.write(struct.pack(f"<{len(words)}I", *words))
