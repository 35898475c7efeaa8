// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads executable files that are anything at all. Each input is tried three ways: as a file; as a file whose metadata
// gets a right hash; and as metadata alone, around which a file is made, since that keeps inputs short.
//
// What is accepted must hold what the reader promises, and must survive being written and read again.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "container_fuzzer_file.h"
#include "image/halx/container.h"
#include "image/halx/container_writer.h"
#include "image/halx/file_layout.h"
#include "image/halx/variant_choice.h"

namespace halyard {
namespace {

using Bytes = std::span<const std::byte>;
using Buffer = HostVector<std::byte>;

/// Ends the run: libFuzzer keeps the input.
void Require(bool condition) {
  if (!condition) std::abort();
}

bool SameParameters(const ContainerExport& a, const ContainerExport& b) {
  const auto same = [](const hal_parameter_t& p, const hal_parameter_t& q) {
    return std::memcmp(&p, &q, sizeof(p)) == 0;
  };
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(), same);
}

bool SameNumbers(const int64_t* a, const int64_t* b, uint32_t count) {
  if (!a || !b) return a == b;
  return std::memcmp(a, b, count * sizeof(*a)) == 0;
}

bool SameType(const hal_value_type_t& a, const hal_value_type_t& b) {
  return a.kind == b.kind && a.element_type == b.element_type && a.rank == b.rank && a.role == b.role &&
         a.access == b.access && a.ownership == b.ownership && (!a.strides || a.offset == b.offset) &&
         (!HasSizes(a.kind) || (SameNumbers(a.sizes, b.sizes, a.rank) && SameNumbers(a.strides, b.strides, a.rank)));
}

bool SameTypes(std::span<const hal_value_type_t> a, std::span<const hal_value_type_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameType);
}

bool SameSignature(const hal_function_signature_t* a, const hal_function_signature_t* b) {
  if (!a || !b) return a == b;
  return a->convention == b->convention && SameTypes(ArgumentsOf(*a), ArgumentsOf(*b)) &&
         SameTypes(ResultsOf(*a), ResultsOf(*b));
}

bool SameExport(const ContainerExport& a, const ContainerExport& b) {
  return a.name == b.name && std::memcmp(&a.workgroup_size, &b.workgroup_size, sizeof(a.workgroup_size)) == 0 &&
         a.local_memory_size == b.local_memory_size && a.constants_size == b.constants_size && SameParameters(a, b) &&
         SameSignature(a.signature.Get(), b.signature.Get());
}

bool SameBytes(Bytes a, Bytes b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0; }

template <class List, class Same>
bool SameList(const List& a, const List& b, Same&& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

/// Except the symbols: the writer leaves out those that are the export's name.
bool SameEntryPoint(const ContainerEntryPoint& a, const ContainerEntryPoint& b) {
  return a.ordinal == b.ordinal && a.launch.flags == b.launch.flags && a.parameters.size() == b.parameters.size();
}

bool SameVariant(const ContainerVariant& a, const ContainerVariant& b) {
  return a.format == b.format && a.target == b.target && a.isa_version == b.isa_version &&
         SameList(a.entry_points, b.entry_points, SameEntryPoint) && SameBytes(a.image, b.image);
}

void CheckRoundTrip(const Container& container) {
  Buffer file;
  Require(Succeeds(SerializeContainer(container.contents(), &file)));
  Container again;
  Require(Succeeds(again.Parse(file)));
  Require(SameList(container.contents().exports, again.contents().exports, SameExport));
  Require(SameList(container.contents().variants, again.contents().variants, SameVariant));
  for (size_t i = 0; i < again.contents().variants.size(); ++i) Require(Succeeds(again.CheckImage(i)));
}

/// A device that takes half of all formats.
class PickyRanker final : public VariantRanker {
 public:
  Status Rank(std::string_view format, std::string_view target, uint32_t, uint32_t* out_rank) const override {
    *out_rank = static_cast<uint32_t>(target.size());
    return format.size() % 2 == 0 ? kOk : FailWith(HAL_STATUS_INCOMPATIBLE, "an odd format");
  }
};

void CheckPromises(const Container& container, Bytes file) {
  Require(container.version() <= kFormatVersion);
  Require(Succeeds(CheckContents(container.contents(), HAL_STATUS_INTERNAL)));
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    const Bytes image = container.contents().variants[i].image;
    Require(image.data() >= file.data() && image.data() + image.size() <= file.data() + file.size());
    Require(image.data() == file.data() + container.Place(i).offset);
    container.CheckImage(i).Ignore();
  }
  std::vector<uint32_t> ordinals(container.contents().exports.size());
  std::iota(ordinals.begin(), ordinals.end(), 0u);
  HostVector<size_t> chosen;
  if (Succeeds(ChooseVariants(container.contents(), PickyRanker(), ordinals, &chosen))) {
    for (const uint32_t i : ordinals) Require(container.contents().variants[chosen[i]].Find(i) != nullptr);
  }
  CheckRoundTrip(container);
}

void TryFile(Bytes file) {
  Container container;
  const Failure failure(container.Parse(file));
  if (!failure) return CheckPromises(container, file);
  Require(failure.code() == HAL_STATUS_DATA_LOSS || failure.code() == HAL_STATUS_INCOMPATIBLE);
  Require(!failure.message().empty());
  Require(container.contents().exports.empty());
}

/// The input with the hash of its metadata put right, if it is long enough to have one.
void TryRehashed(Bytes input) {
  uint32_t size = 0;
  if (input.size() < sizeof(size) + kMetadataHashSize) return;
  std::memcpy(&size, input.data(), sizeof(size));
  if (size > input.size() - sizeof(size) - kMetadataHashSize) return;
  const size_t metadata_size = sizeof(size) + size;
  Buffer file(input.begin(), input.begin() + static_cast<ptrdiff_t>(metadata_size));
  AppendMetadataHash(&file);
  file.insert(file.end(), input.begin() + static_cast<ptrdiff_t>(file.size()), input.end());
  TryFile(file);
}

}  // namespace
}  // namespace halyard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const halyard::Bytes input = std::as_bytes(std::span(data, size));
  halyard::TryFile(input);
  halyard::TryRehashed(input);
  halyard::TryFile(halyard::MakeFileAround(input));
  return 0;
}
