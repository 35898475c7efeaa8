// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects that a program holds by handle. A destroyed object is kept a while: its handle is not reused, and its
// use can be distinguished from a wild pointer.
#ifndef HALYARD_TESTS_SIM_ENGINE_HANDLES_H_
#define HALYARD_TESTS_SIM_ENGINE_HANDLES_H_

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/report.h"

namespace halyard::sim {

template <typename T>
class Handles {
 public:
  Handles(Reports* reports, const char* kind) : reports_(reports), kind_(kind) {}

  T* Add(std::shared_ptr<T> object) {
    T* handle = object.get();
    live_.emplace(handle, std::move(object));
    return handle;
  }
  // The object, or null with a report.
  std::shared_ptr<T> Find(const void* handle) const {
    const auto found = live_.find(handle);
    if (found != live_.end()) return found->second;
    reports_->Add(Rule::kInvalidHandle, std::string(IsDead(handle) ? "a destroyed " : "no ") + kind_ + " was used");
    return nullptr;
  }
  // The same without a report.
  std::shared_ptr<T> Peek(const void* handle) const {
    const auto found = live_.find(handle);
    return found == live_.end() ? nullptr : found->second;
  }
  void Remove(const T* handle) {
    const auto found = live_.find(handle);
    if (found == live_.end()) return;
    dead_.push_back(std::move(found->second));
    live_.erase(found);
    if (dead_.size() > kKeptDead) dead_.pop_front();
  }
  // Takes out all of which the condition holds.
  template <typename Condition>
  std::vector<std::shared_ptr<T>> RemoveIf(Condition condition) {
    std::vector<std::shared_ptr<T>> removed;
    for (const auto& [handle, object] : live_) {
      if (condition(*object)) removed.push_back(object);
    }
    for (const auto& object : removed) Remove(object.get());
    return removed;
  }
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [handle, object] : live_) visit(object);
  }
  const char* kind() const { return kind_; }

 private:
  static constexpr size_t kKeptDead = 1024;

  bool IsDead(const void* handle) const {
    for (const auto& object : dead_) {
      if (object.get() == handle) return true;
    }
    return false;
  }

  Reports* reports_;
  const char* kind_;
  std::unordered_map<const void*, std::shared_ptr<T>> live_;
  std::deque<std::shared_ptr<T>> dead_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_HANDLES_H_
