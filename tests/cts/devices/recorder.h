// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profiling sink that keeps what it receives.
#ifndef HALYARD_TESTS_CTS_DEVICES_RECORDER_H_
#define HALYARD_TESTS_CTS_DEVICES_RECORDER_H_

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {

/// A record with everything that is only valid during the call copied.
struct Record {
  hal_profiling_record_t fields;
  std::string name;
  std::string label;
};

/// Collects records from any thread.
class Recorder {
 public:
  hal_profiling_sink_t sink() {
    hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
    sink.user_data = this;
    sink.record = [](void* user_data, const hal_profiling_record_t* record) {
      static_cast<Recorder*>(user_data)->Add(*record);
    };
    return sink;
  }
  /// Waits until `count` records have come; returns them in the order of their operations.
  std::vector<Record> WaitFor(size_t count) {
    EXPECT_TRUE(received_.WaitFor(count)) << received_.count() << " of " << count << " records came";
    return records();
  }
  std::vector<Record> records() const {
    std::lock_guard lock(mutex_);
    std::vector<Record> sorted = records_;
    std::sort(sorted.begin(), sorted.end(), [](const Record& a, const Record& b) {
      return std::pair(a.fields.operation, a.fields.command) < std::pair(b.fields.operation, b.fields.command);
    });
    return sorted;
  }

 private:
  void Add(const hal_profiling_record_t& record) {
    EXPECT_GE(record.struct_size, sizeof(hal_profiling_record_t));
    {
      std::lock_guard lock(mutex_);
      records_.push_back({record, Text(record.name), Text(record.label)});
    }
    received_.Add();
  }

  mutable std::mutex mutex_;
  std::vector<Record> records_;
  Counter received_;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_DEVICES_RECORDER_H_
