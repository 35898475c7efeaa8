// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>

#include "executable_generated.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/halx/metadata_signature.h"

namespace halyard {
namespace {

constexpr hal_status_t kBad = HAL_STATUS_DATA_LOSS;

static_assert(static_cast<int>(schemas::ParameterKind::Binding) == HAL_PARAMETER_KIND_BINDING);
static_assert(static_cast<int>(schemas::ParameterKind::Constant) == HAL_PARAMETER_KIND_CONSTANT);
static_assert(static_cast<int>(schemas::Access::ReadWrite) == HAL_BINDING_ACCESS_READ_WRITE);
static_assert(static_cast<int>(schemas::Access::Read) == HAL_BINDING_ACCESS_READ);
static_assert(static_cast<int>(schemas::Access::Write) == HAL_BINDING_ACCESS_WRITE);

std::string_view ViewOf(const flatbuffers::String* text) {
  return text ? std::string_view(text->c_str(), text->size()) : std::string_view();
}

/// Elements of a vector that may be absent.
template <class T>
size_t SizeOf(const flatbuffers::Vector<T>* vector) {
  return vector ? vector->size() : 0;
}

/// Every table takes at least 8 bytes: the offset to it and that to its vtable. More tables than that means that
/// several offsets lead to the same one, which no writer does and which would make small files take long.
bool Verify(std::span<const std::byte> flatbuffer) {
  flatbuffers::Verifier::Options options;
  options.max_depth = 8;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(flatbuffer.size() / 8);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(flatbuffer.data()), flatbuffer.size(), options);
  return schemas::VerifySizePrefixedExecutableBuffer(verifier);
}

Status CheckVersion(uint32_t version) {
  if (version == 0) return FailWith(kBad, "version: 0 or missing");
  if (version <= kFormatVersion) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "version: the file needs a reader of version %u of the format; this library has "
              "version %u",
              version, kFormatVersion);
}

/// What a struct cannot hold, or would hold without a trace.
Status CheckParameter(const schemas::Parameter& parameter, size_t owner, size_t index) {
  if (parameter.kind() > schemas::ParameterKind::MAX) {
    return Fail(kBad, "exports[%zu].parameters[%zu].kind: %u is unknown", owner, index,
                static_cast<unsigned>(parameter.kind()));
  }
  if (parameter.access() > schemas::Access::MAX) {
    return Fail(kBad, "exports[%zu].parameters[%zu].access: %u is unknown", owner, index,
                static_cast<unsigned>(parameter.access()));
  }
  if (parameter.kind() == schemas::ParameterKind::Binding || parameter.access() == schemas::Access::ReadWrite) {
    return kOk;
  }
  return Fail(kBad, "exports[%zu].parameters[%zu].access: a constant has none", owner, index);
}

hal_parameter_t DecodeParameter(const schemas::Parameter& parameter) {
  hal_parameter_t decoded = hal_parameter_constant(parameter.offset(), parameter.size());
  decoded.kind = static_cast<hal_parameter_kind_t>(parameter.kind());
  decoded.set = parameter.set();
  decoded.binding = parameter.binding();
  if (decoded.kind == HAL_PARAMETER_KIND_BINDING) {
    decoded.access = static_cast<hal_binding_access_t>(parameter.access());
  }
  return decoded;
}

Status DecodeExport(const schemas::Export& given, size_t index, ContainerExport* out) {
  const schemas::Dim3* const size = given.workgroup_size();
  if (!size) return Fail(kBad, "exports[%zu].workgroup_size: is missing", index);
  out->name = ViewOf(given.name());
  out->workgroup_size = {size->x(), size->y(), size->z()};
  out->local_memory_size = given.local_memory_size();
  out->constants_size = given.constants_size();
  out->parameters.reserve(SizeOf(given.parameters()));
  for (flatbuffers::uoffset_t i = 0; i < SizeOf(given.parameters()); ++i) {
    const schemas::Parameter& parameter = *given.parameters()->Get(i);
    HAL_TRY(CheckParameter(parameter, index, i));
    out->parameters.push_back(DecodeParameter(parameter));
  }
  if (!given.signature()) return kOk;
  const Status status = DecodeSignature(*given.signature(), &out->signature);
  if (status == kOk) return kOk;
  char prefix[48];
  std::snprintf(prefix, sizeof(prefix), "exports[%zu].signature.", index);
  return Annotate(status, prefix);
}

Status DecodeVariant(const schemas::Variant& given, size_t index, ContainerVariant* out, ImagePlace* out_place) {
  const schemas::Image* const image = given.image();
  if (!image) return Fail(kBad, "variants[%zu].image: is missing", index);
  out->format = ViewOf(given.format());
  out->target = ViewOf(given.target());
  out->symbols.reserve(SizeOf(given.entry_points()));
  for (flatbuffers::uoffset_t i = 0; i < SizeOf(given.entry_points()); ++i) {
    out->symbols.push_back(ViewOf(given.entry_points()->Get(i)->symbol()));
  }
  *out_place = {image->offset(), image->size(), image->hash_low(), image->hash_high()};
  return kOk;
}

Status DecodeExecutable(const schemas::Executable& given, Metadata* out) {
  out->version = given.version();
  out->file_size = given.file_size();
  out->contents.exports.resize(SizeOf(given.exports()));
  for (flatbuffers::uoffset_t i = 0; i < out->contents.exports.size(); ++i) {
    const Status status = DecodeExport(*given.exports()->Get(i), i, &out->contents.exports[i]);
    if (status != kOk) return status;
  }
  out->contents.variants.resize(SizeOf(given.variants()));
  out->places.resize(out->contents.variants.size());
  for (flatbuffers::uoffset_t i = 0; i < out->contents.variants.size(); ++i) {
    const Status status = DecodeVariant(*given.variants()->Get(i), i, &out->contents.variants[i], &out->places[i]);
    if (status != kOk) return status;
  }
  return kOk;
}

}  // namespace

Status DecodeMetadata(std::span<const std::byte> flatbuffer, Metadata* out) {
  if (!Verify(flatbuffer)) {
    return Fail(kBad,
                "metadata: its %zu bytes are no FlatBuffer of an executable (an offset, size or alignment in it is "
                "wrong)",
                flatbuffer.size());
  }
  const schemas::Executable& executable = *schemas::GetSizePrefixedExecutable(flatbuffer.data());
  HAL_TRY(CheckVersion(executable.version()));
  *out = Metadata();
  return DecodeExecutable(executable, out);
}

}  // namespace halyard
