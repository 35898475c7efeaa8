// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_params.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/application_call.h"
#include "core/application_calls.h"
#include "core/validation/checks.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/executable/export_table.h"
#include "function/subgroup_sizes.h"
#include "halyard/device_properties.h"

namespace halyard {
namespace {

/// More entry points than any image has; a larger number was never set.
constexpr size_t kMaxExports = 1u << 20;

Status CheckFunctions(const hal_executable_params_t& params) {
  if (params.function_count == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->function_count is 0");
  if (params.function_count != params.export_count) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->function_count is %zu, and params->export_count is %zu",
                params.function_count, params.export_count);
  }
  HAL_TRY(CheckNotNull("params->functions", params.functions));
  for (size_t i = 0; i < params.function_count; ++i) {
    if (!params.functions[i]) return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->functions[%zu] is NULL", i);
  }
  return kOk;
}

}  // namespace

Status CheckImage(const hal_executable_params_t& params) {
  const std::string_view path = View(params.path);
  if (View(params.format) == HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS) {
    if (!params.data && path.empty()) return CheckFunctions(params);
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "the format 'host-functions' has no image: give neither params->data nor params->path");
  }
  if (params.functions || params.function_count != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->functions is for the format 'host-functions', not '%.*s'",
                HALYARD_SV(View(params.format)));
  }
  if (params.data && !path.empty()) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->data and params->path are both given");
  }
  if (!params.data && path.empty()) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "neither params->data nor params->path is given");
  }
  if (params.data && params.data_size == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->data_size is 0");
  if (path.find('\0') == std::string_view::npos) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->path holds a zero byte");
}

namespace {

Status CheckFormat(hal_device_t* device, hal_string_view_t format) {
  if (View(format).empty()) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->format is empty");
  return FromC(VtableOf(device)->query_format(device, format));
}

Status CheckSpecialization(std::span<const hal_specialization_t> all, size_t index) {
  const hal_specialization_t& constant = all[index];
  const uint32_t size = constant.size;
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->specializations[%zu].size is %u; it must be 1, 2, 4 or 8", index,
                size);
  }
  if (size < 8 && constant.value >> (8 * size) != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->specializations[%zu].value 0x%" PRIx64 " has more than %u bytes",
                index, constant.value, size);
  }
  const bool twice = std::any_of(all.begin(), all.begin() + static_cast<ptrdiff_t>(index),
                                 [&](const hal_specialization_t& other) { return other.id == constant.id; });
  if (!twice) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->specializations has the id %u twice", constant.id);
}

Status CheckSpecializations(std::span<const hal_specialization_t> all) {
  if (all.empty()) return kOk;
  HAL_TRY(CheckNotNull("params->specializations", all.data()));
  for (size_t i = 0; i < all.size(); ++i) HAL_TRY(CheckSpecialization(all, i));
  return kOk;
}

Status CheckImports(const hal_executable_params_t& params) {
  if (params.import_count == 0) return kOk;
  HAL_TRY(CheckNotNull("params->imports", params.imports));
  for (size_t i = 0; i < params.import_count; ++i) {
    HAL_TRY(CheckText("params->imports[i].name", params.imports[i].name));
  }
  return kOk;
}

/// Other devices keep nothing of the caller's, and an executable file may become several executables.
Status CheckRelease(const hal_executable_params_t& params) {
  if (!params.release || View(params.format).starts_with("host-")) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->release is for the formats of the host, 'host-…', not '%.*s'",
              HALYARD_SV(View(params.format)));
}

/// The first element's `struct_size` says how far apart the elements are, so the others must agree.
Status CheckStride(size_t stride, size_t index, size_t struct_size) {
  if (struct_size == stride && stride % alignof(hal_export_info_t) == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->exports[%zu].struct_size is %zu and exports[0].struct_size is %zu; "
              "begin each with HAL_EXPORT_INFO_INIT",
              index, struct_size, stride);
}

/// Whether a device can run kernels in the subgroups that they are made for. HSACO is for machines that have its size.
Status CheckSubgroups(hal_device_t* device, std::string_view format, std::span<const hal_export_info_t> exports) {
  const auto needs_some = [](const hal_export_info_t& info) {
    return info.subgroup_size > 0 || info.min_subgroup_size > 0 || info.max_subgroup_size > 0;
  };
  if (format == "hsaco" || std::none_of(exports.begin(), exports.end(), needs_some)) return kOk;
  hal_device_properties_t properties = BlankProperties();
  HAL_TRY(VtableOf(device)->query_properties(device, &properties));
  const SubgroupSizes sizes = {properties.min_subgroup_size, properties.max_subgroup_size};
  if (sizes.most == 0) return kOk;  // the device does not tell
  for (size_t i = 0; i < exports.size(); ++i) {
    uint32_t chosen = 0;
    const Failure failure(ChooseSubgroupSize(exports[i], sizes, sizes.least, &chosen));
    if (!failure) continue;
    return Fail(failure.code(), "export %zu (\"%.*s\"): %s", i, HALYARD_SV(View(exports[i].name)),
                failure.message().data());
  }
  return kOk;
}

}  // namespace

Status BlobStore::Read(const hal_blob_store_t* given) {
  HAL_TRY(ReadStruct("params->blobs", given, &given_));
  if (!given_.load || !given_.store) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->blobs->%s is NULL", given_.load ? "store" : "load");
  }
  store_.context = this;
  store_.load = Load;
  store_.store = Store;
  return kOk;
}

bool BlobStore::Load(void* self, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
  const hal_blob_store_t& given = static_cast<BlobStore*>(self)->given_;
  bool was_found = false;
  CallApplicationUntold("a blob store's load", [&] { was_found = given.load(given.context, key, found, user_data); });
  return was_found;
}

void BlobStore::Store(void* self, hal_string_view_t key, const void* data, size_t size) {
  const hal_blob_store_t& given = static_cast<BlobStore*>(self)->given_;
  CallApplicationUntold("a blob store's store", [&] { given.store(given.context, key, data, size); });
}

Status ExecutableParams::Read(hal_device_t* device, const hal_executable_params_t& given) {
  params_ = given;
  HAL_TRY(source_.Resolve(device, &params_));
  HAL_TRY(CheckFormat(device, params_.format));
  HAL_TRY(CheckSpecializations(Specializations()));
  HAL_TRY(CheckRelease(params_));
  HAL_TRY(reflection_.Resolve(&params_));
  HAL_TRY(CheckImports(params_));
  if (params_.blobs) {
    HAL_TRY(blobs_.Read(params_.blobs));
    params_.blobs = blobs_.get();
  }
  HAL_TRY(ReadExports(params_));
  HAL_TRY(reflection_.Complete(&params_, exports_));
  params_.exports = exports_.empty() ? nullptr : exports_.data();
  HAL_TRY(CheckExports(device, exports_));
  return CheckSubgroups(device, View(params_.format), exports_);
}

void ExecutableParams::SetDefaultBlobs(const hal_blob_store_t* blobs) {
  if (!params_.blobs) params_.blobs = blobs;
}

Status ExecutableParams::Create(hal_device_t* device, hal_executable_t** out_executable) const {
  auto call = params_.release ? std::make_unique<ReleaseCall>(params_.release, params_.release_user_data) : nullptr;
  hal_executable_params_t params = params_;
  params.release = call ? ReleaseCall::OnRelease : nullptr;
  params.release_user_data = call.get();
  HAL_TRY(VtableOf(device)->create_executable(device, &params, out_executable));
  static_cast<void>(call.release());  // the executable's
  return kOk;
}

void ExecutableParams::SetData(std::span<const std::byte> image) {
  params_.data = image.data();
  params_.data_size = image.size();
  params_.path = {nullptr, 0};
}

Status ExecutableParams::ReadExports(const hal_executable_params_t& given) {
  if (given.export_count == 0) return kOk;
  HAL_TRY(CheckNotNull("params->exports", given.exports));
  if (given.export_count > kMaxExports) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "params->export_count is %zu; at most %zu is possible", given.export_count,
                kMaxExports);
  }
  // The caller's struct may have another size than ours.
  const size_t stride = given.exports[0].struct_size;
  HAL_TRY(CheckStride(stride, 0, stride));
  const auto* bytes = reinterpret_cast<const char*>(given.exports);
  exports_.assign(given.export_count, HAL_EXPORT_INFO_INIT);
  for (size_t i = 0; i < given.export_count; ++i) {
    const auto* element = reinterpret_cast<const hal_export_info_t*>(bytes + i * stride);
    std::array<char, 48> name;
    std::snprintf(name.data(), name.size(), "params->exports[%zu]", i);
    HAL_TRY(ReadStruct(name.data(), element, &exports_[i]));
    HAL_TRY(CheckStride(stride, i, element->struct_size));
  }
  return kOk;
}

}  // namespace halyard
