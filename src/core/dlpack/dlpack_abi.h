// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our own declarations of the ABI of DLPack 1.x, of what is used of it. Names are DLPack's without "DL" and "kDL".
#ifndef HALYARD_CORE_DLPACK_DLPACK_ABI_H_
#define HALYARD_CORE_DLPACK_DLPACK_ABI_H_

#include <cstddef>
#include <cstdint>

#include "halyard/dlpack.h"

namespace halyard::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 1;

enum DeviceType : int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kRocm = 10,
  kRocmHost = 11,
  kCudaManaged = 13,
};

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E3M4 = 7,
  kFloat8E4M3 = 8,
  kFloat8E4M3B11Fnuz = 9,
  kFloat8E4M3Fn = 10,
  kFloat8E4M3Fnuz = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2Fnuz = 13,
  kFloat8E8M0Fnu = 14,
  kFloat6E2M3Fn = 15,
  kFloat6E3M2Fn = 16,
  kFloat4E2M1Fn = 17,
};

/// Flags of a tensor.
inline constexpr uint64_t kReadOnly = 1;
inline constexpr uint64_t kPaddedSubbytes = 4;  ///< each element of less than 8 bits has a byte of its own

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t* shape;
  int64_t* strides;  // in elements; NULL for dense row-major
  uint64_t byte_offset;
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

}  // namespace halyard::dlpack

struct DLManagedTensorVersioned {
  halyard::dlpack::Version version;
  void* manager_context;
  void (*deleter)(DLManagedTensorVersioned* self);  // may be NULL
  uint64_t flags;
  halyard::dlpack::Tensor tensor;
};

static_assert(sizeof(halyard::dlpack::Tensor) == 48 && offsetof(halyard::dlpack::Tensor, shape) == 24);
static_assert(sizeof(DLManagedTensorVersioned) == 80 && offsetof(DLManagedTensorVersioned, tensor) == 32);

#endif  // HALYARD_CORE_DLPACK_DLPACK_ABI_H_
