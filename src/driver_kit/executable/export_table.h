// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executable exports: checks of an export list, and the owned copy that drivers answer reflection from.
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_EXPORT_TABLE_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_EXPORT_TABLE_H_

#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "function/signature.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Checks an export list, wherever it comes from: names (given, unique), parameters (kinds, constants inside
/// `constants_size`, no binding twice), the layout if one is given, and everything against the device's limits.
/// Messages begin with the export: `export 2 ("scale"): …`.
Status CheckExports(const hal_device_t* device, std::span<const hal_export_info_t> exports);

/// For devices on which kernels get bindings and constants, and are launched in grids of workgroups: UNIMPLEMENTED if
/// an export takes or needs more, with what it is. Messages begin with the export.
/// @param takes_addresses  the device can put the addresses of bindings among the constants
Status CheckPlainExports(std::span<const hal_export_info_t> exports, bool takes_addresses = false);

/// The layout that a parameter list amounts to. Set numbers must be below kMaxDescriptorSets. Throws std::bad_alloc.
Ref<hal_pipeline_layout_t> LayoutFromParameters(std::span<const hal_parameter_t> parameters, uint32_t constants_size);

/// An owned deep copy of a list of exports. What Info() returns lives as long as the table, also when the table moves.
class ExportTable {
 public:
  /// In ParameterBindings(): a parameter that is no binding.
  static constexpr uint32_t kNoBinding = std::numeric_limits<uint32_t>::max();

  ExportTable() = default;
  ExportTable(ExportTable&&) = default;
  ExportTable& operator=(ExportTable&&) = default;
  ExportTable(const ExportTable&) = delete;
  ExportTable& operator=(const ExportTable&) = delete;

  /// Checks `exports` (see CheckExports()) and replaces the table by a copy of them. Counts the bindings, and makes a
  /// layout where none was given. An export with a layout but no parameters takes the layout's bindings in flat order,
  /// then all constants as one parameter; one with a signature, what the signature asks for. Throws std::bad_alloc; the
  /// table is unchanged after any failure.
  Status Assign(hal_device_t* device, std::span<const hal_export_info_t> exports);

  uint32_t Count() const noexcept { return static_cast<uint32_t>(infos_.size()); }

  /// What an export is, with `binding_count` and `layout` set; NULL if out of range.
  const hal_export_info_t* Info(uint32_t ordinal) const noexcept {
    return ordinal < infos_.size() ? &infos_[ordinal] : nullptr;
  }

  /// Finds an export by name; NOT_FOUND without a message.
  Status Find(std::string_view name, uint32_t* out_ordinal) const noexcept;

  /// The name of an export in the image: its symbol, or its name where they are the same.
  std::string_view Symbol(uint32_t ordinal) const noexcept;

  /// Whether a kernel may write to a binding of the flat list, as its parameters say. It may, if none names the
  /// binding.
  bool Writes(uint32_t ordinal, size_t binding) const noexcept {
    const HostVector<bool>& writes = entries_[ordinal].writes;
    return binding >= writes.size() || writes[binding];
  }

  /// For each parameter of an export: which of the dispatch's bindings it is, or kNoBinding.
  std::span<const uint32_t> ParameterBindings(uint32_t ordinal) const noexcept {
    return entries_[ordinal].parameter_bindings;
  }

 private:
  /// What an info points to.
  struct Entry {
    HostString name;
    HostString symbol;
    HostVector<hal_parameter_t> parameters;
    HostVector<uint32_t> parameter_bindings;
    HostVector<bool> writes;                           // [binding of the flat list]
    HostVector<hal_parameter_info_t> parameter_infos;  // views into the next
    HostVector<char> parameter_names;
    HostVector<hal_tensor_map_t> tensor_maps;
    Ref<hal_pipeline_layout_t> layout;
    OwnedSignature signature;
  };

  static Entry MakeEntry(const hal_export_info_t& given);
  static hal_export_info_t MakeInfo(const hal_export_info_t& given, const Entry& entry);

  using Index = std::unordered_map<std::string_view, uint32_t, std::hash<std::string_view>, std::equal_to<>,
                                   HostStdAllocator<std::pair<const std::string_view, uint32_t>>>;

  HostVector<Entry> entries_;
  HostVector<hal_export_info_t> infos_;  // views into entries_
  Index ordinals_;                       // by name; the same
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_EXPORT_TABLE_H_
