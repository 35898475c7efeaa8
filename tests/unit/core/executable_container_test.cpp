// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables made from executable files: what the driver is handed.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
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
  return HAL_STATUS_OK;
}

hal_status_t QueryFormat(hal_device_t*, hal_string_view_t format) {
  if (View(format) == g_seen.takes) return HAL_STATUS_OK;
  return ToC(Fail(HAL_STATUS_INCOMPATIBLE, "the fake device takes '%s', not '%.*s'", g_seen.takes.c_str(),
                  HALYARD_SV(View(format))));
}

/// A device that says more: it prefers SPIR-V.
hal_status_t RankTarget(hal_device_t*, hal_string_view_t format, hal_string_view_t, uint32_t* out_rank) {
  *out_rank = View(format) == "spirv" ? 1 : 2;
  return HAL_STATUS_OK;
}
constexpr hal_executable_targets_interface_t kTargets = {sizeof(kTargets), RankTarget, nullptr};

/// One that takes whatever is not too new, newer before older.
hal_status_t RankIsa(hal_device_t*, hal_string_view_t format, hal_string_view_t, uint32_t isa, uint32_t* out_rank) {
  if (isa > 90) return ToC(Fail(HAL_STATUS_INCOMPATIBLE, "it needs version %u of the instruction set", isa));
  *out_rank = View(format) == g_seen.takes ? 1 : 2;
  return HAL_STATUS_OK;
}
constexpr hal_executable_targets_interface_t kIsaTargets = {sizeof(kIsaTargets), RankTarget, RankIsa};

hal_status_t QueryIsaInterface(hal_device_t*, hal_string_view_t name, uint32_t, const void** out_table) {
  if (View(name) != HAL_EXECUTABLE_TARGETS_INTERFACE) return HAL_STATUS_UNIMPLEMENTED;
  *out_table = &kIsaTargets;
  return HAL_STATUS_OK;
}

hal_status_t QueryInterface(hal_device_t*, hal_string_view_t name, uint32_t, const void** out_table) {
  if (View(name) != HAL_EXECUTABLE_TARGETS_INTERFACE) return HAL_STATUS_UNIMPLEMENTED;
  *out_table = &kTargets;
  return HAL_STATUS_OK;
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
  hal_executable_params_t params_ = HAL_INIT(hal_executable_params_t);
  hal_executable_t* executable_made_ = nullptr;
};

TEST_F(ExecutableContainerTest, TheDriverGetsTheImageInPlaceAndTheExports) {
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
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
  params_ = HAL_INIT(hal_executable_params_t);
  params_.path = hal_string_view(path.c_str());
  params_.format = hal_string_view("halx");
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(g_seen.image) % 4096, 0u);
  EXPECT_EQ(g_seen.path, "");
}

TEST_F(ExecutableContainerTest, ADeviceThatRanksGetsWhatItPrefers) {
  fake_.device.query_interface = QueryInterface;
  g_seen.takes = "spirv";
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
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
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
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
  params_ = HAL_INIT(hal_executable_params_t);
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
  EXPECT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
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

/// A file whose images have some of the exports: for a device that takes both formats, "add" comes from PTX of version
/// 8.0, as 9.4 is too new, and "softmax" from the cubin.
class PartialContainerTest : public ExecutableContainerTest {
 protected:
  PartialContainerTest() {
    fake_.device.query_interface = QueryIsaInterface;
    fake_.device.query_format = [](hal_device_t*, hal_string_view_t) { return HAL_STATUS_OK; };
    file_ = SampleFile(PartialContents());
    params_.data = file_.data();
    params_.data_size = file_.size();
  }
  hal_device_t* Device() {
    const_cast<hal_device_limits_t*>(ExecutableContainerTest::Device()->info->limits)->max_local_memory = 1 << 20;
    return ExecutableContainerTest::Device();
  }
  hal_status_t Create() {
    Device();
    return ExecutableContainerTest::Create();
  }
  uint32_t Find(const char* name) {
    uint32_t ordinal = 99;
    EXPECT_EQ(hal_executable_find_export(executable_made_, hal_string_view(name), &ordinal), HAL_STATUS_OK)
        << LastErrorMessage();
    return ordinal;
  }
};

TEST_F(PartialContainerTest, AnExecutableHasExportsOfSeveralImages) {
  Device();
  const int before = State().live_objects;
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(g_seen.made, 2);
  EXPECT_EQ(State().live_objects, before + 2);
  EXPECT_EQ(hal_executable_export_count(executable_made_), 2u);
  EXPECT_EQ(Find("add"), 0u);
  EXPECT_EQ(Find("softmax"), 1u);
  EXPECT_EQ(View(hal_executable_export_info(executable_made_, 0)->name), "add");
  EXPECT_EQ(View(hal_executable_export_info(executable_made_, 1)->symbol), "softmax_kernel");
  EXPECT_EQ(hal_executable_export_info(executable_made_, 2), nullptr);
  uint32_t ordinal = 99;
  EXPECT_EQ(hal_executable_find_export(executable_made_, hal_string_view("sofmax"), &ordinal), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("no export 'sofmax'; did you mean 'softmax'?"));
  hal_executable_retain(executable_made_);
  hal_executable_release(executable_made_);
  hal_executable_release(std::exchange(executable_made_, nullptr));
  EXPECT_EQ(State().live_objects, before);
}

TEST_F(PartialContainerTest, AnImageMaySayHowItTakesTheParameters) {
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  const hal_export_info_t& add = *hal_executable_export_info(executable_made_, 0);
  ASSERT_EQ(add.parameter_count, 3u);
  EXPECT_EQ(add.parameters[0].kind, HAL_PARAMETER_KIND_CONSTANT);
  EXPECT_EQ(add.parameters[1].binding, 1u);
  EXPECT_EQ(add.binding_count, 2u);
  EXPECT_EQ(add.parameter_infos, nullptr) << "the names are those of the other list";
}

TEST_F(PartialContainerTest, LaunchFactsAndNamesReachTheDriver) {
  g_seen.takes = "cubin";
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(g_seen.made, 1);
  const hal_export_info_t& add = *hal_executable_export_info(executable_made_, 0);
  EXPECT_EQ(add.flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE | HAL_EXPORT_COOPERATIVE);
  EXPECT_EQ(add.workgroup_size.x, 128u);
  EXPECT_EQ(add.cluster_size.x, 2u);
  EXPECT_EQ(add.dynamic_local_memory_size, 98304u);
  EXPECT_EQ(add.subgroup_size, 32u);
  EXPECT_EQ(add.register_count, 40u);
  EXPECT_EQ(add.binding_count, 2u) << "an address among the constants takes a binding";
  ASSERT_EQ(add.tensor_map_count, 1u);
  EXPECT_EQ(add.tensor_maps[0].box[1], 64u);
  ASSERT_NE(add.parameter_infos, nullptr);
  EXPECT_EQ(View(add.parameter_infos[0].name), "x_ptr");
  EXPECT_EQ(View(add.parameter_infos[1].name), "view");
  EXPECT_EQ(add.parameter_infos[0].element_type, HAL_ELEMENT_TYPE_F32);
  EXPECT_EQ(add.parameter_infos[2].flags, HAL_PARAMETER_GUESSED);
  EXPECT_EQ(add.fixed_sides.x, 0u);
  const hal_export_info_t& softmax = *hal_executable_export_info(executable_made_, 1);
  EXPECT_EQ(softmax.flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE) << "it has sides that are exact";
  EXPECT_EQ(softmax.fixed_sides.x, 0u);
  EXPECT_EQ(softmax.fixed_sides.y, 1u);
  EXPECT_EQ(softmax.fixed_sides.z, 1u);
}

TEST_F(PartialContainerTest, ExportsCanBeNamed) {
  const hal_string_view_t names[] = {hal_string_view("softmax"), hal_string_view("add")};
  params_.names = names;
  params_.name_count = 2;
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(Find("softmax"), 0u) << "ordinals are in the order of the names";
  EXPECT_EQ(Find("add"), 1u);
  params_.name_count = 1;
  g_seen.made = 0;
  ASSERT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(g_seen.made, 1);
  EXPECT_EQ(hal_executable_export_count(executable_made_), 1u);
}

TEST_F(PartialContainerTest, ImagesThatAreNotNeededAreNotRead) {
  file_.back() ^= std::byte{1};  // of the PTX that is too new
  EXPECT_EQ(Create(), HAL_STATUS_OK) << LastErrorMessage();
  file_[4096] ^= std::byte{1};  // of the image that all others share
  EXPECT_EQ(Create(), HAL_STATUS_DATA_LOSS);
  executable_made_ = nullptr;
}

TEST_F(PartialContainerTest, NamesThatCannotBeAreRefused) {
  const auto refuse = [&](std::vector<hal_string_view_t> names, hal_status_t expected, const char* words) {
    params_.names = names.data();
    params_.name_count = names.size();
    EXPECT_EQ(Create(), expected);
    EXPECT_TRUE(MessageHas(words)) << LastErrorMessage();
    executable_made_ = nullptr;
  };
  refuse({hal_string_view("ad")}, HAL_STATUS_NOT_FOUND, "params->names[0]: no export 'ad'; did you mean 'add'?");
  refuse({hal_string_view("add"), hal_string_view("add")}, HAL_STATUS_INVALID_ARGUMENT,
         "params->names[1]: 'add' is there twice");
  params_.names = nullptr;
  params_.name_count = 1;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  params_.format = hal_string_view("ptx");
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("params->names has 1 elements, which is for executable files"));
}

TEST_F(PartialContainerTest, AFailureOfOneImageLeavesNothing) {
  fake_.device.create_executable = [](hal_device_t* device, const hal_executable_params_t* params,
                                      hal_executable_t** out) {
    if (g_seen.made == 1) return ToC(FailWith(HAL_STATUS_ABORTED, "the compiler says no"));
    return CreateExecutable(device, params, out);
  };
  Device();
  const int before = State().live_objects;
  EXPECT_EQ(Create(), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("the compiler says no (the image of export 'softmax')"));
  EXPECT_EQ(executable_made_, nullptr);
  EXPECT_EQ(State().live_objects, before);
}

TEST_F(PartialContainerTest, CachesShareTheImages) {
  hal_executable_cache_t* cache = nullptr;
  ASSERT_EQ(hal_executable_cache_create(Device(), nullptr, &cache), HAL_STATUS_OK);
  const int before = State().live_objects;
  hal_executable_t* made[2] = {};
  for (hal_executable_t*& each : made) {
    ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &each), HAL_STATUS_OK) << LastErrorMessage();
  }
  EXPECT_EQ(g_seen.made, 2);
  EXPECT_NE(made[0], made[1]);
  for (hal_executable_t* each : made) hal_executable_release(each);
  ASSERT_EQ(hal_executable_cache_trim(cache), HAL_STATUS_OK);
  EXPECT_EQ(State().live_objects, before);
  hal_executable_cache_release(cache);
}

TEST_F(ExecutableContainerTest, CachesTellFilesApartByTheChosenImage) {
  hal_executable_cache_t* cache = nullptr;
  ASSERT_EQ(hal_executable_cache_create(Device(), nullptr, &cache), HAL_STATUS_OK);
  hal_executable_t* made[3] = {};
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[0]), HAL_STATUS_OK) << LastErrorMessage();
  ContainerContents contents = SampleContents();
  contents.variants[0].target = "riscv64";  // another file, but the same image for this device
  file_ = SampleFile(contents);
  params_.data = file_.data();
  params_.data_size = file_.size();
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[1]), HAL_STATUS_OK) << LastErrorMessage();
  contents.variants[1].entry_points[0].symbol = "another";
  file_ = SampleFile(contents);
  params_.data = file_.data();
  params_.data_size = file_.size();
  ASSERT_EQ(hal_executable_cache_prepare(cache, &params_, &made[2]), HAL_STATUS_OK) << LastErrorMessage();
  EXPECT_EQ(made[0], made[1]);
  EXPECT_NE(made[0], made[2]);
  for (hal_executable_t* each : made) hal_executable_release(each);
  hal_executable_cache_release(cache);
}

}  // namespace
}  // namespace halyard::testing
