// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recording.h"

#include <algorithm>
#include <stdexcept>

namespace halyard_ggml {
namespace {

/// How a dispatch stands in a plan: this, then its operands, then its constants.
struct PlannedDispatch {
  uint32_t kernel, operand_count, constant_count, workgroup_size, workgroup_count[2];
};

struct PlannedOperand {
  uint32_t slot;
  uint32_t number;          // its place in the block of numbers, or kNoNumber: the constant is known
  uint64_t offset, length;  // of the binding in the slot
};
constexpr uint32_t kNoNumber = UINT32_MAX;

template <class T>
void Append(std::vector<uint32_t>* plan, const T& part) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0);
  const size_t at = plan->size();
  plan->resize(at + sizeof(T) / sizeof(uint32_t));
  std::memcpy(plan->data() + at, &part, sizeof(T));
}

template <class T>
T Take(const uint32_t** plan) {
  T part;
  std::memcpy(&part, *plan, sizeof(T));
  *plan += sizeof(T) / sizeof(uint32_t);
  return part;
}

std::runtime_error Unfit(const ggml_tensor& node, const char* why) {
  return std::runtime_error(std::string(ggml_op_desc(&node)) + " '" + node.name + "' " + why);
}

}  // namespace

void Recordings::Run(const ggml_cgraph& graph, const hal::Stream& stream) {
  // A creator that numbers its graphs gives a changed one another number.
  if (graph.uid != 0) {
    for (const std::unique_ptr<Recording>& recording : recordings_) {
      if (recording->graph_uid == graph.uid) return Execute(recording.get(), stream);
    }
  }
  Describe(graph);
  Recording& recording = Find();
  recording.graph_uid = graph.uid;
  recording.buffers = buffers_;
  recording.numbers = numbers_;
  Execute(&recording, stream);
}

void Recordings::Describe(const ggml_cgraph& graph) {
  plan_.clear();
  buffers_.clear();
  numbers_.clear();
  for (int i = 0; i < graph.n_nodes; ++i) {
    const ggml_tensor& node = *graph.nodes[i];
    if (IsView(node) || ggml_is_empty(&node) || (node.flags & GGML_TENSOR_FLAG_COMPUTE) == 0) continue;
    DescribeNode(node);
  }
}

void Recordings::DescribeNode(const ggml_tensor& node) {
  std::optional<Operation> operation = DescribeOperation(node, device_.found().traits);
  if (!operation) throw Unfit(node, "is not supported");
  const uint64_t alignment = device_.found().traits.binding_alignment;
  std::array<PlannedOperand, 4> operands = {};
  for (uint32_t i = 0; i < operation->operand_count; ++i) {
    const Operand& operand = operation->operands[i];
    const ggml_tensor& tensor = *operand.tensor;
    const ggml_tensor& root = tensor.view_src ? *tensor.view_src : tensor;
    uint64_t root_offset = 0;
    uint64_t offset = 0;
    if (!Buffer::Of(root, &root_offset) || !Buffer::Of(tensor, &offset)) {
      throw Unfit(node, "has an operand in memory of another backend");
    }
    const uint64_t begin = root_offset & ~(alignment - 1);
    const uint64_t bytes = offset - begin;
    if (bytes % operand.unit != 0) throw Unfit(node, "has an operand between two of its elements");
    const auto first = static_cast<uint32_t>(static_cast<int64_t>(bytes / operand.unit) + operand.elements);
    operands[i] = {SlotOf(root), kNoNumber, begin, root_offset - begin + ggml_nbytes(&root)};
    if (tensor.view_src) {
      operands[i].number = static_cast<uint32_t>(numbers_.size());
      numbers_.push_back(first);
    } else {
      operation->constants[i] = first;
    }
  }
  Append(&plan_, PlannedDispatch{static_cast<uint32_t>(operation->kernel),
                                 operation->operand_count,
                                 operation->constant_count,
                                 operation->workgroup_size,
                                 {operation->workgroup_count[0], operation->workgroup_count[1]}});
  for (uint32_t i = 0; i < operation->operand_count; ++i) Append(&plan_, operands[i]);
  plan_.insert(plan_.end(), operation->constants.begin(), operation->constants.begin() + operation->constant_count);
}

uint32_t Recordings::SlotOf(const ggml_tensor& tensor) {
  const auto found = std::ranges::find(buffers_, tensor.buffer);
  if (found == buffers_.end()) {
    buffers_.push_back(tensor.buffer);
    return static_cast<uint32_t>(buffers_.size() - 1);
  }
  return static_cast<uint32_t>(found - buffers_.begin());
}

Recordings::Recording& Recordings::Find() {
  for (const std::unique_ptr<Recording>& recording : recordings_) {
    if (recording->plan == plan_) return *recording;
  }
  auto made = std::make_unique<Recording>();
  made->plan = plan_;
  Record(made.get());
  if (recordings_.size() >= kMostRecordings) {
    recordings_.erase(std::ranges::min_element(recordings_, {}, [](const auto& one) { return one->last_use; }));
  }
  return *recordings_.emplace_back(std::move(made));
}

void Recordings::Record(Recording* recording) {
  if (plan_.empty()) return;
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = HAL_COMMAND_BUFFER_TRACK_HAZARDS;
  params.binding_capacity = static_cast<uint32_t>(buffers_.size());
  params.numbers_size = numbers_.size() * sizeof(uint32_t);
  const hal::CommandBuffer commands = hal::CommandBuffer::Create(device_.hal().get(), params);
  commands.Begin();
  const uint32_t* plan = plan_.data();
  while (plan < plan_.data() + plan_.size()) {
    const auto planned = Take<PlannedDispatch>(&plan);
    std::array<hal_buffer_ref_t, 4> bindings = {};
    std::array<hal_number_ref_t, 4> numbers = {};
    hal_dispatch_params_t dispatch = HAL_INIT(hal_dispatch_params_t);
    for (uint32_t i = 0; i < planned.operand_count; ++i) {
      const auto operand = Take<PlannedOperand>(&plan);
      bindings[i] = hal_slot_ref(operand.slot, operand.offset, operand.length);
      if (operand.number == kNoNumber) continue;
      const auto place = static_cast<uint32_t>(operand.number * sizeof(uint32_t));
      numbers[dispatch.number_count++] = {HAL_NUMBER_KIND_CONSTANTS, static_cast<uint32_t>(i * sizeof(uint32_t)), place,
                                          sizeof(uint32_t)};
    }
    dispatch.numbers = numbers.data();
    dispatch.workgroup_count = hal_dim3(planned.workgroup_count[0], planned.workgroup_count[1], 1);
    if (planned.workgroup_size != 0) dispatch.workgroup_size = hal_dim3(planned.workgroup_size, 1, 1);
    dispatch.constants = plan;
    dispatch.constants_size = static_cast<uint32_t>(planned.constant_count * sizeof(uint32_t));
    dispatch.bindings = hal_buffer_ref_list(bindings.data(), planned.operand_count);
    plan += planned.constant_count;
    const uint32_t ordinal = device_.KernelOrdinal(static_cast<Kernel>(planned.kernel));
    commands.Dispatch(device_.kernels().get(), ordinal, dispatch);
  }
  commands.End();
  made_.fetch_add(1, std::memory_order_relaxed);
  recording->commands = commands.Share();
}

void Recordings::Execute(Recording* recording, const hal::Stream& stream) {
  recording->last_use = ++uses_;
  if (!recording->commands) return;
  table_.clear();
  for (const ggml_backend_buffer* const buffer : recording->buffers) {
    const Buffer& own = *Buffer::Of(buffer);
    if (own.has_failed) throw std::runtime_error("a write to one of the graph's buffers failed");
    table_.push_back(own.memory.Range(0));
  }
  hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
  params.table = hal_buffer_ref_list(table_.data(), table_.size());
  params.numbers = recording->numbers.data();
  params.numbers_size = recording->numbers.size() * sizeof(uint32_t);
  const hal_status_t code = hal_stream_execute(stream.get(), recording->commands.get(), &params);
  if (code != HAL_STATUS_OK) throw hal::Error(hal::Status::Last(code));
  executions_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace halyard_ggml
