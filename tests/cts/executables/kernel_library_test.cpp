// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite's own kernels: what the build found out about them, in their executable files, is what the suite's table
// says.
#include <string>

#include "cts/cts.h"
#include "cts/options.h"

namespace halyard::cts {
namespace {

class KernelLibraryTest : public DeviceTest {};

void ExpectSame(const hal_export_info_t& found, const KernelExport& expected) {
  SCOPED_TRACE(expected.name);
  EXPECT_EQ(found.workgroup_size.x, expected.workgroup_size.x);
  if (expected.workgroup_size.x != 0) {
    EXPECT_EQ(found.workgroup_size.y, expected.workgroup_size.y);
    EXPECT_EQ(found.workgroup_size.z, expected.workgroup_size.z);
  }
  EXPECT_EQ(found.local_memory_size, expected.local_memory_size);
  EXPECT_EQ(found.constants_size, expected.constants_size);
  ASSERT_EQ(found.parameter_count, expected.parameters.size());
  for (uint32_t i = 0; i < found.parameter_count; ++i) {
    const hal_parameter_t& parameter = found.parameters[i];
    const hal_parameter_t& wanted = expected.parameters[i];
    EXPECT_EQ(parameter.kind, wanted.kind) << "parameter " << i;
    EXPECT_EQ(parameter.offset, wanted.offset) << "parameter " << i;
    EXPECT_EQ(parameter.size, wanted.size) << "parameter " << i;
    EXPECT_EQ(parameter.set, wanted.set) << "parameter " << i;
    EXPECT_EQ(parameter.binding, wanted.binding) << "parameter " << i;
    EXPECT_EQ(parameter.access, wanted.access) << "parameter " << i;
  }
}

TEST_F(KernelLibraryTest, ExecutableFilesSayWhatTheTableSays) {
  for (const KernelSet& set : KernelSets()) {
    if (set.only_host || !HasKernels(device(), set.name)) continue;
    const std::string path = options().kernels + "/cts_" + set.name + ".halx";
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = View(path);
    Executable executable;
    ASSERT_OK(hal_executable_create(device(), &params, executable.out())) << path;
    EXPECT_EQ(hal_executable_export_count(executable), set.exports.size()) << path;
    for (const KernelExport& expected : set.exports) {
      uint32_t ordinal = 0;
      ASSERT_OK(hal_executable_find_export(executable, View(expected.name), &ordinal));
      ExpectSame(*hal_executable_export_info(executable, ordinal), expected);
    }
  }
}

}  // namespace
}  // namespace halyard::cts
