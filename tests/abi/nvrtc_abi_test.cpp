// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of NVRTC's functions beside nvrtc.h, and of hipRTC's, which has the same ones.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <type_traits>

#include "stream/native/runtime_compiler_abi.h"

namespace halyard::stream {
namespace {

/// Whether an argument is passed the same way: results and handles have other names here.
template <class Ours, class Theirs>
constexpr bool kSame =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_integral_v<Ours> ==
                                          (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);

template <class Ours, class Theirs>
struct SameFunction : std::false_type {};
template <class R1, class... A1, class R2, class... A2>
struct SameFunction<R1 (*)(A1...), R2 (*)(A2...)> {
  static constexpr bool Compare() {
    if constexpr (sizeof...(A1) == sizeof...(A2)) return (kSame<R1, R2> && ... && kSame<A1, A2>);
    return false;
  }
  static constexpr bool value = Compare();
};

#define HALYARD_SAME(ours, theirs) \
  static_assert(SameFunction<decltype(RuntimeCompilerFunctions::ours), decltype(&theirs)>::value)
HALYARD_SAME(GetErrorString, nvrtcGetErrorString);
HALYARD_SAME(CreateProgram, nvrtcCreateProgram);
HALYARD_SAME(DestroyProgram, nvrtcDestroyProgram);
HALYARD_SAME(CompileProgram, nvrtcCompileProgram);
HALYARD_SAME(GetProgramLogSize, nvrtcGetProgramLogSize);
HALYARD_SAME(GetProgramLog, nvrtcGetProgramLog);
HALYARD_SAME(GetCodeSize, nvrtcGetPTXSize);
HALYARD_SAME(GetCode, nvrtcGetPTX);
HALYARD_SAME(GetNumSupportedArchs, nvrtcGetNumSupportedArchs);
HALYARD_SAME(GetSupportedArchs, nvrtcGetSupportedArchs);

TEST(NvrtcAbiTest, ResultsAreThoseOfTheHeader) {
  EXPECT_EQ(static_cast<int>(kRuntimeSuccess), NVRTC_SUCCESS);
  EXPECT_EQ(static_cast<int>(kRuntimeOutOfMemory), NVRTC_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(static_cast<int>(kRuntimeInvalidInput), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(static_cast<int>(kRuntimeInvalidOption), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_EQ(static_cast<int>(kRuntimeCompilation), NVRTC_ERROR_COMPILATION);
}

}  // namespace
}  // namespace halyard::stream
