// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares our declarations of DLPack's ABI with DLPack's own, as far as the installed version has them.
#define DLManagedTensorVersioned VendorsManagedTensorVersioned
#include <dlpack/dlpack.h>
#undef DLManagedTensorVersioned

#include <gtest/gtest.h>

#include "core/dlpack/dlpack_abi.h"

namespace halyard::dlpack {
namespace {

#define SAME_MEMBER(ours, our_name, theirs, their_name)                                           \
  static_assert(offsetof(ours, our_name) == offsetof(theirs, their_name) &&                       \
                    sizeof(((ours*)nullptr)->our_name) == sizeof(((theirs*)nullptr)->their_name), \
                #their_name " is another one")

static_assert(sizeof(Tensor) == sizeof(DLTensor) && sizeof(DataType) == sizeof(DLDataType));
SAME_MEMBER(Tensor, data, DLTensor, data);
SAME_MEMBER(Tensor, device, DLTensor, device);
SAME_MEMBER(Tensor, rank, DLTensor, ndim);
SAME_MEMBER(Tensor, type, DLTensor, dtype);
SAME_MEMBER(Tensor, shape, DLTensor, shape);
SAME_MEMBER(Tensor, strides, DLTensor, strides);
SAME_MEMBER(Tensor, byte_offset, DLTensor, byte_offset);
SAME_MEMBER(Device, type, DLDevice, device_type);
SAME_MEMBER(Device, id, DLDevice, device_id);
SAME_MEMBER(DataType, code, DLDataType, code);
SAME_MEMBER(DataType, bits, DLDataType, bits);
SAME_MEMBER(DataType, lanes, DLDataType, lanes);

static_assert(int{kCpu} == int{kDLCPU} && int{kCuda} == int{kDLCUDA} && int{kCudaHost} == int{kDLCUDAHost});
static_assert(int{kRocm} == int{kDLROCM} && int{kRocmHost} == int{kDLROCMHost});
static_assert(int{kCudaManaged} == int{kDLCUDAManaged});
static_assert(int{kInt} == int{kDLInt} && int{kUInt} == int{kDLUInt} && int{kFloat} == int{kDLFloat});
static_assert(int{kBfloat} == int{kDLBfloat} && int{kComplex} == int{kDLComplex});

#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
static_assert(sizeof(DLManagedTensorVersioned) == sizeof(VendorsManagedTensorVersioned));
SAME_MEMBER(DLManagedTensorVersioned, version, VendorsManagedTensorVersioned, version);
SAME_MEMBER(DLManagedTensorVersioned, manager_context, VendorsManagedTensorVersioned, manager_ctx);
SAME_MEMBER(DLManagedTensorVersioned, deleter, VendorsManagedTensorVersioned, deleter);
SAME_MEMBER(DLManagedTensorVersioned, flags, VendorsManagedTensorVersioned, flags);
SAME_MEMBER(DLManagedTensorVersioned, tensor, VendorsManagedTensorVersioned, dl_tensor);
static_assert(int{kBool} == int{kDLBool} && kReadOnly == DLPACK_FLAG_BITMASK_READ_ONLY);
#endif

// What was compared, the compiler has compared.
TEST(DlpackAbiTest, IsThatOfTheInstalledHeader) { EXPECT_EQ(sizeof(Tensor), sizeof(DLTensor)); }

}  // namespace
}  // namespace halyard::dlpack
