// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that NVIDIA's tools show (NVTX), where HALYARD_NVTX=1 asks for them. Nothing of NVTX is linked.
#ifndef HALYARD_DRIVER_KIT_TRACE_NVTX_H_
#define HALYARD_DRIVER_KIT_TRACE_NVTX_H_

#include <atomic>
#include <cstdint>
#include <string_view>

namespace halyard {

/// What takes the ranges. The first of these that is there:
///
/// 1. the library HALYARD_NVTX_LIBRARY, which has the functions of NVTX;
/// 2. the tool NVTX_INJECTION64_PATH, as Nsight sets it. It is asked as NVTX 3 does, whose headers are all there is of
///    NVTX since CUDA 12.9;
/// 3. libnvToolsExt.so.1, of CUDA up to 12.8.
class Nvtx {
 public:
  /// NULL unless ranges are asked for and something takes them. Decided at the first call; NULL while that goes on.
  static const Nvtx* Get() noexcept {
    const Search search = g_search.load(std::memory_order_acquire);
    if (search == Search::kInVain) [[likely]]
      return nullptr;
    return search == Search::kFound ? &g_found : Find();
  }

  /// Opens a range of this thread; `text` ends in a zero byte.
  void Push(const char* text) const noexcept { push_(text); }
  /// Closes the innermost one.
  void Pop() const noexcept { pop_(); }

 private:
  friend class NvtxLoader;
  using PushFunction = int (*)(const char* text);
  using PopFunction = int (*)();

  enum class Search : uint8_t { kToDo, kBusy, kInVain, kFound };

  static const Nvtx* Find() noexcept;

  static Nvtx g_found;  // written before g_search says so
  static std::atomic<Search> g_search;

  PushFunction push_ = nullptr;
  PopFunction pop_ = nullptr;
};

/// A range of this thread while it exists, called "<name>" or "<name>: <label>".
class NvtxRange {
 public:
  NvtxRange(std::string_view name, std::string_view label) noexcept : nvtx_(Nvtx::Get()) {
    if (nvtx_) [[unlikely]]
      Push(name, label);
  }
  ~NvtxRange() {
    if (nvtx_) [[unlikely]]
      nvtx_->Pop();
  }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

 private:
  void Push(std::string_view name, std::string_view label) const noexcept;

  const Nvtx* const nvtx_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_NVTX_H_
