// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/stress/delays.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/prefetch.h"
#include "submission/test_points.h"

namespace halyard::stream {

uint32_t StressSeed() {
  static const uint32_t seed = [] {
    const char* const text = std::getenv("HALYARD_STRESS_SEED");
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 20261121u;
  }();
  return seed;
}

std::minstd_rand& ThreadRandom() {
  static std::atomic<uint32_t> threads{0};
  thread_local std::minstd_rand random(StressSeed() + 7919 * threads.fetch_add(1));
  return random;
}

void HoldUp() noexcept {
  std::minstd_rand& random = ThreadRandom();
  const uint32_t choice = random() % 64;
  if (choice < 40) return;
  if (choice < 52) {
    std::this_thread::yield();
  } else if (choice < 63) {
    const uint64_t until = MonotonicNanoseconds() + random() % 20'000;
    while (MonotonicNanoseconds() < until) Relax();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
  }
}

namespace {

// A stop of the process, if there is one: looked at without the lock first, so that it orders no threads where none is.
std::atomic<bool> g_stopping{false};
std::mutex g_stop_mutex;  // protects what follows
std::condition_variable g_stop_changed;
std::string_view g_stop_place;
bool g_stop_holds = false;

void VisitStop(std::string_view place) {
  std::unique_lock lock(g_stop_mutex);
  if (g_stop_place != place || g_stop_holds) return;
  g_stop_holds = true;
  g_stop_changed.notify_all();
  g_stop_changed.wait(lock, [] { return g_stop_place.empty(); });
  g_stop_holds = false;
  g_stop_changed.notify_all();
}

}  // namespace

Stop::Stop(std::string_view place) {
  const std::lock_guard lock(g_stop_mutex);
  g_stop_place = place;
  g_stopping = true;
}

Stop::~Stop() { Resume(); }

bool Stop::AwaitVisitor() {
  std::unique_lock lock(g_stop_mutex);
  return g_stop_changed.wait_for(lock, std::chrono::seconds(10), [] { return g_stop_holds; });
}

void Stop::Resume() {
  std::unique_lock lock(g_stop_mutex);
  g_stopping = false;
  g_stop_place = {};
  g_stop_changed.notify_all();
  g_stop_changed.wait(lock, [] { return !g_stop_holds; });
}

}  // namespace halyard::stream

void halyard::AtTestPoint(const char* place) noexcept {
  stream::HoldUp();
  if (stream::g_stopping.load(std::memory_order_relaxed)) stream::VisitStop(place);
}
