// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The images and the trained weights, as read from the two files that data/README.md describes.
#ifndef HALYARD_EXAMPLES_DIGITS_DIGITS_DATA_H_
#define HALYARD_EXAMPLES_DIGITS_DIGITS_DATA_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace digits {

/// The digits that the network has not seen in training.
struct Digits {
  uint32_t count = 0;
  uint32_t height = 0;          ///< pixels
  uint32_t width = 0;           ///< pixels
  uint32_t max_pixel = 0;       ///< pixels are 0 (paper) to this (ink)
  std::vector<uint8_t> pixels;  ///< [count, height, width]
  std::vector<uint8_t> labels;  ///< [count], 0 to 9

  uint32_t PixelsPerImage() const { return height * width; }
  std::span<const uint8_t> Image(size_t index) const {
    return std::span(pixels).subspan(index * PixelsPerImage(), PixelsPerImage());
  }
};

/// A dense layer: output = input * weights + bias.
struct Layer {
  uint32_t in_features = 0;
  uint32_t out_features = 0;
  std::vector<float> weights;  ///< [in_features, out_features]
  std::vector<float> bias;     ///< [out_features]
};

/// Reads the held-out images of a digits file. Throws std::runtime_error, naming the file, if it is not a
/// whole one.
Digits ReadHeldOutDigits(const std::filesystem::path& path);

/// Reads the layers of a weights file, first to last. Throws std::runtime_error, naming the file, if it is
/// not a whole one or if its layers do not fit together, or do not lead from `in_features` to `out_features`.
std::vector<Layer> ReadLayers(const std::filesystem::path& path, uint32_t in_features, uint32_t out_features);

}  // namespace digits

#endif  // HALYARD_EXAMPLES_DIGITS_DIGITS_DATA_H_
