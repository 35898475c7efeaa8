// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code through the driver: cubins and fatbins, raw and packed, whole and cut short.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "cuda/hardware/last_word.h"
#include "host_code/kernel_code.h"
#include "interop_test.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using cuda::ExpectedLastWords;
using cuda::LastWordKernel;
using cuda::LoadLastWord;
using cuda::RunLastWord;
using testing::HasSubstr;
using namespace cuda::abi;

constexpr LastWordKernel kKernel = {"last_of_4096", 4096 - 8, false};

/// What the build packed as a cubin: an ELF file, as cubins are.
std::string Cubin() {
  std::ifstream file(HALYARD_SIM_HOST_OBJECT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A fatbin with that inside.
std::string Fatbin() {
  const std::string cubin = Cubin();
  const uint32_t magic = 0xBA55ED50;
  const uint16_t version_and_size[] = {2, 16};
  const uint64_t size = cubin.size();
  std::string image(reinterpret_cast<const char*>(&magic), sizeof(magic));
  image.append(reinterpret_cast<const char*>(version_and_size), sizeof(version_and_size));
  image.append(reinterpret_cast<const char*>(&size), sizeof(size));
  return image + cubin;
}

std::filesystem::path HostCodeOf(const std::string& image, const char* ending) {
  return std::filesystem::path(HALYARD_SIM_KERNEL_DIR) / (sim::ImageName(std::as_bytes(std::span(image))) + ending);
}

/// Another process may do the same meanwhile: files appear whole.
void TeachHostCode(const std::string& image, const std::string& like) {
  for (const char* ending : {".so", ".kernels"}) {
    const std::filesystem::path target = HostCodeOf(image, ending);
    const std::filesystem::path part = target.string() + ".part" + std::to_string(getpid());
    std::filesystem::copy_file(HostCodeOf(like, ending), part, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(part, target);
  }
}

/// The parameter is the completion mode.
class MachineCodeDriverTest : public InteropTest {
 protected:
  void TearDown() override {
    sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9);
    InteropTest::TearDown();
  }
  hal_status_t Load(const std::string& image, const char* format, Ref<hal_executable_t>* out) const {
    return LoadLastWord(device_.get(), image, format, kKernel, out);
  }
  static hal_status_t LoadPacked(const Ref<hal_device_t>& device, Ref<hal_executable_t>* out) {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = hal_string_view(HALYARD_SIM_MACHINE_CODE);
    return hal_executable_create(device.get(), &params, out->out());
  }
  void ExpectRuns(const Ref<hal_executable_t>& executable) const {
    EXPECT_EQ(RunLastWord(device_.get(), executable, kKernel), ExpectedLastWords(kKernel));
  }
  void ExpectCutShort(const std::string& image, const char* format) const {
    Ref<hal_executable_t> executable;
    EXPECT_EQ(Load(image.substr(0, image.size() - 1), format, &executable), HAL_STATUS_DATA_LOSS);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("is cut short"));
    EXPECT_EQ(Load(image.substr(0, image.size() / 2), format, &executable), HAL_STATUS_DATA_LOSS);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("is cut short"));
    EXPECT_EQ(Load(image.substr(0, 10), format, &executable), HAL_STATUS_DATA_LOSS);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(std::string("the image of 10 bytes is no ") + format));
  }
};

TEST_P(MachineCodeDriverTest, RawCubinRuns) {
  Ref<hal_executable_t> executable;
  ASSERT_OK(Load(Cubin(), "cubin", &executable));
  ExpectRuns(executable);
}

TEST_P(MachineCodeDriverTest, RawFatbinRuns) {
  TeachHostCode(Fatbin(), Cubin());
  Ref<hal_executable_t> executable;
  ASSERT_OK(Load(Fatbin(), "fatbin", &executable));
  ExpectRuns(executable);
}

TEST_P(MachineCodeDriverTest, PackedCubinRuns) {
  Ref<hal_executable_t> executable;
  ASSERT_OK(LoadPacked(device_, &executable));
  ExpectRuns(executable);
}

TEST_P(MachineCodeDriverTest, PackedCubinForAnotherDeviceIsRefused) {
  ASSERT_NE(sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8), 0);
  const Ref<hal_device_t> older = OpenDevice(0);
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadPacked(older, &executable), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(cubin for sm_90): it is for 'sm_90', and the device is 'sm_80'"));
}

TEST_P(MachineCodeDriverTest, CutShortIsDataLoss) {
  ExpectCutShort(Cubin(), "cubin");
  ExpectCutShort(Fatbin(), "fatbin");
}

TEST_P(MachineCodeDriverTest, OneFormatUnderTheNameOfAnotherIsDataLoss) {
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(Cubin(), "fatbin", &executable), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(Load(Fatbin(), "cubin", &executable), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("is no cubin"));
}

// CUDA says that it has no binary for the device.
TEST_P(MachineCodeDriverTest, CodeForNoSuchDeviceIsIncompatible) {
  std::string image = Cubin();
  image.back() = static_cast<char>(image.back() ^ 1);
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(image, "cubin", &executable), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("CUDA_ERROR_NO_BINARY_FOR_GPU"));
}

INSTANTIATE_TEST_SUITE_P(Completion, MachineCodeDriverTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
