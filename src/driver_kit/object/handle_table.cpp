// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/handle_table.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "base/log.h"
#include "base/process_wide.h"
#include "base/status.h"
#include "driver_kit/object/call_site.h"
#include "driver_kit/object/kind_words.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/object.h"
#include "platform/environment.h"

namespace halyard {
namespace {

/// The application's memory, past the interception that calls this file.
template <class T>
struct PlainStdAllocator {
  using value_type = T;
  PlainStdAllocator() = default;
  template <class U>
  PlainStdAllocator(const PlainStdAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(size_t n) {
    void* const memory = PlainAllocate(n * sizeof(T), alignof(T));
    if (!memory) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t n) noexcept { PlainFree(memory, n * sizeof(T), alignof(T)); }
  template <class U>
  bool operator==(const PlainStdAllocator<U>&) const noexcept {
    return true;
  }
};

struct Handle {
  hal_object_kind_t kind = HAL_OBJECT_KIND_NONE;
  uint64_t number = 0;      // counts all handles from 1
  uint64_t references = 0;  // the application's
  bool kept = false;        // destroyed, and its memory is in the list
  CallSite made;            // no function: the application was never given it
};

struct Block {
  void* memory;
  size_t size;
  size_t alignment;
};

using Address = const void*;
using HandleMap =
    std::map<Address, Handle, std::less<>, PlainStdAllocator<std::pair<const Address, Handle>>>;  // by object

struct State {
  HandleMap live;
  HandleMap destroyed;
  std::deque<Block, PlainStdAllocator<Block>> kept;  // oldest first
  size_t kept_bytes = 0;
  uint64_t handle_count = 0;
};

constinit ForkSafeMutex g_mutex;     // protects what g_state points to
constinit State* g_state = nullptr;  // made when it is first needed; protected by g_mutex
// Destroyed objects whose memory was not freed yet. Relaxed: the thread that frees the memory of an object is the one
// that destroys it, or gets it from that one.
constinit std::atomic<size_t> g_dying{0};

// With g_mutex held.
State& Get() {
  if (g_state) return *g_state;
  void* const memory = PlainAllocate(sizeof(State), alignof(State));
  if (!memory) throw std::bad_alloc();
  g_state = new (memory) State();
  return *g_state;
}

// Without memory for it, a handle is unknown; such handles are not complained about.
template <class Body>
void IfThereIsMemory(const Body& body) noexcept {
  try {
    body();
  } catch (const std::bad_alloc&) {
    Log(HAL_LOG_LEVEL_WARNING, "validation: out of host memory; an object is not tracked");
  }
}

// With g_mutex held: where something new is, nothing old is.
void ForgetDestroyed(State& state, Address object) {
  const auto old = state.destroyed.find(object);
  if (old == state.destroyed.end()) return;
  if (!old->second.kept) g_dying.fetch_sub(1, std::memory_order_relaxed);
  state.destroyed.erase(old);
}

void Add(hal_object_t* object, const CallSite& site, uint64_t references) {
  const std::lock_guard lock(g_mutex);
  State& state = Get();
  Handle& handle = state.live[object];
  if (!handle.made.function()) {
    ForgetDestroyed(state, object);
    handle.kind = object->kind;
    handle.number = ++state.handle_count;
    handle.made = site;
  }
  handle.references += references;
}

// Drivers that have memory of their own leave such entries behind: with g_mutex held.
void ForgetUnkept(State& state) {
  if (state.destroyed.size() < 4 * HandleTable::kMostKept) return;
  std::erase_if(state.destroyed, [](const auto& entry) { return !entry.second.kept; });
  g_dying.store(0, std::memory_order_relaxed);
}

// With g_mutex held.
void AddDestroyed(State& state, hal_object_t* object) {
  const hal_object_kind_t kind = object->kind;
  object->kind = static_cast<hal_object_kind_t>(static_cast<uint32_t>(kind) | kDestroyedBit);
  ForgetUnkept(state);
  ForgetDestroyed(state, object);
  if (auto node = state.live.extract(object)) {
    node.mapped().references = 0;
    state.destroyed.insert(std::move(node));
  } else {
    state.destroyed[object].kind = kind;
  }
  g_dying.fetch_add(1, std::memory_order_relaxed);
}

// The destroyed objects in a block of memory. With g_mutex held.
template <class Visit>
void VisitDestroyed(State& state, const Block& block, const Visit& visit) {
  const Address end = static_cast<const char*>(block.memory) + block.size;
  const std::less<> before;
  for (auto it = state.destroyed.lower_bound(block.memory); it != state.destroyed.end() && before(it->first, end);) {
    it = visit(it);
  }
}

// With g_mutex held.
void FreeOldest(State& state) {
  const Block block = state.kept.front();
  state.kept.pop_front();
  state.kept_bytes -= block.size;
  VisitDestroyed(state, block, [&](HandleMap::iterator it) { return state.destroyed.erase(it); });
  PlainFree(block.memory, block.size, block.alignment);
}

/// What is wrong with a handle that is retained or released.
enum class Mistake { kNone, kOtherKind, kDestroyed, kNotGiven };

/// The finding, with a copy of what is known: messages are made without the lock.
struct Finding {
  Mistake mistake = Mistake::kNone;
  hal_object_kind_t kind = HAL_OBJECT_KIND_NONE;
  CallSite made;
  Address object = nullptr;
};

Finding ChangeReferences(hal_object_t* object, hal_object_kind_t wanted, bool adds) {
  const auto found = [object](Mistake mistake, const Handle& handle) {
    return Finding{mistake, handle.kind, handle.made, object};
  };
  const std::lock_guard lock(g_mutex);
  if (g_state) {
    if (const auto known = g_state->live.find(object); known != g_state->live.end()) {
      Handle& handle = known->second;
      if (handle.kind != wanted) return found(Mistake::kOtherKind, handle);
      if (!adds && handle.references == 0) return found(Mistake::kNotGiven, handle);
      handle.references += adds ? 1 : -1;
      return {};
    }
    if (const auto known = g_state->destroyed.find(object); known != g_state->destroyed.end()) {
      // Where a driver has freed the memory itself, there may be another object by now, which the application was lent.
      if (known->second.kept || object->kind != wanted) return found(Mistake::kDestroyed, known->second);
    }
  }
  // An object that the application was lent, such as the layout of an export, or none at all.
  if (object->kind == wanted) return {};
  return {Mistake::kOtherKind, object->kind, {}, object};
}

/// A handle of which the application has references.
struct GivenHandle : Handle {
  Address object;
};

HostString SiteText(const CallSite& made) {
  HostString text;
  if (made.function()) text.append(" (made by ").append(made.Text()).append(")");
  return text;
}

/// "hal_buffer_view_release" of "a buffer view" and "release".
HostString FunctionName(hal_object_kind_t kind, const char* verb) {
  const std::string_view words = KindWords(kind);
  HostString name("hal_");
  name.append(words.substr(words.find(' ') + 1)).append("_").append(verb);
  std::ranges::replace(name, ' ', '_');
  return name;
}

HostString MistakeText(const Finding& finding, hal_object_kind_t wanted, const char* verb) {
  HostString text = FunctionName(wanted, verb);
  text.append(": the handle is ").append(KindWords(finding.kind)).append(LabelWords(finding.object).c_str());
  if (finding.mistake == Mistake::kDestroyed) text.append(" that was destroyed");
  text.append(SiteText(finding.made));
  if (finding.mistake == Mistake::kNotGiven) {
    return text.append(", to which the application has no reference left; it was released once too often, or borrowed");
  }
  if (finding.kind != wanted) text.append("; expected ").append(KindWords(wanted));
  return text;
}

bool Report(const Finding& finding, hal_object_kind_t wanted, const char* verb) noexcept {
  if (finding.mistake == Mistake::kNone) return true;
  Status mistake;
  try {
    mistake = FailWith(HAL_STATUS_INVALID_ARGUMENT, MistakeText(finding, wanted, verb));
  } catch (const std::bad_alloc&) {
    mistake = FailWith(HAL_STATUS_INVALID_ARGUMENT, "validation: a wrong handle was retained or released");
  }
  const Failure kept(mistake.Share());  // the log callback may set another message
  Publish(mistake);
  Log(HAL_LOG_LEVEL_ERROR, kept.message());
  return false;
}

}  // namespace

void HandleTable::Given(hal_object_t* object, const char* function) noexcept {
  IfThereIsMemory([&] { Add(object, CallSite::Here(function), 1); });
}

void HandleTable::Lent(hal_object_t* object, const char* function) noexcept {
  IfThereIsMemory([&] { Add(object, CallSite::Here(function), 0); });
}

bool HandleTable::Retained(hal_object_t* object, hal_object_kind_t wanted) noexcept {
  return Report(ChangeReferences(object, wanted, /*adds=*/true), wanted, "retain");
}

bool HandleTable::Released(hal_object_t* object, hal_object_kind_t wanted) noexcept {
  return Report(ChangeReferences(object, wanted, /*adds=*/false), wanted, "release");
}

void HandleTable::Destroying(hal_object_t* object) noexcept {
  IfThereIsMemory([&] {
    const std::lock_guard lock(g_mutex);
    if (object->kind == HAL_OBJECT_KIND_DEVICE) {
      hal_allocator_t* const allocator = reinterpret_cast<hal_device_t*>(object)->allocator;
      if (allocator) AddDestroyed(Get(), &allocator->object);
    }
    AddDestroyed(Get(), object);
  });
}

bool HandleTable::KeepBlock(void* memory, size_t size, size_t alignment) noexcept {
  if (g_dying.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(g_mutex);
  if (!g_state) return false;
  State& state = *g_state;
  const Block block = {memory, size, alignment};
  size_t objects = 0;
  VisitDestroyed(state, block, [&](HandleMap::iterator it) {
    objects += it->second.kept ? 0 : 1;
    it->second.kept = true;
    return std::next(it);
  });
  if (objects == 0) return false;
  g_dying.fetch_sub(objects, std::memory_order_relaxed);
  try {
    state.kept.push_back(block);
  } catch (const std::bad_alloc&) {
    VisitDestroyed(state, block, [&](HandleMap::iterator it) { return state.destroyed.erase(it); });
    return false;
  }
  state.kept_bytes += size;
  while (state.kept.size() > kMostKept || (state.kept_bytes > kMostKeptBytes && state.kept.size() > 1)) {
    FreeOldest(state);
  }
  return true;
}

HostString HandleTable::History(const hal_object_t* object) {
  CallSite made;
  {
    const std::lock_guard lock(g_mutex);
    if (!g_state) return {};
    const auto known = g_state->destroyed.find(object);
    if (known != g_state->destroyed.end()) made = known->second.made;
  }
  return SiteText(made);
}

HostVector<HostString> HandleTable::DescribeGiven(size_t most, size_t* out_count) {
  std::vector<GivenHandle, PlainStdAllocator<GivenHandle>> given;
  {
    const std::lock_guard lock(g_mutex);
    if (g_state) {
      for (const auto& [object, handle] : g_state->live) {
        if (handle.references > 0) given.push_back({handle, object});
      }
    }
  }
  *out_count = given.size();
  std::ranges::sort(given, {}, &GivenHandle::number);
  HostVector<HostString> texts;
  for (const GivenHandle& handle : given) {
    if (texts.size() == most) break;
    texts.push_back(HostString(KindWords(handle.kind)) + LabelWords(handle.object).c_str() + SiteText(handle.made));
  }
  return texts;
}

void HandleTable::Clear() noexcept {
  const std::lock_guard lock(g_mutex);
  if (!g_state) return;
  while (!g_state->kept.empty()) FreeOldest(*g_state);
  g_state->~State();
  PlainFree(std::exchange(g_state, nullptr), sizeof(State), alignof(State));
  g_dying.store(0, std::memory_order_relaxed);
}

namespace {

// Within the first allocation of host memory.
void Decide() noexcept {
  const char* const value = EnvironmentVariable("HALYARD_VALIDATION");
  if (!value || std::string_view(value) == "0") return;
  g_validation_is_on = true;
  InterceptFrees(HandleTable::KeepBlock);
}

const struct LoadTime {
  LoadTime() noexcept { SetFirstUse(Decide); }
} g_load_time;

}  // namespace

constinit bool g_validation_is_on = false;

void RetainValidated(hal_object_t* object, hal_object_kind_t wanted) noexcept {
  if (object && HandleTable::Retained(object, wanted)) RetainObject(object);
}

void ReleaseValidated(hal_object_t* object, hal_object_kind_t wanted) noexcept {
  if (object && HandleTable::Released(object, wanted)) ReleaseObject(object);
}

void EndValidation() noexcept {
  if (!g_validation_is_on) return;
  g_validation_is_on = false;
  HandleTable::Clear();
}

}  // namespace halyard
