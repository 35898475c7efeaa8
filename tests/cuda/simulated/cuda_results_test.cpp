// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of each result of the CUDA driver API.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "cuda/cuda_library.h"
#include "halyard/base.h"

namespace halyard::cuda {
namespace {

using testing::HasSubstr;

struct Named {
  CUresult result;
  const char* name;
};
#define HALYARD_NAMED(result, number) {result, #result},
constexpr Named kResults[] = {HALYARD_CUresult(HALYARD_NAMED, HALYARD_NAMED)};
#undef HALYARD_NAMED

std::set<std::string> NamesOf(hal_status_t status) {
  std::set<std::string> names;
  for (const Named& each : kResults) {
    if (StatusOf(each.result) == status) names.insert(each.name);
  }
  return names;
}

// After these a context does no more work (cuda.h, at each), or there is no driver any more.
TEST(CudaResultsTest, StickyErrorsAreALostDevice) {
  const std::set<std::string> expected = {
      "CUDA_ERROR_DEINITIALIZED",
      "CUDA_ERROR_ECC_UNCORRECTABLE",
      "CUDA_ERROR_NVLINK_UNCORRECTABLE",
      "CUDA_ERROR_CONTAINED",
      "CUDA_ERROR_ILLEGAL_ADDRESS",
      "CUDA_ERROR_LAUNCH_TIMEOUT",
      "CUDA_ERROR_CONTEXT_IS_DESTROYED",
      "CUDA_ERROR_ASSERT",
      "CUDA_ERROR_HARDWARE_STACK_ERROR",
      "CUDA_ERROR_ILLEGAL_INSTRUCTION",
      "CUDA_ERROR_MISALIGNED_ADDRESS",
      "CUDA_ERROR_INVALID_ADDRESS_SPACE",
      "CUDA_ERROR_INVALID_PC",
      "CUDA_ERROR_LAUNCH_FAILED",
      "CUDA_ERROR_TENSOR_MEMORY_LEAK",
      "CUDA_ERROR_EXTERNAL_DEVICE",
      "CUDA_ERROR_MPS_CLIENT_TERMINATED",
  };
  EXPECT_EQ(NamesOf(HAL_STATUS_DEVICE_LOST), expected);
}

TEST(CudaResultsTest, OthersTellWhoCanDoSomethingAboutIt) {
  EXPECT_EQ(StatusOf(CUDA_SUCCESS), HAL_STATUS_OK);
  EXPECT_EQ(NamesOf(HAL_STATUS_RESOURCE_EXHAUSTED),
            (std::set<std::string>{"CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
                                   "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"}));
  EXPECT_EQ(
      NamesOf(HAL_STATUS_INVALID_ARGUMENT),
      (std::set<std::string>{"CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_DEVICE"}));
  EXPECT_EQ(NamesOf(HAL_STATUS_INCOMPATIBLE),
            (std::set<std::string>{"CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                                   "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"}));
  EXPECT_THAT(NamesOf(HAL_STATUS_FAILED_PRECONDITION), testing::Contains("CUDA_ERROR_STREAM_CAPTURE_UNJOINED"));
  EXPECT_THAT(NamesOf(HAL_STATUS_UNAVAILABLE), testing::Contains("CUDA_ERROR_MPS_SERVER_NOT_READY"));
}

TEST(CudaResultsTest, MessagesNameTheCallAndTheResult) {
  const CudaLibrary* library = nullptr;
  ASSERT_EQ(Publish(CudaLibrary::Get(&library)), HAL_STATUS_OK) << hal_last_error_message();
  for (const Named& each : kResults) {
    if (each.result == CUDA_SUCCESS) continue;
    EXPECT_EQ(Publish(library->Check("cuSomeCall", each.result)), StatusOf(each.result));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("cuSomeCall"));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(each.name));
  }
  EXPECT_EQ(Publish(library->Check("cuSomeCall", static_cast<CUresult>(12345))), HAL_STATUS_INTERNAL);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("12345"));
}

}  // namespace
}  // namespace halyard::cuda
