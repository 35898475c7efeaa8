// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/call_site.h"

#include <cstdint>
#include <cstdio>
#include <string_view>

#if defined(__has_include)
#if __has_include(<execinfo.h>) && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#include <execinfo.h>
#define HALYARD_HAS_BACKTRACE 1
#endif
#endif

namespace halyard {

#ifdef HALYARD_HAS_BACKTRACE
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
  const int count = backtrace(site.frames_.data(), static_cast<int>(kMostFrames));
  site.frame_count_ = count > 0 ? static_cast<size_t>(count) : 0;
  return site;
}

HostString CallSite::Text() const {
  HostString text = function_;
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&CallSite::Here), &own);
  bool outside = false;
  size_t shown = 0;
  for (size_t i = 1; i < frame_count_ && shown < kMostShown; ++i) {
    Dl_info info{};
    if (dladdr(frames_[i], &info) == 0) continue;
    outside = outside || info.dli_fbase != own.dli_fbase;
    if (!outside) continue;
    std::array<char, 32> offset;
    const auto distance = reinterpret_cast<uintptr_t>(frames_[i]) - reinterpret_cast<uintptr_t>(info.dli_fbase);
    std::snprintf(offset.data(), offset.size(), "+0x%zx", static_cast<size_t>(distance));
    text.append(shown++ == 0 ? " at " : ", ").append(FileName(info.dli_fname)).append(offset.data());
  }
  return text;
}
#else
CallSite CallSite::Here(const char* function) noexcept {
  CallSite site;
  site.function_ = function;
  return site;
}

HostString CallSite::Text() const { return function_; }
#endif

}  // namespace halyard
