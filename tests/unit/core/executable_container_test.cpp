// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables made from executable files: what the driver is handed.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "container_samples.h"
#include "core/executable/variant_ranking.h"
#include "driver_kit/executable/export_table.h"
#include "fake_driver.h"
#include "halyard/executable_cache.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

/// What the fake driver was handed last, and the format that it takes.
struct Seen {
  int made = 0;
  std::string format;
  const void* image = nullptr;
  std::string image_text;
  std::string path;
  std::vector<std::string> symbols;
  std::string takes = "ptx";  ///< the one format of the device
};
Seen g_seen;

struct FakeExecutable : hal_executable_t {
  FakeExecutable() : hal_executable_t{} { ++State().live_objects; }
  ~FakeExecutable() { --State().live_objects; }
  ExportTable table;
};

hal_status_t CreateExecutable(hal_device_t* device, const hal_executable_params_t* params, hal_executable_t** out) {
  ++g_seen.made;
  g_seen.format = View(params->format);
  g_seen.path = View(params->path);
  g_seen.image = params->data;
  g_seen.image_text.assign(static_cast<const char*>(params->data), params->data_size);
  g_seen.symbols.clear();
  for (size_t i = 0; i < params->export_count; ++i) g_seen.symbols.emplace_back(View(params->exports[i].symbol));
  auto* made = new FakeExecutable();
  hal_object_initialize(&made->object, HAL_OBJECT_KIND_EXECUTABLE, device->driver->tables->executable);
  EXPECT_EQ(made->table.Assign(device, {params->exports, params->export_count}), kOk) << LastErrorMessage();
  made->export_count = made->table.Count();
  *out = made;
  return kOk;
}

hal_status_t QueryFormat(hal_device_t*, hal_string_view_t format) {
  if (View(format) == g_seen.takes) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the fake device takes '%s', not '%.*s'", g_seen.takes.c_str(),
              HALYARD_SV(View(format)));
}

/// A device that says more: it prefers SPIR-V.
hal_status_t RankTarget(hal_device_t*, hal_string_view_t format, hal_string_view_t, uint32_t* out_rank) {
  *out_rank = View(format) == "spirv" ? 1 : 2;
  return kOk;
}
constexpr hal_executable_targets_interface_t kTargets = {sizeof(kTargets), RankTarget};

hal_status_t QueryInterface(hal_device_t*, hal_string_view_t name, uint32_t, const void** out_table) {
  if (View(name) != HAL_EXECUTABLE_TARGETS_INTERFACE) return HAL_STATUS_UNIMPLEMENTED;
  *out_table = &kTargets;
  return kOk;
}

class ExecutableContainerTest : public FakeDriverTest {
 protected:
  ExecutableContainerTest() {
    g_seen = Seen();
    executable_.struct_size = sizeof(executable_);
    executable_.destroy = [](hal_object_t* object) {
      delete static_cast<FakeExecutable*>(reinterpret_cast<hal_executable_t*>(object));
    };
    executable_.export_info = [](hal_executable_t* self, uint32_t ordinal) {
      return static_cast<FakeExecutable*>(self)->table.Info(ordinal);
    };
    fake_.device.query_format = QueryFormat;
    fake_.device.create_executable = CreateExecutable;
    fake_.tables.executable = &executable_;
    params_.data = file_.data();
    params_.data_size = file_.size();
  }
  ~ExecutableContainerTest() override { hal_executable_release(executable_made_); }

  hal_device_t* Device() {
    if (!device_) {
      device_ = OpenDevice(fake_);
      hal_device_limits_t& limits = *const_cast<hal_device_limits_t*>(device_->info->limits);
      limits.max_workgroup_size = {1024, 1024, 64};
      limits.max_workgroup_volume = 1024;
      limits.max_local_memory = 1024;
      limits.max_constants_size = 64;
      limits.max_bindings = 8;
      limits.max_descriptor_sets = 4;
    }
    return device_;
  }
  hal_status_t Create() {
    hal_executable_release(executable_made_);
    return hal_executable_create(Device(), &params_, &executable_made_);
  }

  FakeInterface fake_;
  hal_executable_vtable_t executable_ = {};
  hal_device_t* device_ = nullptr;
  FileBytes file_ = SampleFile();
  hal_executable_params_t params_ = HAL_EXECUTABLE_PARAMS_INIT;
  hal_executable_t* executable_made_ = nullptr;
};

TEST_F(ExecutableContainerTest, TheDriverGetsTheImageInPlaceAndTheExports) {
  ASSERT_EQ(Create(), kOk) << LastErrorMessage();
  EXPECT_EQ(g_seen.format, "ptx");
  EXPECT_EQ(g_seen.image, file_.data() + 8192);
  EXPECT_EQ(g_seen.image_text, std::string("an image for any device"));
  EXPECT_EQ(g_seen.symbols, (std::vector<std::string>{"_Z5scalefPfS_", ""}));
  const hal_export_info_t* info = hal_executable_export_info(executable_made_, 0);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(View(info->name), "scale");
  EXPECT_EQ(info->workgroup_size.x, 64u);
  EXPECT_EQ(info->parameter_count, 4u);
  EXPECT_EQ(info->binding_count, 2u);
  EXPECT_EQ(info->local_memory_size, 256u);
}

TEST_F(ExecutableContainerTest, AFileIsMappedAndTheImageAligned) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("a.halx", std::string(reinterpret_cast<const char*>(file_.data()), file_.size()));
  params_ = HAL_EXECUTABLE_PARAMS_INIT;
  params_.path = hal_string_view(path.c_str());
  params_.format = hal_string_view("halx");
  ASSERT_EQ(Create(), kOk) << LastErrorMessage();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(g_seen.image) % 4096, 0u);
  EXPECT_EQ(g_seen.path, "");
}

TEST_F(ExecutableContainerTest, ADeviceThatRanksGetsWhatItPrefers) {
  fake_.device.query_interface = QueryInterface;
  g_seen.takes = "spirv";
  ASSERT_EQ(Create(), kOk) << LastErrorMessage();
  EXPECT_EQ(g_seen.format, "spirv");
}

TEST_F(ExecutableContainerTest, HostCodeIsChosenByTheHostsArchitecture) {
  const std::string here(HostArchitecture());
  if (here.empty()) GTEST_SKIP() << "this architecture has no name in executable files";
  g_seen.takes = HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT;
  ContainerContents contents = SampleContents();
  contents.variants[0].target = "elsewhere";
  contents.variants[1].format = contents.variants[2].format = g_seen.takes;
  contents.variants[1].target = "";
  contents.variants[2].target = here;
  file_ = SampleFile(contents);
  params_.data = file_.data();
  params_.data_size = file_.size();
  ASSERT_EQ(Create(), kOk) << LastErrorMessage();
  EXPECT_EQ(g_seen.symbols[1], "") << "not the variant for this host";
}

TEST_F(ExecutableContainerTest, WithoutAFitTheVariantsAndTheDevicesFormatsAreTold) {
  g_seen.takes = "msl";
  EXPECT_EQ(Create(), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(
      MessageHas("hal_executable_create: no variant fits the device: variants[0] (host-shared-object for x86_64)"));
  EXPECT_TRUE(MessageHas("variants[1] (ptx for sm_80): the fake device takes 'msl', not 'ptx'"));
  EXPECT_EQ(g_seen.made, 0);
}

TEST_F(ExecutableContainerTest, FailuresNameTheFile) {
  const TemporaryFolder folder;
  params_ = HAL_EXECUTABLE_PARAMS_INIT;
  const std::string text = folder.Write("a.halx", std::string(100, 'x'));
  params_.path = hal_string_view(text.c_str());
  params_.format = hal_string_view("halx");
  EXPECT_EQ(Create(), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(MessageHas(("hal_executable_create: '" + text + "': not an executable file").c_str()));
  params_.format = {};
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("params->format is empty"));
  const std::string missing = folder / "none.halx";
  params_.path = hal_string_view(missing.c_str());
  EXPECT_EQ(Create(), HAL_STATUS_NOT_FOUND);
}

TEST_F(ExecutableContainerTest, DamagedImagesAreRefusedUnlessTheyAreTrusted) {
  file_.back() ^= std::byte{1};
  EXPECT_EQ(Create(), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(MessageHas("hal_executable_create: variants[1].image: its 23 bytes do not match their hash"));
  params_.unvalidated = true;
  EXPECT_EQ(Create(), kOk) << LastErrorMessage();
}

TEST_F(ExecutableContainerTest, TheFilesExportsAreTheOnlyOnes) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  params_.exports = &info;
  params_.export_count = 1;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("an executable file tells its exports itself"));
}

TEST_F(ExecutableContainerTest, TheDevicesLimitsHold) {
  const_cast<hal_device_limits_t*>(Device()->info->limits)->max_constants_size = 8;
  EXPECT_EQ(Create(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_executable_create: export 0 (\"scale\"): constants_size"));
}

TEST_F(ExecutableContainerTest, CachesTellFilesApartByTheChosenImage) {
  hal_executable_cache_t* cache = nullptr;
  ASSERT_EQ(hal_executable_cache_create(Device(), nullptr, &cache), kOk);
  hal_executable_t* made[3] = {};
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[0]), kOk) << LastErrorMessage();
  ContainerContents contents = SampleContents();
  contents.variants[0].target = "riscv64";  // another file, but the same image for this device
  file_ = SampleFile(contents);
  params_.data = file_.data();
  params_.data_size = file_.size();
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[1]), kOk) << LastErrorMessage();
  contents.variants[1].symbols[0] = "another";
  file_ = SampleFile(contents);
  params_.data = file_.data();
  params_.data_size = file_.size();
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[2]), kOk) << LastErrorMessage();
  EXPECT_EQ(made[0], made[1]);
  EXPECT_NE(made[0], made[2]);
  for (hal_executable_t* each : made) hal_executable_release(each);
  hal_executable_cache_release(cache);
}

}  // namespace
}  // namespace halyard::testing
