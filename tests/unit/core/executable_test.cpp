// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core does with executables and keeps in its caches.
#include "halyard/executable.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "fake_queue.h"
#include "halyard/executable_cache.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

using testing::FakeQueueTest;
using testing::MessageHas;
using testing::Queue;
using testing::TwoExports;

class ExecutableTest : public FakeQueueTest {
 protected:
  hal_status_t Create(const hal_executable_params_t& params) {
    hal_executable_t* executable = nullptr;
    const hal_status_t status = hal_executable_create(device_, &params, &executable);
    EXPECT_EQ(executable != nullptr, status == HAL_STATUS_OK);
    hal_executable_release(executable);
    return status;
  }
  hal_status_t Create() { return Create(given_.params); }

  TwoExports given_;
};

TEST_F(ExecutableTest, TellsItsExports) {
  hal_executable_t* const executable = Executable();
  EXPECT_EQ(hal_executable_export_count(executable), 2u);
  const hal_export_info_t* info = hal_executable_export_info(executable, 0);
  ASSERT_NE(info, nullptr);
  EXPECT_STREQ(info->name.data, "scale");
  EXPECT_EQ(info->binding_count, 2u);
  EXPECT_NE(info->layout, nullptr);
  EXPECT_EQ(hal_executable_export_info(executable, 2), nullptr);
}

TEST_F(ExecutableTest, FindsExportsByName) {
  hal_executable_t* const executable = Executable();
  uint32_t ordinal = 7;
  EXPECT_EQ(hal_executable_find_export(executable, hal_string_view("any"), &ordinal), HAL_STATUS_OK);
  EXPECT_EQ(ordinal, 1u);
  EXPECT_EQ(hal_executable_find_export(executable, hal_string_view("scael"), &ordinal), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("did you mean 'scale'"));
  EXPECT_EQ(ordinal, 0u);
  EXPECT_EQ(hal_executable_find_export(executable, hal_string_view("any"), nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_find_export(nullptr, hal_string_view("any"), &ordinal), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, NullExecutablesAreEmpty) {
  EXPECT_EQ(hal_executable_export_count(nullptr), 0u);
  EXPECT_EQ(hal_executable_export_info(nullptr, 0), nullptr);
  hal_executable_retain(nullptr);
  hal_executable_release(nullptr);
}

TEST_F(ExecutableTest, TheImageIsGivenOneWay) {
  given_.params.path = hal_string_view("/some/file");
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("both given"));
  given_.params.path = {};
  given_.params.data = nullptr;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  given_.params.data = "image";
  given_.params.data_size = 0;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, FormatsAreAskedOfTheDevice) {
  given_.params.format = hal_string_view("other");
  EXPECT_EQ(Create(), HAL_STATUS_INCOMPATIBLE);
  given_.params.format = {};
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, ArgumentsAreChecked) {
  hal_executable_t* executable = nullptr;
  EXPECT_EQ(hal_executable_create(nullptr, &given_.params, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_create(device_, nullptr, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_create(device_, &given_.params, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, ExportsAreChecked) {
  given_.exports[1].name = hal_string_view("scale");
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_executable_create: exports 0 and 1 have the same name"));
  given_.exports[1].name = hal_string_view("any");
  given_.exports[0].constants_size = 4;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_executable_create: export 0 (\"scale\"): parameter 0"));
  given_.params.exports = nullptr;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Queue().executables_made, 0);
}

TEST_F(ExecutableTest, ExportsMayBeLongerStructsThanOurs) {
  struct Newer {
    hal_export_info_t known;
    uint64_t added;
  } exports[2] = {{given_.exports[0], 0}, {given_.exports[1], 0}};
  exports[0].known.struct_size = exports[1].known.struct_size = sizeof(Newer);
  given_.params.exports = &exports[0].known;
  EXPECT_EQ(Create(), HAL_STATUS_OK) << hal_last_error_message();
  exports[1].added = 1;
  EXPECT_EQ(Create(), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("params->exports[1]"));
  exports[1].added = 0;
  exports[1].known.struct_size = sizeof(hal_export_info_t);
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, SpecializationsAreChecked) {
  hal_specialization_t constants[] = {{1, 4, 5}, {2, 1, 255}};
  given_.params.specializations = constants;
  given_.params.specialization_count = 2;
  EXPECT_EQ(Create(), HAL_STATUS_OK) << hal_last_error_message();
  constants[1].value = 256;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  constants[1] = {1, 4, 5};
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  constants[1] = {2, 3, 5};
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
  given_.params.specializations = nullptr;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
}

class ExecutableCacheTest : public ExecutableTest {
 protected:
  ExecutableCacheTest() { EXPECT_EQ(hal_executable_cache_create(device_, nullptr, &cache_), HAL_STATUS_OK); }
  ~ExecutableCacheTest() override {
    for (hal_executable_t* executable : executables_) hal_executable_release(executable);
    hal_executable_cache_release(cache_);
  }

  hal_status_t TryPrepare(hal_executable_t** out) { return hal_executable_cache_prepare(cache_, &given_.params, out); }
  hal_executable_t* Prepare() {
    hal_executable_t* executable = nullptr;
    EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_OK) << hal_last_error_message();
    return executables_.emplace_back(executable);
  }

  hal_executable_cache_t* cache_ = nullptr;
  std::vector<hal_executable_t*> executables_;
};

TEST_F(ExecutableCacheTest, TheSameContentIsPreparedOnce) {
  hal_executable_t* const first = Prepare();
  TwoExports copy;
  std::vector<char> image(5);
  std::memcpy(image.data(), "image", 5);
  copy.params.data = image.data();
  hal_executable_t* second = nullptr;
  ASSERT_EQ(hal_executable_cache_prepare(cache_, &copy.params, &second), HAL_STATUS_OK);
  EXPECT_EQ(second, first);
  EXPECT_EQ(Queue().executables_made, 1);
  hal_executable_release(second);
}

TEST_F(ExecutableCacheTest, WhateverDiffersIsAnother) {
  std::vector<hal_executable_t*> seen = {Prepare()};
  const auto expect_another = [&](const char* what) {
    hal_executable_t* const executable = Prepare();
    EXPECT_EQ(std::find(seen.begin(), seen.end(), executable), seen.end()) << what;
    seen.push_back(executable);
  };
  given_.params.data = "imagf";
  expect_another("image");
  given_.exports[0].name = hal_string_view("scalf");
  expect_another("name");
  given_.exports[0].symbol = hal_string_view("s");
  expect_another("symbol");
  given_.exports[0].workgroup_size.y = 2;
  expect_another("workgroup size");
  given_.exports[0].local_memory_size = 63;
  expect_another("local memory");
  given_.exports[0].flags = HAL_EXPORT_COOPERATIVE;
  expect_another("flags");
  given_.exports[0].cluster_size = {1, 2, 1};
  expect_another("clusters");
  given_.exports[0].dynamic_local_memory_size = 1;
  expect_another("dynamic local memory");
  given_.exports[0].subgroup_size = 32;
  expect_another("subgroups");
  given_.exports[0].subgroup_size = 0;
  given_.exports[0].min_subgroup_size = 8;
  expect_another("least subgroups");
  given_.exports[0].max_subgroup_size = 64;
  expect_another("most subgroups");
  given_.exports[0].fixed_sides = {0, 2, 0};
  expect_another("fixed sides");
  std::vector<hal_parameter_info_t> infos(given_.exports[0].parameter_count);
  given_.exports[0].parameter_infos = infos.data();
  expect_another("what is known of parameters");
  infos[0].name = hal_string_view("x");
  expect_another("name of a parameter");
  given_.parameters[0] = hal_parameter_constant(4, 4);
  expect_another("parameter");
  given_.params.export_count = 1;
  expect_another("exports");
  const hal_specialization_t constants[] = {{1, 4, 5}, {2, 1, 255}};
  given_.params.specializations = constants;
  given_.params.specialization_count = 2;
  expect_another("specialisation");
  given_.params.unvalidated = true;
  expect_another("trust");
  const hal_specialization_t swapped[] = {constants[1], constants[0]};
  given_.params.specializations = swapped;
  EXPECT_EQ(Prepare(), seen.back()) << "the order of specialisations does not matter";
}

TEST_F(ExecutableCacheTest, OtherSignaturesAndImportsAreAnother) {
  int64_t sizes[] = {4, HAL_DYNAMIC};
  hal_value_type_t type = {HAL_VALUE_KIND_RANKED, HAL_ELEMENT_TYPE_F32, 2, {}, {}, {}, 0, sizes, nullptr};
  hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
  signature.argument_count = 1;
  signature.arguments = &type;
  hal_export_info_t function = HAL_EXPORT_INFO_INIT;
  function.name = hal_string_view("function");
  function.signature = &signature;
  given_.params.exports = &function;
  given_.params.export_count = 1;
  hal_executable_t* last = Prepare();
  const auto expect_another = [&](const char* what) {
    hal_executable_t* const executable = Prepare();
    EXPECT_NE(executable, last) << what;
    last = executable;
  };
  sizes[0] = 5;
  expect_another("size");
  type.element_type = HAL_ELEMENT_TYPE_F64;
  expect_another("element type");
  const int64_t strides[] = {8, 1};
  type.strides = strides;
  expect_another("strides");
  signature.convention = HAL_CALLING_CONVENTION_EXPANDED;
  expect_another("convention");
  hal_function_import_t import = {hal_string_view("log"), [] {}};
  given_.params.imports = &import;
  given_.params.import_count = 1;
  expect_another("import");
  import.function = [] { std::abort();
};
expect_another("imported function");
EXPECT_EQ(Prepare(), last);
}  // namespace

TEST_F(ExecutableCacheTest, PathsAreRead) {
  const TemporaryFolder folder;
  hal_executable_t* const from_data = Prepare();
  const std::string path = folder.Write("kernels", "image");
  given_.params.data = nullptr;
  given_.params.data_size = 0;
  given_.params.path = hal_string_view(path.c_str());
  EXPECT_EQ(Prepare(), from_data);
  folder.Write("kernels", "other image");
  EXPECT_NE(Prepare(), from_data);
  EXPECT_EQ(Queue().image.size(), 11u);
  folder.Write("kernels", "");
  hal_executable_t* executable = nullptr;
  EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_DATA_LOSS);
  given_.params.path = hal_string_view("/no/such/file");
  EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("hal_executable_cache_prepare"));
  EXPECT_EQ(executable, nullptr);
}

TEST_F(ExecutableCacheTest, FailuresAreNotKept) {
  hal_executable_t* executable = nullptr;
  Queue().before_executable = [] { return HAL_STATUS_ABORTED; };
  EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("hal_executable_cache_prepare: the fake driver refuses"));
  Queue().before_executable = nullptr;
  Prepare();
  EXPECT_EQ(Queue().executables_made, 2);
}

TEST_F(ExecutableCacheTest, ThreadsThatAskAtOnceGetTheSame) {
  std::promise<void> go;
  Queue().before_executable = [gate = go.get_future().share()] {
    gate.wait();
    return HAL_STATUS_OK;
  };
  std::vector<std::future<hal_executable_t*>> results;
  for (int i = 0; i < 4; ++i) {
    results.push_back(std::async(std::launch::async, [this] {
      hal_executable_t* executable = nullptr;
      EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_OK);
      return executable;
    }));
  }
  go.set_value();
  for (auto& result : results) executables_.push_back(result.get());
  for (hal_executable_t* executable : executables_) EXPECT_EQ(executable, executables_[0]);
  EXPECT_EQ(Queue().executables_made, 1);
}

TEST_F(ExecutableCacheTest, ThreadsThatWaitGetTheFailure) {
  std::promise<void> go;
  Queue().before_executable = [gate = go.get_future().share()] {
    gate.wait();
    return HAL_STATUS_ABORTED;
  };
  std::vector<std::future<std::string>> results;
  for (int i = 0; i < 4; ++i) {
    results.push_back(std::async(std::launch::async, [this]() -> std::string {
      hal_executable_t* executable = nullptr;
      EXPECT_EQ(TryPrepare(&executable), HAL_STATUS_ABORTED);
      return hal_last_error_message();
    }));
  }
  go.set_value();
  for (auto& result : results) EXPECT_EQ(result.get(), "hal_executable_cache_prepare: the fake driver refuses");
}

TEST_F(ExecutableCacheTest, TrimForgetsWhatIsNotUsed) {
  hal_executable_t* const used = Prepare();
  given_.params.data = "imagf";
  hal_executable_t* unused = nullptr;
  ASSERT_EQ(TryPrepare(&unused), HAL_STATUS_OK);
  hal_executable_release(unused);
  const int live = testing::State().live_objects;
  EXPECT_EQ(hal_executable_cache_trim(cache_), HAL_STATUS_OK);
  EXPECT_EQ(testing::State().live_objects, live - 1);
  Prepare();
  EXPECT_EQ(Queue().executables_made, 3);
  given_.params.data = "image";
  EXPECT_EQ(Prepare(), used);
}

TEST_F(ExecutableCacheTest, ExecutablesOutliveTheCache) {
  hal_executable_t* const executable = Prepare();
  hal_executable_cache_release(cache_);
  cache_ = nullptr;
  EXPECT_EQ(hal_executable_export_count(executable), 2u);
}

TEST_F(ExecutableCacheTest, CacheArgumentsAreChecked) {
  hal_executable_t* executable = nullptr;
  hal_executable_cache_t* cache = nullptr;
  EXPECT_EQ(hal_executable_cache_create(nullptr, nullptr, &cache), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_cache_create(device_, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_cache_prepare(nullptr, &given_.params, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_cache_prepare(cache_, nullptr, &executable), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_cache_prepare(cache_, &given_.params, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_executable_cache_trim(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  hal_executable_cache_retain(nullptr);
  hal_executable_cache_release(nullptr);
}

class PersistentCacheTest : public ExecutableTest {
 protected:
  /// Prepares the image with a new cache, as another process would.
  hal_status_t PrepareAnew() {
    hal_executable_cache_t* cache = nullptr;
    if (const hal_status_t status = hal_executable_cache_create(device_, &cache_params_, &cache)) return status;
    hal_executable_t* executable = nullptr;
    const hal_status_t status = hal_executable_cache_prepare(cache, &given_.params, &executable);
    hal_executable_release(executable);
    hal_executable_cache_release(cache);
    return status;
  }

  TemporaryFolder folder_;
  const std::string directory_ = folder_ / "made/for/it";
  hal_executable_cache_params_t cache_params_ = HAL_INIT(hal_executable_cache_params_t);
};

TEST_F(PersistentCacheTest, WhatWasCompiledIsFoundAgain) {
  cache_params_.directory = hal_string_view(directory_.c_str());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(PrepareAnew(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Queue().executables_made, 2);
  EXPECT_EQ(Queue().images_compiled, 1);
  given_.params.data = "imagf";
  ASSERT_EQ(PrepareAnew(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Queue().images_compiled, 2);
}

TEST_F(PersistentCacheTest, ExecutablesMayHaveStoresOfTheirOwn) {
  static std::string g_stored;
  hal_blob_store_t store = HAL_INIT(hal_blob_store_t);
  store.load = [](void*, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
    if (g_stored != View(key)) return false;
    found(user_data, g_stored.data() + 5, g_stored.size() - 5);
    return true;
  };
  store.store = [](void*, hal_string_view_t key, const void*, size_t) { g_stored = View(key); };
  cache_params_.blobs = &store;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(PrepareAnew(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(g_stored, "fake/image");
  given_.params.blobs = &store;
  EXPECT_EQ(Create(), HAL_STATUS_OK);
  EXPECT_EQ(Queue().images_compiled, 1);
}

TEST_F(PersistentCacheTest, ParametersAreChecked) {
  hal_blob_store_t store = HAL_INIT(hal_blob_store_t);
  cache_params_.blobs = &store;
  EXPECT_EQ(PrepareAnew(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("params->blobs->load is NULL"));
  cache_params_.directory = hal_string_view(directory_.c_str());
  EXPECT_EQ(PrepareAnew(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("both given"));
  cache_params_.blobs = nullptr;
  cache_params_.directory = {"a\0b", 3};
  EXPECT_EQ(PrepareAnew(), HAL_STATUS_INVALID_ARGUMENT);
  cache_params_.directory = hal_string_view("/dev/null/folder");
  EXPECT_NE(PrepareAnew(), HAL_STATUS_OK);
  EXPECT_TRUE(MessageHas("hal_executable_cache_create: params->directory: "));
  given_.params.blobs = &store;
  EXPECT_EQ(Create(), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace halyard
}  // namespace halyard
