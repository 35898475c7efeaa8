// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable files to test with, and ways to damage them.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_CONTAINER_SAMPLES_H_
#define HALYARD_TESTS_UNIT_SUPPORT_CONTAINER_SAMPLES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "function_samples.h"
#include "image/halx/container.h"
#include "image/halx/container_contents.h"
#include "partial_contents.h"
#include "support/entry_points.h"

namespace halyard::testing {

inline constexpr uint64_t kPage = 4096;  // bytes: images begin at multiples of it

using FileBytes = HostVector<std::byte>;

/// Two exports, one with every kind of parameter, and three variants, two of which share an image.
ContainerContents SampleContents();

/// The file of some contents, which must be good.
FileBytes SampleFile(const ContainerContents& contents = SampleContents());

/// The bytes before the hash: the size-prefixed FlatBuffer.
std::span<std::byte> MetadataOf(FileBytes& file);

/// Makes the hash of changed metadata right again.
void Rehash(FileBytes& file);

/// A file whose metadata says whatever `contents` and `places` say, right or wrong, with a right hash. `tail` follows
/// at 4096; `file_size` 0 stands for the true size.
FileBytes LyingFile(const ContainerContents& contents, std::span<const ImagePlace> places, size_t tail = 1,
                    uint64_t file_size = 0);

/// Finds its way in a FlatBuffer without the generated code.
class MetadataPatch {
 public:
  explicit MetadataPatch(FileBytes& file) : bytes_(MetadataOf(file)) {}

  size_t Root() const { return Follow(4); }
  /// Where a field of a table lies; 0 if it is absent.
  size_t Field(size_t table, unsigned index) const;
  /// The table or vector that an offset leads to.
  size_t Follow(size_t offset) const { return offset + Number(offset); }
  /// Element of a vector of tables.
  size_t Element(size_t vector, size_t index) const { return Follow(vector + 4 + 4 * index); }
  /// Makes a field absent, in every table of the same shape.
  void Remove(size_t table, unsigned index);
  uint32_t Number(size_t offset) const;
  void SetNumber(size_t offset, uint32_t number);

 private:
  size_t Slot(size_t table, unsigned index) const;

  std::span<std::byte> bytes_;
};

/// Parsing fails with a status and a message that contains a text.
::testing::AssertionResult Refuses(std::span<const std::byte> file, hal_status_t status, const std::string& text);

/// Both say the same, images included.
void ExpectSame(const ContainerContents& a, const ContainerContents& b);

/// Looks at every byte that a container lets one reach; returns a number so that none of it is optimised away.
uint64_t Touch(const Container& container);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_CONTAINER_SAMPLES_H_
