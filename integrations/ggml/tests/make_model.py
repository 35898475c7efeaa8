#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a GGUF file of a Llama with random weights: no weights are needed to test and to measure a backend.

The vocabulary is that of a file of llama.cpp's folder `models`. The same arguments give the same file.

    make_model.py VOCABULARY.gguf MODEL.gguf [--type=q8_0] [--width=128] [--layers=2] ...
"""

import argparse
import random
import struct

UINT32, FLOAT32, STRING, ARRAY, UINT64 = 4, 6, 8, 9, 10
SCALAR_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

# Of a type: its number in GGUF, numbers in a block, bytes of a block.
TYPES = {"f32": (0, 1, 4), "f16": (1, 1, 2), "q4_0": (2, 32, 18), "q8_0": (8, 32, 34)}
ALIGNMENT = 32
PIECE = 4096  # blocks that are made; a tensor repeats them


def value_length(data, at, kind):
    """Bytes of a value that begins at `at`."""
    if kind == STRING:
        return 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != ARRAY:
        return SCALAR_SIZES[kind]
    element, count = struct.unpack_from("<IQ", data, at)
    if element in SCALAR_SIZES:
        return 12 + count * SCALAR_SIZES[element]
    end = at + 12
    for _ in range(count):
        end += value_length(data, end, element)
    return end - at


def read_metadata(path):
    """The keys and values of a file: each value as its type and its bytes."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, _, count = struct.unpack_from("<4sIQQ", data, 0)
    if magic != b"GGUF" or version != 3:
        raise SystemExit(f"{path} is no GGUF file of version 3")
    metadata, at = {}, 24
    for _ in range(count):
        length = struct.unpack_from("<Q", data, at)[0]
        key = data[at + 8 : at + 8 + length].decode()
        at += 8 + length
        kind = struct.unpack_from("<I", data, at)[0]
        length = value_length(data, at + 4, kind)
        metadata[key] = (kind, data[at + 4 : at + 4 + length])
        at += 4 + length
    return metadata


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def half(value):
    return struct.pack("<e", value)


class Weights:
    """Random numbers whose products with a vector are about as large as the vector's elements."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pieces = {}

    def make_piece(self, kind, size):
        deviation = size**-0.5
        if kind == "f32":
            return struct.pack(f"<{PIECE}f", *(self.random.gauss(0, deviation) for _ in range(PIECE)))
        if kind == "f16":
            return struct.pack(f"<{PIECE}e", *(self.random.gauss(0, deviation) for _ in range(PIECE)))
        # Bytes, and 4-bit numbers, are evenly distributed: their deviation is the width by the root of 12.
        span, body = (256, 32) if kind == "q8_0" else (16, 16)
        scale = half(deviation * 12**0.5 / span)
        # No quantiser writes -128, and products with its absolute value go wrong in 8 bits.
        blocks = (self.random.randbytes(body) for _ in range(PIECE))
        if kind == "q8_0":
            blocks = (block.replace(b"\x80", b"\x81") for block in blocks)
        return b"".join(scale + block for block in blocks)

    def tensor(self, kind, sizes):
        _, per_block, block_bytes = TYPES[kind]
        blocks = sizes[0] * sizes[1] // per_block
        key = (kind, sizes[0])
        if key not in self.pieces:
            self.pieces[key] = self.make_piece(kind, sizes[0])
        piece = self.pieces[key]
        # Each tensor begins elsewhere in the piece, so that no two are alike.
        begin = self.random.randrange(PIECE) * block_bytes
        repeated = piece[begin:] + piece * (blocks // PIECE + 1)
        return memoryview(repeated)[: blocks * block_bytes]


def tensors_of(options, vocabulary_size):
    """Names, types and sizes, in the order of llama.cpp."""
    width, kind = options.width, options.type
    key_width = width // options.heads * options.key_heads
    yield "token_embd.weight", kind, (width, vocabulary_size)
    yield "output_norm.weight", "norm", (width, 1)
    yield "output.weight", kind, (width, vocabulary_size)
    for layer in range(options.layers):
        for name, type_, sizes in (
            ("attn_norm", "norm", (width, 1)),
            ("attn_q", kind, (width, width)),
            ("attn_k", kind, (width, key_width)),
            ("attn_v", kind, (width, key_width)),
            ("attn_output", kind, (width, width)),
            ("ffn_norm", "norm", (width, 1)),
            ("ffn_gate", kind, (width, options.hidden)),
            ("ffn_up", kind, (width, options.hidden)),
            ("ffn_down", kind, (options.hidden, width)),
        ):
            yield f"blk.{layer}.{name}.weight", type_, sizes


def model_metadata(options, vocabulary):
    metadata = {key: value for key, value in vocabulary.items() if key.startswith("tokenizer.")}
    numbers = {
        "llama.block_count": options.layers,
        "llama.context_length": options.context,
        "llama.embedding_length": options.width,
        "llama.feed_forward_length": options.hidden,
        "llama.attention.head_count": options.heads,
        "llama.attention.head_count_kv": options.key_heads,
        "llama.rope.dimension_count": options.width // options.heads,
    }
    metadata["general.architecture"] = (STRING, text("llama"))
    metadata["general.name"] = (STRING, text("random weights"))
    metadata["llama.attention.layer_norm_rms_epsilon"] = (FLOAT32, struct.pack("<f", 1e-5))
    metadata.update((key, (UINT32, struct.pack("<I", number))) for key, number in numbers.items())
    return metadata


def write_model(options):
    vocabulary = read_metadata(options.vocabulary)
    vocabulary_size = struct.unpack_from("<Q", vocabulary["tokenizer.ggml.tokens"][1], 4)[0]
    tensors = list(tensors_of(options, vocabulary_size))
    metadata = model_metadata(options, vocabulary)
    head = bytearray(struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata)))
    for key, (kind, value) in metadata.items():
        head += text(key) + struct.pack("<I", kind) + value
    offset = 0
    for name, kind, sizes in tensors:
        number, per_block, block_bytes = TYPES["f32" if kind == "norm" else kind]
        dimensions = sizes[:1] if kind == "norm" else sizes
        head += text(name) + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, number, offset)
        length = sizes[0] * sizes[1] // per_block * block_bytes
        offset += (length + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    weights = Weights(options.seed)
    with open(options.model, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        for _, kind, sizes in tensors:
            data = struct.pack(f"<{sizes[0]}f", *[1.0] * sizes[0]) if kind == "norm" else weights.tensor(kind, sizes)
            file.write(data)
            file.write(bytes(-len(data) % ALIGNMENT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("model")
    parser.add_argument("--type", choices=sorted(TYPES), default="q8_0")
    for name, value in (("width", 128), ("hidden", 384), ("layers", 2), ("heads", 4), ("key-heads", 2),
                        ("context", 4096), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    write_model(parser.parse_args())


if __name__ == "__main__":
    main()
