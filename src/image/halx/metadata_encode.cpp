// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "executable_generated.h"
#include "function/c_types.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/halx/metadata_signature.h"

namespace halyard {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Lets a builder take its memory where the library takes all of its own.
class BuilderAllocator final : public flatbuffers::Allocator {
 public:
  uint8_t* allocate(size_t size) override { return static_cast<uint8_t*>(HostAllocate(size, kAlignment)); }
  void deallocate(uint8_t* memory, size_t size) override { HostFree(memory, size, kAlignment); }

 private:
  static constexpr size_t kAlignment = alignof(std::max_align_t);
};

/// Texts that may be absent.
Offset<flatbuffers::String> EncodeText(FlatBufferBuilder& builder, std::string_view text) {
  return text.empty() ? Offset<flatbuffers::String>() : builder.CreateString(text.data(), text.size());
}

/// Makes a vector of tables, one for each element.
template <class Table, class List, class Encode>
Offset<flatbuffers::Vector<Offset<Table>>> EncodeList(FlatBufferBuilder& builder, const List& list, Encode&& encode) {
  HostVector<Offset<Table>> tables;
  tables.reserve(list.size());
  for (const auto& element : list) tables.push_back(encode(element));
  return builder.CreateVector(tables.data(), tables.size());
}

Offset<schemas::Parameter> EncodeParameter(FlatBufferBuilder& builder, const hal_parameter_t& parameter) {
  const bool constant = parameter.kind == HAL_PARAMETER_KIND_CONSTANT;
  return schemas::CreateParameter(builder, static_cast<schemas::ParameterKind>(parameter.kind), parameter.offset,
                                  parameter.size, parameter.set, parameter.binding,
                                  static_cast<schemas::Access>(constant ? 0 : parameter.access));
}

Offset<schemas::Export> EncodeExport(FlatBufferBuilder& builder, const ContainerExport& info) {
  const auto name = EncodeText(builder, info.name);
  const auto parameters = EncodeList<schemas::Parameter>(
      builder, info.parameters, [&](const hal_parameter_t& parameter) { return EncodeParameter(builder, parameter); });
  const schemas::Dim3 size(info.workgroup_size.x, info.workgroup_size.y, info.workgroup_size.z);
  const auto signature = EncodeSignature(builder, info.signature.Get());
  return schemas::CreateExport(builder, name, &size, info.local_memory_size, info.constants_size, parameters,
                               signature);
}

Offset<schemas::Variant> EncodeVariant(FlatBufferBuilder& builder, const ContainerContents& contents, size_t index,
                                       const ImagePlace& place) {
  const ContainerVariant& variant = contents.variants[index];
  const auto format = EncodeText(builder, variant.format);
  const auto target = EncodeText(builder, variant.target);
  const auto image = schemas::CreateImage(builder, place.offset, place.size, place.hash_low, place.hash_high);
  size_t ordinal = 0;
  const auto entry_points = EncodeList<schemas::EntryPoint>(builder, variant.symbols, [&](std::string_view symbol) {
    const bool as_exported = symbol == contents.exports[ordinal++].name;
    return schemas::CreateEntryPoint(builder, EncodeText(builder, as_exported ? std::string_view() : symbol));
  });
  return schemas::CreateVariant(builder, format, target, image, entry_points);
}

/// A reader that ignores a signature would call the function as a kernel.
uint32_t LeastVersion(const ContainerExport& info) {
  const hal_function_signature_t* const signature = info.signature.Get();
  if (!signature) return kVersionWithoutSignatures;
  return IsC(signature->convention) ? kVersionWithCFunctions : kVersionWithSignatures;
}

uint32_t LeastVersion(const ContainerContents& contents) {
  uint32_t version = kVersionWithoutSignatures;
  for (const ContainerExport& info : contents.exports) version = std::max(version, LeastVersion(info));
  return version;
}

/// A lower bound of the metadata's size, to refuse absurd contents before they are built.
size_t LeastSize(const ContainerContents& contents) {
  constexpr size_t kTable = 8;  // the offset to it and that to its vtable
  size_t size = 0;
  for (const ContainerExport& info : contents.exports) {
    size += kTable + info.name.size() + kTable * info.parameters.size();
    if (const auto* signature = info.signature.Get()) {
      size += kTable * (size_t{signature->argument_count} + signature->result_count);
    }
  }
  for (const ContainerVariant& variant : contents.variants) {
    size += kTable + variant.format.size() + kTable * variant.symbols.size();
  }
  return size;
}

Status CheckSize(size_t size) {
  if (size <= ContainerLimits::kMetadataSize) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "metadata: at least %zu bytes (names, parameters, symbols); at most %zu are "
              "possible",
              size, ContainerLimits::kMetadataSize);
}

}  // namespace

Status EncodeMetadata(const ContainerContents& contents, std::span<const ImagePlace> places, uint64_t file_size,
                      HostVector<std::byte>* out) {
  HAL_TRY(CheckSize(LeastSize(contents)));
  BuilderAllocator allocator;
  FlatBufferBuilder builder(1024, &allocator, /*own_allocator=*/false, kMetadataAlignment);
  const auto exports = EncodeList<schemas::Export>(
      builder, contents.exports, [&](const ContainerExport& info) { return EncodeExport(builder, info); });
  size_t index = 0;
  const auto variants = EncodeList<schemas::Variant>(builder, contents.variants, [&](const ContainerVariant&) {
    const size_t i = index++;
    return EncodeVariant(builder, contents, i, places[i]);
  });
  schemas::FinishSizePrefixedExecutableBuffer(
      builder, schemas::CreateExecutable(builder, LeastVersion(contents), file_size, exports, variants));
  HAL_TRY(CheckSize(builder.GetSize() - kSizePrefixSize));
  const auto* bytes = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  out->assign(bytes, bytes + builder.GetSize());
  return kOk;
}

}  // namespace halyard
