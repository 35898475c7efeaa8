// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/usable_processors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/file/file_contents.h"
#include "base/host_memory.h"
#include "driver_kit/object/vtable.h"
#include "platform/system_facts.h"

namespace halyard {
namespace {

constexpr uint32_t kNoLimit = UINT32_MAX;

/// A text that gets shorter as its parts are taken.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  /// Up to the next `separator`, which goes too, or the end.
  std::string_view Take(char separator) {
    const size_t end = std::min(rest_.find(separator), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }

 private:
  std::string_view rest_;
};

bool Contains(std::string_view list, std::string_view wanted) {
  for (Words words(list); !words.empty();) {
    if (words.Take(',') == wanted) return true;
  }
  return false;
}

/// One of the system's text files; empty if it cannot be read.
class TextFile {
 public:
  explicit TextFile(const HostString& path) {
    if (!Succeeds(ReadFile(path.c_str(), &bytes_))) bytes_.clear();
  }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  HostVector<std::byte> bytes_;
};

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Microseconds of processor time in each period, as processors.
uint32_t Worth(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return kNoLimit;  // "max", or -1
  const int64_t whole = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<uint32_t>(std::min<int64_t>(whole, kNoLimit));
}

/// The two versions of cgroups: how /proc tells of each, and where a group's quota is.
struct Version {
  std::string_view file_system;
  std::string_view controller;  // in the options of its mount, and in the process's line; empty for both if version 2
  uint32_t (*quota_of)(const HostString& group);
};

uint32_t QuotaOfGroup1(const HostString& group) {
  return Worth(Number(TextFile(group + "/cpu.cfs_quota_us").text()),
               Number(TextFile(group + "/cpu.cfs_period_us").text()));
}

uint32_t QuotaOfGroup2(const HostString& group) {
  const TextFile file(group + "/cpu.max");
  Words words(file.text());
  const std::optional<int64_t> quota = Number(words.Take(' '));
  return Worth(quota, Number(words.rest()));
}

constexpr std::array kVersions = {Version{"cgroup2", "", QuotaOfGroup2}, Version{"cgroup", "cpu", QuotaOfGroup1}};

/// The process's group, from a file with lines "4:cpu,cpuacct:/group".
std::optional<std::string_view> FindGroup(const Version& version, std::string_view groups) {
  for (Words lines(groups); !lines.empty();) {
    Words line(lines.Take('\n'));
    line.Take(':');
    const std::string_view controllers = line.Take(':');
    const bool is_wanted = version.controller.empty() ? controllers.empty() : Contains(controllers, version.controller);
    if (is_wanted) return line.rest();
  }
  return std::nullopt;
}

/// Where a hierarchy is mounted, and which of its groups that is.
struct Mount {
  HostString root;
  HostString point;
};

/// The kernel writes spaces and the like as "\040".
HostString Unescape(std::string_view text) {
  HostString plain;
  while (!text.empty()) {
    unsigned code = 0;
    const char* const digits = text.data() + 1;
    const bool is_code =
        text.front() == '\\' && text.size() >= 4 && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3;
    plain.push_back(is_code ? static_cast<char>(code) : text.front());
    text.remove_prefix(is_code ? 4 : 1);
  }
  return plain;
}

/// From lines "36 25 0:31 /group /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct".
std::optional<Mount> FindMount(const Version& version, std::string_view mounts) {
  for (Words lines(mounts); !lines.empty();) {
    Words line(lines.Take('\n'));
    for (int i = 0; i < 3; ++i) line.Take(' ');
    Mount mount;
    mount.root = Unescape(line.Take(' '));
    mount.point = Unescape(line.Take(' '));
    while (!line.empty() && line.Take(' ') != "-") {
    }
    if (line.Take(' ') != version.file_system) continue;
    line.Take(' ');
    if (version.controller.empty() || Contains(line.rest(), version.controller)) return mount;
  }
  return std::nullopt;
}

/// A group's path below the mount. A container may see the mount of its own group alone, and the path from outside.
std::string_view PathBelow(const Mount& mount, std::string_view group) {
  std::string_view root = mount.root;
  if (root == "/") root = {};
  const bool is_below = group.starts_with(root) && (group.size() == root.size() || group[root.size()] == '/');
  if (!is_below || group.find("/..") != std::string_view::npos) return {};
  return group.substr(root.size());
}

uint32_t SmallestQuota(const Version& version, std::string_view root, std::string_view groups,
                       std::string_view mounts) {
  const std::optional<std::string_view> group = FindGroup(version, groups);
  const std::optional<Mount> mount = FindMount(version, mounts);
  if (!group || !mount) return kNoLimit;
  uint32_t least = kNoLimit;
  const HostString top = HostString(root) + mount->point;
  std::string_view path = PathBelow(*mount, *group);
  while (true) {
    least = std::min(least, version.quota_of(top + HostString(path)));
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return least;
    path = path.substr(0, slash);
  }
}

}  // namespace

uint32_t ProcessorsOfQuota(std::string_view root) {
  const HostString base(root);
  const TextFile groups(base + "/proc/self/cgroup");
  if (groups.text().empty()) return kNoLimit;
  const TextFile mounts(base + "/proc/self/mountinfo");
  uint32_t least = kNoLimit;
  for (const Version& version : kVersions) {
    least = std::min(least, SmallestQuota(version, root, groups.text(), mounts.text()));
  }
  return least;
}

uint32_t UsableProcessors() { return std::min(ProcessorsOfThread(), ProcessorsOfQuota({})); }

}  // namespace halyard
