// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP drivers with one defect each. HALYARD_HIP_MUTANT names the defect. The driver is "mutant" in the registry and
// "hip" for everything else.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "halyard/halyard.h"
#include "hip/hip_api.h"
#include "stream/vendor_driver.h"

namespace halyard::hip {
namespace {

/// The driver as it is, made like the others.
struct NoDefect : HipApi {
  using HipApi::HipApi;
};

/// Launches of one executable graph overlap on streams.
struct SharesGraphs : HipApi {
  using HipApi::HipApi;
  Status Open() {
    HAL_TRY(HipApi::Open());
    traits_.graph_launches_overlap = false;
    return kOk;
  }
};

/// An executable graph is patched for as long as it lives.
struct PatchesWithoutEnd : HipApi {
  using HipApi::HipApi;
  Status Open() {
    HAL_TRY(HipApi::Open());
    traits_.max_graph_patches = UINT64_MAX;
    return kOk;
  }
};

/// Graphs have fills, whose patterns lie where other graphs put theirs.
struct FillsInGraphs : HipApi {
  using HipApi::HipApi;
  Status Open() {
    HAL_TRY(HipApi::Open());
    traits_.graph_fills = true;
    return kOk;
  }
};

/// Graphs run on several streams, whatever hardware queues those share.
struct WideGraphs : HipApi {
  using HipApi::HipApi;
  Status Open() {
    HAL_TRY(HipApi::Open());
    traits_.max_graph_chains = 4;
    return kOk;
  }
};

/// The thread finds another device than it had.
struct LeavesTheDevice : HipApi {
  using HipApi::HipApi;
  void Leave(const NativeCurrent&) override {}
};

/// The thread finds what refused a call of Halyard's.
struct LeavesTheError : HipApi {
  using HipApi::HipApi;
  Status RecordEvent(NativeEvent event, NativeStream stream) override {
    const auto [native, in] = std::pair(reinterpret_cast<hipEvent_t>(event), reinterpret_cast<hipStream_t>(stream));
    return library_.hipEventRecord(native, in) == hipSuccess ? kOk : FailWith(HAL_STATUS_INTERNAL, "hipEventRecord");
  }
};

/// What kind of memory it is comes before whether it is managed.
struct AsksForTheTypeFirst : HipApi {
  using HipApi::HipApi;
  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override {
    unsigned int type = 0;
    auto* const address = reinterpret_cast<void*>(pointer);
    const hipError_t result = library_.hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    library_.Ignore(result);
    if (result != hipSuccess || type != library_.memory_types().host) return HipApi::DescribePointer(pointer, out_kind);
    *out_kind = NativePointerKind::kHost;
    return kOk;
  }
};

template <class Api>
hal_status_t Register() {
  static constinit const DriverInterface<stream::StreamClasses<stream::VendorDriver<HipVendor, Api>>> original(
      "hip", "a HIP driver with a defect");
  static hal_driver_vtable_t driver = *original.get()->driver;
  driver.create_device = [](hal_driver_t* self, hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                            hal_device_t** out_device) {
    const hal_status_t status = original.get()->driver->create_device(self, id, pair_count, pairs, out_device);
    // Which is what the functions of the extension look at.
    if (status == HAL_STATUS_OK) const_cast<hal_device_info_t*>((*out_device)->info)->driver = hal_string_view("hip");
    return status;
  };
  hal_driver_interface_t mutant = *original.get();
  mutant.name = hal_string_view("mutant");
  mutant.driver = &driver;
  return hal_registry_register_driver(hal_registry_default(), &mutant);
}

constexpr struct {
  std::string_view name;
  hal_status_t (*register_it)();
} kMutants[] = {
    {"no_defect", Register<NoDefect>},
    {"shares_graphs", Register<SharesGraphs>},
    {"patches_without_end", Register<PatchesWithoutEnd>},
    {"fills_in_graphs", Register<FillsInGraphs>},
    {"wide_graphs", Register<WideGraphs>},
    {"leaves_the_device", Register<LeavesTheDevice>},
    {"leaves_the_error", Register<LeavesTheError>},
    {"asks_for_the_type_first", Register<AsksForTheTypeFirst>},
};

struct RegisterMutant : testing::Environment {
  void SetUp() override {
    const char* const wanted = std::getenv("HALYARD_HIP_MUTANT");
    for (const auto& mutant : kMutants) {
      if (!wanted || mutant.name != wanted) continue;
      ASSERT_EQ(mutant.register_it(), HAL_STATUS_OK) << hal_last_error_message();
      return;
    }
    FAIL() << "HALYARD_HIP_MUTANT names no mutant";
  }
};

const testing::Environment* const kRegisterMutant = testing::AddGlobalTestEnvironment(new RegisterMutant);

}  // namespace
}  // namespace halyard::hip
