// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers side by side that share words of memory: each writes its own bytes alone. A word that was read and written
// back would lose bytes of its neighbour, and be a data race under ThreadSanitizer.
#include <vector>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Ref;
using cts::Semaphore;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t kTransfers = 96;

/// The length of each transfer, in bytes.
class NeighboursTest : public MetalTest, public testing::WithParamInterface<uint64_t> {
 protected:
  static uint64_t length() { return GetParam(); }
  /// Runs kTransfers recorded commands that nothing orders; each writes the next bytes of the target.
  template <class Record>
  Bytes Run(const Record& record) {
    const Buffer target = device_.CreateBufferOf(Bytes(kTransfers * length() + 8, 0xff));
    const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
      for (uint64_t i = 0; i < kTransfers; ++i) {
        Check(record(recording, i, Ref(target, 1 + i * length(), length())), "record");
      }
    });
    const Semaphore done = device_.CreateSemaphore();
    sim().Reset();
    EXPECT_OK(device_.QueueExecute({}, {{done, 1}}, commands));
    EXPECT_OK(done.Wait(1));
    EXPECT_EQ(sim().Calls("computeCommandEncoderWithDispatchType:"), 1u);
    EXPECT_EQ(sim().Calls("memoryBarrierWithScope:"), 0u) << "they run side by side";
    return device_.Download<uint8_t>(target);
  }
  static uint8_t ByteOf(uint64_t transfer) { return static_cast<uint8_t>(transfer + 1); }
  static Bytes Expected() {
    Bytes expected(kTransfers * length() + 8, 0xff);
    for (uint64_t i = 0; i < kTransfers * length(); ++i) expected[1 + i] = ByteOf(i / length());
    return expected;
  }

  const Device device_ = Open("transfers=kernel");
};

TEST_P(NeighboursTest, OfFillsSurvive) {
  EXPECT_EQ(Run([](const CommandBuffer& recording, uint64_t i, const Ref& range) {
              return recording.Fill(range, ByteOf(i));
            }),
            Expected());
}

TEST_P(NeighboursTest, OfUpdatesSurvive) {
  EXPECT_EQ(Run([](const CommandBuffer& recording, uint64_t i, const Ref& range) {
              return recording.Update(Bytes(length(), ByteOf(i)).data(), range);
            }),
            Expected());
}

// The source begins at each offset in a word in turn.
TEST_P(NeighboursTest, OfCopiesSurvive) {
  const uint64_t step = length() + 6;
  Bytes bytes(kTransfers * step);
  for (uint64_t i = 0; i < bytes.size(); ++i) bytes[i] = ByteOf(i / step);
  const Buffer source = device_.CreateBufferOf(bytes);
  EXPECT_EQ(Run([&](const CommandBuffer& recording, uint64_t i, const Ref& range) {
              return recording.Copy(Ref(source, i * step + i % 4, length()), range);
            }),
            Expected());
}

INSTANTIATE_TEST_SUITE_P(Lengths, NeighboursTest, testing::Values(1, 2, 3, 5, 6, 17),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace halyard::metal
