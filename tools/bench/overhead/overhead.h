// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Halyard adds to the vendor's API: the same work through both, in one process, in turns.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_OVERHEAD_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_OVERHEAD_H_

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/comparison/turns.h"
#include "counterpart.h"
#include "halyard_side.h"

namespace halyard::tools {

constexpr int kBurst = 1000;  // dispatches in a turn
constexpr int kCount = 100;   // objects made in a turn
constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

/// Both sides, as the bodies of comparisons get them.
struct Sides {
  Sides(const DeviceOptions& options, const Vendor& vendor)
      : halyard(options), raw(vendor.make(halyard.device().get())) {}

  HalyardSide halyard;
  const std::unique_ptr<Counterpart> raw;
};

/// A line of the table.
struct Line {
  std::string name;       ///< after "overhead/"
  std::string what;       ///< what the figures are of, as docs/performance.md has it
  uint64_t turns;         ///< of each side, unless the command line says how many; a fifth more come before, uncounted
  double operations = 1;  ///< in a turn; figures are of one of them
  bench::Target target = {};
  std::optional<bench::Target> vulkan_target = std::nullopt;  ///< where it is another one on Vulkan
};

/// One turn of one side: nanoseconds, of the part of it that is to count.
using Turn = std::function<double()>;

/// Lets the two sides of one line take turns.
class Comparison {
 public:
  Comparison(benchmark::State& state, const Line& line) : state_(state), line_(line) {}
  void TakeTurns(const Turn& raw, const Turn& halyard) const;
  /// Another figure, for the JSON.
  void Note(const char* name, double value) const { state_.counters[name] = value; }

 private:
  benchmark::State& state_;
  const Line& line_;
};

/// How much of the lines is run.
struct Extent {
  uint64_t turns = 0;     ///< for every line, unless 0
  bool is_quick = false;  ///< one turn of each unless `turns` says more, of little memory and few operations
};

/// The lines, as benchmarks. Must outlive the last that runs.
class Overhead {
 public:
  Overhead(DeviceOptions options, const Vendor& vendor, const Extent& extent)
      : options_(std::move(options)), vendor_(vendor), extent_(extent) {}

  bool is_quick() const { return extent_.is_quick; }
  const DeviceOptions& options() const { return options_; }
  /// Whether the device is the CUDA driver's, and so is what it is compared with.
  bool is_cuda() const { return vendor_.driver == "cuda" && options_.device.starts_with("cuda"); }

  /// Adds a line. `body` makes what it needs and calls TakeTurns() once.
  void Add(Line line, const std::function<void(Sides&, const Comparison&)>& body);

 private:
  Sides& Open();

  const DeviceOptions options_;
  const Vendor& vendor_;
  const Extent extent_;
  std::unique_ptr<Sides> sides_;  // once a line has run
};

void AddGraphLines(Overhead& overhead);
void AddIndirectLines(Overhead& overhead);
void AddLaunchLines(Overhead& overhead);
void AddMemoryLines(Overhead& overhead);
void AddObjectLines(Overhead& overhead);
void AddRuleLines(Overhead& overhead);
void AddTransferLines(Overhead& overhead);
void AddThreadLines(Overhead& overhead);
void AddWaitLines(Overhead& overhead);
void AddDeferredLines(Overhead& overhead);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_OVERHEAD_H_
