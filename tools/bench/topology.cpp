// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "topology.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "support/program/check.h"
#include "support/program/devices.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr uint64_t kSmall = 4096;  // bytes

std::vector<std::string> AllUris() {
  std::vector<std::string> uris;
  const auto infos = ReadList<hal_driver_info_t>(
      "list the drivers", HAL_INIT(hal_driver_info_t), [](size_t* count, hal_driver_info_t* drivers) {
        return hal_registry_list_drivers(hal_registry_default(), count, drivers);
      });
  for (const hal_driver_info_t& info : infos) {
    if (Text(info.name) == "null") continue;  // which copies nothing
    hal_driver_t* opened = nullptr;
    if (hal_registry_open_driver(hal_registry_default(), info.name, &opened) != HAL_STATUS_OK) continue;
    const Driver driver(opened);
    const auto summaries = ReadList<hal_device_summary_t>(
        "list the devices of " + Text(info.name), HAL_INIT(hal_device_summary_t),
        [&](size_t* count, hal_device_summary_t* items) { return hal_driver_list_devices(opened, count, items); });
    for (const hal_device_summary_t& summary : summaries) uris.push_back(Text(info.name) + "://" + Text(summary.id));
  }
  return uris;
}

const char* RouteWord(hal_copy_route_t route) {
  constexpr std::array kWords = {"unknown", "direct", "staged", "host"};
  return static_cast<size_t>(route) < kWords.size() ? kWords[static_cast<size_t>(route)] : kWords[0];
}

/// Copies from one device to another one, one at a time.
class PairBench {
 public:
  PairBench(hal_device_t* from, hal_device_t* to, uint64_t bytes) : from_(from), bytes_(bytes) {
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    hal_buffer_t* buffer = nullptr;
    hal_semaphore_t* done = nullptr;
    Require(hal_allocator_allocate(hal_device_allocator(from), &params, bytes, &buffer));
    source_ = Buffer(buffer);
    Require(hal_allocator_allocate(hal_device_allocator(to), &params, bytes, &buffer));
    target_ = Buffer(buffer);
    Require(hal_semaphore_create(from, nullptr, &done));
    done_ = Semaphore(done);
  }

  /// Seconds from the submission to the end.
  double Copy(uint64_t bytes) {
    const hal_timeline_point_t end = hal_timeline_point(done_.get(), ++value_);
    hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
    submit.signal_list = hal_semaphore_list(&end, 1);
    const auto begin = std::chrono::steady_clock::now();
    Require(hal_device_queue_copy(from_, &submit, hal_buffer_ref(source_.get(), 0, bytes),
                                  hal_buffer_ref(target_.get(), 0, bytes)));
    Require(hal_semaphore_wait(done_.get(), value_, HAL_TIMEOUT_INFINITE));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void Measure(int turns, MeasuredPair* out) {
    std::vector<double> small(static_cast<size_t>(5 * turns));
    std::vector<double> large(static_cast<size_t>(turns));
    for (const uint64_t bytes : {kSmall, bytes_}) Copy(bytes);  // opens the way
    for (double& seconds : small) seconds = Copy(std::min(kSmall, bytes_));
    for (double& seconds : large) seconds = Copy(bytes_);
    std::nth_element(small.begin(), small.begin() + static_cast<std::ptrdiff_t>(small.size() / 2), small.end());
    out->microseconds = small[small.size() / 2] * 1e6;
    out->gigabytes_per_second = static_cast<double>(bytes_) / *std::min_element(large.begin(), large.end()) / 1e9;
  }

 private:
  static void Require(hal_status_t status) { Check(status, ExitCode::kRun, "copy between two devices"); }

  hal_device_t* const from_;
  const uint64_t bytes_;
  Buffer source_;
  Buffer target_;
  Semaphore done_;
  uint64_t value_ = 0;
};

MeasuredPair MeasurePair(hal_device_t* from, hal_device_t* to, uint64_t bytes, int turns) {
  MeasuredPair pair;
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  if (hal_device_query_peer(from, to, &peer) == HAL_STATUS_OK) pair.route = RouteWord(peer.copy_route);
  try {
    PairBench(from, to, bytes).Measure(turns, &pair);
  } catch (const Failure& failure) {
    pair.error = failure.what();
  }
  return pair;
}

std::string CellOf(const MeasuredPair& pair) {
  if (!pair.error.empty()) return "failed";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.1f us %.1f GB/s %s", pair.microseconds, pair.gigabytes_per_second,
                pair.route.c_str());
  return text.data();
}

}  // namespace

MeasuredTopology MeasureTopology(const std::vector<std::string>& uris, bool is_quick) {
  MeasuredTopology topology;
  topology.bytes = is_quick ? uint64_t{64} << 10 : uint64_t{256} << 20;
  const int turns = is_quick ? 1 : 9;
  std::vector<Device> devices;
  for (const std::string& uri : uris.empty() ? AllUris() : uris) {
    hal_device_t* device = nullptr;
    const hal_status_t status = hal_device_create(View(uri), &device);
    if (!uris.empty()) Check(status, ExitCode::kDevice, "open " + uri);
    if (status != HAL_STATUS_OK) continue;
    topology.uris.push_back(uri);
    devices.emplace_back(device);
  }
  for (const Device& from : devices) {
    std::vector<MeasuredPair>& row = topology.matrix.emplace_back();
    for (const Device& to : devices) row.push_back(MeasurePair(from.get(), to.get(), topology.bytes, turns));
  }
  return topology;
}

std::string TextOf(const MeasuredTopology& topology) {
  std::vector<std::vector<std::string>> table = {{"from \\ to"}};
  for (const std::string& uri : topology.uris) table.front().push_back(uri);
  for (size_t i = 0; i < topology.uris.size(); ++i) {
    std::vector<std::string>& line = table.emplace_back();
    line.push_back(topology.uris[i]);
    for (const MeasuredPair& pair : topology.matrix[i]) line.push_back(CellOf(pair));
  }
  std::vector<size_t> widths(table.front().size(), 0);
  for (const auto& line : table) {
    for (size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size() + 2);
  }
  std::string text;
  for (const auto& line : table) {
    for (size_t j = 0; j < line.size(); ++j) text += line[j] + std::string(widths[j] - line[j].size(), ' ');
    text += "\n";
  }
  text += Concat("\n4 KiB from the submission until they are there (median); ", topology.bytes,
                 " bytes in one copy (best)\n");
  for (size_t i = 0; i < topology.uris.size(); ++i) {
    for (size_t j = 0; j < topology.uris.size(); ++j) {
      const std::string& error = topology.matrix[i][j].error;
      if (!error.empty()) text += Concat(topology.uris[i], " to ", topology.uris[j], ": ", error, "\n");
    }
  }
  return text;
}

Json JsonOf(const MeasuredTopology& topology) {
  Json pairs = Json::array();
  for (size_t i = 0; i < topology.uris.size(); ++i) {
    for (size_t j = 0; j < topology.uris.size(); ++j) {
      const MeasuredPair& pair = topology.matrix[i][j];
      Json one = {{"from", topology.uris[i]}, {"to", topology.uris[j]}, {"route", pair.route}};
      if (pair.error.empty()) {
        one["microseconds_4KiB"] = pair.microseconds;
        one["gigabytes_per_second"] = pair.gigabytes_per_second;
      } else {
        one["error"] = pair.error;
      }
      pairs.push_back(std::move(one));
    }
  }
  return {{"bytes", topology.bytes}, {"pairs", std::move(pairs)}};
}

}  // namespace halyard::tools
