// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ggml_backend_load() finds in libggml-halyard.so.
#include <memory>
#include <string_view>
#include <vector>

#include "device.h"
#include "devices.h"
#include "ggml_headers.h"
#include "recording.h"

namespace halyard_ggml {
namespace {

/// All devices. Made at the first use, destroyed when the library is unloaded or the process ends.
struct Registry {
  Registry();
  ggml_backend_reg ggml;
  std::vector<std::unique_ptr<Device>> devices;
};

Registry& Of(ggml_backend_reg_t reg) { return *static_cast<Registry*>(reg->context); }

const char* Name(ggml_backend_reg_t) { return "Halyard"; }
size_t DeviceCount(ggml_backend_reg_t reg) { return Of(reg).devices.size(); }
ggml_backend_dev_t GetDevice(ggml_backend_reg_t reg, size_t index) { return Of(reg).devices[index]->ggml(); }
/// For tests: whether graphs run here and not on another backend, and whether recordings are used again.
uint64_t Executions() { return Recordings::executions(); }
uint64_t RecordingsMade() { return Recordings::recordings(); }

void* Function(ggml_backend_reg_t, const char* name) {
  if (std::string_view(name) == "halyard_executions") return reinterpret_cast<void*>(&Executions);
  if (std::string_view(name) == "halyard_recordings") return reinterpret_cast<void*>(&RecordingsMade);
  return nullptr;
}

Registry::Registry()
    : ggml{GGML_BACKEND_API_VERSION,
           {.get_name = Name, .get_device_count = DeviceCount, .get_device = GetDevice, .get_proc_address = Function},
           this} {
  for (FoundDevice& found : FindDevices()) {
    devices.push_back(std::make_unique<Device>(devices.size(), std::move(found), &ggml));
  }
}

/// ggml's structures have no size of their own, so the version that loads the library has to be the very one.
bool IsSameGgml() {
  if (std::string_view(ggml_version()) == HALYARD_GGML_VERSION) return true;
  GGML_LOG_ERROR("halyard: made for ggml %s, and loaded by ggml %s\n", HALYARD_GGML_VERSION, ggml_version());
  return false;
}

}  // namespace
}  // namespace halyard_ggml

extern "C" {

GGML_BACKEND_API ggml_backend_reg_t ggml_backend_init(void) {
  ggml_backend_reg_t reg = nullptr;
  halyard_ggml::Guarded("find devices", [&] {
    if (!halyard_ggml::IsSameGgml()) return;
    static halyard_ggml::Registry registry;
    reg = &registry.ggml;
  });
  return reg;
}

// 0 for what cannot work here. ggml then does not load it.
GGML_BACKEND_API int ggml_backend_score(void) { return halyard_ggml::IsSameGgml() ? 1 : 0; }
}
