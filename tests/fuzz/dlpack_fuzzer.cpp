// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets bytes choose a tensor of DLPack, the device that imports it and how. A tensor that is refused stays untouched
// and the caller's, with a status and words. One that is taken must be well-formed as this file reckons it; the device
// must be given the memory that the tensor says, the view must say what the tensor says, and the tensor is deleted
// once. An ordinary tensor must be taken.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/dlpack/dlpack_abi.h"
#include "dlpack_device.h"
#include "halyard/halyard.h"

namespace halyard::dlpack {
namespace {

constexpr int32_t kMostRank = 64;
alignas(64) std::array<uint8_t, 128> g_memory;  // whose address tensors have; nothing is read or written there

void Require(bool condition) {
  if (!condition) std::abort();
}

/// The input. What it lacks is 0.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), end_(data + size) {}

  uint8_t Take() { return data_ < end_ ? *data_++ : 0; }
  template <class T>
  T TakeRaw() {
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | static_cast<T>(T{Take()} << 8 * i));
    return value;
  }
  /// Mostly one of `usual`, at times anything.
  template <class T, size_t kCount>
  T TakeOf(const std::array<T, kCount>& usual) {
    const uint8_t choice = Take();
    return choice >= 240 ? static_cast<T>(TakeRaw<std::make_unsigned_t<T>>()) : usual[choice % kCount];
  }

 private:
  const uint8_t* data_;
  const uint8_t* const end_;
};

/// A tensor of the application. The input of no bytes is an ordinary one.
struct OwnTensor : DLManagedTensorVersioned {
  explicit OwnTensor(Bytes* bytes) : DLManagedTensorVersioned{} {
    version = {bytes->TakeOf(std::array<uint32_t, 4>{1, 1, 1, 2}), bytes->TakeOf(std::array<uint32_t, 2>{0, 1})};
    flags = bytes->TakeOf(std::array<uint64_t, 8>{0, 0, 0, 0, 4, 1, 2, 5});
    deleter = bytes->Take() % 8 == 7 ? nullptr
                                     : [](DLManagedTensorVersioned* self) { ++static_cast<OwnTensor*>(self)->deleted; };
    tensor.type.code =
        bytes->TakeOf(std::array<uint8_t, 20>{2, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 3, 18});
    tensor.type.bits = bytes->TakeOf(std::array<uint8_t, 12>{32, 8, 16, 32, 64, 128, 4, 6, 1, 0, 24, 80});
    tensor.type.lanes = bytes->TakeOf(std::array<uint16_t, 8>{1, 1, 1, 1, 1, 1, 4, 0});
    tensor.device.type = bytes->TakeOf(std::array<int32_t, 8>{1, 1, 1, 3, 11, 2, 10, 13});
    tensor.device.id = bytes->TakeOf(std::array<int32_t, 4>{0, 0, 1, -1});
    TakeShape(bytes);
    TakeAddress(bytes);
  }
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;

  void TakeShape(Bytes* bytes) {
    tensor.rank = bytes->TakeOf(std::array<int32_t, 10>{2, 0, 1, 2, 3, 4, 64, 65, -1, 7});
    const auto count = static_cast<size_t>(std::clamp<int32_t>(tensor.rank, 0, 80));
    sizes.resize(count);
    strides.resize(count);
    for (int64_t& size : sizes) size = bytes->TakeOf(std::array<int64_t, 8>{2, 1, 3, 0, 1, 7, 1 << 20, -1});
    // Dense, with overflow left out of account; then some strides are not.
    uint64_t dense = 1;
    for (size_t i = count; i-- > 0;) {
      strides[i] = static_cast<int64_t>(dense);
      dense *= static_cast<uint64_t>(sizes[i]);
    }
    const uint8_t odd = bytes->Take();
    if (odd >= 128 && count > 0)
      strides[odd % count] = bytes->TakeOf(std::array<int64_t, 6>{0, 1, -1, 2, 4, INT64_MIN});
    tensor.shape = bytes->Take() % 16 == 15 ? nullptr : sizes.data();
    tensor.strides = bytes->Take() % 4 == 3 ? nullptr : strides.data();
  }

  void TakeAddress(Bytes* bytes) {
    const uint8_t choice = bytes->Take();
    tensor.data = choice == 255   ? nullptr
                  : choice == 254 ? reinterpret_cast<void*>(bytes->TakeRaw<uintptr_t>())
                                  : g_memory.data() + choice % 64;
    tensor.byte_offset = bytes->TakeOf(std::array<uint64_t, 8>{0, 0, 4, 16, 64, 1, UINT64_MAX, UINT64_MAX - 64});
    if (choice % 4 != 0 && choice < 192) tensor.data = g_memory.data();  // most are aligned
  }

  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int deleted = 0;
};

hal_buffer_params_t TakeParams(Bytes* bytes) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = bytes->TakeOf(std::array<hal_memory_type_t, 4>{0, HAL_MEMORY_TYPE_HOST_VISIBLE, 0, 1});
  params.usage = bytes->TakeOf(std::array<hal_buffer_usage_t, 4>{HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE,
                                                                 HAL_BUFFER_USAGE_TRANSFER_SOURCE, HAL_BUFFER_USAGE_ALL,
                                                                 HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_EXPORT});
  params.alignment = bytes->TakeOf(std::array<decltype(params.alignment), 6>{0, 0, 0, 64, 3, 1 << 20});
  return params;
}

/// Bytes of all elements; nothing if there are 2^63 or more, or if a size is negative.
std::optional<uint64_t> Extent(const OwnTensor& own, uint64_t element) {
  if (!own.tensor.shape && own.tensor.rank != 0) return std::nullopt;
  unsigned __int128 bytes = element;
  bool is_empty = false;
  for (const int64_t size : own.sizes) {
    if (size < 0) return std::nullopt;
    is_empty = is_empty || size == 0;
  }
  if (is_empty) return 0;
  for (const int64_t size : own.sizes) {
    bytes *= static_cast<uint64_t>(size);
    if (bytes >> 63 != 0) return std::nullopt;
  }
  return static_cast<uint64_t>(bytes);
}

bool IsDense(const OwnTensor& own) {
  if (!own.tensor.strides) return true;
  unsigned __int128 dense = 1;
  for (size_t i = own.sizes.size(); i-- > 0;) {
    if (own.sizes[i] != 1 && static_cast<unsigned __int128>(own.strides[i]) != dense) return false;
    dense *= static_cast<uint64_t>(own.sizes[i]);
  }
  return true;
}

/// The kind of memory that a device is given; nothing if it cannot have it.
std::optional<hal_external_memory_type_t> MemoryType(const OwnTensor& own, DeviceKind kind) {
  const auto& [type, id] = own.tensor.device;
  if (type == kCpu || type == kCudaHost || type == kRocmHost) return HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  const bool is_own = (kind == DeviceKind::kCuda && type == kCuda) || (kind == DeviceKind::kHip && type == kRocm);
  const bool is_managed = kind == DeviceKind::kCuda && type == kCudaManaged;
  if (!is_managed && !(is_own && id == 0)) return std::nullopt;
  return HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
}

/// Bytes of an element, if all libraries have it.
uint64_t OrdinarySize(const OwnTensor& own) {
  const auto& [code, bits, lanes] = own.tensor.type;
  const bool number = code == kInt || code == kUInt ? bits == 8 || bits == 16 || bits == 32 || bits == 64
                                                    : code == kFloat && (bits == 16 || bits == 32 || bits == 64);
  return number && lanes == 1 ? bits / 8 : 0;
}

uint64_t FirstByte(const OwnTensor& own) {
  return reinterpret_cast<uintptr_t>(own.tensor.data) + own.tensor.byte_offset;
}

/// Nothing of it lies past the end of all addresses.
bool Fits(const OwnTensor& own, uint64_t extent) {
  const uint64_t base = reinterpret_cast<uintptr_t>(own.tensor.data);
  return own.tensor.byte_offset <= UINT64_MAX - base && extent <= UINT64_MAX - FirstByte(own);
}

/// What no importer has a reason to refuse.
bool IsOrdinary(const OwnTensor& own, DeviceKind kind, const hal_buffer_params_t& params) {
  const uint64_t element = OrdinarySize(own);
  if (element == 0 || own.version.major != 1 || own.flags != 0 || !MemoryType(own, kind)) return false;
  if (own.tensor.rank < 0 || own.tensor.rank > kMostRank || !IsDense(own)) return false;
  const std::optional<uint64_t> extent = Extent(own, element);
  if (!extent || *extent == 0 || !own.tensor.data || !Fits(own, *extent)) return false;
  return FirstByte(own) % element == 0 && params.alignment == 0 && params.memory_type == HAL_MEMORY_TYPE_NONE &&
         params.usage == (HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE);
}

void CheckMemory(const OwnTensor& own, DeviceKind kind, hal_buffer_t* buffer, uint64_t extent) {
  const hal_external_memory_t& memory = ImportedMemory(buffer);
  const auto type = MemoryType(own, kind);
  Require(type && memory.type == *type && memory.length == extent);
  Require(extent == 0 || (memory.handle == FirstByte(own) && Fits(own, extent)));
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  Require(hal_buffer_query_info(buffer, &info) == HAL_STATUS_OK && info.length == extent);
  Require(((info.usage & HAL_BUFFER_USAGE_READ_ONLY) != 0) == ((own.flags & kReadOnly) != 0));
}

/// The tensor of a view says the same, and keeps the view.
void CheckRoundTrip(const OwnTensor& own, DeviceKind kind, hal_buffer_view_t* view) {
  DLManagedTensorVersioned* made = nullptr;
  const hal_status_t status = hal_buffer_view_to_dlpack(view, &made);
  if (status != HAL_STATUS_OK) return Require(made == nullptr && hal_last_error_message()[0] != '\0');
  const Tensor& tensor = made->tensor;
  Require(tensor.type.code == own.tensor.type.code && tensor.type.bits == own.tensor.type.bits);
  Require(MemoryType(own, kind) == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER ? tensor.device.type == kCpu
                                                                         : tensor.device.type != kCpu);
  const uintptr_t expected = hal_buffer_view_length(view) > 0 ? FirstByte(own) : 0;
  Require(reinterpret_cast<uintptr_t>(tensor.data) == expected && tensor.byte_offset == 0);
  Require((made->flags & kReadOnly) == (own.flags & kReadOnly));
  Require(tensor.rank == own.tensor.rank && std::equal(own.sizes.begin(), own.sizes.end(), tensor.shape));
  made->deleter(made);
}

void CheckTaken(const OwnTensor& own, DeviceKind kind, const hal_buffer_params_t& params, hal_buffer_view_t* view) {
  const hal_shape_t shape = hal_buffer_view_shape(view);
  Require(own.version.major == 1 && own.tensor.type.lanes == 1);
  Require(own.tensor.rank >= 0 && own.tensor.rank <= kMostRank && shape.rank == own.sizes.size());
  Require(std::equal(own.sizes.begin(), own.sizes.end(), shape.sizes));
  const uint64_t element = hal_element_type_size(shape.element_type);
  Require(element == std::max<uint64_t>(own.tensor.type.bits / 8, 1));
  Require(own.tensor.type.bits >= 8 || (own.flags & kPaddedSubbytes) != 0);
  const std::optional<uint64_t> extent = Extent(own, element);
  Require(extent && (*extent == 0 || (own.tensor.data && IsDense(own))));
  Require((own.flags & kReadOnly) == 0 || (params.usage & HAL_BUFFER_USAGE_TRANSFER_TARGET) == 0);
  CheckMemory(own, kind, hal_buffer_view_buffer(view), *extent);
  CheckRoundTrip(own, kind, view);
}

void CheckRefused(hal_status_t status, const OwnTensor& own, DeviceKind kind, const hal_buffer_params_t& params) {
  Require(!IsOrdinary(own, kind, params));
  Require(status == HAL_STATUS_INVALID_ARGUMENT || status == HAL_STATUS_INCOMPATIBLE ||
          status == HAL_STATUS_PERMISSION_DENIED || status == HAL_STATUS_OUT_OF_RANGE);
  Require(hal_last_error_message()[0] != '\0' && own.deleted == 0);
}

void Import(Bytes bytes) {
  OwnTensor own(&bytes);
  const hal_buffer_params_t params = TakeParams(&bytes);
  const auto kind = static_cast<DeviceKind>(bytes.Take() % 3);
  const Tensor before = own.tensor;
  const std::vector<int64_t> sizes = own.sizes;
  const std::vector<int64_t> strides = own.strides;
  hal_buffer_view_t* view = nullptr;
  const hal_status_t status = hal_buffer_view_from_dlpack(AllocatorOf(kind), &params, &own, &view);
  Require((status == HAL_STATUS_OK) == (view != nullptr) && own.deleted == 0);
  if (view) {
    CheckTaken(own, kind, params, view);
    Require(own.deleted == 0);
    hal_buffer_view_release(view);
    Require(own.deleted == (own.deleter ? 1 : 0));
  } else {
    CheckRefused(status, own, kind, params);
  }
  Require(std::memcmp(&own.tensor, &before, sizeof(before)) == 0 && own.sizes == sizes && own.strides == strides);
}

}  // namespace
}  // namespace halyard::dlpack

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halyard::dlpack::Import(halyard::dlpack::Bytes(data, size));
  return 0;
}
