// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter `capture`: Metal captures while the device is open, and a refusal leaves nothing behind.
#include <algorithm>

#include "metal_test.h"
#include "support/temporary_files.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Semaphore;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CaptureTest : public MetalTest {
 protected:
  static hal_status_t Create(const std::string& parameters, Device* out_device) {
    return hal_device_create(cts::View("metal://0?" + parameters), out_device->out());
  }
  /// Fails, with a message that says `words`, and leaves no object.
  static void ExpectRefused(const std::string& parameters, hal_status_t status, const std::vector<std::string>& words) {
    Device device;
    EXPECT_STATUS(status, Create(parameters, &device));
    for (const std::string& word : words) EXPECT_THAT(hal_last_error_message(), HasSubstr(word));
    AwaitNothingLeft();
  }
  std::string To(const std::string& name) const { return "capture=" + folder_ / name; }
  /// A capture from its begin to its end: nothing of an earlier one is in its way.
  void ExpectCaptures(const std::string& name) const {
    EXPECT_NO_THROW(Open(To(name)));
    AwaitNothingLeft();
    EXPECT_THAT(folder_.Names(), testing::Contains(name));
  }

  const TemporaryFolder folder_;
};

TEST_F(CaptureTest, LastsAsLongAsTheDevice) {
  {
    const Device device = Open(To("all.gputrace"));
    const Buffer buffer = device.CreateBuffer(64);
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, buffer, uint8_t{1}));
    ASSERT_OK(done.Wait(1));
    EXPECT_THAT(folder_.Names(), IsEmpty());
  }
  AwaitNothingLeft();
  EXPECT_THAT(folder_.Names(), ElementsAre("all.gputrace"));
  EXPECT_THAT(ReadText(folder_ / "all.gputrace/capture"), HasSubstr("SimDevice"));
}

TEST_F(CaptureTest, TheTextOfParametersMayGo) {
  {
    Device device;
    std::string uri = "metal://0?" + To("all.gputrace") + "&trace=" + folder_ / "trace.json";
    ASSERT_OK(hal_device_create(cts::View(uri), device.out()));
    std::fill(uri.begin(), uri.end(), 'x');
  }
  AwaitNothingLeft();
  EXPECT_THAT(folder_.Names(), ElementsAre("all.gputrace", "trace.json"));
}

TEST_F(CaptureTest, TakesAFileForXcode) {
  ExpectRefused(To("all.txt"), HAL_STATUS_INVALID_ARGUMENT, {"capture=", "all.txt", "'xcode'", ".gputrace"});
  EXPECT_EQ(sim().Reports(), "");
}

TEST_F(CaptureTest, DoesNotReplaceAFile) {
  folder_.Write("old.gputrace", "old");
  ExpectRefused(To("old.gputrace"), HAL_STATUS_INVALID_ARGUMENT, {"old.gputrace: ", "there is a file already"});
  EXPECT_EQ(ReadText(folder_ / "old.gputrace"), "old");
  ExpectCaptures("new.gputrace");
}

TEST_F(CaptureTest, NeedsItsFolder) {
  ExpectRefused(To("none/all.gputrace"), HAL_STATUS_INVALID_ARGUMENT, {"cannot write to the folder", "none"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

// The simulation takes captures to files unless it is told otherwise.
TEST_F(CaptureTest, GoesToXcodeOnlyFromXcode) {
  ExpectRefused("capture=xcode", HAL_STATUS_UNAVAILABLE, {"capture=xcode", "run the program from Xcode"});
}

TEST_F(CaptureTest, ThereIsOneAtATime) {
  {
    const Device first = Open(To("first.gputrace"));
    Device second;
    EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Create(To("second.gputrace"), &second));
    EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("second.gputrace"), HasSubstr("a capture is running already"),
                                                HasSubstr("MTLCaptureErrorDomain 2")));
    EXPECT_NO_THROW(Open());
  }
  AwaitNothingLeft();
  EXPECT_THAT(folder_.Names(), ElementsAre("first.gputrace"));
  ExpectCaptures("second.gputrace");
}

TEST_F(CaptureTest, MetalMayRefuse) {
  sim().Fail("startCaptureWithDescriptor:error:", 1, 1);
  ExpectRefused(To("all.gputrace"), HAL_STATUS_UNAVAILABLE,
                {"startCaptureWithDescriptor: ", "MTLCaptureErrorDomain 1"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
  ExpectCaptures("all.gputrace");
}

TEST_F(CaptureTest, ADeviceThatDoesNotOpenLeavesNoDocument) {
  const std::string trace = "&trace=" + folder_ / "none/trace.json";
  ExpectRefused(To("all.gputrace") + trace, HAL_STATUS_NOT_FOUND, {"none/trace.json"});
  sim().Fail("newSharedEvent", 1, 1);
  ExpectRefused(To("all.gputrace"), HAL_STATUS_RESOURCE_EXHAUSTED, {"newSharedEvent"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

}  // namespace
}  // namespace halyard::metal
