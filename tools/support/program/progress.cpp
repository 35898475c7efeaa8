// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/progress.h"

#include <unistd.h>

#include <cstdio>

namespace halyard::tools {
namespace {

constexpr auto kBeforeFirst = std::chrono::milliseconds(500);
constexpr auto kBetween = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::string_view title, uint64_t total)
    : title_(title),
      total_(total),
      enabled_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kBeforeFirst) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::Update(uint64_t done) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  std::fprintf(stderr, "\r%s: %llu of %llu\033[K", title_.c_str(), static_cast<unsigned long long>(done),
               static_cast<unsigned long long>(total_));
  std::fflush(stderr);
}

}  // namespace halyard::tools
