// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No queue operation keeps its caller waiting: each kind is submitted behind work of a device that stands still.
#include <chrono>
#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

constexpr std::chrono::seconds kSoon{5};
// The device's own memory, pinned memory of the host, and managed memory.
constexpr hal_memory_type_t kKinds[] = {HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_MEMORY_TYPE_HOST_LOCAL,
                                        HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE};
constexpr size_t kKindCount = std::size(kKinds);

/// Runs for both completion modes, both ways to run command buffers, and in the queue that stands still and another
/// one.
class AsynchronyTest : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {
 protected:
  void SetUp() override {
    ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
    earlier_ = MakeSemaphore(device());
    kernels_ = MakeKernels(device());
  }
  void TearDown() override {
    memory_.world->paused = false;
    earlier_ = {};
    kernels_ = {};
    submitted_.clear();
    const std::shared_ptr<MemoryWorld> world = memory_.world;
    memory_.device = {};
    EXPECT_TRUE(BecomesEmpty(*world)) << world->allocations << " allocations";
    EXPECT_EQ(TakeReports(), "");
  }
  const Ref<hal_device_t>& device() const { return memory_.device; }

  Ref<hal_buffer_t> Make(hal_memory_type_t type, uint32_t value) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    params.usage |= HAL_BUFFER_USAGE_INDIRECT;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device().get()), &params, kLength, buffer.out()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    const Ref<hal_semaphore_t> done = MakeSemaphore(device());
    EXPECT_EQ(Fill(device(), {}, {{done.get(), 1}}, buffer, value), HAL_STATUS_OK);
    EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK);
    return buffer;
  }
  static Ref<hal_file_t> MakeFile(std::vector<uint32_t>& data) {
    Ref<hal_file_t> file;
    EXPECT_EQ(hal_file_from_memory(data.data(), data.size() * sizeof(uint32_t),
                                   HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE, nullptr, nullptr, file.out()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    return file;
  }
  /// The first element of any buffer, once the device is at work again.
  uint32_t Read(const Ref<hal_buffer_t>& buffer) {
    const Ref<hal_buffer_t> staging = MakeBuffer(device(), kLength);
    const Ref<hal_semaphore_t> done = MakeSemaphore(device());
    EXPECT_EQ(Copy(device(), {}, {{done.get(), 1}}, buffer, staging), HAL_STATUS_OK);
    EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK);
    return First(staging);
  }

  /// From here on the device stands still, with something to do in queue 0.
  void StandStill() {
    const Ref<hal_buffer_t> target = MakeBuffer(device(), kLength);
    memory_.world->paused = true;
    ASSERT_EQ(Fill(device(), {}, {{earlier_.get(), 1}}, target, 1, 1), HAL_STATUS_OK);
  }

  /// Calls `submit(queues, waits, signals)`, for an operation behind what stands still.
  template <class Submit>
  void Expect(const std::string& what, const Submit& submit) {
    const Ref<hal_semaphore_t> done = MakeSemaphore(device());
    Expect(what, {earlier_.get(), 1}, {done.get(), 1}, submit);
    submitted_.emplace_back(what, done);
  }
  template <class Submit>
  void Expect(const std::string& what, Point wait, Point signal, const Submit& submit) {
    std::string message;
    // On a thread of its own, so that a call that waits for the device ends the test, and not the other way round.
    std::future<hal_status_t> call = std::async(std::launch::async, [&] {
      const hal_status_t status = submit(queue_, hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1));
      if (status != HAL_STATUS_OK) message = hal_last_error_message();
      return status;
    });
    if (call.wait_for(kSoon) != std::future_status::ready) {
      ADD_FAILURE() << what << " keeps its caller waiting";
      memory_.world->paused = false;
    }
    EXPECT_EQ(call.get(), HAL_STATUS_OK) << what << ": " << message;
  }

  /// An allocation that takes neither the device nor anything that was submitted before.
  void ExpectHostMemoryAtOnce() {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_LOCAL;
    const Ref<hal_semaphore_t> done = MakeSemaphore(device());
    const Point signal = {done.get(), 1};
    Ref<hal_buffer_t> made;
    ASSERT_EQ(hal_device_queue_alloca(
                  device().get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1), 1),
                  &params, 54'321, made.out()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK) << "held up by what has nothing to do with it";
  }

  /// Nothing was done so far; all is done once the device continues.
  void GoOn() {
    ASSERT_TRUE(memory_.world->paused);
    for (const auto& [what, done] : submitted_) {
      uint64_t value = 1;
      EXPECT_EQ(hal_semaphore_query(done.get(), &value), HAL_STATUS_OK) << what;
      EXPECT_EQ(value, 0u) << what << " is said to be done";
    }
    memory_.world->paused = false;
    for (const auto& [what, done] : submitted_)
      EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK) << what << hal_last_error_message();
  }

  MemoryDevice memory_{std::string("memory=64MiB&completion=") + std::get<0>(GetParam()) +
                       "&command_buffer=" + std::get<1>(GetParam())};
  Ref<hal_semaphore_t> earlier_;
  Ref<hal_executable_t> kernels_;

 private:
  const hal_queue_mask_t queue_ = std::string_view(std::get<2>(GetParam())) == "same" ? 1 : 2;
  std::vector<std::pair<std::string, Ref<hal_semaphore_t>>> submitted_;
};

TEST_P(AsynchronyTest, Barrier) {
  StandStill();
  Expect("a barrier", [&](auto queues, auto waits, auto signals) {
    return hal_device_queue_barrier(device().get(), hal::SubmitParams(waits, signals, queues));
  });
  GoOn();
}

TEST_P(AsynchronyTest, FillAndUpdateOfEachKindOfMemory) {
  std::vector<Ref<hal_buffer_t>> filled;
  std::vector<Ref<hal_buffer_t>> updated;
  for (const hal_memory_type_t kind : kKinds) {
    filled.push_back(Make(kind, 0));
    updated.push_back(Make(kind, 0));
  }
  StandStill();
  const uint32_t value = 0x1234;
  for (size_t i = 0; i < kKindCount; ++i) {
    Expect("a fill of kind " + std::to_string(i), [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_fill(device().get(), hal::SubmitParams(waits, signals, queues), Whole(filled[i]), &value,
                                   sizeof(value));
    });
    Expect("an update of kind " + std::to_string(i), [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_update(device().get(), hal::SubmitParams(waits, signals, queues), &value,
                                     hal_buffer_ref(updated[i].get(), 0, sizeof(value)));
    });
  }
  GoOn();
  for (const auto& buffers : {filled, updated}) {
    for (const Ref<hal_buffer_t>& buffer : buffers) EXPECT_EQ(Read(buffer), value);
  }
}

TEST_P(AsynchronyTest, CopyBetweenAllKindsOfMemory) {
  std::vector<Ref<hal_buffer_t>> sources;
  std::vector<Ref<hal_buffer_t>> targets;
  for (size_t i = 0; i < kKindCount; ++i) sources.push_back(Make(kKinds[i], static_cast<uint32_t>(100 + i)));
  for (size_t i = 0; i < kKindCount * kKindCount; ++i) targets.push_back(Make(kKinds[i / kKindCount], 0));
  StandStill();
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t from = i % kKindCount;
    Expect("a copy from kind " + std::to_string(from) + " to kind " + std::to_string(i / kKindCount),
           [&](auto queues, auto waits, auto signals) {
             return hal_device_queue_copy(device().get(), hal::SubmitParams(waits, signals, queues),
                                          Whole(sources[from]), Whole(targets[i]));
           });
  }
  GoOn();
  for (size_t i = 0; i < targets.size(); ++i) EXPECT_EQ(Read(targets[i]), 100 + i % kKindCount);
}

TEST_P(AsynchronyTest, Dispatch) {
  const Ref<hal_buffer_t> target = MakeShared(device());
  const Ref<hal_buffer_t> count = MakeCounts(device(), 5);
  const hal_buffer_ref_t binding = Whole(target);
  hal_dispatch_params_t direct = HAL_DISPATCH_PARAMS_INIT;
  direct.workgroup_count = {3, 1, 1};
  direct.bindings = hal_buffer_ref_list(&binding, 1);
  hal_dispatch_params_t indirect = direct;
  indirect.flags = HAL_DISPATCH_INDIRECT;
  indirect.indirect = hal_buffer_ref(count.get(), 0, 12);
  StandStill();
  for (const hal_dispatch_params_t* params : {&direct, &indirect}) {
    Expect(params == &direct ? "a dispatch" : "an indirect dispatch", [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_dispatch(device().get(), hal::SubmitParams(waits, signals, queues), kernels_.get(), 0,
                                       params);
    });
  }
  GoOn();
  EXPECT_EQ(First(target), 3u + 5u);
}

// More executions of one command buffer at a time than it has graphs.
TEST_P(AsynchronyTest, Execute) {
  constexpr uint32_t kExecutions = 20;
  const Ref<hal_buffer_t> counter = MakeShared(device());
  const Ref<hal_buffer_t> updated = Make(HAL_MEMORY_TYPE_HOST_LOCAL, 0);
  const auto commands = Recorder(device(), kernels_).Bump(Whole(counter)).Update(Whole(updated), 7).End();
  StandStill();
  for (uint32_t i = 0; i < kExecutions; ++i) {
    Expect("an execution", [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_execute(device().get(), hal::SubmitParams(waits, signals, queues), commands.get(), {});
    });
  }
  GoOn();
  EXPECT_EQ(First(counter), kExecutions);
  EXPECT_EQ(Read(updated), 7u);
}

// The host must see the counts first: a thread of the library does, not the caller. The counts come from the device
// itself, from before the command buffer and from within it.
TEST_P(AsynchronyTest, ExecuteWithIndirectDispatches) {
  constexpr uint32_t kExecutions = 5;
  const Ref<hal_buffer_t> counter = MakeShared(device());
  const Ref<hal_buffer_t> count = MakeCounts(device(), 0);
  const auto commands = Recorder(device(), kernels_)
                            .Bump(Whole(count))
                            .Barrier()
                            .BumpIndirect(Whole(counter), Whole(count))
                            .Barrier()
                            .Triple(Whole(count))
                            .Barrier()
                            .BumpIndirect(Whole(counter), Whole(count))
                            .End();
  StandStill();
  Ref<hal_semaphore_t> chain = MakeSemaphore(device());
  for (uint64_t i = 0; i < kExecutions; ++i) {
    const Point wait = i == 0 ? Point{earlier_.get(), 1} : Point{chain.get(), i};
    Expect("an execution", wait, {chain.get(), i + 1}, [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_execute(device().get(), hal::SubmitParams(waits, signals, queues), commands.get(), {});
    });
  }
  uint64_t value = 1;
  EXPECT_EQ(hal_semaphore_query(chain.get(), &value), HAL_STATUS_OK);
  EXPECT_EQ(value, 0u);
  GoOn();
  EXPECT_EQ(Wait(chain, kExecutions), HAL_STATUS_OK) << hal_last_error_message();
  uint32_t expected_count = 0;
  uint32_t expected = 0;
  for (uint32_t i = 0; i < kExecutions; ++i) {
    expected += ++expected_count;
    expected_count *= 3;
    expected += expected_count;
  }
  EXPECT_EQ(First(counter), expected);
}

// Memory of sizes that were not used before, so that no cached block fits; the larger one is not cached afterwards.
TEST_P(AsynchronyTest, AllocaAndDeallocaOfEachKindOfMemory) {
  StandStill();
  const uint32_t pattern = 0x77;
  std::vector<std::pair<Ref<hal_buffer_t>, Ref<hal_buffer_t>>> copies;  // allocations, and what was in them
  for (const uint64_t length : {uint64_t{12'340}, uint64_t{20} << 20}) {
    for (const hal_memory_type_t kind : kKinds) {
      const Ref<hal_buffer_t>& copy = copies.emplace_back(Ref<hal_buffer_t>(), MakeShared(device())).second;
      Ref<hal_buffer_t>& made = copies.back().first;
      hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
      params.memory_type = kind;
      const Ref<hal_semaphore_t> chain = MakeSemaphore(device());
      const std::string what = " of " + std::to_string(length) + " bytes of type " + std::to_string(kind);
      Expect("an alloca" + what, {earlier_.get(), 1}, {chain.get(), 1}, [&](auto queues, auto waits, auto signals) {
        return hal_device_queue_alloca(device().get(), hal::SubmitParams(waits, signals, queues), &params, length,
                                       made.out());
      });
      const hal_buffer_ref_t part = hal_buffer_ref(made.get(), 0, kLength);
      Expect("a fill" + what, {chain.get(), 1}, {chain.get(), 2}, [&](auto queues, auto waits, auto signals) {
        return hal_device_queue_fill(device().get(), hal::SubmitParams(waits, signals, queues), part, &pattern,
                                     sizeof(pattern));
      });
      Expect("a copy" + what, {chain.get(), 2}, {chain.get(), 3}, [&](auto queues, auto waits, auto signals) {
        return hal_device_queue_copy(device().get(), hal::SubmitParams(waits, signals, queues), part, Whole(copy));
      });
      Expect("a dealloca" + what, {chain.get(), 3}, {chain.get(), 4}, [&](auto queues, auto waits, auto signals) {
        return hal_device_queue_dealloca(device().get(), hal::SubmitParams(waits, signals, queues), made.get());
      });
      Expect("a barrier" + what, [&](auto queues, auto, auto signals) {
        const Point last = {chain.get(), 4};
        return hal_device_queue_barrier(device().get(),
                                        hal::SubmitParams(hal_semaphore_list(&last, 1), signals, queues));
      });
    }
  }
  GoOn();
  for (const auto& [made, copy] : copies) EXPECT_EQ(First(copy), pattern);
}

TEST_P(AsynchronyTest, FilesAndEachKindOfMemory) {
  std::vector<uint32_t> input(kLength / sizeof(uint32_t), 0x2468);
  std::vector<std::vector<uint32_t>> outputs(kKindCount, std::vector<uint32_t>(input.size()));
  std::vector<Ref<hal_buffer_t>> targets;
  std::vector<Ref<hal_buffer_t>> sources;
  for (size_t i = 0; i < kKindCount; ++i) {
    targets.push_back(Make(kKinds[i], 0));
    sources.push_back(Make(kKinds[i], static_cast<uint32_t>(50 + i)));
  }
  const Ref<hal_file_t> source = MakeFile(input);
  std::vector<Ref<hal_file_t>> files;
  files.reserve(outputs.size());
  for (std::vector<uint32_t>& output : outputs) files.push_back(MakeFile(output));
  StandStill();
  for (size_t i = 0; i < kKindCount; ++i) {
    Expect("a read into kind " + std::to_string(i), [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_read(device().get(), hal::SubmitParams(waits, signals, queues), source.get(), 0,
                                   Whole(targets[i]));
    });
    Expect("a write from kind " + std::to_string(i), [&](auto queues, auto waits, auto signals) {
      return hal_device_queue_write(device().get(), hal::SubmitParams(waits, signals, queues), Whole(sources[i]),
                                    files[i].get(), 0);
    });
  }
  GoOn();
  for (size_t i = 0; i < kKindCount; ++i) {
    EXPECT_EQ(Read(targets[i]), 0x2468u);
    EXPECT_EQ(outputs[i].back(), 50 + i);
  }
}

// The file's own copy stands still as well, and with it the thread that does it: no submitting thread waits for that.
TEST_P(AsynchronyTest, WhatComesAfterAFileThatIsAtWork) {
  std::vector<uint32_t> input(kLength / sizeof(uint32_t), 0x1357);
  const Ref<hal_file_t> source = MakeFile(input);
  const Ref<hal_buffer_t> target = Make(HAL_MEMORY_TYPE_DEVICE_LOCAL, 0);
  StandStill();
  for (int i = 0; i < 3; ++i) {
    Expect("a read that waits for nothing", [&](auto queues, auto, auto signals) {
      return hal_device_queue_read(device().get(), hal::SubmitParams({}, signals, queues), source.get(), 0,
                                   Whole(target));
    });
  }
  ExpectHostMemoryAtOnce();
  GoOn();
  EXPECT_EQ(Read(target), 0x1357u);
}

TEST_P(AsynchronyTest, HostCall) {
  std::atomic<int> calls{0};
  StandStill();
  for (int i = 0; i < 10; ++i) {
    Expect("a host call", [&](auto queues, auto waits, auto signals) {
      const auto callback = [](void* user_data, hal_status_t status) {
        ++*static_cast<std::atomic<int>*>(user_data);
        return status;
      };
      return hal_device_queue_host_call(device().get(), hal::SubmitParams(waits, signals, queues), callback, &calls);
    });
  }
  EXPECT_EQ(calls, 0);
  GoOn();
  EXPECT_EQ(calls, 10);
}

INSTANTIATE_TEST_SUITE_P(Modes, AsynchronyTest,
                         testing::Combine(testing::Values("fast", "portable"), testing::Values("stream", "graph"),
                                          testing::Values("same", "other")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) + "_" +
                                  std::get<2>(test.param);
                         });

}  // namespace
}  // namespace halyard::stream
