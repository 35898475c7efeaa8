// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images as the vendor's library takes them: by address, without a size.
#ifndef HALYARD_TESTS_SIM_CUDA_IMAGE_H_
#define HALYARD_TESTS_SIM_CUDA_IMAGE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/module.h"

namespace halyard::cuda::abi {

enum class ImageKind { kUnknown, kPtx, kCubin, kFatbin };

struct Image {
  ImageKind kind = ImageKind::kUnknown;
  std::span<const std::byte> bytes;  // PTX without the NUL that ends it
};

// Finds out what an image is, and how long: from the text's NUL, or the headers of the file.
Image ReadImage(const void* image);
// The same where the size is known: `file` may hold a text with or without its NUL.
Image ReadImage(std::span<const std::byte> file);

// Every .entry of a PTX text, with the layout of its parameters. False, saying why, if the text is no PTX.
// What the simulated linker makes of PTX: a cubin that holds nothing but that PTX.
std::vector<std::byte> LinkPtx(std::string_view ptx);
// The PTX of an image that LinkPtx() made; NULL for any other.
const char* LinkedPtx(const void* image);

bool ReadPtx(std::string_view text, std::vector<sim::Entry>* entries, std::string* why);

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_IMAGE_H_
