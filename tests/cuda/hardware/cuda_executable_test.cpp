// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images as NVIDIA's compiler makes them: machine code, and parameter lists that are as long as a device takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "cuda/hardware/cuda_test.h"
#include "cuda/hardware/last_word.h"

namespace halyard::cuda {
namespace {

using testing::HasSubstr;

constexpr uint32_t kWord = sizeof(uint32_t);

/// The constants as PTX declares them, and where their last word is.
struct PtxConstants {
  std::string list;
  std::string last;
};

PtxConstants ConstantsOf(const LastWordKernel& kernel) {
  if (!kernel.apart) {
    return {".param .align 4 .b8 constants[" + std::to_string(kernel.constants) + "]",
            "constants+" + std::to_string(kernel.constants - kWord)};
  }
  const uint32_t words = kernel.constants / kWord;
  PtxConstants constants;
  for (uint32_t i = 0; i < words; ++i) {
    constants.list += (i > 0 ? ", .param .u32 c" : ".param .u32 c") + std::to_string(i);
  }
  constants.last = "c" + std::to_string(words - 1);
  return constants;
}

/// PTX of a kernel that copies the last word of its constants. `version` is what decides how many there may be.
std::string LastWordPtx(const LastWordKernel& kernel, const char* version = "8.1") {
  const PtxConstants constants = ConstantsOf(kernel);
  const std::string out = ".param .u64 out";
  const std::string list = kernel.binding_first ? out + ", " + constants.list : constants.list + ", " + out;
  return std::string(".version ") + version + "\n.target sm_70\n.address_size 64\n.visible .entry " + kernel.name +
         "(" + list + R"() {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [)" +
         constants.last + R"(];
  st.global.u32 [%rd2], %r1;
  ret;
}
)";
}

class CudaParameterListTest : public CudaDeviceTest {
 protected:
  static uint32_t LimitOf(const Ref<hal_device_t>& device) {
    return hal_device_info(device.get())->limits->max_constants_size;
  }
  static void ExpectRuns(const LastWordKernel& kernel) {
    for (const char* mode : {"stream", "graph"}) {
      Ref<hal_device_t> device;
      ASSERT_EQ(Open(Uri(std::string("command_buffer=") + mode), &device), HAL_STATUS_OK) << hal_last_error_message();
      Ref<hal_executable_t> executable;
      ASSERT_EQ(LoadLastWord(device.get(), LastWordPtx(kernel), "ptx", kernel, &executable), HAL_STATUS_OK)
          << hal_last_error_message();
      EXPECT_EQ(RunLastWord(device.get(), executable, kernel), ExpectedLastWords(kernel)) << mode;
    }
  }
  hal_status_t LoadOfSize(uint32_t bytes, const char* version = "8.1") {
    const LastWordKernel kernel = {"last_word", bytes - 8, true};
    Ref<hal_executable_t> executable;
    return LoadLastWord(device_.get(), LastWordPtx(kernel, version), "ptx", kernel, &executable);
  }
};

TEST_F(CudaParameterListTest, Of4096Bytes) {
  ExpectRuns({"binding_first", 4096 - 8, true});
  ExpectRuns({"constants_first", 4096 - 8, false});
}

TEST_F(CudaParameterListTest, AsLongAsTheDeviceTakes) { ExpectRuns({"last_word", LimitOf(device_) - 8, true}); }

// As many as a list may hold.
TEST_F(CudaParameterListTest, OfThousandsOfParameters) {
  const uint32_t words = LimitOf(device_) > 4096 ? 4095 : 1000;
  ExpectRuns({"binding_first", words * kWord, true, true});
  ExpectRuns({"binding_last", (words / 2 * 2) * kWord, false, true});
}

TEST_F(CudaParameterListTest, LimitIsThatOfTheDriverAndTheDevice) {
  const ContextScope context(device_);
  int version = 0;
  int major = 0;
  ASSERT_EQ(context.cuda().cuDriverGetVersion(&version), CUDA_SUCCESS);
  ASSERT_EQ(context.cuda().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, ordinal()),
            CUDA_SUCCESS);
  EXPECT_EQ(LimitOf(device_), version >= 12010 && major >= 7 ? 32764U : 4096U);
}

TEST_F(CudaParameterListTest, OneByteMoreIsRefused) {
  const uint32_t most = LimitOf(device_);
  EXPECT_EQ(LoadOfSize(most + 1), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr(std::to_string(most - 7) +
                                                  " bytes of constants and the addresses of "
                                                  "1 bindings are " +
                                                  std::to_string(most + 1) + " bytes of parameters"));
}

// The compiler takes long lists in newer texts only.
TEST_F(CudaParameterListTest, OlderTextsTakeLess) {
  if (LimitOf(device_) < 5000) return;  // then it does not come to that
  EXPECT_EQ(LoadOfSize(5000), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(LoadOfSize(5000, "8.0"), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("too much parameter space"));
}

class CudaMachineCodeTest : public CudaDeviceTest {
 protected:
  /// The machine code that CUDA makes of PTX for the device; empty if it fails, which is the test's failure.
  std::string Compile(const std::string& ptx) const {
    const ContextScope context(device_);
    const CudaLibrary& cuda = context.cuda();
    CUlinkState link = nullptr;
    EXPECT_EQ(cuda.cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
    std::string text = ptx;  // with the NUL that ends it
    EXPECT_EQ(cuda.cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "ptx", 0, nullptr, nullptr),
              CUDA_SUCCESS);
    void* code = nullptr;
    size_t size = 0;
    EXPECT_EQ(cuda.cuLinkComplete(link, &code, &size), CUDA_SUCCESS);
    const std::string cubin(static_cast<const char*>(code), size);
    EXPECT_EQ(cuda.cuLinkDestroy(link), CUDA_SUCCESS);
    return cubin;
  }
  hal_status_t LoadCubin(const std::string& cubin, Ref<hal_executable_t>* out) const {
    return LoadLastWord(device_.get(), cubin, "cubin", kKernel, out);
  }

  /// Ends the process, with 0 if all is well.
  void LoadDamagedTexts() const;

  static constexpr LastWordKernel kKernel = {"last_word", 12, true};
};

void CudaMachineCodeTest::LoadDamagedTexts() const {
  constexpr int kDamages = 100;
  const std::string ptx = LastWordPtx(kKernel);
  std::minstd_rand random(20261122);
  int refused = 0;
  Ref<hal_executable_t> executable;
  for (int i = 0; i < kDamages; ++i) {
    std::string damaged = ptx;
    for (int bytes = 0; bytes < 1 + i % 4; ++bytes) {
      damaged[random() % ptx.size()] ^= static_cast<char>(1 + random() % 255);
    }
    const hal_status_t status = LoadLastWord(device_.get(), damaged, "ptx", kKernel, &executable);
    refused += status != HAL_STATUS_OK ? 1 : 0;
    EXPECT_NE(status, HAL_STATUS_DEVICE_LOST) << i << ": " << hal_last_error_message();
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(LoadLastWord(device_.get(), ptx, "ptx", kKernel, &executable), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(RunLastWord(device_.get(), executable, kKernel), ExpectedLastWords(kKernel));
  std::fprintf(stderr, "%d of %d texts were refused\n", refused, kDamages);
  std::exit(HasFailure() ? 1 : 0);
}

TEST_F(CudaMachineCodeTest, CubinRuns) {
  const std::string cubin = Compile(LastWordPtx(kKernel));
  Ref<hal_executable_t> executable;
  ASSERT_EQ(LoadCubin(cubin, &executable), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(RunLastWord(device_.get(), executable, kKernel), ExpectedLastWords(kKernel));
}

TEST_F(CudaMachineCodeTest, CubinThatWasCutShortIsRefused) {
  const std::string cubin = Compile(LastWordPtx(kKernel));
  ASSERT_GT(cubin.size(), 64U);
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadCubin(cubin.substr(0, cubin.size() / 2), &executable), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("is cut short"));
  EXPECT_EQ(LoadCubin(cubin.substr(0, 63), &executable), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the image of 63 bytes is no cubin"));
}

// What the compiler makes of a damaged text is its own affair: it may even take it. But it comes back with a status,
// and the device continues. In a process of its own, as it is the vendor's code that reads.
TEST_F(CudaMachineCodeTest, DamagedTextsHarmNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(LoadDamagedTexts(), testing::ExitedWithCode(0), "refused");
}

TEST_F(CudaMachineCodeTest, TextsCutAnywhereAreRefused) {
  const std::string ptx = LastWordPtx(kKernel);
  for (size_t length = 0; length + 3 < ptx.size(); length += 7) {  // the last characters are "}" and blanks
    Ref<hal_executable_t> executable;
    EXPECT_NE(LoadLastWord(device_.get(), ptx.substr(0, length), "ptx", kKernel, &executable), HAL_STATUS_OK) << length;
  }
}

TEST_F(CudaMachineCodeTest, KernelThatIsNotInTheCubinIsNotFound) {
  const std::string cubin = Compile(LastWordPtx({"another", 12, true}));
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadCubin(cubin, &executable), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the image has no kernel 'last_word'"));
}

}  // namespace
}  // namespace halyard::cuda
