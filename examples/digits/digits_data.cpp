// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "digits_data.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace digits {
namespace {

constexpr uint32_t kFormatVersion = 1;
constexpr uint32_t kMaxSide = 256;       // bounds that keep every product of sizes small,
constexpr uint32_t kMaxFeatures = 4096;  // whatever a damaged header says
constexpr uint32_t kMaxLayers = 64;

static_assert(std::endian::native == std::endian::little, "the files are little-endian and read as they are");

/// Hands out the bytes of a file from front to back, and throws where the file does not hold what it should.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open '" + path.string() + "'");
    bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (file.bad()) throw std::runtime_error("cannot read '" + path.string() + "'");
  }

  void ExpectHeader(std::string_view magic) {
    Require(magic == std::string_view(Take(magic.size()), magic.size()),
            "it does not begin with " + std::string(magic));
    const uint32_t version = ReadUint32();
    Require(version == kFormatVersion,
            "its format version is " + std::to_string(version) + ", not " + std::to_string(kFormatVersion));
  }

  uint32_t ReadUint32() {
    uint32_t value = 0;
    std::memcpy(&value, Take(sizeof(value)), sizeof(value));
    return value;
  }

  template <typename Element>
  std::vector<Element> ReadArray(size_t count) {
    const char* bytes = Take(count * sizeof(Element));
    std::vector<Element> elements(count);
    std::memcpy(elements.data(), bytes, count * sizeof(Element));
    return elements;
  }

  void Skip(size_t count) { Take(count); }
  void ExpectEnd() const { Require(position_ == bytes_.size(), "it is longer than its header says"); }

  void Require(bool condition, const std::string& otherwise) const {
    if (!condition) throw std::runtime_error("'" + path_.string() + "' is not usable: " + otherwise);
  }

 private:
  const char* Take(size_t count) {
    Require(count <= bytes_.size() - position_, "it is cut short");
    const char* bytes = bytes_.data() + position_;
    position_ += count;
    return bytes;
  }

  std::filesystem::path path_;
  std::vector<char> bytes_;
  size_t position_ = 0;
};

}  // namespace

Digits ReadHeldOutDigits(const std::filesystem::path& path) {
  FileReader file(path);
  file.ExpectHeader("HALDIGIT");
  const uint32_t total = file.ReadUint32();
  Digits digits;
  digits.count = file.ReadUint32();
  digits.height = file.ReadUint32();
  digits.width = file.ReadUint32();
  digits.max_pixel = file.ReadUint32();
  file.Require(0 < digits.count && digits.count <= total, "it holds no images that were held out");
  file.Require(0 < digits.height && digits.height <= kMaxSide && 0 < digits.width && digits.width <= kMaxSide &&
                   0 < digits.max_pixel && digits.max_pixel <= UINT8_MAX,
               "its images have an impossible shape");

  const size_t learned = total - digits.count;  // images used in training come first
  file.Skip(learned * digits.PixelsPerImage());
  digits.pixels = file.ReadArray<uint8_t>(size_t{digits.count} * digits.PixelsPerImage());
  file.Skip(learned);
  digits.labels = file.ReadArray<uint8_t>(digits.count);
  file.ExpectEnd();
  for (const uint8_t pixel : digits.pixels) file.Require(pixel <= digits.max_pixel, "a pixel is out of range");
  for (const uint8_t label : digits.labels) file.Require(label <= 9, "a label is not a digit");
  return digits;
}

std::vector<Layer> ReadLayers(const std::filesystem::path& path, uint32_t in_features, uint32_t out_features) {
  FileReader file(path);
  file.ExpectHeader("HALDENSE");
  const uint32_t count = file.ReadUint32();
  file.Require(0 < count && count <= kMaxLayers, "it holds " + std::to_string(count) + " layers");

  std::vector<Layer> layers(count);
  uint32_t features = in_features;
  for (Layer& layer : layers) {
    layer.in_features = file.ReadUint32();
    layer.out_features = file.ReadUint32();
    file.Require(layer.in_features == features && 0 < layer.out_features && layer.out_features <= kMaxFeatures,
                 "its layers do not fit together");
    features = layer.out_features;
  }
  file.Require(features == out_features,
               "its last layer gives " + std::to_string(features) + " scores, not " + std::to_string(out_features));
  for (Layer& layer : layers) {
    layer.weights = file.ReadArray<float>(size_t{layer.in_features} * layer.out_features);
    layer.bias = file.ReadArray<float>(layer.out_features);
  }
  file.ExpectEnd();
  return layers;
}

}  // namespace digits
