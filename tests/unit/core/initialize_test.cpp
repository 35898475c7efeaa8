// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hal_…_initialize() for callers that know more or less of a struct than the library does. That each function makes
// what its macro makes is tested in tests/abi.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "halyard/halyard.h"

namespace halyard {
namespace {

TEST(InitializeTest, AnOlderCallerGetsTheFieldsThatItKnows) {
  hal_dispatch_params_t params;
  std::memset(static_cast<void*>(&params), 0xAA, sizeof(params));
  constexpr size_t kKnown = offsetof(hal_dispatch_params_t, workgroup_size);
  hal_dispatch_params_initialize(&params, kKnown);
  EXPECT_EQ(params.struct_size, kKnown);
  EXPECT_EQ(params.workgroup_count.z, 1u);
  EXPECT_EQ(params.workgroup_size.x, 0xAAAAAAAAu);  // not the caller's to be written
}

TEST(InitializeTest, ANewerCallerGetsZerosInTheRest) {
  struct {
    hal_buffer_params_t known;
    uint64_t later;
  } params = {HAL_BUFFER_PARAMS_STAGING_INIT, 7};
  hal_buffer_params_initialize(&params.known, sizeof(params));
  EXPECT_EQ(params.known.struct_size, sizeof(params));
  EXPECT_EQ(params.known.usage, HAL_BUFFER_USAGE_DEFAULT);
  EXPECT_EQ(params.later, 0u);
}

TEST(InitializeTest, WhatCannotHoldItsSizeIsLeftAlone) {
  hal_buffer_params_initialize(nullptr, sizeof(hal_buffer_params_t));
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  const hal_buffer_usage_t usage = params.usage;
  hal_buffer_params_initialize(&params, sizeof(size_t) - 1);
  EXPECT_EQ(params.usage, usage);
}

}  // namespace
}  // namespace halyard
