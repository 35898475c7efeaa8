// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>

#include "msl/library.h"

namespace halyard::msl_host {
namespace {

// What threadgroup memory begins with: no program should rely on zeros.
constexpr int kPattern = 0xCD;

struct Extent {
  uint32_t x, y, z;

  explicit Extent(const std::array<uint32_t, 3>& sizes) : x(sizes[0]), y(sizes[1]), z(sizes[2]) {}
  uint64_t Volume() const { return uint64_t{x} * y * z; }
  void Place(uint64_t index, unsigned* place) const {
    place[0] = static_cast<unsigned>(index % x);
    place[1] = static_cast<unsigned>(index / x % y);
    place[2] = static_cast<unsigned>(index / x / y);
  }
};

// The threadgroup memory of one threadgroup: each array is an allocation of its own, of which sanitizers see the end.
class ThreadgroupMemory {
 public:
  ThreadgroupMemory(const abi::KernelEntry& kernel, const Launch& launch) {
    for (const unsigned long* size : std::span(kernel.variable_sizes, kernel.variable_count)) {
      variables_.push_back(Allocate(*size));
    }
    for (size_t i = 0; i < kBufferIndices; ++i) {
      const size_t size = launch.threadgroup_lengths[i];
      arguments_[i] = size > 0 ? Allocate(size) : nullptr;
    }
    Fill();
  }

  void Fill() {
    for (const Block& block : blocks_) std::memset(block.bytes.get(), kPattern, block.size);
  }

  void* const* arguments() const { return arguments_.data(); }
  void* const* variables() const { return variables_.data(); }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;  // aligned for every type, by operator new
    size_t size = 0;
  };

  void* Allocate(size_t size) {
    blocks_.push_back({std::make_unique<std::byte[]>(size), size});
    return blocks_.back().bytes.get();
  }

  std::vector<Block> blocks_;
  std::vector<void*> variables_;
  std::array<void*, kBufferIndices> arguments_ = {};
};

// One launch: what all work-items share, and the place of each.
class Grid {
 public:
  Grid(const abi::KernelEntry& kernel, const Launch& launch)
      : kernel_(kernel), groups_(launch.threadgroups), size_(launch.threads_per_threadgroup), memory_(kernel, launch) {
    common_.buffers = launch.buffers.data();
    common_.threadgroup_arguments = memory_.arguments();
    common_.threadgroup_variables = memory_.variables();
    for (size_t i = 0; i < 3; ++i) {
      common_.groups[i] = launch.threadgroups[i];
      common_.size[i] = launch.threads_per_threadgroup[i];
      common_.grid[i] = common_.groups[i] * common_.size[i];
    }
  }

  uint64_t GroupCount() const { return groups_.Volume(); }
  uint64_t ItemCount() const { return size_.Volume(); }
  ThreadgroupMemory& memory() { return memory_; }

  void RunItem(uint64_t group, uint64_t index) const {
    abi::Item item = common_;
    groups_.Place(group, item.group);
    size_.Place(index, item.local);
    item.index = static_cast<unsigned>(index);
    for (size_t i = 0; i < 3; ++i) item.position[i] = item.group[i] * item.size[i] + item.local[i];
    kernel_.run(item);
  }

 private:
  const abi::KernelEntry& kernel_;
  Extent groups_, size_;
  ThreadgroupMemory memory_;
  abi::Item common_ = {};
};

// One thread for each work-item of a threadgroup. They run one threadgroup after the other.
class Team {
 public:
  explicit Team(Grid* grid)
      : grid_(*grid), count_(static_cast<unsigned>(grid->ItemCount())), next_group_(count_, Next{this}) {
    Renew();
  }

  void Run() {
    std::vector<std::thread> threads;
    std::optional<std::system_error> failure;
    try {
      for (unsigned i = 0; i < count_; ++i) threads.emplace_back([this, i] { Work(i); });
    } catch (const std::system_error& error) {
      failure = error;
    }
    start_ = failure ? Start::kLeave : Start::kRun;
    start_.notify_all();
    for (std::thread& thread : threads) thread.join();
    if (failure) throw std::system_error(*failure);
  }

  static void ThreadgroupBarrier() {
    if (current != nullptr) current->team->threadgroup_->arrive_and_wait();
  }
  static void SimdgroupBarrier() {
    if (current != nullptr) current->team->simdgroups_[current->index / abi::kSimdWidth].arrive_and_wait();
  }

 private:
  enum class Start { kWait, kRun, kLeave };
  // Between two threadgroups, while all threads wait.
  struct Next {
    Team* team;
    void operator()() noexcept { team->Renew(); }
  };
  struct Member {
    Team* team;
    unsigned index;
  };

  // Barriers and memory as new: threads that ended early have left the barriers.
  void Renew() {
    grid_.memory().Fill();
    threadgroup_.emplace(count_);
    simdgroups_.clear();
    for (unsigned begin = 0; begin < count_; begin += abi::kSimdWidth) {
      simdgroups_.emplace_back(std::min(abi::kSimdWidth, count_ - begin));
    }
  }

  void Work(unsigned index) {
    start_.wait(Start::kWait);
    if (start_ == Start::kLeave) return;
    Member member{this, index};
    current = &member;
    for (uint64_t group = 0; group < grid_.GroupCount(); ++group) {
      grid_.RunItem(group, index);
      // In case others wait there still, which Metal leaves undefined: here they go on.
      simdgroups_[index / abi::kSimdWidth].arrive_and_drop();
      threadgroup_->arrive_and_drop();
      next_group_.arrive_and_wait();
    }
    current = nullptr;
  }

  static thread_local Member* current;

  Grid& grid_;
  unsigned count_;
  std::atomic<Start> start_ = Start::kWait;
  std::barrier<Next> next_group_;
  std::optional<std::barrier<>> threadgroup_;
  std::deque<std::barrier<>> simdgroups_;
};

thread_local Team::Member* Team::current = nullptr;

void RunAlone(Grid* grid) {
  for (uint64_t group = 0; group < grid->GroupCount(); ++group) {
    grid->memory().Fill();
    for (uint64_t item = 0; item < grid->ItemCount(); ++item) grid->RunItem(group, item);
  }
}

// Work-items that share memory run at once, so that ThreadSanitizer sees a barrier that is missing.
bool IsShared(const abi::KernelEntry& kernel) {
  const std::span arguments(kernel.arguments, kernel.argument_count);
  return kernel.has_barriers || kernel.variable_count > 0 ||
         std::ranges::any_of(arguments, [](const abi::ArgumentEntry& argument) {
           return static_cast<AddressSpace>(argument.space) == AddressSpace::kThreadgroup;
         });
}

}  // namespace

void RunKernel(const abi::KernelEntry& kernel, const Launch& launch) {
  Grid grid(kernel, launch);
  if (grid.GroupCount() == 0 || grid.ItemCount() == 0) return;
  if (grid.ItemCount() == 1 || !IsShared(kernel)) {
    RunAlone(&grid);
  } else {
    Team(&grid).Run();
  }
}

const abi::Host& HostFunctions() {
  static constexpr abi::Host functions = {Team::ThreadgroupBarrier, Team::SimdgroupBarrier};
  return functions;
}

}  // namespace halyard::msl_host
