// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of a Metal device.
#ifndef HALYARD_METAL_EXECUTABLE_METAL_EXECUTABLE_H_
#define HALYARD_METAL_EXECUTABLE_METAL_EXECUTABLE_H_

#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/executable/export_table.h"
#include "halyard/driver_api.h"
#include "metal/executable/metal_pipelines.h"
#include "metal/native/metal_context.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// Formats that Metal takes: its language, and libraries of its compiler.
inline constexpr std::string_view kSourceFormat = "msl";
inline constexpr std::string_view kLibraryFormat = "metallib";

class MetalExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Compiles or loads the library, and makes a pipeline of every export.
  static Status Create(DeviceBase& owner, const MetalContext& context, const hal_executable_params_t& params,
                       hal_executable_t** out_executable);

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }
  /// As hal_executable_vtable_t::query_export_properties.
  Status QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties);
  const MetalPipeline& Pipeline(uint32_t ordinal) const { return pipelines_[ordinal]; }
  /// Whether the kernel may write to a binding of the flat list.
  bool Writes(uint32_t ordinal, size_t binding) const { return exports_.Writes(ordinal, binding); }
  /// What can be told of a dispatch before it runs: OUT_OF_RANGE if the kernel cannot be dispatched so. Metal would run
  /// nothing, and say nothing.
  Status CheckBeforehand(uint32_t ordinal, const hal_dispatch_params_t& params) const;
  /// INVALID_ARGUMENT if no kernel can take a buffer for itself from there.
  /// @param offset  bytes in the Metal buffer
  Status CheckPlain(uint32_t ordinal, uint32_t binding, uint64_t offset) const;
  /// Protects the argument encoders, which one thread at a time may use.
  std::mutex& encode_mutex() const { return encode_mutex_; }

 private:
  MetalExecutable(const DeviceBase& owner, const MetalContext& context);
  Status LoadImage(const hal_executable_params_t& params, std::span<const std::byte> image);
  Status MakeLibrary(const hal_executable_params_t& params, std::span<const std::byte> image);
  Status MakePipelines(const hal_executable_params_t& params, std::span<const std::byte> image);
  Status CheckSubgroups() const;
  Status CheckPlainArguments(uint32_t ordinal, const hal_buffer_ref_list_t& bindings) const;

  const MetalContext& context_;
  Owned<NativeLibrary> library_;
  ExportTable exports_;
  HostVector<MetalPipeline> pipelines_;  // [export]
  mutable std::mutex encode_mutex_;      // a leaf
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_EXECUTABLE_METAL_EXECUTABLE_H_
