// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include "support/json.h"
#include "support/kernels/export_description.h"
#include "support/temporary_files.h"

namespace halyard::testing {

FunctionTest::~FunctionTest() {
  hal_executable_release(executable_);
  hal_device_release(device_);
}

void FunctionTest::Open(const char* uri) {
  ASSERT_EQ(hal_device_create(hal_string_view(uri), &device_), HAL_STATUS_OK) << hal_last_error_message();
}

hal_status_t FunctionTest::Load(const FunctionSpec& spec, const Roles& roles) {
  if (!device_) Open("local://sync");
  tools::MlirFunction function;
  tools::ReadMlirFunctionType(spec.type, &function);
  for (const auto& [index, role] : roles) function.arguments[index].type.role = role;
  const tools::MlirSignature signature(function, spec.convention);
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(spec.name);
  info.signature = &signature.Get();
  return Create(info);
}

hal_status_t FunctionTest::LoadC(const char* name, const std::string& description) {
  if (!device_) Open("local://sync");
  tools::Json document = tools::Json::parse(description);
  document["name"] = name;
  document["convention"] = "c";
  const TemporaryFolder folder;
  const auto exports = tools::ReadExportDescriptions(
      folder.Write("exports.json", tools::JsonText({{"exports", tools::Json::array({document})}})));
  return Create(tools::ToExportInfos(exports, "")[0]);
}

hal_status_t FunctionTest::Create(const hal_export_info_t& info) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(FUNCTIONS_PATH);
  params.exports = &info;
  params.export_count = 1;
  hal_executable_release(executable_);
  executable_ = nullptr;
  return hal_executable_create(device_, &params, &executable_);
}

const hal_function_t* FunctionTest::Find(const FunctionSpec& spec) {
  const hal_function_t* function = nullptr;
  EXPECT_EQ(Load(spec), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view(spec.name), &function), HAL_STATUS_OK)
      << hal_last_error_message();
  return function;
}

hal_memref_t MemrefOf(std::vector<float>& values, std::vector<int64_t> sizes) {
  hal_memref_t memref;
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, static_cast<uint32_t>(sizes.size()), sizes.data(), nullptr};
  EXPECT_EQ(hal_memref_initialize(&shape, values.data(), values.size() * sizeof(float), &memref), HAL_STATUS_OK)
      << hal_last_error_message();
  return memref;
}

::testing::AssertionResult MessageHas(const std::string& text) {
  const std::string message = hal_last_error_message();
  if (message.find(text) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the message is: " << message;
}

}  // namespace halyard::testing
