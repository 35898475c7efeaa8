// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "executable_generated.h"
#include "function/parameter_checks.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/halx/metadata_sharing.h"
#include "image/halx/metadata_signature.h"

namespace halyard {
namespace {

static_assert(static_cast<int>(schemas::ParameterKind::Binding) == HAL_PARAMETER_KIND_BINDING);
static_assert(static_cast<int>(schemas::ParameterKind::Constant) == HAL_PARAMETER_KIND_CONSTANT);
static_assert(static_cast<int>(schemas::ParameterKind::Null) == HAL_PARAMETER_KIND_NULL);
static_assert(static_cast<int>(schemas::ParameterKind::Scratch) == HAL_PARAMETER_KIND_SCRATCH);
static_assert(static_cast<int>(schemas::ParameterKind::BindingAddress) == HAL_PARAMETER_KIND_BINDING_ADDRESS);
static_assert(static_cast<int>(schemas::ParameterKind::TensorMap) == HAL_PARAMETER_KIND_TENSOR_MAP);
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
  if (version == 0) return FailWith(kBadMetadata, "version: 0 or missing");
  if (version <= kFormatVersion) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "version: the file needs a reader of version %u of the format; this library has "
              "version %u",
              version, kFormatVersion);
}

using Parameters = flatbuffers::Vector<flatbuffers::Offset<schemas::Parameter>>;

/// What a struct cannot hold, or would hold without a trace.
Status CheckParameter(const schemas::Parameter& parameter, bool names_binding) {
  if (parameter.kind() > schemas::ParameterKind::MAX) {
    return Fail(kBadMetadata, "kind: %u is unknown", static_cast<unsigned>(parameter.kind()));
  }
  if (parameter.access() > schemas::Access::MAX) {
    return Fail(kBadMetadata, "access: %u is unknown", static_cast<unsigned>(parameter.access()));
  }
  if (names_binding || parameter.access() == schemas::Access::ReadWrite) return kOk;
  return FailWith(kBadMetadata, "access: only bindings have one");
}

Status DecodeParameter(const schemas::Parameter& parameter, hal_parameter_t* out) {
  *out = hal_parameter_constant(parameter.offset(), parameter.size());
  out->kind = static_cast<hal_parameter_kind_t>(parameter.kind());
  out->set = parameter.set();
  out->binding = parameter.binding();
  HAL_TRY(CheckParameter(parameter, NamesBinding(*out)));
  if (NamesBinding(*out)) out->access = static_cast<hal_binding_access_t>(parameter.access());
  return kOk;
}

hal_tensor_number_t DecodeNumber(const schemas::TensorNumber& given) {
  return {given.offset(), given.size(), given.value()};
}

Status DecodeTensorMap(const schemas::TensorMap& given, hal_tensor_map_t* out) {
  const size_t rank = SizeOf(given.box());
  if (rank > HAL_TENSOR_MAP_MAX_RANK || !given.sizes() || !given.strides() || given.sizes()->size() != rank ||
      given.strides()->size() != rank) {
    return Fail(kBadMetadata,
                "tensor_map: %zu numbers of a box; at most %u are possible, and as many sizes and strides", rank,
                HAL_TENSOR_MAP_MAX_RANK);
  }
  *out = {};
  out->data_type = given.data_type();
  out->swizzle = given.swizzle();
  out->l2_promotion = given.l2_promotion();
  out->fill = given.fill();
  out->rank = static_cast<uint32_t>(rank);
  for (flatbuffers::uoffset_t i = 0; i < rank; ++i) {
    out->box[i] = given.box()->Get(i);
    out->sizes[i] = DecodeNumber(*given.sizes()->Get(i));
    out->strides[i] = DecodeNumber(*given.strides()->Get(i));
  }
  return kOk;
}

Status DecodeMapOf(const schemas::Parameter& parameter, HostVector<hal_tensor_map_t>* out) {
  const bool is_map = parameter.kind() == schemas::ParameterKind::TensorMap;
  if (is_map != (parameter.tensor_map() != nullptr)) {
    return FailWith(kBadMetadata, is_map ? "tensor_map: is missing" : "tensor_map: the parameter is none");
  }
  return is_map ? DecodeTensorMap(*parameter.tensor_map(), &out->emplace_back()) : kOk;
}

Status DecodeParameters(const Parameters* given, HostVector<hal_parameter_t>* out,
                        HostVector<hal_tensor_map_t>* out_maps) {
  HAL_TRY(CheckCount(kBadMetadata, "parameters", SizeOf(given), 0, ContainerLimits::kParameters));
  out->resize(SizeOf(given));
  for (flatbuffers::uoffset_t i = 0; i < out->size(); ++i) {
    HAL_TRY(InElement(DecodeParameter(*given->Get(i), &(*out)[i]), "parameters", i));
    HAL_TRY(InElement(DecodeMapOf(*given->Get(i), out_maps), "parameters", i));
  }
  return kOk;
}

bool SaysMore(const schemas::Parameter& parameter) {
  return parameter.name() || parameter.element_type() != 0 || parameter.is_guess();
}

/// Names and types; nothing if the file has none.
HostVector<hal_parameter_info_t> DecodeInfos(const Parameters* given) {
  HostVector<hal_parameter_info_t> infos;
  if (!given || std::none_of(given->begin(), given->end(), [](const auto* one) { return SaysMore(*one); }))
    return infos;
  infos.reserve(given->size());
  for (const schemas::Parameter* one : *given) {
    infos.push_back({ToC(ViewOf(one->name())), one->element_type(), one->is_guess() ? HAL_PARAMETER_GUESSED : 0});
  }
  return infos;
}

hal_dim3_t DecodeSize(const schemas::Dim3* size) {
  return size ? hal_dim3_t{size->x(), size->y(), size->z()} : hal_dim3_t{0, 0, 0};
}

Status DecodeExport(const schemas::Export& given, ContainerExport* out) {
  if (!given.workgroup_size()) return FailWith(kBadMetadata, "workgroup_size: is missing");
  out->name = ViewOf(given.name());
  out->workgroup_size = DecodeSize(given.workgroup_size());
  out->local_memory_size = given.local_memory_size();
  out->constants_size = given.constants_size();
  HAL_TRY(DecodeParameters(given.parameters(), &out->parameters, &out->tensor_maps));
  out->infos = DecodeInfos(given.parameters());
  if (!given.signature()) return kOk;
  return Annotate(DecodeSignature(*given.signature(), &out->signature), "signature.");
}

LaunchFacts DecodeLaunch(const schemas::Launch* given) {
  if (!given) return {};
  return {given->flags(),
          DecodeSize(given->workgroup_size()),
          DecodeSize(given->cluster_size()),
          given->dynamic_local_memory_size(),
          given->subgroup_size(),
          given->register_count(),
          DecodeSize(given->fixed_sides()),
          given->min_subgroup_size(),
          given->max_subgroup_size(),
          given->max_workgroup_volume(),
          DecodeSize(given->side_constants())};
}

Status DecodeEntryPoint(const schemas::EntryPoint& given, ContainerEntryPoint* out) {
  out->symbol = ViewOf(given.symbol());
  out->launch = DecodeLaunch(given.launch());
  return DecodeParameters(given.parameters(), &out->parameters, &out->tensor_maps);
}

Status DecodeEntryPoints(const schemas::Variant& given, size_t export_count, ContainerVariant* out) {
  const size_t count = SizeOf(given.entry_points());
  if (export_count == 0) return kOk;  // which is refused as such
  const size_t named = given.exports() ? given.exports()->size() : export_count;
  if (count != named) return Fail(kBadMetadata, "entry_points: there are %zu for %zu exports", count, named);
  out->entry_points.resize(count);
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    out->entry_points[i].ordinal = given.exports() ? given.exports()->Get(i) : i;
    HAL_TRY(InElement(DecodeEntryPoint(*given.entry_points()->Get(i), &out->entry_points[i]), "entry_points", i));
  }
  return kOk;
}

Status DecodeVariant(const schemas::Variant& given, size_t export_count, ContainerVariant* out, ImagePlace* out_place) {
  const schemas::Image* const image = given.image();
  if (!image) return FailWith(kBadMetadata, "image: is missing");
  out->format = ViewOf(given.format());
  out->target = ViewOf(given.target());
  out->isa_version = given.isa_version();
  *out_place = {image->offset(), image->size(), image->hash_low(), image->hash_high()};
  return DecodeEntryPoints(given, export_count, out);
}

Status DecodeExecutable(const schemas::Executable& given, Metadata* out) {
  out->version = given.version();
  out->file_size = given.file_size();
  out->contents.exports.resize(SizeOf(given.exports()));
  for (flatbuffers::uoffset_t i = 0; i < out->contents.exports.size(); ++i) {
    HAL_TRY(InElement(DecodeExport(*given.exports()->Get(i), &out->contents.exports[i]), "exports", i));
  }
  out->contents.variants.resize(SizeOf(given.variants()));
  out->places.resize(out->contents.variants.size());
  for (flatbuffers::uoffset_t i = 0; i < out->contents.variants.size(); ++i) {
    const Status status = DecodeVariant(*given.variants()->Get(i), out->contents.exports.size(),
                                        &out->contents.variants[i], &out->places[i]);
    HAL_TRY(InElement(status, "variants", i));
  }
  return kOk;
}

}  // namespace

Status DecodeMetadata(std::span<const std::byte> flatbuffer, Metadata* out) {
  if (!Verify(flatbuffer)) {
    return Fail(kBadMetadata,
                "metadata: its %zu bytes are no FlatBuffer of an executable (an offset, size or alignment in it is "
                "wrong)",
                flatbuffer.size());
  }
  const schemas::Executable& executable = *schemas::GetSizePrefixedExecutable(flatbuffer.data());
  HAL_TRY(CheckVersion(executable.version()));
  HAL_TRY(CheckSharing(executable, flatbuffer.size()));
  *out = Metadata();
  return DecodeExecutable(executable, out);
}

}  // namespace halyard
