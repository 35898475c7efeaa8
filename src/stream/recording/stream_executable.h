// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loaded executable of a stream device, and its kernels.
#ifndef HALYARD_STREAM_RECORDING_STREAM_EXECUTABLE_H_
#define HALYARD_STREAM_RECORDING_STREAM_EXECUTABLE_H_

#include <array>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/export_table.h"
#include "halyard/driver_api.h"
#include "stream/memory/device_range.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class StreamContext;

/// Bounds of a launch that this code relies on.
inline constexpr uint32_t kMaxBindings = 256;
inline constexpr uint32_t kMaxParameters = 4096;        // as many as an executable file holds
inline constexpr uint32_t kMaxPatchedConstants = 4096;  // bytes, where addresses of bindings are among them
inline constexpr uint32_t kMaxScratchParameters = 8;
inline constexpr uint32_t kMaxTensorMaps = 16;

/// One kernel, ready to be launched.
struct StreamExport {
  NativeFunction function = nullptr;
  NativeFunctionInfo native;
  uint32_t max_local_memory = 0;      ///< bytes, declared and dynamic together
  uint64_t max_work_items = 0;        ///< of a dimension
  uint32_t dynamic_local_memory = 0;  ///< bytes that every launch gets, on top of what a dispatch asks for
  uint64_t max_scratch = 0;           ///< bytes of a launch
  bool takes_scratch = false;         ///< some parameter is scratch memory
  bool has_addresses = false;         ///< among the constants
  bool takes_tensor_maps = false;
  NativeLaunchRules rules;
  /// Caches the last answer of the device: how many workgroups of a size a compute unit runs at once, with that size; 0
  /// for none. Threads read and write it as one atomic number, and each of them may query the device again.
  alignas(8) mutable uint64_t resident = 0;
  std::span<const hal_parameter_t> parameters;
  std::span<const uint32_t> parameter_bindings;

  /// OUT_OF_RANGE if the kernel cannot be launched so.
  /// @param count  workgroups, which may come from a buffer
  Status CheckLaunch(const hal_export_info_t& info, const hal_dispatch_params_t& params, const hal_dim3_t& count) const;
  /// Bytes of scratch memory that a launch of so many workgroups needs. Each parameter's part begins at a multiple of
  /// StreamMemory::kMinAlignment, at `out_offsets[n]` for the nth of them. OUT_OF_RANGE if the device does not have as
  /// much.
  Status LayOutScratch(const hal_export_info_t& info, const hal_dim3_t& count, std::span<NativeAddress> out_offsets,
                       uint64_t* out_size) const;
  /// The address of each argument, in the kernel's order.
  void Arrange(std::span<NativeAddress> bindings, std::span<NativeAddress> scratch, std::span<NativeTensorMap> maps,
               const void* constants, std::span<void*> out_arguments) const;
  /// Writes the addresses of bindings into a copy of the constants.
  void PatchConstants(std::span<const NativeAddress> bindings, std::byte* constants) const;
};

class StreamExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Loads the image and finds every export in it.
  static Status Create(StreamContext& context, const hal_executable_params_t& params,
                       hal_executable_t** out_executable);
  ~StreamExecutable();

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }
  /// As hal_executable_vtable_t::find_global.
  Status FindGlobal(uint32_t ordinal, hal_string_view_t name, hal_external_memory_t* out_memory);
  /// As hal_executable_vtable_t::query_export_properties.
  Status QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties);
  /// As hal_executable_vtable_t::count_resident.
  Status CountResident(uint32_t ordinal, uint32_t workgroup_volume, uint32_t dynamic_local_memory,
                       uint32_t* out_workgroups);
  /// Whether the kernel may write to a binding of the flat list.
  bool Writes(uint32_t ordinal, size_t binding) const { return exports_.Writes(ordinal, binding); }
  const StreamExport& Export(uint32_t ordinal) const { return kernels_[ordinal]; }
  /// OUT_OF_RANGE if an export cannot be launched so; INVALID_ARGUMENT if it is cooperative and so many workgroups do
  /// not run at once. May be called with a lane's mutex, so the caller handles DEVICE_LOST.
  /// @param count  workgroups, which may come from a buffer
  Status CheckLaunch(uint32_t ordinal, const hal_dispatch_params_t& params, const hal_dim3_t& count) const;
  /// Checks a dispatch before it runs: the same for a cooperative export, and nothing for others. After the first
  /// dispatch of a size the device is not queried again. The caller holds no lock, because the device may be found
  /// lost.
  Status CheckBeforehand(uint32_t ordinal, const hal_dispatch_params_t& params) const {
    const bool has_rule = kernels_[ordinal].rules.cooperative && (params.flags & HAL_DISPATCH_INDIRECT) == 0;
    return has_rule ? CheckCooperative(ordinal, params) : kOk;
  }
  /// The tensor maps of a launch, in the order of the parameters. INVALID_ARGUMENT, and OUT_OF_RANGE for a tensor that
  /// is larger than its binding.
  Status MakeTensorMaps(uint32_t ordinal, std::span<const DeviceRange> bindings, const void* constants,
                        std::span<NativeTensorMap> out_maps) const;

 private:
  explicit StreamExecutable(StreamContext& owner);
  Status Load(const hal_executable_params_t& params);
  Status CheckParameterLists() const;
  Status FindExports();
  Status FindExport(uint32_t ordinal);
  Status CheckParameterSizes(const StreamExport& kernel);
  Status SetRules(const hal_export_info_t& info, StreamExport* kernel);
  Status AllowLocalMemory(StreamExport& kernel);
  Status CheckCooperative(uint32_t ordinal, const hal_dispatch_params_t& params) const;
  Status FindResident(const StreamExport& kernel, uint32_t volume, uint32_t dynamic, uint32_t* out_workgroups) const;
  Status CheckResident(const StreamExport& kernel, const hal_export_info_t& info, const hal_dispatch_params_t& params,
                       const hal_dim3_t& count) const;

  StreamContext& context_;
  NativeModule module_ = nullptr;
  ExportTable exports_;
  HostVector<StreamExport> kernels_;  // [export]
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_STREAM_EXECUTABLE_H_
