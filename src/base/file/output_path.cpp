// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/output_path.h"

#include <algorithm>
#include <array>

#include "platform/folder.h"

namespace halyard {
namespace {

constexpr int kMostLinks = 40;  // as many as Linux follows

/// Takes the first name off a path, with the slashes around it.
std::string_view TakeName(std::string_view* path) {
  const size_t begin = std::min(path->find_first_not_of('/'), path->size());
  const size_t end = std::min(path->find('/', begin), path->size());
  const std::string_view name = path->substr(begin, end - begin);
  path->remove_prefix(end);
  return name;
}

HostString Join(const HostString& folder, std::string_view name) {
  HostString path = folder;
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

bool IsOpenToAll(const HostString& folder) {
  FileFacts facts;
  return ReadFacts(folder.empty() ? "." : folder.c_str(), &facts) == 0 && facts.others_may_write;
}

}  // namespace

Status ResolveOutputPath(std::string_view path, HostString* out) {
  HostString rest(path);
  HostString done = path.starts_with('/') ? "/" : "";
  std::array<char, kLongestLink> storage;
  int links = 0;
  while (true) {
    std::string_view left = rest;
    const std::string_view name = TakeName(&left);
    if (name.empty()) break;
    const HostString next = Join(done, name);
    const std::string_view target = ReadLink(next.c_str(), storage);
    if (!target.empty() && IsOpenToAll(done)) {
      return Fail(HAL_STATUS_PERMISSION_DENIED,
                  "'%s' is a link in a folder that all users can write to; name the file that it leads to",
                  next.c_str());
    }
    if (!target.empty() && ++links > kMostLinks) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s' leads over too many links", HALYARD_SV(path));
    }
    rest = target.empty() ? HostString(left) : Join(HostString(target), left);
    if (target.empty()) {
      done = next;
    } else if (target.front() == '/') {
      done = "/";
    }
  }
  *out = std::move(done);
  return kOk;
}

}  // namespace halyard
