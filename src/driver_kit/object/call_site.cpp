// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/call_site.h"

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "platform/backtrace.h"

namespace halyard {
namespace {

constexpr size_t kMostShown = 4;

std::string_view FileName(const char* path) {
  const std::string_view text = path ? path : "?";
  return text.substr(text.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

CallSite CallSite::Here(const char* function) noexcept {
  CallSite site;
  site.function_ = function;
  site.frame_count_ = ReadBacktrace(site.frames_);
  return site;
}

HostString CallSite::Text() const {
  HostString text = function_;
  CodeFile own;
  FindCodeFile(reinterpret_cast<const void*>(&CallSite::Here), &own);
  bool outside = false;
  size_t shown = 0;
  for (size_t i = 1; i < frame_count_ && shown < kMostShown; ++i) {
    CodeFile file;
    if (!FindCodeFile(frames_[i], &file)) continue;
    outside = outside || file.base != own.base;
    if (!outside) continue;
    std::array<char, 32> offset;
    const auto distance = reinterpret_cast<uintptr_t>(frames_[i]) - file.base;
    std::snprintf(offset.data(), offset.size(), "+0x%zx", static_cast<size_t>(distance));
    text.append(shown++ == 0 ? " at " : ", ").append(FileName(file.path)).append(offset.data());
  }
  return text;
}

}  // namespace halyard
