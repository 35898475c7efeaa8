// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_driver.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "cuda/cuda_api.h"
#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "stream/stream_driver.h"

namespace halyard::cuda {
namespace {

HostString Lower(std::string_view text) {
  HostString lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

HostString FormatUuid(const CUuuid& uuid) {
  HostString text = "GPU-";
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

CudaDriver::CudaDriver(const hal_driver_interface_t& completed, const CudaLibrary& library)
    : hal_driver_t{}, cuda_(library) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status CudaDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  const CudaLibrary* library = nullptr;
  HAL_TRY(CudaLibrary::Get(&library));
  std::unique_ptr<CudaDriver> driver(new CudaDriver(completed, *library));
  HAL_TRY(driver->Enumerate());
  *out_driver = driver.release();
  return kOk;
}

Status CudaDriver::Enumerate() {
  int count = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuDeviceGetCount, (&count)));
  if (count == 0) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' finds no device (CUDA_VISIBLE_DEVICES may hide some)",
                cuda_.path().c_str());
  }
  entries_.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    HAL_TRY(Describe(i, &entries_[static_cast<size_t>(i)]));
  }
  return kOk;
}

Status CudaDriver::Describe(int ordinal, Entry* out) const {
  std::array<char, 256> name{};
  std::array<char, 64> pci{};
  CUuuid uuid{};
  Status status = HALYARD_CUDA(cuda_, cuDeviceGet, (&out->device, ordinal));
  if (status == kOk) {
    status = HALYARD_CUDA(cuda_, cuDeviceGetName, (name.data(), static_cast<int>(name.size()) - 1, out->device));
  }
  if (status == kOk) {
    status = HALYARD_CUDA(cuda_, cuDeviceGetPCIBusId, (pci.data(), static_cast<int>(pci.size()) - 1, out->device));
  }
  if (status == kOk) status = HALYARD_CUDA(cuda_, cuDeviceGetUuid_v2, (&uuid, out->device));
  if (status != kOk) return status;
  out->id = FormatUuid(uuid);
  out->name = name.data();
  out->pci = Lower(pci.data());
  return kOk;
}

Status CudaDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  HostVector<hal_device_summary_t> summaries;
  for (const Entry& entry : entries_) {
    hal_device_summary_t summary = HAL_DEVICE_SUMMARY_INIT;
    summary.id = ToC(entry.id);
    summary.name = ToC(entry.name);
    summaries.push_back(summary);
  }
  return WriteList<hal_device_summary_t>(summaries, count, devices);
}

Status CudaDriver::Find(std::string_view id, size_t* out_index) const {
  const HostString address = Lower(id);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.pci == address; });
  if (found != entries_.end()) {
    *out_index = static_cast<size_t>(found - entries_.begin());
    return kOk;
  }
  HostVector<std::string_view> ids;
  for (const Entry& entry : entries_) ids.push_back(entry.id);
  return FindDevice("cuda", id, ids, out_index);
}

Status CudaDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  const Entry& entry = entries_[index];
  auto api = std::make_unique<CudaApi>(cuda_, entry.device);
  HAL_TRY(api->Open());

  Options options(pair_count, pairs);
  stream::StreamDeviceOptions device;
  HAL_TRY(ReadOptions(options, api->traits(), &device));
  if (Status status = options.Finish("cuda://" + entry.id); status != kOk) return status;
  const stream::StreamDeviceIdentity identity = {entry.id, entry.name, static_cast<uint32_t>(index)};
  return stream::StreamDevice::Create(*tables, std::move(api), identity, device, out_device);
}

}  // namespace halyard::cuda

extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::stream::StreamClasses<halyard::cuda::CudaDriver>>
      driver_interface("cuda", "NVIDIA GPUs, through the CUDA driver API: cuda://<ordinal, UUID or PCI address>");
  return driver_interface.get();
}
