// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views as tensors of DLPack and back, on a device that works in the host's memory.
#include "halyard/dlpack.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/dlpack/dlpack_abi.h"
#include "driver_kit/object/object.h"
#include "halyard/halyard.h"

namespace halyard::dlpack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A tensor of this program's: 2 x 3 floats, dense.
struct OwnTensor : DLManagedTensorVersioned {
  OwnTensor() : DLManagedTensorVersioned{} {
    version = {1, 0};
    manager_context = this;
    deleter = [](DLManagedTensorVersioned* self) { ++static_cast<OwnTensor*>(self)->deleted; };
    tensor = {values.data(), {kCpu, 0}, 2, {kFloat, 32, 1}, sizes.data(), strides.data(), 0};
  }
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;

  alignas(64) std::array<float, 8> values = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<int64_t, 2> sizes = {2, 3};
  std::array<int64_t, 2> strides = {3, 1};
  int deleted = 0;
};

class DlpackTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), device_.out()), HAL_STATUS_OK); }

  hal_allocator_t* allocator() const { return hal_device_allocator(device_.get()); }
  Ref<hal_buffer_t> MakeBuffer(uint64_t length, hal_buffer_usage_t usage = HAL_BUFFER_USAGE_ALL) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = usage;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_allocator_allocate(allocator(), &params, length, buffer.out()), HAL_STATUS_OK);
    return buffer;
  }
  Ref<hal_buffer_view_t> MakeView(hal_element_type_t type, std::vector<int64_t> sizes) const {
    const Ref<hal_buffer_t> buffer = MakeBuffer(256);
    Ref<hal_buffer_view_t> view;
    EXPECT_EQ(hal_buffer_view_create(buffer.get(), type, sizes.size(), sizes.data(), view.out()), HAL_STATUS_OK)
        << hal_last_error_message();
    return view;
  }
  hal_status_t Import(DLManagedTensorVersioned* tensor, Ref<hal_buffer_view_t>* out_view,
                      hal_buffer_usage_t usage = HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_EXPORT) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_NONE;
    params.usage = usage;
    return hal_buffer_view_from_dlpack(allocator(), &params, tensor, out_view->out());
  }

  Ref<hal_device_t> device_;
};

TEST_F(DlpackTest, AViewBecomesATensorOfItsMemory) {
  Ref<hal_buffer_view_t> view = MakeView(HAL_ELEMENT_TYPE_F32, {2, 3});
  const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(hal_buffer_write(hal_buffer_view_buffer(view.get()), 0, values.data(), sizeof(values)), HAL_STATUS_OK);
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_OK) << hal_last_error_message();
  view = {};  // the tensor keeps it
  const Tensor& tensor = made->tensor;
  EXPECT_EQ(made->version.major, 1u);
  EXPECT_EQ(made->flags, 0u);
  EXPECT_EQ(tensor.device.type, kCpu);
  EXPECT_EQ(tensor.type.code, kFloat);
  EXPECT_EQ(tensor.type.bits, 32);
  EXPECT_EQ(tensor.type.lanes, 1);
  ASSERT_EQ(tensor.rank, 2);
  EXPECT_THAT(std::vector<int64_t>(tensor.shape, tensor.shape + 2), ElementsAre(2, 3));
  EXPECT_THAT(std::vector<int64_t>(tensor.strides, tensor.strides + 2), ElementsAre(3, 1));
  const auto* const data = static_cast<const float*>(tensor.data);
  EXPECT_THAT(std::vector<float>(data, data + 6), ElementsAre(1, 2, 3, 4, 5, 6));
  made->deleter(made);
}

TEST_F(DlpackTest, ATensorBecomesAViewAndIsDeletedWithIt) {
  OwnTensor own;
  own.tensor.byte_offset = 8;
  Ref<hal_buffer_view_t> view;
  ASSERT_EQ(Import(&own, &view), HAL_STATUS_OK) << hal_last_error_message();
  std::array<char, 64> text{};
  ASSERT_EQ(hal_buffer_view_format(view.get(), 10, text.data(), text.size(), nullptr), HAL_STATUS_OK);
  EXPECT_STREQ(text.data(), "2x3xf32=[3 4 5][6 7 8]");
  const float value = 30;
  ASSERT_EQ(hal_buffer_write(hal_buffer_view_buffer(view.get()), 0, &value, sizeof(value)), HAL_STATUS_OK);
  EXPECT_EQ(own.values[2], 30);
  EXPECT_EQ(own.deleted, 0);
  view = {};
  EXPECT_EQ(own.deleted, 1);
}

TEST_F(DlpackTest, WhatMayOnlyBeReadStaysSo) {
  OwnTensor own;
  own.flags = kReadOnly;
  constexpr hal_buffer_usage_t kUsage =
      HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_MAPPING | HAL_BUFFER_USAGE_EXPORT;
  Ref<hal_buffer_view_t> view;
  ASSERT_EQ(Import(&own, &view, kUsage), HAL_STATUS_OK) << hal_last_error_message();
  hal_buffer_t* const buffer = hal_buffer_view_buffer(view.get());
  void* pointer = nullptr;
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_WRITE, 0, 4, &pointer), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("may only be read"));
  EXPECT_EQ(hal_buffer_write(buffer, 0, "abc", 4), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 4, &pointer), HAL_STATUS_OK);
  EXPECT_EQ(pointer, own.values.data());
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_OK);
  EXPECT_EQ(made->flags, kReadOnly);
  made->deleter(made);
}

// With whatever address, strides and offset, with and without dimensions.
TEST_F(DlpackTest, EmptyTensorsComeAndGo) {
  for (void* const data : {static_cast<void*>(nullptr), reinterpret_cast<void*>(uintptr_t{1})}) {
    for (const bool has_strides : {false, true}) {
      OwnTensor own;
      own.sizes = {0, 3};
      own.strides = {-7, 0};
      own.tensor.data = data;
      own.tensor.byte_offset = UINT64_MAX;
      if (!has_strides) own.tensor.strides = nullptr;
      Ref<hal_buffer_view_t> view;
      ASSERT_EQ(Import(&own, &view, HAL_BUFFER_USAGE_ALL), HAL_STATUS_OK) << hal_last_error_message();
      DLManagedTensorVersioned* made = nullptr;
      ASSERT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(made->tensor.data, nullptr);
      EXPECT_EQ(made->tensor.device.type, kCpu);
      EXPECT_EQ(made->tensor.byte_offset, 0u);
      EXPECT_THAT(std::vector<int64_t>(made->tensor.shape, made->tensor.shape + 2), ElementsAre(0, 3));
      made->deleter(made);
      EXPECT_EQ(own.deleted, 0);
      view = {};
      EXPECT_EQ(own.deleted, 1);
    }
  }
}

TEST_F(DlpackTest, ATensorMayLackStridesAndADeleter) {
  OwnTensor own;
  own.tensor.strides = nullptr;
  own.deleter = nullptr;
  Ref<hal_buffer_view_t> view;
  EXPECT_EQ(Import(&own, &view), HAL_STATUS_OK) << hal_last_error_message();
  view = {};
  EXPECT_EQ(own.deleted, 0);
}

TEST_F(DlpackTest, StridesThatDoNotMatterMayBeAnything) {
  OwnTensor own;
  own.sizes = {1, 3};
  own.strides = {-77, 1};
  Ref<hal_buffer_view_t> view;
  EXPECT_EQ(Import(&own, &view), HAL_STATUS_OK) << hal_last_error_message();
  OwnTensor empty;
  empty.sizes = {0, 3};
  empty.strides = {5, 5};
  empty.tensor.data = nullptr;
  EXPECT_EQ(Import(&empty, &view), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_buffer_view_element_count(view.get()), 0u);
  OwnTensor scalar;
  scalar.tensor.rank = 0;
  scalar.tensor.shape = nullptr;
  scalar.tensor.strides = nullptr;
  EXPECT_EQ(Import(&scalar, &view), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_buffer_view_element_count(view.get()), 1u);
  view = {};  // before its tensor
}

TEST_F(DlpackTest, ElementTypesGoThereAndBack) {
  for (const hal_element_type_t type :
       {HAL_ELEMENT_TYPE_I1, HAL_ELEMENT_TYPE_I4, HAL_ELEMENT_TYPE_I8, HAL_ELEMENT_TYPE_I64, HAL_ELEMENT_TYPE_I128,
        HAL_ELEMENT_TYPE_UI8, HAL_ELEMENT_TYPE_UI32, HAL_ELEMENT_TYPE_F16, HAL_ELEMENT_TYPE_F64, HAL_ELEMENT_TYPE_F128,
        HAL_ELEMENT_TYPE_BF16, HAL_ELEMENT_TYPE_F8E4M3FN, HAL_ELEMENT_TYPE_F8E5M2FNUZ, HAL_ELEMENT_TYPE_F8E8M0FNU,
        HAL_ELEMENT_TYPE_F6E2M3FN, HAL_ELEMENT_TYPE_F4E2M1FN, HAL_ELEMENT_TYPE_COMPLEX_F32,
        HAL_ELEMENT_TYPE_COMPLEX_F64}) {
    const Ref<hal_buffer_view_t> view = MakeView(type, {2});
    DLManagedTensorVersioned* made = nullptr;
    ASSERT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_OK) << hal_last_error_message();
    Ref<hal_buffer_view_t> back;
    ASSERT_EQ(Import(made, &back), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_buffer_view_shape(back.get()).element_type, type);
  }
}

TEST_F(DlpackTest, TypesThatDlpackHasNotAreRefused) {
  for (const hal_element_type_t type : {HAL_ELEMENT_TYPE_F80, HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 24),
                                        HAL_ELEMENT_TYPE_COMPLEX_BF16, HAL_ELEMENT_TYPE_COMPLEX_F128}) {
    const Ref<hal_buffer_view_t> view = MakeView(type, {1});
    DLManagedTensorVersioned* made = nullptr;
    EXPECT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_INCOMPATIBLE);
    EXPECT_EQ(made, nullptr);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_buffer_view_to_dlpack: DLPack has no elements of type "));
  }
}

TEST_F(DlpackTest, OnlyBuffersForExportBecomeTensors) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(16, HAL_BUFFER_USAGE_TRANSFER);
  const int64_t size = 4;
  Ref<hal_buffer_view_t> view;
  ASSERT_EQ(hal_buffer_view_create(buffer.get(), HAL_ELEMENT_TYPE_F32, 1, &size, view.out()), HAL_STATUS_OK);
  DLManagedTensorVersioned* made = nullptr;
  EXPECT_EQ(hal_buffer_view_to_dlpack(view.get(), &made), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_buffer_view_to_dlpack(nullptr, &made), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_to_dlpack(view.get(), nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

struct BadTensor {
  const char* name;
  hal_status_t status;
  const char* message;
  std::function<void(OwnTensor& own)> spoil;
};
void PrintTo(const BadTensor& bad, std::ostream* out) { *out << bad.name; }

class BadTensorTest : public DlpackTest, public testing::WithParamInterface<BadTensor> {};

TEST_P(BadTensorTest, IsRefusedAndStaysTheCallers) {
  OwnTensor own;
  GetParam().spoil(own);
  Ref<hal_buffer_view_t> view;
  EXPECT_EQ(Import(&own, &view), GetParam().status) << hal_last_error_message();
  EXPECT_FALSE(view);
  EXPECT_THAT(hal_last_error_message(), HasSubstr(GetParam().message));
  EXPECT_EQ(own.deleted, 0);
}

const BadTensor kBadTensors[] = {
    {"Version", HAL_STATUS_INCOMPATIBLE, "DLPack 2.7",
     [](OwnTensor& own) {
       own.version = {2, 7};
     }},
    {"NegativeRank", HAL_STATUS_INVALID_ARGUMENT, "-1 dimensions", [](OwnTensor& own) { own.tensor.rank = -1; }},
    {"HugeRank", HAL_STATUS_INVALID_ARGUMENT, "65 dimensions", [](OwnTensor& own) { own.tensor.rank = 65; }},
    {"NoShape", HAL_STATUS_INVALID_ARGUMENT, "no shape", [](OwnTensor& own) { own.tensor.shape = nullptr; }},
    {"NegativeSize", HAL_STATUS_INVALID_ARGUMENT, "-2", [](OwnTensor& own) { own.sizes[0] = -2; }},
    {"HugeSize", HAL_STATUS_INVALID_ARGUMENT, "2^63",
     [](OwnTensor& own) {
       own.sizes = {INT64_MAX, 2};
     }},
    {"Transposed", HAL_STATUS_INCOMPATIBLE, "stride 2",
     [](OwnTensor& own) {
       own.strides = {1, 2};
     }},
    {"Padded", HAL_STATUS_INCOMPATIBLE, "dimension 0",
     [](OwnTensor& own) {
       own.strides = {4, 1};
     }},
    {"Broadcast", HAL_STATUS_INCOMPATIBLE, "stride 0",
     [](OwnTensor& own) {
       own.strides = {0, 1};
     }},
    {"Reversed", HAL_STATUS_INCOMPATIBLE, "stride -1",
     [](OwnTensor& own) {
       own.strides = {3, -1};
     }},
    {"Lanes", HAL_STATUS_INCOMPATIBLE, "4 lanes", [](OwnTensor& own) { own.tensor.type.lanes = 4; }},
    {"NoLanes", HAL_STATUS_INCOMPATIBLE, "0 lanes", [](OwnTensor& own) { own.tensor.type.lanes = 0; }},
    {"Handles", HAL_STATUS_INCOMPATIBLE, "type code 3", [](OwnTensor& own) { own.tensor.type.code = 3; }},
    {"UnknownCode", HAL_STATUS_INCOMPATIBLE, "type code 200", [](OwnTensor& own) { own.tensor.type.code = 200; }},
    {"OddBits", HAL_STATUS_INCOMPATIBLE, "24 bits",
     [](OwnTensor& own) {
       own.tensor.type = {kInt, 24, 1};
     }},
    {"PackedBits", HAL_STATUS_INCOMPATIBLE, "packed into bytes",
     [](OwnTensor& own) {
       own.tensor.type = {kInt, 4, 1};
     }},
    {"NoBits", HAL_STATUS_INCOMPATIBLE, "0 bits",
     [](OwnTensor& own) {
       own.tensor.type = {kInt, 0, 1};
       own.flags = kPaddedSubbytes;
     }},
    {"WideBool", HAL_STATUS_INCOMPATIBLE, "32 bits",
     [](OwnTensor& own) {
       own.tensor.type = {kBool, 32, 1};
     }},
    {"Unaligned", HAL_STATUS_INVALID_ARGUMENT, "no multiple of 4", [](OwnTensor& own) { own.tensor.byte_offset = 2; }},
    {"NoAddress", HAL_STATUS_INVALID_ARGUMENT, "no address", [](OwnTensor& own) { own.tensor.data = nullptr; }},
    {"PastTheEnd", HAL_STATUS_INVALID_ARGUMENT, "past the end",
     [](OwnTensor& own) { own.tensor.byte_offset = UINT64_MAX - 3; }},
    {"OfCuda", HAL_STATUS_INCOMPATIBLE, "device type 2",
     [](OwnTensor& own) {
       own.tensor.device = {kCuda, 0};
     }},
    {"OfAnUnknownDevice", HAL_STATUS_INCOMPATIBLE, "device type 99",
     [](OwnTensor& own) {
       own.tensor.device = {99, 0};
     }},
    {"ReadOnly", HAL_STATUS_PERMISSION_DENIED, "may only be read", [](OwnTensor& own) { own.flags = kReadOnly; }},
};
INSTANTIATE_TEST_SUITE_P(Tensors, BadTensorTest, testing::ValuesIn(kBadTensors),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(DlpackTest, AReadOnlyTensorIsTakenForReading) {
  OwnTensor own;
  own.flags = kReadOnly;
  Ref<hal_buffer_view_t> view;
  EXPECT_EQ(Import(&own, &view, HAL_BUFFER_USAGE_TRANSFER_SOURCE), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(DlpackTest, WhatTheDeviceDoesNotImportStaysTheCallers) {
  OwnTensor own;
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.alignment = 1 << 20;
  own.tensor.byte_offset = 4;
  own.tensor.rank = 0;
  Ref<hal_buffer_view_t> view;
  EXPECT_EQ(hal_buffer_view_from_dlpack(allocator(), &params, &own, view.out()), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(own.deleted, 0);
  EXPECT_EQ(hal_buffer_view_from_dlpack(allocator(), nullptr, &own, view.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_from_dlpack(nullptr, &params, &own, view.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_from_dlpack(allocator(), &params, nullptr, view.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_from_dlpack(allocator(), &params, &own, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard::dlpack
