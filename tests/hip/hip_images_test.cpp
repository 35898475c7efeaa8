// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects through the driver. HIP takes them without a length and believes them, so nothing damaged may reach it:
// each bad image is a status with words, and hipModuleLoadData() is not called for it.
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "halyard/cpp/submit.hpp"
#include "image/halx/container_writer.h"
#include "interop_test.h"
#include "test_kernel.h"
#include "unit/hip_api.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

constexpr const char* kLoad = "hipModuleLoadData";
constexpr const char* kArchitecture = "gfx942:sramecc+:xnack-";

std::string ReadImage(const std::string& name) {
  std::ifstream file(HALYARD_REFLECTION_IMAGES "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Number>
void Put(std::string* bytes, Number number) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// An offload bundle as clang writes it: entries of targets and code objects.
std::string Bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string header = "__CLANG_OFFLOAD_BUNDLE__";
  size_t end = header.size() + sizeof(uint64_t);
  for (const auto& [id, code] : entries) end += 3 * sizeof(uint64_t) + id.size();
  Put(&header, uint64_t{entries.size()});
  std::string contents;
  for (const auto& [id, code] : entries) {
    Put(&header, uint64_t{end + contents.size()});
    Put(&header, uint64_t{code.size()});
    Put(&header, uint64_t{id.size()});
    header += id;
    contents += code;
  }
  return header + contents;
}

std::string IdOf(const std::string& target) { return "hipv4-amdgcn-amd-amdhsa--" + target; }

/// An executable file with the kernel `append` of a code object.
std::string ExecutableFile(const std::string& target, const std::string& code) {
  ContainerExport append;
  append.name = "append";
  append.constants_size = sizeof(uint32_t);
  for (const hal_parameter_t& parameter : AppendParameters()) append.parameters.push_back(parameter);
  ContainerVariant variant;
  variant.format = "hsaco";
  variant.target = target;
  variant.entry_points.resize(1);
  variant.image = std::as_bytes(std::span(code));
  ContainerContents contents;
  contents.exports.push_back(std::move(append));
  contents.variants.push_back(std::move(variant));
  HostVector<std::byte> bytes;
  EXPECT_EQ(SerializeContainer(contents, &bytes), kOk) << hal_last_error_message();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class HipImagesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(vendor::Initialize());
    hip().Reset();
    OpenDevice(kArchitecture);
  }
  void TearDown() override {
    device_ = {};
    EXPECT_TRUE(vendor::Settle());
    hip().SetArchitecture(kArchitecture);
    EXPECT_EQ(hip().Reports("damaged-image"), 0U) << "HIP was handed what it would have believed";
    EXPECT_EQ(vendor::LastError(), 0);
  }
  void OpenDevice(const char* architecture) {
    device_ = {};
    hip().SetArchitecture(architecture);
    ASSERT_OK(hal_device_create(hal_string_view("hip://0"), device_.out()));
  }
  static const sim::HipApi& hip() { return sim::HipApi::Get(); }

  hal_status_t Load(const std::string& image, Ref<hal_executable_t>* out_executable) const {
    const TestKernel kernel("append", AppendParameters(), image);
    return hal_executable_create(device_.get(), &kernel.params(), out_executable->out());
  }
  hal_status_t LoadFile(const std::string& file, Ref<hal_executable_t>* out_executable) const {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.data = file.data();
    params.data_size = file.size();
    return hal_executable_create(device_.get(), &params, out_executable->out());
  }
  /// Raw, and in an executable file. The message of the latter.
  std::string ExpectRefused(const std::string& image, hal_status_t expected, const std::string& words) const {
    const uint64_t loads = hip().Calls(kLoad);
    Ref<hal_executable_t> executable;
    EXPECT_EQ(Load(image, &executable), expected);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    EXPECT_EQ(LoadFile(ExecutableFile("", image), &executable), expected);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    EXPECT_EQ(hip().Calls(kLoad), loads);
    return hal_last_error_message();
  }
  /// The library has found nothing wrong. The simulated HIP has no host code for the image, and says so.
  void ExpectReachesHip(const std::string& image) const {
    const uint64_t loads = hip().Calls(kLoad);
    Ref<hal_executable_t> executable;
    EXPECT_EQ(Load(image, &executable), HAL_STATUS_INCOMPATIBLE);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("hipModuleLoadData: hipErrorNoBinaryForGpu"));
    EXPECT_EQ(hip().Calls(kLoad), loads + 1);
  }
  /// Dispatches `append`, which counts in the first word and puts a number behind it.
  void ExpectRuns(const Ref<hal_executable_t>& executable) const;

  Ref<hal_device_t> device_;
};

void HipImagesTest::ExpectRuns(const Ref<hal_executable_t>& executable) const {
  hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  staging.usage = HAL_BUFFER_USAGE_ALL;
  Ref<hal_buffer_t> log;
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &staging, 64, log.out()));
  uint32_t words[2] = {};
  ASSERT_OK(hal_buffer_write(log.get(), 0, words, sizeof(words)));
  Ref<hal_semaphore_t> done;
  ASSERT_OK(hal_semaphore_create(device_.get(), nullptr, done.out()));
  const Points signals = {{done.get(), 1}};
  const hal_buffer_ref_t binding = hal_buffer_ref(log.get(), 0, HAL_WHOLE_SIZE);
  const uint32_t value = 77;
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = &value;
  dispatch.constants_size = sizeof(value);
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  ASSERT_OK(hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(signals), 1), executable.get(), 0,
                                      &dispatch));
  ASSERT_OK(hal_semaphore_wait(done.get(), 1, 10'000'000'000));
  ASSERT_OK(hal_buffer_read(log.get(), 0, words, sizeof(words)));
  EXPECT_THAT(words, testing::ElementsAre(1, value));
}

TEST_F(HipImagesTest, RunsRawPackedAndBundled) {
  const std::string code = vendor::Image();
  Ref<hal_executable_t> executable;
  ASSERT_OK(Load(code, &executable));
  ExpectRuns(executable);
  for (const char* target : {"", "gfx942", "gfx942:xnack-", kArchitecture}) {
    ASSERT_OK(LoadFile(ExecutableFile(target, code), &executable)) << target;
    ExpectRuns(executable);
  }
  const std::string bundle = Bundle({{IdOf("gfx942"), code}});
  ASSERT_OK(Load(bundle, &executable));
  ExpectRuns(executable);
  ASSERT_OK(LoadFile(ExecutableFile("", bundle), &executable));
  ExpectRuns(executable);
}

TEST_F(HipImagesTest, TheBundlesCodeObjectForTheDeviceIsTaken) {
  const std::string code = vendor::Image();
  const std::string other = ReadImage("clang19_gfx1100_v5.hsaco");
  const std::string older = ReadImage("clang19_gfx90a_v4.hsaco");
  Ref<hal_executable_t> executable;
  ASSERT_OK(Load(Bundle({{"host-x86_64-unknown-linux--", ""},
                         {IdOf("gfx1100"), other},
                         {IdOf("gfx942"), code},
                         {IdOf("gfx90a"), older}}),
                 &executable));
  ExpectRuns(executable);
  // Code that names the device's features goes before code that leaves them open, which is damaged here.
  ASSERT_OK(Load(Bundle({{IdOf("gfx942"), code.substr(0, 100)}, {IdOf("gfx942:xnack-"), code}}), &executable));
  ExpectRuns(executable);
}

TEST_F(HipImagesTest, ABundleWithoutTheDeviceIsIncompatible) {
  const std::string other = ReadImage("clang19_gfx1100_v5.hsaco");
  ExpectRefused(Bundle({{IdOf("gfx1100"), other}}), HAL_STATUS_INCOMPATIBLE, kArchitecture);
  ExpectRefused(Bundle({{"host-x86_64-unknown-linux--", other}}), HAL_STATUS_INCOMPATIBLE, kArchitecture);
  ExpectRefused(Bundle({}), HAL_STATUS_INCOMPATIBLE, kArchitecture);
}

// What the bundle says of an entry is not what the entry is.
TEST_F(HipImagesTest, ABundleThatNamesAnEntryWronglyIsRefused) {
  ExpectRefused(Bundle({{IdOf("gfx942"), ReadImage("clang19_gfx1100_v5.hsaco")}}), HAL_STATUS_INCOMPATIBLE, "gfx1100");
  ExpectRefused(Bundle({{IdOf("gfx942"), "not a code object"}}), HAL_STATUS_DATA_LOSS, "");
  ExpectRefused(Bundle({{IdOf("gfx942"), vendor::Image().substr(0, 4000)}}), HAL_STATUS_DATA_LOSS, "");
}

TEST_F(HipImagesTest, CompressedBundlesAreUnpacked) {
  ExpectRefused(ReadImage("clang19_compressed.hipfb"), HAL_STATUS_INCOMPATIBLE, "no code object for 'gfx942");
  OpenDevice("gfx90a:sramecc+:xnack-");
  ExpectReachesHip(ReadImage("clang19_compressed.hipfb"));
}

TEST_F(HipImagesTest, CodeForGenericTargetsIsTaken) {
  Ref<hal_executable_t> executable;
  const std::string code = vendor::Image();
  ASSERT_OK(LoadFile(ExecutableFile("gfx9-4-generic", code), &executable));
  ExpectRuns(executable);
  // Code for the processor itself goes before, which is damaged here.
  EXPECT_EQ(Load(Bundle({{IdOf("gfx9-4-generic"), code}, {IdOf("gfx942"), code.substr(0, 100)}}), &executable),
            HAL_STATUS_DATA_LOSS);
  ASSERT_OK(Load(Bundle({{IdOf("gfx9-generic"), code.substr(0, 100)}, {IdOf("gfx9-4-generic"), code}}), &executable));
  ExpectRuns(executable);
  const std::string generic = ReadImage("clang19_gfx11_generic_v6.hsaco");
  ExpectRefused(generic, HAL_STATUS_INCOMPATIBLE, "gfx11-generic");
  OpenDevice("gfx1151");
  ExpectReachesHip(generic);
}

TEST_F(HipImagesTest, CodeForAnotherProcessorIsIncompatible) {
  const std::string other = ReadImage("clang19_gfx1100_v5.hsaco");
  EXPECT_THAT(ExpectRefused(other, HAL_STATUS_INCOMPATIBLE, "gfx1100"), HasSubstr(kArchitecture));
  // The file is wrong about the image, and about the device.
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadFile(ExecutableFile("gfx942", other), &executable), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("gfx1100"));
  EXPECT_EQ(LoadFile(ExecutableFile("gfx1100", vendor::Image()), &executable), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("gfx1100"));
}

TEST_F(HipImagesTest, AContradictingFeatureIsIncompatible) {
  const std::string code = vendor::Image();
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadFile(ExecutableFile("gfx942:xnack+", code), &executable), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("gfx942:xnack+"));
  ExpectRefused(Bundle({{IdOf("gfx942:xnack+"), code}}), HAL_STATUS_INCOMPATIBLE, kArchitecture);
  // The image itself names features: it is for one sign of them.
  const std::string featured = ReadImage("clang19_gfx90a_features_v5.hsaco");
  OpenDevice("gfx90a:sramecc-:xnack+");
  EXPECT_THAT(ExpectRefused(featured, HAL_STATUS_INCOMPATIBLE, "gfx90a:sramecc-:xnack+"), HasSubstr("gfx90a:"));
}

TEST_F(HipImagesTest, WhatIsNoCodeObjectIsDataLoss) {
  ExpectRefused("x", HAL_STATUS_DATA_LOSS, "");
  ExpectRefused(std::string(8192, '\0'), HAL_STATUS_DATA_LOSS, "");
  ExpectRefused("__CLANG_OFFLOAD_BUNDLE__", HAL_STATUS_DATA_LOSS, "offload bundle");
}

// The metadata tells of a kernel under a name that no symbol has, and the other way round.
TEST_F(HipImagesTest, MetadataThatContradictsTheSymbolsIsDataLoss) {
  std::string image = vendor::Image();
  size_t renamed = 0;
  for (size_t at = 0; (at = image.find("append.kd", at)) != std::string::npos; ++renamed) image[at + 5] = 'D';
  ASSERT_GT(renamed, 0U);
  ExpectRefused(image, HAL_STATUS_DATA_LOSS, "'append'");
}

TEST_F(HipImagesTest, AKernelThatIsNotThereIsNotFound) {
  const TestKernel kernel("no_such_kernel", AppendParameters());
  Ref<hal_executable_t> executable;
  EXPECT_EQ(hal_executable_create(device_.get(), &kernel.params(), executable.out()), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no_such_kernel"));
}

TEST_F(HipImagesTest, ParametersAreComparedWithTheMetadata) {
  const TestKernel kernel("append", {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE),
                                     hal_parameter_constant(0, 2 * sizeof(uint32_t))});
  Ref<hal_executable_t> executable;
  EXPECT_NE(hal_executable_create(device_.get(), &kernel.params(), executable.out()), HAL_STATUS_OK);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("append"));
}

TEST_F(HipImagesTest, WhatWasCutAtAnyByteIsRefused) {
  const std::string code = vendor::Image();
  const uint64_t loads = hip().Calls(kLoad);
  for (size_t size = 1; size < code.size(); ++size) {
    Ref<hal_executable_t> executable;
    ASSERT_EQ(Load(code.substr(0, size), &executable), HAL_STATUS_DATA_LOSS) << size;
    ASSERT_STRNE(hal_last_error_message(), "") << size;
  }
  EXPECT_EQ(hip().Calls(kLoad), loads);
}

// Bits of instructions or of padding may change unseen: HIP says then that it does not know the image. The simulation
// reports each image that HIP would have misread.
TEST_F(HipImagesTest, FlippedBitsAreRefusedBeforeHipSeesThem) {
  constexpr int kImages = 10'000;
  const std::string code = vendor::Image();
  std::mt19937 random(20261123);
  const uint64_t loads = hip().Calls(kLoad);
  for (int i = 0; i < kImages; ++i) {
    std::string damaged = code;
    for (int flip = 0; flip < 4; ++flip) {
      char& byte = damaged[random() % damaged.size()];
      byte = static_cast<char>(byte ^ (1 << (random() % 8)));
    }
    Ref<hal_executable_t> executable;
    if (damaged == code) continue;
    ASSERT_NE(Load(damaged, &executable), HAL_STATUS_OK) << i;
    ASSERT_STRNE(hal_last_error_message(), "") << i;
  }
  EXPECT_LT(hip().Calls(kLoad) - loads, uint64_t{kImages} * 9 / 10);
}

}  // namespace
}  // namespace halyard::interop
