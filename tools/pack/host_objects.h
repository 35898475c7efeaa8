// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is looked at in shared objects of a host, which do not say as much as images for GPUs.
#ifndef HALYARD_TOOLS_PACK_HOST_OBJECTS_H_
#define HALYARD_TOOLS_PACK_HOST_OBJECTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace halyard::tools {

/// Throws Failure (kInput) for what no device loads: a relocatable object, a program, a damaged file.
void CheckObjectFile(const std::string& path, std::span<const std::byte> image);

/// Throws Failure (kInput) if the object calls what nothing provides, with the symbols. Libraries that it names and
/// this machine lacks are a note: what they provide is unknown. Objects for other machines are not looked into.
void CheckObjectIsComplete(const std::string& path, std::span<const std::byte> image, std::vector<std::string>* notes);

/// How to describe an object that does not tell what it exports: names its functions.
std::string HowToDescribe(std::span<const std::byte> image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_HOST_OBJECTS_H_
