// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executable of several images: each of its exports is one of an executable that the driver made of one image.
// Drivers never see it: the core hands them the parts.
#ifndef HALYARD_CORE_EXECUTABLE_COMPOSITE_EXECUTABLE_H_
#define HALYARD_CORE_EXECUTABLE_COMPOSITE_EXECUTABLE_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

class CompositeExecutable final : public hal_executable_t, public HostObject {
 public:
  struct Part {
    Ref<hal_executable_t> executable;
    HostVector<uint32_t> ordinals;  // [its ordinal]: the ordinal here
  };

  /// The ordinals of the parts are those from 0 on, each once. INTERNAL if a driver made other exports than asked for.
  static Status Create(hal_device_t* device, HostVector<Part> parts, hal_executable_t** out_executable);

  /// What the driver knows in the place of an export. `ordinal` is in range.
  static void Resolve(hal_executable_t** executable, uint32_t* ordinal) {
    if ((*executable)->object.vtable != &kTable) return;
    const Export& own = static_cast<const CompositeExecutable*>(*executable)->exports_[*ordinal];
    *executable = own.executable;
    *ordinal = own.ordinal;
  }

  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal);

 private:
  struct Export {
    hal_executable_t* executable = nullptr;  // one of parts_
    uint32_t ordinal = 0;
  };

  explicit CompositeExecutable(HostVector<Part> parts);
  Status AddPart(const Part& part);

  static const hal_executable_vtable_t kTable;

  const HostVector<Part> parts_;
  HostVector<Export> exports_;  // [ordinal]
  std::unordered_map<std::string_view, uint32_t, std::hash<std::string_view>, std::equal_to<>,
                     HostStdAllocator<std::pair<const std::string_view, uint32_t>>>
      ordinals_;  // names are the parts'
};

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_COMPOSITE_EXECUTABLE_H_
