// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs as recordings, which are kept by what they do and replayed.
#ifndef INTEGRATIONS_GGML_RECORDING_H_
#define INTEGRATIONS_GGML_RECORDING_H_

#include <atomic>
#include <memory>
#include <vector>

#include "buffer.h"
#include "device.h"
#include "ggml_headers.h"

namespace halyard_ggml {

/// The recordings of one backend.
///
/// A recording is found by its *plan*: kernels, constants, sizes and offsets of all its dispatches, as words. What two
/// graphs of one plan may differ in is given to each execution:
///
/// - the buffers, as the slots of the binding table. So no recording keeps a buffer of ggml's alive.
/// - where views begin in the tensor that they are a part of, as numbers.
///
/// Thread-compatible, as a ggml_backend_t is.
class Recordings {
 public:
  explicit Recordings(Device& device) : device_(device) {}

  /// Puts a graph into a stream. Throws what fails.
  void Run(const ggml_cgraph& graph, const hal::Stream& stream);

  /// How many graphs the process has put into streams. Thread-safe.
  static uint64_t executions() { return executions_.load(std::memory_order_relaxed); }
  /// How many recordings the process has made. Thread-safe.
  static uint64_t recordings() { return made_.load(std::memory_order_relaxed); }

 private:
  struct Recording {
    std::vector<uint32_t> plan;
    uint64_t graph_uid = 0;  // of the graph that was run last with it, if its creator numbers graphs
    uint64_t last_use = 0;
    uint32_t number_count = 0;
    hal::CommandBuffer commands;  // none if nothing is to be done
    // What the last execution was given.
    std::vector<const ggml_backend_buffer*> buffers;
    std::vector<uint32_t> numbers;
  };

  void Describe(const ggml_cgraph& graph);
  void DescribeNode(const ggml_tensor& node);
  uint32_t SlotOf(const ggml_tensor& tensor);
  Recording& Find();
  void Record(Recording* recording);
  void Execute(Recording* recording, const hal::Stream& stream);

  static constexpr size_t kMostRecordings = 32;  // the one that was not used for the longest time goes

  static inline std::atomic<uint64_t> executions_ = 0;
  static inline std::atomic<uint64_t> made_ = 0;

  Device& device_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  uint64_t uses_ = 0;

  // Of the graph at hand; members, so that their memory is used again.
  std::vector<uint32_t> plan_;
  std::vector<const ggml_backend_buffer*> buffers_;
  std::vector<uint32_t> numbers_;
  std::vector<hal_buffer_ref_t> table_;
};

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_RECORDING_H_
