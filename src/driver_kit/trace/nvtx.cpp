// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/nvtx.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "base/drain_scope.h"
#include "base/dynamic_library.h"
#include "base/log.h"
#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "platform/environment.h"

namespace halyard {
namespace {

// The interface between NVTX 3 and a tool, as the headers of NVTX declare it (nvtxTypes.h): the tool gets tables of
// places for functions by module, and writes its own where it has some.
using Function = void (*)();
using ExportTableFunction = const void* (*)(uint32_t id);
using InitializeFunction = int (*)(ExportTableFunction);

constexpr uint32_t kCallbacksTable = 1;
constexpr uint32_t kVersionTable = 3;
constexpr uint32_t kNvtxVersion = 3;
constexpr uint32_t kCoreModule = 1;
constexpr size_t kPushA = 9;  // places in the table of the core module
constexpr size_t kPop = 11;

/// How many places the table of each module has, by the module's number: core, CUDA, OpenCL, CUDA runtime, domains,
/// synchronisation.
constexpr std::array<unsigned, 7> kPlaces = {0, 16, 9, 15, 7, 16, 7};
constexpr size_t kMostPlaces = 16;

struct CallbacksTable {
  size_t struct_size;
  int (*get_module)(uint32_t module, Function*** out_table, unsigned* out_size);
};
struct VersionTable {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved;
  void (*set_tool_version)(uint32_t version);
};

// Written by the tool while it is initialised, on the thread that loads it. The last place of a table is NULL.
std::array<std::array<Function, kMostPlaces>, kPlaces.size()> g_functions{};
std::array<std::array<Function*, kMostPlaces + 1>, kPlaces.size()> g_tables{};

int GetModule(uint32_t module, Function*** out_table, unsigned* out_size) {
  if (module == 0 || module >= kPlaces.size()) return 0;
  for (size_t i = 1; i < kPlaces[module]; ++i) g_tables[module][i] = &g_functions[module][i];
  if (out_table) *out_table = g_tables[module].data();
  if (out_size) *out_size = kPlaces[module];
  return 1;
}

const void* GetExportTable(uint32_t id) {
  static constexpr CallbacksTable kCallbacks = {sizeof(CallbacksTable), GetModule};
  static constexpr VersionTable kVersion = {sizeof(VersionTable), kNvtxVersion, 0, [](uint32_t) {}};
  if (id == kCallbacksTable) return &kCallbacks;
  return id == kVersionTable ? &kVersion : nullptr;
}

}  // namespace

/// Finds what takes the ranges. What was loaded stays so.
class NvtxLoader {
 public:
  Nvtx Load() noexcept {
    const DrainScope scope;
    const char* const wanted = EnvironmentVariable("HALYARD_NVTX");
    if (!wanted || std::string_view(wanted) == "0") return {};
    const Failure failure(Annotate(Guard([this] { return Find(); }), "HALYARD_NVTX: no tool is told of ranges: "));
    if (failure) LogLater(HAL_LOG_LEVEL_WARNING, failure.message());  // a submission may come here
    library_.Keep();
    return nvtx_;
  }

 private:
  Status Find() {
    if (const char* const path = EnvironmentVariable("HALYARD_NVTX_LIBRARY")) return LoadLibrary(path);
    if (const char* const tool = EnvironmentVariable("NVTX_INJECTION64_PATH")) return LoadTool(tool);
    return LoadLibrary("libnvToolsExt.so.1");
  }

  Status LoadLibrary(const char* path) {
    HAL_TRY(library_.Open(path));
    nvtx_.push_ = reinterpret_cast<Nvtx::PushFunction>(library_.Find("nvtxRangePushA"));
    nvtx_.pop_ = reinterpret_cast<Nvtx::PopFunction>(library_.Find("nvtxRangePop"));
    if (nvtx_.push_ && nvtx_.pop_) return kOk;
    nvtx_ = {};
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no nvtxRangePushA and nvtxRangePop", path);
  }

  // A tool need not take ranges.
  Status LoadTool(const char* path) {
    HAL_TRY(library_.Open(path));
    const auto initialize = reinterpret_cast<InitializeFunction>(library_.Find("InitializeInjectionNvtx2"));
    if (!initialize) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no InitializeInjectionNvtx2", path);
    if (initialize(GetExportTable) == 0) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' could not begin", path);
    const auto& core = g_functions[kCoreModule];
    if (!core[kPushA] || !core[kPop]) return kOk;
    nvtx_.push_ = reinterpret_cast<Nvtx::PushFunction>(core[kPushA]);
    nvtx_.pop_ = reinterpret_cast<Nvtx::PopFunction>(core[kPop]);
    return kOk;
  }

  DynamicLibrary library_;
  Nvtx nvtx_;
};

constinit Nvtx Nvtx::g_found;
constinit std::atomic<Nvtx::Search> Nvtx::g_search{Search::kToDo};

// One thread asks the tool, with no lock held, as a tool may do anything. What other threads do meanwhile, or the child
// of a process that forks, has no ranges.
const Nvtx* Nvtx::Find() noexcept {
  Search search = Search::kToDo;
  if (g_search.compare_exchange_strong(search, Search::kBusy, std::memory_order_acquire)) {
    g_found = NvtxLoader().Load();
    search = g_found.push_ ? Search::kFound : Search::kInVain;
    g_search.store(search, std::memory_order_release);
  }
  return search == Search::kFound ? &g_found : nullptr;
}

void NvtxRange::Push(std::string_view name, std::string_view label) const noexcept {
  std::array<char, 1280> text;
  std::snprintf(text.data(), text.size(), "%.*s%s%.*s", HALYARD_SV(name), label.empty() ? "" : ": ", HALYARD_SV(label));
  nvtx_->Push(text.data());
}

}  // namespace halyard
