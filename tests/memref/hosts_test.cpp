// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One module compiled for hosts of two architectures: each device takes the image that fits.
#include <string>
#include <vector>

#include "functions.h"
#include "import_module.h"
#include "support/failure.h"

namespace halyard::testing {
namespace {

#if defined(__x86_64__)
constexpr const char* kThis = "x86_64";
constexpr const char* kOther = "aarch64";
#else
constexpr const char* kThis = "aarch64";
constexpr const char* kOther = "x86_64";
#endif

// It calls a function of the application, through the table that is written for each architecture.
constexpr const char* kHostsModule = R"(
func.func private @offset(%x: f32) -> f32
func.func @scaled(%x: f32, %by: f32) -> f32 {
  %product = arith.mulf %x, %by : f32
  %sum = func.call @offset(%product) : (f32) -> f32
  return %sum : f32
}
)";

float Offset(float x) { return x + 0.5f; }

class HostsTest : public FunctionTest {
 protected:
  hal_status_t LoadFor(const std::vector<std::string>& hosts) {
    std::vector<std::string> options;
    options.reserve(hosts.size());
    for (const std::string& host : hosts) options.push_back("--host=" + host);
    if (!device_) Open("local://sync");
    hal_executable_release(executable_);
    executable_ = nullptr;
    const hal_function_import_t import = Import("offset", Offset);
    return LoadPacked(device_, PackMlir(folder_, kHostsModule, options), {import}, &executable_);
  }

  void ExpectScaled() {
    const hal_function_t* function = nullptr;
    ASSERT_EQ(hal_executable_find_function(executable_, hal_string_view("scaled"), &function), HAL_STATUS_OK);
    const hal_value_t arguments[] = {hal_value_f32(3), hal_value_f32(-4)};
    hal_value_t result;
    ASSERT_EQ(hal_function_call(function, 2, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(result.as.f32, -11.5f);
  }

 private:
  tools::WorkFolder folder_;
};

TEST_F(HostsTest, TheImageForThisHostIsTakenWhicheverComesFirst) {
  for (const std::vector<std::string>& hosts : {std::vector<std::string>{kThis, kOther}, {kOther, kThis}, {kThis}}) {
    ASSERT_EQ(LoadFor(hosts), HAL_STATUS_OK) << hal_last_error_message();
    ExpectScaled();
  }
}

TEST_F(HostsTest, AnImageForAnotherHostAloneIsRefused) {
  EXPECT_EQ(LoadFor({kOther}), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas(std::string("it is for '") + kOther + "', and this host is '" + kThis + "'"));
}

TEST_F(HostsTest, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_THROW(LoadFor({"sparc"}), tools::Failure);
  EXPECT_THROW(LoadFor({kThis, kThis}), tools::Failure);
}

}  // namespace
}  // namespace halyard::testing
