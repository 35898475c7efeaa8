// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch hands to a kernel: constants, bindings, parameters in any order. The grid is in
// dispatch_grid_test.cpp, indirect counts in dispatch_indirect_test.cpp, refusals and failing kernels in
// dispatch_failure_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

using testing::Each;

// --- Constants ---

class DispatchConstantsTest : public DeviceTestWith<Number> {
 protected:
  void SetUp() override {
    if (size() > device().limits().max_constants_size) GTEST_SKIP() << "the device takes fewer bytes";
  }
  size_t size() const { return GetParam(); }
  Executable LoadConstantKernels() const { return LoadKernels(size() <= 128 ? "dispatch" : "dispatch_constants"); }
};

TEST_P(DispatchConstantsTest, ReachTheKernelByteForByte) {
  const std::vector<uint8_t> constants = MixedBytes(size(), static_cast<uint32_t>(size()));
  const Executable kernels = LoadConstantKernels();
  for (const Route route : kRoutes) {
    const Buffer target = device().CreateBufferOf(std::vector<uint8_t>(size() + 8, 0xEE));
    Dispatch dispatch;
    for (const uint8_t byte : constants) dispatch.Constant(byte);
    dispatch.Bind(target);
    ASSERT_OK(Submitter(device(), route).Dispatch(kernels, "constants_" + std::to_string(size()), dispatch));
    std::vector<uint8_t> expected = constants;
    expected.resize(size() + 8, 0xEE);
    EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected)) << NameOf(route);
  }
}

// Neither the caller's copy nor that of another dispatch of the same kernel is looked at.
TEST_P(DispatchConstantsTest, AreCapturedAtTheCall) {
  const Executable kernels = LoadConstantKernels();
  const std::string name = "constants_" + std::to_string(size());
  const Semaphore gate = CreateSemaphore();
  std::vector<Buffer> targets;
  std::vector<Semaphore> done;
  for (uint32_t i = 0; i < 6; ++i) {
    targets.push_back(CreateBuffer(size()));
    done.push_back(CreateSemaphore());
    Dispatch dispatch;
    for (const uint8_t byte : MixedBytes(size(), i)) dispatch.Constant(byte);
    dispatch.Bind(targets[i]);
    const Submitter submitter(device(), kRoutes[i % 3]);
    ASSERT_OK(submitter.SubmitDispatch({{gate, 1}}, {{done[i], 1}}, kernels, name, dispatch));
  }
  ASSERT_OK(gate.Signal(1));
  for (uint32_t i = 0; i < 6; ++i) {
    ASSERT_OK(done[i].Wait(1));
    EXPECT_TRUE(SameElements(Download<uint8_t>(targets[i]), MixedBytes(size(), i)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DispatchConstantsTest,
                         Numbers("Bytes", {1, 2, 3, 4, 8, 12, 16, 20, 60, 64, 100, 128, 252, 256}), ByNameOf);

// --- Bindings ---

class DispatchBindingsTest : public DeviceTestWith<Number> {
 protected:
  size_t count() const { return GetParam(); }
  /// Dispatches the kernel that takes as many bindings.
  hal_status_t Run(Route route, const Dispatch& dispatch) const {
    return Submitter(device(), route).Dispatch(kernels_, "bindings_" + std::to_string(count()), dispatch);
  }
  const Executable kernels_ = LoadKernels("dispatch");
};

TEST_P(DispatchBindingsTest, ReachTheKernelInTheirOrder) {
  for (const Route route : kRoutes) {
    std::vector<Buffer> buffers;
    Dispatch dispatch;
    for (uint32_t i = 0; i < count(); ++i) {
      buffers.push_back(device().CreateBufferOf<uint32_t>({100 * i, 100 * i}));
      dispatch.Bind(buffers.back());
    }
    ASSERT_OK(Run(route, dispatch));
    for (uint32_t i = 0; i < count(); ++i) {
      EXPECT_TRUE(SameElements(Download<uint32_t>(buffers[i]), {300 * i + i + 1, 100 * i}))
          << NameOf(route) << ", binding " << i;
    }
  }
}

// All are parts of one buffer, in turned order.
TEST_P(DispatchBindingsTest, MayBePartsOfOneBuffer) {
  const Buffer buffer = device().CreateBufferOf(Counting(64 * 16));
  Dispatch dispatch;
  for (uint64_t i = 0; i < count(); ++i) dispatch.Bind(Ref(buffer, (count() - 1 - i) * 256, 256));
  std::vector<uint32_t> expected = Counting(64 * 16);
  for (const Route route : kRoutes) {
    ASSERT_OK(Run(route, dispatch));
    for (size_t i = 0; i < count(); ++i) {
      uint32_t& cell = expected[(count() - 1 - i) * 64];
      cell = cell * 3 + static_cast<uint32_t>(i) + 1;
    }
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), expected)) << NameOf(route);
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, DispatchBindingsTest,
                         Numbers("Bindings", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), ByNameOf);

class DispatchOffsetTest : public DeviceTestWith<std::tuple<Route, Number>> {};

TEST_P(DispatchOffsetTest, KernelBeginsWhereTheRangeDoes) {
  const Route route = std::get<0>(GetParam());
  const uint64_t from = device().BindingOffset(std::get<1>(GetParam()));
  const Executable kernels = LoadKernels("basic");
  const Buffer source = device().CreateBufferOf(Counting(512));
  for (const uint64_t least : {0, 4, 16, 64, 256, 1000}) {
    const uint64_t to = device().BindingOffset(least);
    const Buffer target = device().CreateBufferOf(std::vector<uint32_t>(512, 0));
    const Dispatch dispatch =
        Dispatch().WorkItems(100).Constant(uint32_t{1000}).Bind(Ref(source, from, 400)).Bind(Ref(target, to, 400));
    ASSERT_OK(Submitter(device(), route).Dispatch(kernels, "add_constant", dispatch));
    std::vector<uint32_t> expected(512, 0);
    for (uint32_t i = 0; i < 100; ++i) expected[to / 4 + i] = static_cast<uint32_t>(from / 4) + i + 1000;
    EXPECT_TRUE(SameElements(Download<uint32_t>(target), expected)) << "to " << to;
  }
}

// Kernels of the host are told where a binding ends, too.
TEST_P(DispatchOffsetTest, HostKernelSeesTheRangeAndNoMore) {
  const Route route = std::get<0>(GetParam());
  const uint64_t from = device().BindingOffset(std::get<1>(GetParam()));
  if (!HasKernels(device(), "host")) GTEST_SKIP() << "kernels of the device are not told how long a binding is";
  const Buffer data = device().CreateBufferOf(std::vector<uint32_t>(512, 0));
  ASSERT_OK(Submitter(device(), route)
                .Dispatch(LoadKernels("host"), "add_one_to_all", Dispatch().Bind(Ref(data, from, 400))));
  std::vector<uint32_t> expected(512, 0);
  std::fill_n(expected.begin() + static_cast<ptrdiff_t>(from / 4), 100, 1);
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), expected));
}

INSTANTIATE_TEST_SUITE_P(Offsets, DispatchOffsetTest,
                         testing::Combine(Routes(), Numbers("From", {0, 4, 16, 64, 256, 1000})), ByParts);

// Kernels of the host are told how many bindings and bytes of constants there are.
class HostDispatchTest : public DeviceTestWith<Route> {};

TEST_P(HostDispatchTest, KernelIsToldTheCounts) {
  if (!HasKernels(device(), "host")) GTEST_SKIP() << "kernels of the device are not told";
  const Executable kernels = LoadKernels("host");
  const Buffer cells = device().CreateBufferOf(std::vector<uint32_t>(64 * 3, 0));
  const Dispatch dispatch =
      Dispatch().Constant(uint64_t{1}).Bind(Ref(cells, 0, 256)).Bind(Ref(cells, 256, 256)).Bind(Ref(cells, 512, 256));
  ASSERT_OK(Submitter(device(), GetParam()).Dispatch(kernels, "report_counts", dispatch));
  EXPECT_TRUE(SameElements(Download<uint32_t>(cells, 0, 3), {3, 8, 256}));
}

TEST_P(HostDispatchTest, KernelGetsTheDynamicLocalMemory) {
  if (!HasKernels(device(), "host")) GTEST_SKIP() << "kernels of the device are not told";
  const Executable kernels = LoadKernels("host");
  for (const uint32_t bytes : {0, 4, 1000}) {
    const Buffer size = device().CreateBufferOf<uint32_t>({7});
    ASSERT_OK(Submitter(device(), GetParam())
                  .Dispatch(kernels, "report_local_memory", Dispatch().LocalMemory(bytes).Bind(size)));
    EXPECT_EQ(Download<uint32_t>(size).front(), bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Route, HostDispatchTest, Routes(), ByNameOf);

// --- Parameters in any order ---

uint64_t Join(uint64_t sum, uint64_t next) { return sum * 1000003 + next; }

/// A kernel whose parameters mix pointers and scalars. `build` adds what it takes; the result goes to the first eight
/// bytes of `result`.
struct MixedKernel {
  const char* name;
  uint64_t expected;
  const char* set;
  void (*build)(Dispatch* dispatch, const Device& device, const Buffer& result);
};
void PrintTo(const MixedKernel& kernel, std::ostream* out) { *out << kernel.name; }

Buffer Cell(const Device& device, uint32_t value) { return device.CreateBufferOf<uint32_t>({value}); }

const MixedKernel kMixedKernels[] = {
    {"mix_pointer_u32_pointer_u64", Join(Join(11, 22), UINT64_C(0x1122334455667788)), "dispatch",
     [](Dispatch* d, const Device& device, const Buffer& result) {
       d->Constant(uint32_t{22}).Constant(UINT64_C(0x1122334455667788)).Bind(Cell(device, 11)).Bind(result);
     }},
    {"mix_u8_u16_u32_u64_pointer", Join(Join(Join(0xF1, 0xF2F3), 0xF4F5F6F7), UINT64_MAX - 9), "dispatch",
     [](Dispatch* d, const Device&, const Buffer& result) {
       d->Constant(uint8_t{0xF1}).Constant(uint16_t{0xF2F3}).Constant(uint32_t{0xF4F5F6F7}).Constant(UINT64_MAX - 9);
       d->Bind(result);
     }},
    {"mix_pointers_u8_f64", Join(Join(Join(31, 32), 200), 4096), "dispatch_f64",
     [](Dispatch* d, const Device& device, const Buffer& result) {
       d->Constant(uint8_t{200}).Constant(4096.5).Bind(result).Bind(Cell(device, 31)).Bind(Cell(device, 32));
     }},
    {"mix_bits_of_floats", Join(0x40400000, 0x80000000), "dispatch",
     [](Dispatch* d, const Device& device, const Buffer& result) {
       d->Bind(Cell(device, 0x3FC00000)).Bind(Cell(device, 0x80000000)).Bind(result);
     }},
    {"mix_constants_out_of_order", Join(41, 42), "dispatch",
     [](Dispatch* d, const Device&, const Buffer& result) {
       d->Constant(uint32_t{42}).Constant(uint64_t{41}).Bind(result);
     }},
    {"mix_bindings_out_of_order", Join(51, 52), "dispatch",
     [](Dispatch* d, const Device& device, const Buffer& result) {
       d->Bind(Cell(device, 51)).Bind(Cell(device, 52)).Bind(result);
     }},
    {"mix_sparse_sets", Join(61, 62), "dispatch",
     [](Dispatch* d, const Device& device, const Buffer& result) {
       d->Bind(Cell(device, 61)).Bind(Cell(device, 62)).Bind(result);
     }},
};

class DispatchParametersTest : public DeviceTestWith<std::tuple<Route, MixedKernel>> {};

TEST_P(DispatchParametersTest, ArriveWhereTheyBelong) {
  const auto& [route, kernel] = GetParam();
  const Executable kernels = LoadKernels(kernel.set);
  const Buffer result = CreateBuffer(8);
  Dispatch dispatch;
  kernel.build(&dispatch, device(), result);
  ASSERT_OK(Submitter(device(), route).Dispatch(kernels, kernel.name, dispatch));
  EXPECT_EQ(Download<uint64_t>(result).front(), kernel.expected);
}

INSTANTIATE_TEST_SUITE_P(Kernels, DispatchParametersTest, testing::Combine(Routes(), testing::ValuesIn(kMixedKernels)),
                         ByParts);

class DispatchTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(DispatchTest, FloatsAroundAPointer) {
  const Executable kernels = LoadKernels("dispatch_f64");
  const Buffer x = device().CreateBufferOf<float>({3});
  ASSERT_OK(submitter_.Dispatch(kernels, "mix_f32_pointer_f64", Dispatch().Constant(2.5f).Constant(0.25).Bind(x)));
  EXPECT_EQ(Download<float>(x).front(), 7.75f);
}

// --- In general ---

TEST_P(DispatchTest, RunsNothingIfAWaitFails) {
  const Executable kernels = LoadKernels("basic");
  const Buffer data = device().CreateBufferOf(Counting(64));
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(submitter_.SubmitDispatch({{gate, 1}}, {{done, 1}}, kernels, "add_one", Dispatch().Bind(data)));
  ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED));
  EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), Counting(64)));
}

TEST_P(DispatchTest, KeepsWhatItUsesUntilDone) {
  const Buffer result = CreateBuffer(256);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  {
    const Executable kernels = LoadKernels("basic");
    const Buffer source = device().CreateBufferOf(Counting(64));
    const Dispatch dispatch = Dispatch().Constant(uint32_t{4}).Bind(source).Bind(result);
    ASSERT_OK(submitter_.SubmitDispatch({{gate, 1}}, {{done, 1}}, kernels, "add_constant", dispatch));
  }
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(result), Counting(64, 4)));
}

TEST_P(DispatchTest, SeveralExportsOfOneExecutable) {
  const Executable kernels = LoadKernels("basic");
  const Buffer data = device().CreateBufferOf(Counting(64));
  const Buffer sum = CreateBuffer(256);
  const Buffer cell = CreateBuffer(4);
  ASSERT_OK(submitter_.Dispatch(kernels, "noop", Dispatch().Workgroups(3)));
  ASSERT_OK(submitter_.Dispatch(kernels, "add_one", Dispatch().Bind(data)));
  ASSERT_OK(submitter_.Dispatch(kernels, "add_constant", Dispatch().Constant(uint32_t{10}).Bind(data).Bind(sum)));
  ASSERT_OK(
      submitter_.Dispatch(kernels, "mix_cells", Dispatch().Constant(uint32_t{1}).Bind(data).Bind(sum).Bind(cell)));
  EXPECT_TRUE(SameElements(Download<uint32_t>(sum), Counting(64, 11)));
  EXPECT_EQ(Download<uint32_t>(cell).front(), (1u * 31 + 1) * 31 + 11);
}

TEST_P(DispatchTest, SeveralExecutablesAtOnce) {
  std::vector<Executable> executables;
  for (int i = 0; i < 5; ++i) executables.push_back(LoadKernels("basic"));
  const Buffer data = device().CreateBufferOf(Counting(64));
  for (const Executable& kernels : executables) {
    ASSERT_OK(submitter_.Dispatch(kernels, "add_one", Dispatch().Bind(data)));
  }
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), Counting(64, 5)));
}

TEST_P(DispatchTest, OneBufferInSeveralBindings) {
  const Executable kernels = LoadKernels("basic");
  const uint64_t second = device().BindingOffset(4);
  const Buffer cell = device().CreateBufferOf(std::vector<uint32_t>(second / 4 + 1, 7));
  const Dispatch dispatch =
      Dispatch().Constant(uint32_t{1}).Bind(Ref(cell, 0, 4)).Bind(Ref(cell, 0, 4)).Bind(Ref(cell, second, 4));
  ASSERT_OK(submitter_.Dispatch(kernels, "mix_cells", dispatch));
  std::vector<uint32_t> expected(second / 4, 7);
  expected.push_back((1 * 31 + 7) * 31 + 7);
  EXPECT_TRUE(SameElements(Download<uint32_t>(cell), expected));
}

TEST_P(DispatchTest, ThreadsDispatchAtOnce) {
  const Executable kernels = LoadKernels("basic");
  OnThreads(4, [&](size_t thread) {
    const auto first = static_cast<uint32_t>(1000 * thread);
    const Buffer data = device().CreateBufferOf(Counting(640, first));
    for (int i = 0; i < 20; ++i) {
      ASSERT_OK(submitter_.Dispatch(kernels, "add_one", Dispatch().Workgroups(10).Bind(data)));
    }
    EXPECT_TRUE(SameElements(Download<uint32_t>(data), Counting(640, first + 20)));
  });
}

INSTANTIATE_TEST_SUITE_P(Route, DispatchTest, Routes(), ByNameOf);

}  // namespace
}  // namespace halyard::cts
