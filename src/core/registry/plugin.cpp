// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/plugin.h"

#include "base/dynamic_library.h"
#include "platform/folder.h"

namespace halyard {
namespace {

// Opens the library permanently: its code stays in use by objects and threads that are not known here.
Status OpenForGood(const HostString& path, hal_plugin_entry_fn_t* entry) {
  DynamicLibrary library;
  if (Failure failure(library.Open(path.c_str())); failure) {
    // A bare name is looked for in the loader's folders, so that a file of that name here says nothing.
    FileFacts facts;
    const bool exists = path.find('/') != HostString::npos && ReadFacts(path.c_str(), &facts) == 0;
    if (!exists || failure.code() != HAL_STATUS_NOT_FOUND) return failure.Take();
    return FailWith(HAL_STATUS_INCOMPATIBLE, failure.message());
  }
  *entry = reinterpret_cast<hal_plugin_entry_fn_t>(library.Find(HAL_PLUGIN_ENTRY_NAME));
  library.Keep();
  if (*entry) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "'%s' is no Halyard plugin: it does not export %s", path.c_str(),
              HAL_PLUGIN_ENTRY_NAME);
}

Status AskForInterface(const HostString& path, hal_plugin_entry_fn_t entry,
                       const hal_driver_interface_t** out_interface) {
  const LastMessageScope scope(kOk);  // so that only the plugin's message is taken for its own
  *out_interface = entry(HAL_DRIVER_ABI_VERSION, hal_host_services());
  if (*out_interface) return kOk;
  const Failure reason(FromC(HAL_STATUS_INCOMPATIBLE));
  return Fail(reason.code(), "plugin '%s' refuses to work with driver ABI %u: %s", path.c_str(), HAL_DRIVER_ABI_VERSION,
              reason.message().empty() ? "it gives no reason" : reason.message().data());
}

}  // namespace

Status LoadPlugin(std::string_view path, const hal_driver_interface_t** out_interface) {
  if (path.empty()) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path is empty");
  if (path.find('\0') != std::string_view::npos) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "path holds a zero byte");
  const HostString file(path);
  hal_plugin_entry_fn_t entry = nullptr;
  Status status = OpenForGood(file, &entry);
  if (status == kOk) status = AskForInterface(file, entry, out_interface);
  return status;
}

}  // namespace halyard
