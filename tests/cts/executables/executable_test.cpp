// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of whatever format the device takes: loading, reflection, export lists. Malformed images are in
// host_image_test.cpp.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

hal_status_t Create(const Device& device, const hal_executable_params_t& params, Executable* out) {
  return hal_executable_create(device, &params, out->out());
}

/// Dispatches `add_one` and looks at the result.
void ExpectAddsOne(const Device& device, const Executable& executable, Dispatch dispatch = {}) {
  const Buffer data = device.CreateBufferOf(Counting(64));
  const Semaphore done = device.CreateSemaphore();
  ASSERT_OK(device.QueueDispatch(kNoWaits, {{done, 1}}, executable, "add_one", dispatch.Bind(data)));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(device.Download<uint32_t>(data), Counting(64, 1)));
}

class ExecutableTest : public DeviceTest {
 protected:
  const KernelSource source_{device(), "basic"};
};

// --- Formats ---

TEST_F(ExecutableTest, DeviceTakesTheFormatOfTheSuite) {
  EXPECT_OK(hal_device_query_format(device(), View(source_.format())));
}

TEST_F(ExecutableTest, UnknownFormatIsIncompatibleAndTheKnownAreNamed) {
  for (const std::string& format :
       {std::string("no-such-format"), source_.format() + "x", source_.format().substr(1)}) {
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, hal_device_query_format(device(), View(format)));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(source_.format()));
    hal_executable_params_t params = source_.params();
    params.format = View(format);
    Executable executable;
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Create(device(), params, &executable));
    EXPECT_EQ(executable.get(), nullptr);
  }
}

TEST_F(ExecutableTest, FormatIsTakenByItsLength) {
  const std::string longer = source_.format() + "-and-more";
  EXPECT_OK(hal_device_query_format(device(), View(std::string_view(longer).substr(0, source_.format().size()))));
}

// --- Where the image comes from ---

TEST_F(ExecutableTest, FromAFile) {
  Executable executable;
  ASSERT_OK(Create(device(), source_.params(), &executable));
  ExpectAddsOne(device(), executable);
}

TEST_F(ExecutableTest, FromMemoryThatIsGoneAfterwards) {
  Executable executable;
  {
    std::vector<unsigned char> image = source_.ReadImage();
    hal_executable_params_t params = source_.params();
    params.path = {nullptr, 0};
    params.data = image.data();
    params.data_size = image.size();
    ASSERT_OK(Create(device(), params, &executable));
    std::fill(image.begin(), image.end(), static_cast<unsigned char>(0xCC));
  }
  ExpectAddsOne(device(), executable);
}

TEST_F(ExecutableTest, FromAFileThatIsGoneAfterwards) {
  Executable executable;
  {
    const TemporaryFile file(source_.ReadImage());
    hal_executable_params_t params = source_.params();
    params.path = View(file.path());
    ASSERT_OK(Create(device(), params, &executable));
  }
  ExpectAddsOne(device(), executable);
}

TEST_F(ExecutableTest, PathIsTakenByItsLength) {
  const std::string longer = source_.path() + "/and/more";
  hal_executable_params_t params = source_.params();
  params.path = View(std::string_view(longer).substr(0, source_.path().size()));
  Executable executable;
  ASSERT_OK(Create(device(), params, &executable));
  ExpectAddsOne(device(), executable);
}

TEST_F(ExecutableTest, MissingFileIsNotFound) {
  hal_executable_params_t params = source_.params();
  const std::string path = source_.path() + ".missing";
  params.path = View(path);
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Create(device(), params, &executable));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(path));
  EXPECT_EQ(executable.get(), nullptr);
}

TEST_F(ExecutableTest, OnlyRegularFilesAreImages) {
  hal_executable_params_t params = source_.params();
  for (const char* path : {"/", "/dev/zero"}) {
    params.path = View(path);
    Executable executable;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(device(), params, &executable));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("not a regular file"));
  }
}

TEST_F(ExecutableTest, EmptyImageIsRefused) {
  const TemporaryFile file;
  hal_executable_params_t params = source_.params();
  params.path = View(file.path());
  Executable executable;
  EXPECT_THAT(Create(device(), params, &executable), AnyOf(HAL_STATUS_DATA_LOSS, HAL_STATUS_INVALID_ARGUMENT));
  params.path = {nullptr, 0};
  params.data = "";
  params.data_size = 0;
  EXPECT_THAT(Create(device(), params, &executable), AnyOf(HAL_STATUS_DATA_LOSS, HAL_STATUS_INVALID_ARGUMENT));
}

TEST_F(ExecutableTest, ImageMustComeFromOnePlace) {
  const std::vector<unsigned char> image = source_.ReadImage();
  hal_executable_params_t params = source_.params();
  params.data = image.data();
  params.data_size = image.size();
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(device(), params, &executable));
  params.data = nullptr;
  params.path = {nullptr, 0};
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(device(), params, &executable));
}

// --- Life ---

TEST_F(ExecutableTest, KeepsItsDevice) {
  Executable executable;
  {
    const Device other = OpenSecondDevice();
    executable = other.LoadKernels("basic");
  }
  EXPECT_GT(hal_executable_export_count(executable), 0u);
}

TEST_F(ExecutableTest, IsLoadedAndDroppedAgainAndAgain) {
  for (int i = 0; i < 50; ++i) {
    const Executable executable = LoadKernels("basic");
    if (i % 10 == 0) ExpectAddsOne(device(), executable);
  }
}

TEST_F(ExecutableTest, ThreadsLoadAtOnce) {
  OnThreads(4, [&](size_t) {
    for (int i = 0; i < 5; ++i) ExpectAddsOne(device(), LoadKernels("basic"));
  });
}

TEST_F(ExecutableTest, NullIsNothing) {
  EXPECT_EQ(hal_executable_export_count(nullptr), 0u);
  EXPECT_EQ(hal_executable_export_info(nullptr, 0), nullptr);
  hal_executable_retain(nullptr);
  hal_executable_release(nullptr);
}

// --- Reflection ---

class ExecutableReflectionTest : public DeviceTestWith<KernelSet> {
 protected:
  void SetUp() override {
    if (!HasKernels(device(), GetParam().name)) GTEST_SKIP() << "the set has no kernels for the device";
    executable_ = LoadKernels(GetParam().name);
  }
  const std::vector<KernelExport>& exports() const { return GetParam().exports; }
  const hal_export_info_t& Info(size_t ordinal) const {
    return *hal_executable_export_info(executable_, static_cast<uint32_t>(ordinal));
  }
  Executable executable_;
};

uint32_t BindingCount(const KernelExport& kernel) {
  return static_cast<uint32_t>(
      std::count_if(kernel.parameters.begin(), kernel.parameters.end(),
                    [](const hal_parameter_t& parameter) { return parameter.kind == HAL_PARAMETER_KIND_BINDING; }));
}

TEST_P(ExecutableReflectionTest, CountsTheExports) {
  EXPECT_EQ(hal_executable_export_count(executable_), exports().size());
  EXPECT_EQ(hal_executable_export_info(executable_, static_cast<uint32_t>(exports().size())), nullptr);
  EXPECT_EQ(hal_executable_export_info(executable_, UINT32_MAX), nullptr);
}

TEST_P(ExecutableReflectionTest, FindsEveryExportByName) {
  for (const KernelExport& kernel : exports()) {
    uint32_t ordinal = UINT32_MAX;
    ASSERT_OK(hal_executable_find_export(executable_, View(kernel.name), &ordinal));
    EXPECT_EQ(Text(Info(ordinal).name), kernel.name);
  }
}

TEST_P(ExecutableReflectionTest, SaysWhatEachExportTakes) {
  for (const KernelExport& kernel : exports()) {
    SCOPED_TRACE(kernel.name);
    const hal_export_info_t& info = Info(executable_.Export(kernel.name));
    EXPECT_EQ(info.struct_size, sizeof(hal_export_info_t));
    EXPECT_EQ(info.workgroup_size.x, kernel.workgroup_size.x);
    EXPECT_EQ(info.workgroup_size.y, kernel.workgroup_size.y);
    EXPECT_EQ(info.workgroup_size.z, kernel.workgroup_size.z);
    EXPECT_EQ(info.constants_size, kernel.constants_size);
    EXPECT_EQ(info.local_memory_size, kernel.local_memory_size);
    EXPECT_EQ(info.binding_count, BindingCount(kernel));
  }
}

TEST_P(ExecutableReflectionTest, ListsParametersInTheKernelsOrder) {
  for (const KernelExport& kernel : exports()) {
    SCOPED_TRACE(kernel.name);
    const hal_export_info_t& info = Info(executable_.Export(kernel.name));
    ASSERT_EQ(info.parameter_count, kernel.parameters.size());
    for (uint32_t i = 0; i < info.parameter_count; ++i) {
      const hal_parameter_t& actual = info.parameters[i];
      const hal_parameter_t& expected = kernel.parameters[i];
      EXPECT_EQ(actual.kind, expected.kind) << "parameter " << i;
      EXPECT_EQ(actual.offset, expected.offset) << "parameter " << i;
      EXPECT_EQ(actual.size, expected.size) << "parameter " << i;
      if (expected.kind != HAL_PARAMETER_KIND_BINDING) continue;
      EXPECT_EQ(actual.set, expected.set) << "parameter " << i;
      EXPECT_EQ(actual.binding, expected.binding) << "parameter " << i;
    }
  }
}

TEST_P(ExecutableReflectionTest, LayoutAgreesWithTheParameters) {
  for (const KernelExport& kernel : exports()) {
    SCOPED_TRACE(kernel.name);
    hal_pipeline_layout_t* layout = Info(executable_.Export(kernel.name)).layout;
    ASSERT_NE(layout, nullptr);
    EXPECT_EQ(hal_pipeline_layout_binding_count(layout), BindingCount(kernel));
    EXPECT_EQ(hal_pipeline_layout_constants_size(layout), kernel.constants_size);
    for (const hal_parameter_t& parameter : kernel.parameters) {
      if (parameter.kind != HAL_PARAMETER_KIND_BINDING) continue;
      ASSERT_LT(parameter.set, hal_pipeline_layout_set_count(layout));
      size_t count = 0;
      const hal_descriptor_binding_t* bindings =
          hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(layout, parameter.set), &count);
      EXPECT_TRUE(
          std::any_of(bindings, bindings + count,
                      [&](const hal_descriptor_binding_t& binding) { return binding.binding == parameter.binding; }))
          << "binding " << parameter.binding;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, ExecutableReflectionTest, testing::ValuesIn(KernelSets()), ByName);

TEST_F(ExecutableTest, UnknownExportIsNotFoundAndTheNearestAreNamed) {
  const Executable executable = LoadKernels("basic");
  for (const char* name : {"add_on", "add_onee", "ad_one", "add_One"}) {
    uint32_t ordinal = 0;
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_executable_find_export(executable, View(name), &ordinal)) << name;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("'add_one'"));
  }
}

TEST_F(ExecutableTest, FarAndEmptyNamesAreNotFoundEither) {
  const Executable executable = LoadKernels("basic");
  for (const char* name : {"", "completely_different", "add_one.but_longer", "main"}) {
    uint32_t ordinal = 0;
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_executable_find_export(executable, View(name), &ordinal)) << name;
  }
}

TEST_F(ExecutableTest, NameIsTakenByItsLength) {
  const Executable executable = LoadKernels("basic");
  uint32_t ordinal = UINT32_MAX;
  ASSERT_OK(hal_executable_find_export(executable, View(std::string_view("add_one_and_more").substr(0, 7)), &ordinal));
  EXPECT_EQ(ordinal, executable.Export("add_one"));
}

// --- Export lists, for formats that need one ---

/// The export list of set "basic", to be changed.
class ExportListTest : public DeviceTest {
 protected:
  void SetUp() override {
    if (source_.params().export_count == 0) GTEST_SKIP() << "images of this format describe their exports themselves";
    for (size_t i = 0; i < source_.params().export_count; ++i) exports_.push_back(source_.params().exports[i]);
  }
  hal_export_info_t& Find(std::string_view name) {
    for (hal_export_info_t& info : exports_) {
      if (Text(info.name) == name) return info;
    }
    throw std::runtime_error("no such export");
  }
  hal_status_t CreateWith(const std::vector<hal_export_info_t>& exports, Executable* out) const {
    hal_executable_params_t params = source_.params();
    params.exports = exports.data();
    params.export_count = exports.size();
    return Create(device(), params, out);
  }

  const KernelSource source_{device(), "basic"};
  std::vector<hal_export_info_t> exports_;
};

TEST_F(ExportListTest, OrdinalsAreInItsOrder) {
  std::reverse(exports_.begin(), exports_.end());
  Executable executable;
  ASSERT_OK(CreateWith(exports_, &executable));
  for (uint32_t i = 0; i < exports_.size(); ++i) {
    EXPECT_EQ(Text(hal_executable_export_info(executable, i)->name), Text(exports_[i].name));
  }
  ExpectAddsOne(device(), executable);
}

TEST_F(ExportListTest, NameMayDifferFromTheSymbol) {
  hal_export_info_t& info = Find("add_one");
  info.symbol = info.name;
  info.name = View("increment");
  Executable executable;
  ASSERT_OK(CreateWith({info}, &executable));
  uint32_t ordinal = 7;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_executable_find_export(executable, View("add_one"), &ordinal));
  const Buffer data = device().CreateBufferOf(Counting(64));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, "increment", Dispatch().Bind(data)));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), Counting(64, 1)));
}

TEST_F(ExportListTest, OneSymbolMayBeExportedTwice) {
  hal_export_info_t narrow = Find("add_one");
  narrow.symbol = narrow.name;
  narrow.name = View("add_one_narrow");
  narrow.workgroup_size = {1, 1, 1};
  Executable executable;
  ASSERT_OK(CreateWith({Find("add_one"), narrow}, &executable));
  const Buffer data = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, "add_one_narrow", Dispatch().Bind(data)));
  ASSERT_OK(done.Wait(1));
  std::vector<uint32_t> expected(64, 0);
  expected[0] = 1;
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), expected));
}

TEST_F(ExportListTest, NothingOfItIsNeededAfterwards) {
  Executable executable;
  {
    std::string name = "renamed";
    std::string symbol = "add_one";
    std::vector<hal_parameter_t> parameters = {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE)};
    hal_export_info_t info = Find("add_one");
    info.name = View(name);
    info.symbol = View(symbol);
    info.parameters = parameters.data();
    ASSERT_OK(CreateWith({info}, &executable));
    name.assign(name.size(), '#');
    symbol.assign(symbol.size(), '#');
    parameters[0] = hal_parameter_constant(99, 99);
  }
  const hal_export_info_t* info = hal_executable_export_info(executable, 0);
  EXPECT_EQ(Text(info->name), "renamed");
  EXPECT_EQ(info->parameters[0].kind, HAL_PARAMETER_KIND_BINDING);
}

/// How a later version of the API may declare an export.
struct GrownExportInfo {
  hal_export_info_t known;
  uint64_t unknown[2];
};

TEST_F(ExportListTest, ElementsMayBeLargerThanTheLibraryKnows) {
  std::vector<GrownExportInfo> grown;
  for (hal_export_info_t info : exports_) {
    info.struct_size = sizeof(GrownExportInfo);
    grown.push_back({info, {0, 0}});
  }
  hal_executable_params_t params = source_.params();
  params.exports = &grown[0].known;
  params.export_count = grown.size();
  Executable executable;
  ASSERT_OK(Create(device(), params, &executable));
  EXPECT_EQ(hal_executable_export_count(executable), exports_.size());
  ExpectAddsOne(device(), executable);
}

TEST_F(ExportListTest, MissingSymbolIsNotFoundAndNamed) {
  exports_[0].symbol = View("no_such_symbol");
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, CreateWith(exports_, &executable));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no_such_symbol"));
  EXPECT_EQ(executable.get(), nullptr);
}

// Then the image has to tell; some formats cannot.
TEST_F(ExportListTest, MayBeEmptyIfTheImageTells) {
  Executable executable;
  const hal_status_t status = CreateWith({}, &executable);
  if (status != HAL_STATUS_OK) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, status);
    return;
  }
  EXPECT_EQ(hal_executable_export_count(executable), exports_.size());
  ExpectAddsOne(device(), executable, Dispatch().WorkgroupSize(64));  // which not every image tells
}

TEST_F(ExportListTest, NamesMustDiffer) {
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, CreateWith({exports_[0], exports_[1], exports_[0]}, &executable));
}

TEST_F(ExportListTest, LayoutMustAgree) {
  Executable executable;
  const hal_descriptor_binding_t bindings[] = {{0, HAL_BINDING_ACCESS_READ_WRITE}, {1, HAL_BINDING_ACCESS_READ_WRITE}};
  for (const size_t count : {0, 1, 2}) {
    DescriptorSetLayout set;
    ASSERT_OK(hal_descriptor_set_layout_create(device(), count, bindings, set.out()));
    for (const uint32_t constants : {0u, 4u}) {
      PipelineLayout layout;
      hal_descriptor_set_layout_t* sets[] = {set};
      ASSERT_OK(hal_pipeline_layout_create(device(), 1, sets, constants, layout.out()));
      hal_export_info_t info = Find("add_one");
      info.layout = layout;
      const bool agrees = count == 1 && constants == 0;
      EXPECT_STATUS(agrees ? HAL_STATUS_OK : HAL_STATUS_INVALID_ARGUMENT, CreateWith({info}, &executable))
          << count << " bindings, " << constants << " bytes of constants";
    }
  }
}

// --- Bad entries ---

struct BadExport {
  const char* name;
  hal_status_t status;
  /// Makes `add_constant` invalid, whose parameters are {constant, binding 0, binding 1}.
  void (*make_invalid)(hal_export_info_t* info, hal_parameter_t* parameters, const hal_device_limits_t& limits);
};
void PrintTo(const BadExport& bad, std::ostream* out) { *out << bad.name; }

const BadExport kBadExports[] = {
    {"NoStructSize", HAL_STATUS_INVALID_ARGUMENT, [](auto* e, auto*, const auto&) { e->struct_size = 0; }},
    {"NoName", HAL_STATUS_INVALID_ARGUMENT,
     [](auto* e, auto*, const auto&) {
       e->name = {nullptr, 0};
     }},
    {"ParametersMissing", HAL_STATUS_INVALID_ARGUMENT, [](auto* e, auto*, const auto&) { e->parameters = nullptr; }},
    {"UnknownKind", HAL_STATUS_INVALID_ARGUMENT,
     [](auto*, auto* p, const auto&) { p[0].kind = static_cast<hal_parameter_kind_t>(9); }},
    {"UnknownAccess", HAL_STATUS_INVALID_ARGUMENT,
     [](auto*, auto* p, const auto&) { p[1].access = static_cast<hal_binding_access_t>(9); }},
    {"ConstantOfNoBytes", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* p, const auto&) { p[0].size = 0; }},
    {"ConstantPastTheEnd", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* p, const auto&) { p[0].offset = 1; }},
    {"ConstantTooLong", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* p, const auto&) { p[0].size = 5; }},
    {"ConstantSumOverflows", HAL_STATUS_INVALID_ARGUMENT,
     [](auto*, auto* p, const auto&) { p[0].offset = UINT32_MAX; }},
    {"BindingTwice", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* p, const auto&) { p[2].binding = 0; }},
    {"TooManyConstants", HAL_STATUS_OUT_OF_RANGE,
     [](auto* e, auto*, const auto& limits) { e->constants_size = limits.max_constants_size + 1; }},
    {"TooMuchLocalMemory", HAL_STATUS_OUT_OF_RANGE,
     [](auto* e, auto*, const auto& limits) { e->local_memory_size = limits.max_local_memory + 1; }},
    {"WorkgroupTooLarge", HAL_STATUS_OUT_OF_RANGE,
     [](auto* e, auto*, const auto& limits) { e->workgroup_size.x = limits.max_workgroup_size.x + 1; }},
    {"SetTooLarge", HAL_STATUS_OUT_OF_RANGE,
     [](auto*, auto* p, const auto& limits) { p[1].set = limits.max_descriptor_sets; }},
};

class BadExportTest : public DeviceTestWith<BadExport> {};

TEST_P(BadExportTest, IsRefused) {
  const KernelSource source(device(), "basic");
  if (source.params().export_count == 0) GTEST_SKIP() << "images of this format describe their exports themselves";
  const std::vector<KernelExport>& kernels = FindKernelSet("basic").exports;
  size_t index = 0;
  while (kernels[index].name != "add_constant") ++index;
  std::vector<hal_parameter_t> parameters = kernels[index].parameters;
  hal_export_info_t info = source.params().exports[index];
  info.parameters = parameters.data();
  GetParam().make_invalid(&info, parameters.data(), device().limits());
  hal_executable_params_t params = source.params();
  params.exports = &info;
  params.export_count = 1;
  Executable executable;
  EXPECT_STATUS(GetParam().status, Create(device(), params, &executable));
  EXPECT_EQ(executable.get(), nullptr);
  EXPECT_STRNE(hal_last_error_message(), "");
}

INSTANTIATE_TEST_SUITE_P(Exports, BadExportTest, testing::ValuesIn(kBadExports), ByName);

}  // namespace
}  // namespace halyard::cts
