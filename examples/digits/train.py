#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the network of the digits example and writes the two files it reads: data/digits.bin, data/digits_weights.bin.

    python3 -m venv venv && venv/bin/pip install numpy scikit-learn && venv/bin/python train.py

scikit-learn only supplies the images; the network, its gradients and the optimiser are the few lines of NumPy below.
Both files are described in data/README.md. The same machine and NumPy give the same bytes on every run.
"""

import argparse
import os
import struct
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # Threads would add up in another order, and so round otherwise.

import numpy as np
from sklearn.datasets import load_digits

SIDE = 8  # pixels along one edge of an image
MAX_PIXEL = 16  # pixels are 0 (paper) to 16 (ink)
CLASSES = 10
LAYERS = [SIDE * SIDE, 64, 32, CLASSES]  # features going into each dense layer, and out of the last

SEED = 1998
EPOCHS = 200
BATCH = 64
LEARNING_RATE = 0.01  # falls to zero in a straight line
WEIGHT_DECAY = 0.01
SHIFTED = 0.3  # the part of a training batch that is moved by one pixel

FORMAT_VERSION = 1


def split(labels):
    """Returns the indices of the training images and of the held-out ones: every fifth image of each digit."""
    nth_of_its_digit = np.empty(len(labels), dtype=np.int64)
    for digit in range(CLASSES):
        mine = np.flatnonzero(labels == digit)
        nth_of_its_digit[mine] = np.arange(len(mine))
    held_out = nth_of_its_digit % 5 == 4
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def shifted_copies(images):
    """Moves the images one pixel up, down, left and right. Returns [4, images, pixels]."""
    padded = np.pad(images.reshape(-1, SIDE, SIDE), ((0, 0), (1, 1), (1, 1)))
    corners = [(0, 1), (2, 1), (1, 0), (1, 2)]
    return np.stack([padded[:, y : y + SIDE, x : x + SIDE].reshape(len(images), -1) for y, x in corners])


def forward(parameters, images):
    """Returns the activations of every layer, the input first; the last ones are the scores of the ten digits."""
    activations = [images]
    for layer, (weights, bias) in enumerate(parameters):
        sums = activations[-1] @ weights + bias
        is_last = layer == len(parameters) - 1
        activations.append(sums if is_last else np.maximum(sums, 0))
    return activations


def gradients(parameters, images, labels):
    """Back-propagates the mean cross-entropy of a batch. Returns one (weights, bias) pair for each layer."""
    activations = forward(parameters, images)
    scores = activations[-1] - activations[-1].max(axis=1, keepdims=True)
    error = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    result = []
    for layer in reversed(range(len(parameters))):
        result.append((activations[layer].T @ error, error.sum(axis=0)))
        if layer > 0:
            error = (error @ parameters[layer][0].T) * (activations[layer] > 0)
    return result[::-1]


class Adam:
    """Adam with decoupled weight decay, for one array."""

    def __init__(self, array):
        self.array, self.mean, self.square, self.step = array, np.zeros_like(array), np.zeros_like(array), 0

    def update(self, gradient, rate):
        self.step += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient**2 - self.square)
        mean, square = self.mean / (1 - 0.9**self.step), self.square / (1 - 0.999**self.step)
        self.array -= rate * (mean / (np.sqrt(square) + 1e-8) + WEIGHT_DECAY * self.array)


def train(images, labels):
    """Returns the trained (weights [in, out], bias [out]) of each layer, for pixels from 0 to 1."""
    random = np.random.default_rng(SEED)
    parameters = [
        (random.normal(0, np.sqrt(2 / fan_in), (fan_in, fan_out)), np.zeros(fan_out))
        for fan_in, fan_out in zip(LAYERS, LAYERS[1:])
    ]
    optimisers = [[Adam(array) for array in layer] for layer in parameters]
    shifted = shifted_copies(images)
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1 - epoch / EPOCHS)
        # A few digits move by a pixel in every epoch, so that the network learns strokes rather than places.
        moved = random.random(len(images)) < SHIFTED
        direction = random.integers(0, len(shifted), len(images))
        seen = np.where(moved[:, None], shifted[direction, np.arange(len(images))], images)
        order = random.permutation(len(images))
        for begin in range(0, len(images), BATCH):
            batch = order[begin : begin + BATCH]
            for optimiser, gradient in zip(optimisers, gradients(parameters, seen[batch], labels[batch])):
                for one, its_gradient in zip(optimiser, gradient):
                    one.update(its_gradient, rate)
    return parameters


def accuracy(parameters, images, labels):
    return float(np.mean(forward(parameters, images)[-1].argmax(axis=1) == labels))


def write_digits(path, images, labels, held_out_count):
    header = struct.pack(
        "<8s6I", b"HALDIGIT", FORMAT_VERSION, len(images), held_out_count, SIDE, SIDE, MAX_PIXEL
    )
    path.write_bytes(header + images.astype(np.uint8).tobytes() + labels.astype(np.uint8).tobytes())


def write_weights(path, parameters):
    header = struct.pack("<8s2I", b"HALDENSE", FORMAT_VERSION, len(parameters))
    shapes = b"".join(struct.pack("<2I", *weights.shape) for weights, _ in parameters)
    arrays = b"".join(array.astype("<f4").tobytes() for layer in parameters for array in layer)
    path.write_bytes(header + shapes + arrays)


def main():
    parser = argparse.ArgumentParser(description="Trains the network of the digits example.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data", help="where the files go")
    out = parser.parse_args().out

    digits = load_digits()
    pixels, labels = digits.data.astype(np.float64), digits.target
    learn, held_out = split(labels)
    parameters = train(pixels[learn] / MAX_PIXEL, labels[learn])

    # The example feeds pixels as they are, 0 to 16, so the scale moves into the first layer (exactly: it is 1/16).
    parameters[0] = (parameters[0][0] / MAX_PIXEL, parameters[0][1])
    stored = [(weights.astype(np.float32), bias.astype(np.float32)) for weights, bias in parameters]
    print(f"training: {100 * accuracy(stored, pixels[learn].astype(np.float32), labels[learn]):.2f} %")
    print(f"held out: {100 * accuracy(stored, pixels[held_out].astype(np.float32), labels[held_out]):.2f} %")

    out.mkdir(parents=True, exist_ok=True)
    order = np.concatenate([learn, held_out])
    write_digits(out / "digits.bin", pixels[order], labels[order], len(held_out))
    write_weights(out / "digits_weights.bin", stored)


if __name__ == "__main__":
    main()
