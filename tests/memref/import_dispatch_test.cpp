// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled functions on queues that call the host's, and give up.
#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "dispatch.h"
#include "import_module.h"

namespace halyard::testing {
namespace {

constexpr const char* kDispatchModule = R"(
func.func private @doubled(memref<?xf32>, index) -> f32 attributes {llvm.emit_c_interface}
func.func @double_each(%x: memref<?xf32>, %i: index {halyard.workgroup = "id.x"}) attributes {llvm.emit_c_interface} {
  %v = call @doubled(%x, %i) : (memref<?xf32>, index) -> f32
  memref.store %v, %x[%i] : memref<?xf32>
  return
}
func.func @mark_each(%x: memref<?xf32>, %i: index {halyard.workgroup = "id.x"}, %end: index)
    attributes {llvm.emit_c_interface} {
  %ok = arith.cmpi ult, %i, %end : index
  cf.assert %ok, "a workgroup too many"
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%i] : memref<?xf32>
  return
}
func.func @mark_one(%x: memref<?xf32>, %end: index) attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %ok = arith.cmpi ult, %zero, %end : index
  cf.assert %ok, "nothing to mark"
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%zero] : memref<?xf32>
  return
}
)";

std::mutex g_mutex;
std::set<std::thread::id> g_callers;  // protected by g_mutex

// The host's `doubled`.
float Doubled(Memref1* x, int64_t index) {
  {
    const std::lock_guard lock(g_mutex);
    g_callers.insert(std::this_thread::get_id());
  }
  return 2 * x->aligned[index];
}

class ImportDispatchTest : public DispatchTest, public ::testing::WithParamInterface<const char*> {
 protected:
  using Way = hal_status_t (ImportDispatchTest::*)(const hal_dispatch_params_t& params, uint32_t ordinal);

  void SetUp() override {
    Open(GetParam());
    ASSERT_EQ(LoadMlir(device_, folder_, kDispatchModule, {Import("doubled", Doubled)}, &executable_), HAL_STATUS_OK)
        << hal_last_error_message();
  }

  uint32_t Ordinal(const char* name) {
    uint32_t ordinal = 0;
    EXPECT_EQ(hal_executable_find_export(executable_, hal_string_view(name), &ordinal), HAL_STATUS_OK);
    return ordinal;
  }

  /// Marks `count` elements, of which the assertion lets `end` pass.
  hal_status_t Mark(Way way, const char* name, uint32_t count, int64_t end) {
    hal_dispatch_params_t params = Params(false, end);
    params.workgroup_count = hal_dim3(count, 1, 1);
    return (this->*way)(params, Ordinal(name));
  }

  /// Twice, as what is left behind by a failure would show in the next one.
  void ExpectFailuresInBetween(const char* name, uint32_t count) {
    Bind(std::vector<float>(count));
    for (const Way way : {Way{&ImportDispatchTest::Run}, Way{&ImportDispatchTest::RunRecorded}}) {
      for (const int64_t end : {int64_t{0}, int64_t{count} / 2}) {
        EXPECT_EQ(Mark(way, name, count, end), HAL_STATUS_ABORTED) << end;
        EXPECT_TRUE(MessageHas("'" + std::string(name) + "' gave up: it called abort(), as a failed cf.assert does"));
      }
      Clear();
      EXPECT_EQ(Mark(way, name, count, count), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(Read(0), std::vector<float>(count, 1));
    }
  }

 private:
  tools::WorkFolder folder_;
};

TEST_P(ImportDispatchTest, FailedAssertionFailsTheSignals) { ExpectFailuresInBetween("mark_one", 1); }

TEST_P(ImportDispatchTest, FailedAssertionsOfAGridFailTheSignals) { ExpectFailuresInBetween("mark_each", 500); }

TEST_P(ImportDispatchTest, GridOfOneWorkgroupFailsAlike) { ExpectFailuresInBetween("mark_each", 1); }

TEST_P(ImportDispatchTest, WorkgroupsReachTheHostOnTheThreadsThatRunThem) {
  g_callers.clear();
  constexpr uint32_t kRuns = 300;
  std::vector<float> values(kRuns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  Bind(values);
  hal_dispatch_params_t params = Params(false);
  params.workgroup_count = hal_dim3(kRuns, 1, 1);
  ASSERT_EQ(Run(params, Ordinal("double_each")), HAL_STATUS_OK) << hal_last_error_message();
  for (float& value : values) value *= 2;
  EXPECT_EQ(Read(0), values);
  const bool is_sync = std::string(GetParam()) == "local://sync";
  const std::lock_guard lock(g_mutex);
  EXPECT_GE(g_callers.size(), 1u);
  EXPECT_EQ(g_callers.contains(std::this_thread::get_id()), is_sync);
}

INSTANTIATE_TEST_SUITE_P(Local, ImportDispatchTest, kLocalDevices, DeviceName);

}  // namespace
}  // namespace halyard::testing
