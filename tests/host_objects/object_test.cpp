// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relocatable objects: those of compilers run, however they address memory; others are refused by name.
#include <cmath>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "host_code.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int32_t HostTwice(int32_t value) { return 2 * value; }

const hal_function_import_t kTwice = {hal_string_view("host_twice"), reinterpret_cast<void (*)(void)>(HostTwice)};

std::vector<std::string> Kinds() {
  std::istringstream words(HALYARD_OBJECT_KINDS);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

class ObjectKindTest : public HostCodeTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    HostCodeTest::SetUp();
    const std::vector<std::byte> object = ReadObject("kernels_" + GetParam());
    const hal_parameter_t sines[] = {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                                     hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE)};
    const hal_parameter_t mixture[] = {hal_parameter_constant(0, 4),
                                       hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)};
    hal_value_type_t arguments[4] = {};
    arguments[0].kind = arguments[1].kind = HAL_VALUE_KIND_POINTER;
    arguments[0].access = HAL_BINDING_ACCESS_READ;
    arguments[0].element_type = arguments[1].element_type = arguments[2].element_type = HAL_ELEMENT_TYPE_F32;
    arguments[3].element_type = HAL_ELEMENT_TYPE_I64;
    hal_function_signature_t weighted = HAL_INIT(hal_function_signature_t);
    weighted.convention = HAL_CALLING_CONVENTION_C;
    weighted.argument_count = 4;
    weighted.arguments = arguments;
    hal_export_info_t exports[] = {KernelExport("sines", sines, 0), KernelExport("mixture", mixture, 4),
                                   HAL_EXPORT_INFO_INIT};
    exports[0].workgroup_size = hal_dim3(4, 1, 1);
    exports[2].name = hal_string_view("weighted");
    exports[2].signature = &weighted;
    hal_executable_params_t params = ObjectParams(object);
    params.exports = exports;
    params.export_count = 3;
    params.imports = &kTwice;
    params.import_count = 1;
    ASSERT_EQ(Create(params), HAL_STATUS_OK) << hal_last_error_message();
  }
};

TEST_P(ObjectKindTest, CallsLibrariesForAllWorkgroups) {
  const Ref<hal_buffer_t> x = Buffer(4);
  const Ref<hal_buffer_t> y = Buffer(4);
  const float values[] = {0, 0.5F, 1, 2};
  ASSERT_EQ(hal_buffer_write(x.get(), 0, values, sizeof(values)), HAL_STATUS_OK);
  hal_buffer_t* const buffers[] = {x.get(), y.get()};
  ASSERT_EQ(Run(0, buffers), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(Read<float>(y, 4), ElementsAre(0, std::sin(0.5F), std::sin(1.0F), std::sin(2.0F)));
}

TEST_P(ObjectKindTest, FindsConstantsTablesAndVariables) {
  const Ref<hal_buffer_t> y = Buffer(13);
  hal_buffer_t* const buffers[] = {y.get()};
  const int32_t value = 20;
  for (int32_t run = 0; run < 2; ++run) {
    ASSERT_EQ(Run(1, buffers, std::as_bytes(std::span(&value, 1))), HAL_STATUS_OK) << hal_last_error_message();
    const std::vector<int32_t> got = Read<int32_t>(y, 13);
    EXPECT_THAT(std::vector<int32_t>(got.begin(), got.begin() + 9),
                ElementsAre(60, 31, 40, 2, 25, 19, 40, 40 + run, 11));
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(&got[9]), 8), "multiply");
    EXPECT_EQ(got[11], 3 * (run + 1));
    EXPECT_EQ(got[12], 2 * (run + 1));
  }
  Ref<hal_buffer_t> counter;
  ASSERT_EQ(hal_executable_find_global(executable_.get(), 1, hal_string_view("counter"), counter.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_THAT(Read<int32_t>(counter, 1), ElementsAre(42));
  Ref<hal_buffer_t> other;
  EXPECT_EQ(hal_executable_find_global(executable_.get(), 1, hal_string_view("pointer_to_hidden"), other.out()),
            HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(hal_executable_find_global(executable_.get(), 1, hal_string_view("multiply"), other.out()),
            HAL_STATUS_NOT_FOUND);
}

TEST_P(ObjectKindTest, RunsPlainFunctions) {
  const Ref<hal_buffer_t> x = Buffer(3);
  const Ref<hal_buffer_t> y = Buffer(3);
  const float values[] = {1, 2, 3};
  ASSERT_EQ(hal_buffer_write(x.get(), 0, values, sizeof(values)), HAL_STATUS_OK);
  struct {
    float weight = 2.5F;
    int64_t count = 3;
  } constants;
  hal_buffer_t* const buffers[] = {x.get(), y.get()};
  ASSERT_EQ(Run(2, buffers, std::as_bytes(std::span(&constants, 1))), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(Read<float>(y, 3), ElementsAre(2.5F, 5, 7.5F));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObjectKindTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& each) { return each.param; });

class ObjectTest : public HostCodeTest {
 protected:
  /// Loads an object whose kernel `plain` has one binding.
  hal_status_t Load(std::span<const std::byte> object) {
    const hal_parameter_t parameters[] = {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)};
    const hal_export_info_t info = KernelExport("plain", parameters, 0);
    hal_executable_params_t params = ObjectParams(object);
    params.exports = &info;
    params.export_count = 1;
    return Create(params);
  }
  void ExpectRefused(const char* name, const char* words, hal_status_t status = HAL_STATUS_INCOMPATIBLE) {
    EXPECT_EQ(Load(ReadObject(name)), status) << name;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words)) << name;
  }
};

TEST_F(ObjectTest, WhatOnlyASharedObjectCanHaveIsRefusedByName) {
  ExpectRefused("thread_local", "thread-local data");
  ExpectRefused("foreign_thread_local", "'calls_of_others'");
  ExpectRefused("constructor", "has functions to run when the code is loaded");
  ExpectRefused("indirect", "'number' is an indirect function");
  ExpectRefused("catches", "exceptions are caught");
}

TEST_F(ObjectTest, AllMissingSymbolsAreNamed) {
  ExpectRefused("unresolved", "'nor_this'", HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("'not_there'"));
}

#if defined(__x86_64__)
TEST_F(ObjectTest, VariablesOfLibrariesThatAreTooFarAwayAreNamed) {
  ExpectRefused("far_data", "'stderr' is too far away");
  EXPECT_THAT(hal_last_error_message(), HasSubstr("-fPIC"));
}
#endif

TEST_F(ObjectTest, RecordsTellTheExports) {
  const std::vector<std::byte> object = ReadObject("small");
  ASSERT_EQ(Create(ObjectParams(object)), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(hal_executable_export_count(executable_.get()), 1u);
  const Ref<hal_buffer_t> y = Buffer(2);
  hal_buffer_t* const buffers[] = {y.get()};
  ASSERT_EQ(Run(0, buffers), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(Read<int32_t>(y, 2), ElementsAre(0x12345678, 1));
}

TEST_F(ObjectTest, EachExecutableHasItsOwnVariables) {
  const std::vector<std::byte> object = ReadObject("small");
  const Ref<hal_buffer_t> y = Buffer(2);
  hal_buffer_t* const buffers[] = {y.get()};
  for (int i = 0; i < 3; ++i) {
    const Ref<hal_executable_t> kept = executable_;
    ASSERT_EQ(Load(object), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Run(0, buffers), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_THAT(Read<int32_t>(y, 2), ElementsAre(0x12345678, 1));
  }
}

TEST_F(ObjectTest, FilesAreReadAndNamed) {
  const std::vector<std::byte> object = ReadObject("small");
  std::vector<uint8_t> bytes(object.size());
  std::memcpy(bytes.data(), object.data(), object.size());
  const TemporaryFile file(bytes);
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_OBJECT);
  params.path = hal_string_view(file.path().c_str());
  EXPECT_EQ(Create(params), HAL_STATUS_OK) << hal_last_error_message();
}

// Whatever a byte says, the object is refused or linked. It does not run: its code is as trusted as any.
TEST_F(ObjectTest, DamagedObjectsAreRefusedOrLinked) {
  for (const auto& [name, step] : {std::pair("small", 1), std::pair("indirect", 5), std::pair("thread_local", 5)}) {
    const std::vector<std::byte> object = ReadObject(name);
    for (size_t size = 7; size < object.size(); size += 7) static_cast<void>(Load(std::span(object).first(size)));
    for (size_t i = 0; i < object.size(); i += static_cast<size_t>(step)) {
      std::vector<std::byte> damaged = object;
      for (const unsigned value : {0u, 0x7fu, 0xffu}) {
        damaged[i] = static_cast<std::byte>(value);
        static_cast<void>(Load(damaged));
      }
    }
  }
}

// A buffer of such a variable would reach the memory of others.
TEST_F(ObjectTest, VariablesLargerThanTheirSectionAreRefused) {
  const std::vector<std::byte> object = ReadObject("small");
  size_t refused = 0;
  for (size_t i = 0; i + 24 <= object.size(); i += 8) {
    // Wherever a symbol table has an entry: a variable of 4 bytes, whose size is its last number.
    std::vector<std::byte> changed = object;
    uint64_t size = 0;
    std::memcpy(&size, &object[i + 16], 8);
    if (size != 4 || (std::to_integer<unsigned>(object[i + 4]) & 0xf) != 1) continue;
    size = 1 << 20;
    std::memcpy(&changed[i + 16], &size, 8);
    if (Load(changed) != HAL_STATUS_DATA_LOSS) continue;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("of 1048576 bytes"));
    ++refused;
  }
  EXPECT_GE(refused, 1u);
}

TEST_F(ObjectTest, OtherFilesAreNoObjects) {
  std::vector<std::byte> object = ReadObject("small");
  object[16] = std::byte{3};
  EXPECT_EQ(Load(object), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("'host-shared-object'"));
  object[16] = std::byte{1};
  object[18] = std::byte{8};
  EXPECT_EQ(Load(object), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("machine 8"));
}

}  // namespace
}  // namespace halyard::testing
