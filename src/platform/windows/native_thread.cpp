// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/native_thread.h"

#include <process.h>

#include <cerrno>
#include <memory>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {
namespace {

unsigned __stdcall RunBody(void* body) {
  const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(body));
  (*own)();
  return 0;
}

HANDLE HandleOf(uintptr_t id) { return reinterpret_cast<HANDLE>(id); }

}  // namespace

int NativeThread::Start(std::function<void()> body, size_t stack_size) {
  auto own = std::make_unique<std::function<void()>>(std::move(body));
  const uintptr_t handle = _beginthreadex(nullptr, static_cast<unsigned>(stack_size), RunBody, own.get(),
                                          STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (handle == 0) return errno;
  static_cast<void>(own.release());  // the thread frees it
  id_ = handle;
  joinable_ = true;
  return 0;
}

bool NativeThread::IsCurrent() const { return joinable_ && GetThreadId(HandleOf(id_)) == GetCurrentThreadId(); }

void NativeThread::join() {
  WaitForSingleObject(HandleOf(id_), INFINITE);
  detach();
}

void NativeThread::detach() {
  CloseHandle(HandleOf(id_));
  joinable_ = false;
}

// Since Windows 10; the function is looked for, so that older systems load the library.
void NameThisThread(const char* name) noexcept {
  using Describe = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  const HMODULE system = GetModuleHandleW(L"kernel32.dll");
  const auto describe =
      reinterpret_cast<Describe>(reinterpret_cast<void*>(GetProcAddress(system, "SetThreadDescription")));
  const WideText wide(name);
  if (describe && wide) describe(GetCurrentThread(), wide.get());
}

// The system's clock ticks for all processes: this one does not make it tick faster.
void SleepPrecisely() noexcept {}
PreciseSleeps::PreciseSleeps() noexcept = default;
PreciseSleeps::~PreciseSleeps() = default;

}  // namespace halyard
