// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed reading of the key-value parameters that devices are created with.
#ifndef HALYARD_DRIVER_KIT_DEVICE_OPTIONS_H_
#define HALYARD_DRIVER_KIT_DEVICE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/registry.h"

namespace halyard {

/// Reads parameters by key and type, then refuses those that no code asked for:
///
///     Options options(pair_count, pairs);
///     uint64_t threads = DefaultThreads();
///     HAL_TRY(options.Uint("threads", 1, 1024, &threads));
///     if (Status status = options.Finish("local://task"); status != kOk) return status;
///
/// A parameter that is absent leaves the value alone. Of two with the same key the last one wins. A value that cannot
/// be read is INVALID_ARGUMENT, with what was expected. Pairs and keys must outlive the Options.
class Options {
 public:
  explicit Options(size_t count, const hal_key_value_t* pairs) : pairs_(pairs, pairs ? count : 0) {}

  /// A decimal number from `min` to `max`.
  Status Uint(std::string_view key, uint64_t min, uint64_t max, uint64_t* value);
  /// A number of bytes: "4096", "64KiB", "64MiB", "2GiB", "1TiB".
  Status Bytes(std::string_view key, uint64_t* value);
  /// "true", "false", "on", "off", "yes", "no", "1" or "0".
  Status Bool(std::string_view key, bool* value);
  /// One of `words`; `*index` is which.
  Status Word(std::string_view key, std::span<const std::string_view> words, size_t* index);
  /// Any text. The view lives as long as the pairs.
  Status Text(std::string_view key, std::string_view* value);

  /// INVALID_ARGUMENT if there are parameters that were not asked for, with those that were.
  /// @param what  what takes the parameters, for the message: "local://task"
  Status Finish(std::string_view what);

 private:
  /// Notes that `key` is known; null if it is absent.
  const hal_key_value_t* Find(std::string_view key);

  std::span<const hal_key_value_t> pairs_;
  HostVector<std::string_view> known_keys_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_OPTIONS_H_
