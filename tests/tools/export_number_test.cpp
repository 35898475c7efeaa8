// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What its fuzzer found in the reader of export descriptions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/temporary_files.h"

namespace halyard::tools {
namespace {

TEST(ExportNumberTest, NumbersThatNoDoubleHoldsAreRefusedLikeOtherInput) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("exports.json", R"({"exports": [{"name": "f", "constants_size": 1e999}]})");
  try {
    ReadExportDescriptions(path);
    FAIL() << "it was read";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kInput);
    EXPECT_EQ(failure.what(), "'" + path + "' has a number that is too large: '1e999'");
  }
}

}  // namespace
}  // namespace halyard::tools
