// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The images of the corpus, what their compilers' tools say of them, and where the library's reflection says otherwise.
#ifndef HALYARD_TESTS_CORPUS_EXPECTATION_H_
#define HALYARD_TESTS_CORPUS_EXPECTATION_H_

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "image/reflection/reflected_image.h"

namespace halyard::testing {

/// An image and its part of a file *.expected.json, which make/expectations.py wrote.
struct ExpectedImage {
  std::string path;         ///< below the folder images
  nlohmann::json expected;  ///< {format, target, kernels}
};

void PrintTo(const ExpectedImage& image, std::ostream* out);

/// All of them, in the order of their paths. Throws if a file cannot be read.
std::vector<ExpectedImage> ExpectedImages();

/// The documents themselves, for what concerns several images: {triton, images}.
std::vector<nlohmann::json> ExpectationFiles();

/// Where the reflection of an image differs from its expectation: "add: parameter 3 is a pointer, not a number of 8
/// bytes". Each text names one difference; "is refused" is the only one of an image that is.
std::vector<std::string> MismatchesOf(const ExpectedImage& image);

/// The lines of known_mismatches.txt that stand for this image, without its path.
std::vector<std::string> KnownMismatchesOf(const std::string& path);

/// The paths that known_mismatches.txt names.
std::vector<std::string> KnownMismatchPaths();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_CORPUS_EXPECTATION_H_
