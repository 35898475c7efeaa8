// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/environment.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {
namespace {

/// A value that was asked for, as UTF-8. Callers keep the pointer, so none is ever freed; equal ones are one.
struct Value {
  std::unique_ptr<char[]> text;
  Value* next = nullptr;
};
constinit std::atomic<Value*> g_values{nullptr};  // a list that only grows at its head

const char* Keep(std::unique_ptr<char[]> text) noexcept {
  Value* first = g_values.load(std::memory_order_acquire);
  for (const Value* value = first; value; value = value->next) {
    if (std::strcmp(value->text.get(), text.get()) == 0) return value->text.get();
  }
  auto* const made = new (std::nothrow) Value{std::move(text), first};
  if (!made) return nullptr;
  while (!g_values.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made->text.get();
}

}  // namespace

// The system has no program with rights that its user has not, except where that user agreed.
bool EnvironmentIsForeign() noexcept { return false; }

const char* EnvironmentVariable(const char* name) noexcept {
  const WideText wide_name(name);
  if (!wide_name) return nullptr;
  const DWORD size = GetEnvironmentVariableW(wide_name.get(), nullptr, 0);
  if (size <= 1) return nullptr;
  const std::unique_ptr<wchar_t[]> wide(new (std::nothrow) wchar_t[size]);
  std::unique_ptr<char[]> text(new (std::nothrow) char[size_t{3} * size]);
  if (!wide || !text) return nullptr;
  const DWORD length = GetEnvironmentVariableW(wide_name.get(), wide.get(), size);
  if (length == 0 || length >= size) return nullptr;  // changed meanwhile
  return ToUtf8({wide.get(), length}, {text.get(), size_t{3} * size}) > 0 ? Keep(std::move(text)) : nullptr;
}

}  // namespace halyard
