// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/executable/metal_executable.h"

#include <algorithm>
#include <cinttypes>
#include <memory>

#include "driver_kit/executable/image_of.h"
#include "function/subgroup_sizes.h"
#include "metal/memory/metal_buffer.h"

namespace halyard::metal {

MetalExecutable::MetalExecutable(const DeviceBase& owner, const MetalContext& context)
    : hal_executable_t{}, context_(context) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, owner.tables().executable);
}

Status MetalExecutable::Create(DeviceBase& owner, const MetalContext& context, const hal_executable_params_t& params,
                               hal_executable_t** out_executable) {
  if (params.export_count == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "an image of format '%.*s' does not tell what it exports: give the list in params->exports",
                HALYARD_SV(View(params.format)));
  }
  std::unique_ptr<MetalExecutable> executable(new MetalExecutable(owner, context));
  HAL_TRY(CheckPlainExports({params.exports, params.export_count}));
  HAL_TRY(executable->exports_.Assign(&owner, {params.exports, params.export_count}));
  executable->export_count = executable->exports_.Count();
  HAL_TRY(WithImage(params, [&](std::span<const std::byte> image) { return executable->LoadImage(params, image); }));
  *out_executable = executable.release();
  return kOk;
}

Status MetalExecutable::LoadImage(const hal_executable_params_t& params, std::span<const std::byte> image) {
  HAL_TRY(MakeLibrary(params, image));
  return MakePipelines(params, image);
}

Status MetalExecutable::MakeLibrary(const hal_executable_params_t& params, std::span<const std::byte> image) {
  if (image.empty()) return FailWith(HAL_STATUS_DATA_LOSS, "the image is empty");
  if (View(params.format) == kLibraryFormat) return MakeLibraryFromData(context_.native.get(), image, &library_);
  std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return MakeLibraryFromSource(context_.native.get(), text, {params.specializations, params.specialization_count},
                               &library_);
}

Status MetalExecutable::MakePipelines(const hal_executable_params_t& params, std::span<const std::byte> image) {
  HostVector<PipelineRequest> requests;
  HostVector<std::string_view> functions;
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    const hal_export_info_t& info = *exports_.Info(i);
    if (info.signature) {
      return FailWith(HAL_STATUS_UNIMPLEMENTED, "a function of another calling convention runs on the host only");
    }
    requests.push_back({exports_.Symbol(i),
                        {info.parameters, info.parameter_count},
                        exports_.ParameterBindings(i),
                        info.constants_size});
    functions.push_back(exports_.Symbol(i));
  }
  const std::span specializations(params.specializations, params.specialization_count);
  MetalArchive archive(context_.native.get(), context_.traits, params.blobs);
  archive.Open(image, functions, specializations);
  HAL_TRY(metal::MakePipelines(context_.native.get(), library_.get(), requests, specializations,
                               context_.options.argument_encoder, archive, &pipelines_));
  archive.Store();
  return CheckSubgroups();
}

// Metal alone knows which size a pipeline has got.
Status MetalExecutable::CheckSubgroups() const {
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    const hal_export_info_t& info = *exports_.Info(i);
    const uint32_t size = pipelines_[i].subgroup_size;
    uint32_t chosen = 0;
    const Failure failure(ChooseSubgroupSize(info, {size, size}, size, &chosen));
    if (!failure) continue;
    return Fail(failure.code(), "export %u (\"%.*s\"): %s", i, HALYARD_SV(View(info.name)), failure.message().data());
  }
  return kOk;
}

Status MetalExecutable::CheckPlain(uint32_t ordinal, uint32_t binding, uint64_t offset) const {
  if (offset % kPlainAlignment == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "dispatch of '%.*s': bindings.refs[%u] begins at byte %" PRIu64
              " of its allocation; a buffer that is a kernel's own argument begins at a multiple of %" PRIu64,
              HALYARD_SV(View(exports_.Info(ordinal)->name)), binding, offset, kPlainAlignment);
}

// A slot is looked at with its table; memory that is yet to come begins where the alignment allows anything.
Status MetalExecutable::CheckPlainArguments(uint32_t ordinal, const hal_buffer_ref_list_t& bindings) const {
  for (const PlainArgument& argument : pipelines_[ordinal].plain) {
    if (argument.binding >= bindings.count) continue;
    const hal_buffer_ref_t& ref = bindings.refs[argument.binding];
    if (!ref.buffer || ref.length == 0) continue;
    HAL_TRY(CheckPlain(ordinal, argument.binding, static_cast<const MetalBuffer*>(ref.buffer)->offset() + ref.offset));
  }
  return kOk;
}

Status MetalExecutable::CheckBeforehand(uint32_t ordinal, const hal_dispatch_params_t& params) const {
  const MetalPipeline& pipeline = pipelines_[ordinal];
  const std::string_view name = View(exports_.Info(ordinal)->name);
  const hal_dim3_t& size = params.workgroup_size;
  if (uint64_t{size.x} * size.y * size.z > pipeline.max_volume) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "dispatch of '%.*s': a workgroup of %ux%ux%u; with the registers that it uses the kernel runs at most "
                "%u work-items in one",
                HALYARD_SV(name), size.x, size.y, size.z, pipeline.max_volume);
  }
  HAL_TRY(CheckPlainArguments(ordinal, params.bindings));
  const uint64_t dynamic = (uint64_t{params.dynamic_local_memory} + 15) / 16 * 16;
  const uint64_t local = pipeline.local_memory_size + dynamic;
  if (local <= context_.traits.max_local_memory) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "dispatch of '%.*s': %" PRIu64
              " bytes of workgroup memory, declared and dynamic; the device takes at "
              "most %u",
              HALYARD_SV(name), local, context_.traits.max_local_memory);
}

// Dynamic memory comes in pieces of 16 bytes.
Status MetalExecutable::QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties) {
  const MetalPipeline& pipeline = pipelines_[ordinal];
  const uint32_t most = context_.traits.max_local_memory;
  out_properties->max_workgroup_volume = pipeline.max_volume;
  out_properties->local_memory_size = pipeline.local_memory_size;
  out_properties->preferred_multiple = pipeline.subgroup_size;
  const uint64_t rest = most - std::min(pipeline.local_memory_size, most);
  out_properties->max_dynamic_local_memory = rest / 16 * 16;
  return kOk;
}

}  // namespace halyard::metal
