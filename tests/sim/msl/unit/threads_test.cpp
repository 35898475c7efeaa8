// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that run at once: barriers, threadgroup memory, atomics.
#include <cstdlib>
#include <numeric>
#include <thread>

#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

// Sums 64 numbers for each threadgroup.
constexpr const char* kReduction = R"(
static void add(threadgroup uint* sums, uint to, uint from) {
  if (to < from) sums[to] += sums[to + from];
  threadgroup_barrier(mem_flags::mem_threadgroup);
}
kernel void reduce(const device uint* in [[buffer(0)]], device uint* out [[buffer(1)]],
                   uint i [[thread_index_in_threadgroup]], uint group [[threadgroup_position_in_grid]]) {
  threadgroup uint sums[64];
  sums[i] = in[group * 64 + i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint step = 32; step > 0; step /= 2) add(sums, i, step);
  if (i == 0) out[group] = sums[0];
}
)";

class ThreadsTest : public MslTest {
 protected:
  void Reduce(uint32_t groups) {
    std::vector<uint32_t> in(size_t{groups} * 64);
    std::iota(in.begin(), in.end(), 0);
    std::vector<uint32_t> out(groups);
    Bind(0, &in);
    Bind(1, &out);
    Run("reduce", {groups, 1, 1}, {64, 1, 1});
    for (uint32_t i = 0; i < groups; ++i) ASSERT_EQ(out[i], i * 64 * 64 + 2016);
  }
};

TEST_F(ThreadsTest, WaitAtBarriersOfFunctions) {
  Use(kReduction);
  EXPECT_TRUE(FindKernel("reduce")->has_barriers);
  Reduce(100);
}

TEST_F(ThreadsTest, RunLaunchesAtOnce) {
  Use(kReduction);
  const auto reduce = [this] {
    std::vector<uint32_t> in(128, 1);
    std::vector<uint32_t> out(2);
    Launch launch;
    launch.threadgroups = {2, 1, 1};
    launch.threads_per_threadgroup = {64, 1, 1};
    launch.buffers[0] = in.data();
    launch.buffers[1] = out.data();
    program_->Run("reduce", launch);
    EXPECT_THAT(out, testing::ElementsAre(64, 64));
  };
  std::thread other(reduce);
  reduce();
  other.join();
}

TEST_F(ThreadsTest, ThreadgroupMemoryBeginsWithAPattern) {
  Use(R"(kernel void run(device uint* out [[buffer(0)]], threadgroup uint* a [[threadgroup(0)]],
    threadgroup uchar* b [[threadgroup(3)]], uint group [[threadgroup_position_in_grid]]) {
  threadgroup uint c[2][3], d;
  threadgroup atomic_uint e;
  if (a[3] == 0 || b[15] == 0 || c[1][2] == 0 || d == 0) return;
  out[group] = a[3] == d && c[1][2] == d;
  a[3] = c[1][2] = d = 0;
  b[15] = 0;
  atomic_store_explicit(&e, 0u, memory_order_relaxed);
}
)");
  std::vector<uint32_t> out(3);
  Bind(0, &out);
  launch_.threadgroup_lengths[0] = launch_.threadgroup_lengths[3] = 16;
  Run("run", {3, 1, 1}, {1, 1, 1});
  EXPECT_THAT(out, testing::ElementsAre(1, 1, 1));
}

TEST_F(ThreadsTest, CountInThreadgroupMemory) {
  Use(R"(kernel void run(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
    uint group [[threadgroup_position_in_grid]]) {
  threadgroup atomic_uint count;
  if (i == 0) atomic_store_explicit(&count, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&count, i, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) out[group] = atomic_load_explicit(&count, memory_order_relaxed);
}
)");
  std::vector<uint32_t> out(2);
  Bind(0, &out);
  Run("run", {2, 1, 1}, {50, 1, 1});
  EXPECT_THAT(out, testing::ElementsAre(1225, 1225));
}

TEST_F(ThreadsTest, ThatEndEarlyDoNotStopTheOthers) {
  Use(R"(kernel void run(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
    uint group [[threadgroup_position_in_grid]]) {
  if (i >= 3) return;
  threadgroup_barrier(mem_flags::mem_device);
  simdgroup_barrier(mem_flags::mem_device);
  out[group * 3 + i] = i + 1;
}
)");
  std::vector<uint32_t> out(6);
  Bind(0, &out);
  Run("run", {2, 1, 1}, {40, 1, 1});
  EXPECT_THAT(out, testing::ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST_F(ThreadsTest, ManyThreadgroupsSlow) {
  Use(kReduction);
  Reduce(1000);
}

}  // namespace
}  // namespace halyard::msl_host
