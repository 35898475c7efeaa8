// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/system_facts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

namespace halyard {
namespace {

/// The beginning of one of the system's small text files; empty if it cannot be read.
class SystemText {
 public:
  explicit SystemText(const char* path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    const ssize_t length = read(descriptor, text_.data(), text_.size());
    close(descriptor);
    if (length > 0) length_ = static_cast<size_t>(length);
  }

  std::string_view view() const { return {text_.data(), length_}; }

  /// The number that the text begins with.
  std::optional<int64_t> Number() const { return NumberIn(view()); }

  /// The number after a label, which ends in a colon after any space: "MemAvailable", "cpu MHz".
  std::optional<int64_t> NumberAfter(std::string_view label) const {
    const size_t found = view().find(label);
    if (found == std::string_view::npos) return std::nullopt;
    const size_t digit = view().find_first_of("0123456789", found + label.size());
    return digit == std::string_view::npos ? std::nullopt : NumberIn(view().substr(digit));
  }

 private:
  static std::optional<int64_t> NumberIn(std::string_view text) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }

  std::array<char, 2048> text_;
  size_t length_ = 0;
};

}  // namespace

uint64_t AvailableHostMemory() {
  const std::optional<int64_t> kibibytes = SystemText("/proc/meminfo").NumberAfter("MemAvailable");
  return kibibytes ? static_cast<uint64_t>(*kibibytes) * 1024 : UINT64_MAX;
}

int32_t OnlyNumaNode() {
  const SystemText nodes("/sys/devices/system/node/online");  // "0", or "0-1", or "0,2"
  if (nodes.view().find_first_of("-,") != std::string_view::npos) return -1;
  return static_cast<int32_t>(nodes.Number().value_or(-1));
}

int32_t NumaNodeOf(const hal_pci_address_t& address) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node", address.domain,
                address.bus, address.device, address.function);
  return static_cast<int32_t>(SystemText(path.data()).Number().value_or(-1));
}

uint32_t ProcessorClockKhz() {
  const SystemText most("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (const std::optional<int64_t> clock = most.Number()) return static_cast<uint32_t>(*clock);
  const std::optional<int64_t> megahertz = SystemText("/proc/cpuinfo").NumberAfter("cpu MHz");
  return static_cast<uint32_t>(megahertz.value_or(0) * 1000);
}

uint32_t ProcessorsOfThread() {
  // The call fails where the kernel knows of more processors than the set has room for; no kernel has 8,193.
  std::array<cpu_set_t, 32> set;  // of 1,024 each
  const int found = sched_getaffinity(0, sizeof(set), set.data()) == 0 ? CPU_COUNT_S(sizeof(set), set.data()) : 0;
  return found > 0 ? static_cast<uint32_t>(found) : std::max(1u, std::thread::hardware_concurrency());
}

// "0.20 0.18 0.12 1/80 11206": the fourth word is what is runnable, of how many.
MachineLoad ReadMachineLoad() noexcept {
  const SystemText file("/proc/loadavg");
  std::string_view text = file.view();
  for (int i = 0; i < 3; ++i) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return {};
    text.remove_prefix(space + 1);
  }
  MachineLoad load;
  if (std::from_chars(text.data(), text.data() + text.size(), load.runnable).ec != std::errc()) return {};
  load.processors = static_cast<uint32_t>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN)));
  return load;
}

std::array<uint64_t, 3> CacheSizes() {
#if defined(_SC_LEVEL1_DCACHE_SIZE)  // glibc's
  const auto size = [](int name) { return static_cast<uint64_t>(std::max(0L, sysconf(name))); };
  return {size(_SC_LEVEL1_DCACHE_SIZE), size(_SC_LEVEL2_CACHE_SIZE), size(_SC_LEVEL3_CACHE_SIZE)};
#else
  return {};
#endif
}

std::array<uint64_t, 2> ProcessorFeatureWords() {
#if defined(__aarch64__)
  return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
#else
  return {};
#endif
}

}  // namespace halyard
