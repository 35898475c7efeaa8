// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stand-in for Apple's .metallib files. Apple's compiler writes machine-readable code there; this file has the
// text.
//
//   0     4 bytes   "MTLB", as in Apple's files
//   4     4 bytes   version of the stand-in
//   8     8 bytes   length of the text in bytes
//   16    8 bytes   XXH3-64 of the text
//   24              the text, Metal Shading Language
//
// Numbers are little-endian.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_METALLIB_FILE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_METALLIB_FILE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace halyard::metal_sim {

// The bytes of a file that holds `text`.
std::string WriteMetallib(std::string_view text);

struct MetallibText {
  std::string_view text;  // inside the bytes that were read
  const char* error = nullptr;
};

// Reads a file of any bytes. The error says what is wrong with them; null if nothing is.
MetallibText ReadMetallib(std::span<const std::byte> bytes);

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_METALLIB_FILE_H_
