// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/rules/exclusive.h"

#include <map>
#include <mutex>
#include <thread>

#include "vulkan/queue/records.h"
#include "vulkan/rules/everlasting.h"

namespace halyard::vulkan_sim {
namespace {

struct User {
  std::thread::id thread;
  const char* call = nullptr;
};

// The objects in exclusive use. The lock is innermost.
struct InUse {
  std::mutex mutex;  // protects what follows
  std::map<Handle, User> users;
};

InUse& TheInUse() { return Everlasting<InUse>(); }

}  // namespace

void Exclusive::Use(const Handle& object) {
  if (object.value == 0) return;
  InUse& in_use = TheInUse();
  User other;
  {
    const std::lock_guard lock(in_use.mutex);
    const auto [found, added] = in_use.users.try_emplace(object, User{std::this_thread::get_id(), call_});
    if (added) used_.push_back(object);
    other = found->second;
  }
  if (other.thread == std::this_thread::get_id()) return;
  Report("external-sync", std::string(call_) + " and " + other.call + " on two threads with " + Text(object));
}

void Exclusive::End(const Handle& object) {
  if (std::erase(used_, object) == 0) return;
  InUse& in_use = TheInUse();
  const std::lock_guard lock(in_use.mutex);
  in_use.users.erase(object);
}

Exclusive::~Exclusive() {
  if (used_.empty()) return;
  InUse& in_use = TheInUse();
  const std::lock_guard lock(in_use.mutex);
  for (const Handle& object : used_) in_use.users.erase(object);
}

}  // namespace halyard::vulkan_sim
