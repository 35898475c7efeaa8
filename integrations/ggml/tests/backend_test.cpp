// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend as a program of ggml uses it, beyond what ggml's own test does: copies, events, replays, bad input.
//
// GGML_BACKEND_PATH names libggml-halyard.so. HALYARD_GGML_DEVICES names two devices.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"

namespace {

constexpr int64_t kCount = 96;

void Check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

using Context = std::unique_ptr<ggml_context, void (*)(ggml_context*)>;
using BackendPointer = std::unique_ptr<ggml_backend, void (*)(ggml_backend_t)>;
using BufferPointer = std::unique_ptr<ggml_backend_buffer, void (*)(ggml_backend_buffer_t)>;
using EventPointer = std::unique_ptr<ggml_backend_event, void (*)(ggml_backend_event_t)>;

Context NewContext() { return {ggml_init({1 << 20, nullptr, /*no_alloc=*/true}), ggml_free}; }
BackendPointer NewBackend(const char* device) {
  return {ggml_backend_init_by_name(device, nullptr), ggml_backend_free};
}
BufferPointer Allocate(const Context& context, const BackendPointer& backend) {
  return {ggml_backend_alloc_ctx_tensors(context.get(), backend.get()), ggml_backend_buffer_free};
}

std::vector<float> Counting(float first) {
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void Set(ggml_tensor* tensor, const std::vector<float>& values) {
  ggml_backend_tensor_set(tensor, values.data(), 0, values.size() * sizeof(float));
}

std::vector<float> Get(const ggml_tensor* tensor) {
  std::vector<float> values(static_cast<size_t>(ggml_nelements(tensor)));
  ggml_backend_tensor_get(tensor, values.data(), 0, values.size() * sizeof(float));
  return values;
}

ggml_cgraph* GraphOf(const Context& context, ggml_tensor* result) {
  ggml_cgraph* const graph = ggml_new_graph(context.get());
  ggml_build_forward_expand(graph, result);
  return graph;
}

/// A number that the backend counts, by its name.
uint64_t Counter(const char* name) {
  const ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_dev_by_name("Halyard0"));
  const auto count = reinterpret_cast<uint64_t (*)()>(ggml_backend_reg_get_proc_address(reg, name));
  Check(count, std::string("the backend does not count ") + name);
  return count();
}

void DevicesHaveTheirProperties() {
  const ggml_backend_dev_t device = ggml_backend_dev_by_name("Halyard1");
  Check(device, "there is no second device");
  ggml_backend_dev_props props;
  ggml_backend_dev_get_props(device, &props);
  Check(props.memory_total > 0 && props.memory_free <= props.memory_total, "memory");
  Check(props.caps.async && props.caps.events && props.caps.host_buffer, "capabilities");
  Check(std::string(props.description).find("://") != std::string::npos, "the description has no URI");
}

void FillsAndCopiesWithoutAGraph() {
  const BackendPointer backend = NewBackend("Halyard0");
  const Context context = NewContext();
  ggml_tensor* const a = ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, kCount);
  ggml_tensor* const b = ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, kCount);
  const BufferPointer buffer = Allocate(context, backend);
  Set(a, Counting(1));
  ggml_backend_tensor_copy(a, b);
  ggml_backend_tensor_memset(b, 0, 3, 6);  // from within one number into another
  std::vector<float> expected = Counting(1);
  auto* const bytes = reinterpret_cast<unsigned char*>(expected.data());
  std::fill(bytes + 3, bytes + 9, static_cast<unsigned char>(0));
  Check(Get(b) == expected, "what was copied and filled");
  ggml_backend_buffer_clear(buffer.get(), 0);
  Check(Get(a) == std::vector<float>(kCount, 0.0f), "a cleared buffer");
}

// The second device takes what the first one computes, without a wait of the host in between.
void DevicesAndEventsAreInOrder() {
  const BackendPointer first = NewBackend("Halyard0");
  const BackendPointer second = NewBackend("Halyard1");
  const Context there = NewContext();
  const Context here = NewContext();
  ggml_tensor* const x = ggml_new_tensor_1d(there.get(), GGML_TYPE_F32, kCount);
  ggml_tensor* const twice = ggml_scale(there.get(), x, 2.0f);
  ggml_tensor* const y = ggml_new_tensor_1d(here.get(), GGML_TYPE_F32, kCount);
  ggml_tensor* const sum = ggml_add(here.get(), y, y);
  const BufferPointer memory_there = Allocate(there, first);
  const BufferPointer memory_here = Allocate(here, second);
  const EventPointer event(ggml_backend_event_new(ggml_backend_get_device(first.get())), ggml_backend_event_free);
  Check(event != nullptr, "no event");
  ggml_cgraph* const doubles = GraphOf(there, twice);
  ggml_cgraph* const adds = GraphOf(here, sum);
  std::vector<float> results(kCount);
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> values = Counting(static_cast<float>(i));
    ggml_backend_tensor_set_async(first.get(), x, values.data(), 0, kCount * sizeof(float));
    Check(ggml_backend_graph_compute_async(first.get(), doubles) == GGML_STATUS_SUCCESS, "the first graph");
    ggml_backend_tensor_copy_async(first.get(), second.get(), twice, y);
    ggml_backend_event_record(event.get(), first.get());
    ggml_backend_event_wait(second.get(), event.get());
    Check(ggml_backend_graph_compute_async(second.get(), adds) == GGML_STATUS_SUCCESS, "the second graph");
    ggml_backend_tensor_get_async(second.get(), sum, results.data(), 0, kCount * sizeof(float));
    ggml_backend_synchronize(second.get());
    ggml_backend_event_synchronize(event.get());
    for (int64_t k = 0; k < kCount; ++k)
      Check(results[static_cast<size_t>(k)] == 4.0f * static_cast<float>(i + k),
            "a number of round " + std::to_string(i));
  }
}

// Each token's part of a cache begins elsewhere: one recording serves them all.
void ViewsThatMoveAreReplayed() {
  constexpr int64_t kRows = 64;
  const BackendPointer backend = NewBackend("Halyard0");
  const Context tensors = NewContext();
  ggml_tensor* const row = ggml_new_tensor_1d(tensors.get(), GGML_TYPE_F32, kCount);
  ggml_tensor* const cache = ggml_new_tensor_2d(tensors.get(), GGML_TYPE_F32, kCount, kRows);
  const BufferPointer memory = Allocate(tensors, backend);
  const uint64_t before = Counter("halyard_recordings");
  for (int64_t i = 0; i < kRows; ++i) {
    const Context context = NewContext();
    ggml_tensor* const place =
        ggml_view_1d(context.get(), cache, kCount, static_cast<size_t>(i * kCount) * sizeof(float));
    ggml_cgraph* const graph = GraphOf(context, ggml_cpy(context.get(), row, place));
    Check(ggml_backend_alloc_ctx_tensors(context.get(), backend.get()) == nullptr, "a view took memory");
    Set(row, Counting(static_cast<float>(i)));
    Check(ggml_backend_graph_compute(backend.get(), graph) == GGML_STATUS_SUCCESS, "a graph");
  }
  const std::vector<float> values = Get(cache);
  for (int64_t i = 0; i < kRows * kCount; ++i) {
    Check(values[static_cast<size_t>(i)] == static_cast<float>(i / kCount + i % kCount),
          "row " + std::to_string(i / kCount));
  }
  const uint64_t made = Counter("halyard_recordings") - before;
  Check(made == 1, std::to_string(made) + " recordings for one plan");
}

void EmptyTensorsAreNothingToDo() {
  const BackendPointer backend = NewBackend("Halyard0");
  const Context context = NewContext();
  ggml_tensor* const none = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, kCount, 0);
  ggml_tensor* const some = ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, kCount);
  ggml_cgraph* const graph = GraphOf(context, ggml_scale(context.get(), none, 2.0f));
  ggml_tensor* const scaled = ggml_scale(context.get(), some, 3.0f);
  ggml_build_forward_expand(graph, scaled);
  const BufferPointer memory = Allocate(context, backend);
  Set(some, std::vector<float>(kCount, 2.0f));
  Check(ggml_backend_graph_compute(backend.get(), graph) == GGML_STATUS_SUCCESS, "a graph with an empty tensor");
  Check(Get(scaled) == std::vector<float>(kCount, 6.0f), "what is not empty");
}

// Statuses, and the backend works on.
void WhatItCannotDoIsAStatus() {
  const BackendPointer backend = NewBackend("Halyard0");
  const BackendPointer cpu = NewBackend("CPU");
  const Context own = NewContext();
  const Context other = NewContext();
  ggml_tensor* const x = ggml_new_tensor_1d(own.get(), GGML_TYPE_F32, kCount);
  ggml_tensor* const elsewhere = ggml_new_tensor_1d(other.get(), GGML_TYPE_F32, kCount);
  ggml_cgraph* const unknown = GraphOf(own, ggml_cumsum(own.get(), x));
  ggml_cgraph* const strange = GraphOf(own, ggml_add(own.get(), x, elsewhere));
  ggml_tensor* const good = ggml_scale(own.get(), x, 2.0f);
  ggml_cgraph* const fine = GraphOf(own, good);
  const BufferPointer memory = Allocate(own, backend);
  const BufferPointer cpu_memory = Allocate(other, cpu);
  Set(x, std::vector<float>(kCount, 1.0f));
  Check(ggml_backend_graph_compute(backend.get(), unknown) == GGML_STATUS_FAILED, "an operation that it has not");
  Check(ggml_backend_graph_compute(backend.get(), strange) == GGML_STATUS_FAILED, "memory of another backend");
  Check(ggml_backend_graph_compute(backend.get(), fine) == GGML_STATUS_SUCCESS, "a graph after that");
  Check(Get(good) == std::vector<float>(kCount, 2.0f), "its result");
  const ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(backend.get());
  Check(ggml_backend_buft_alloc_buffer(type, size_t{1} << 60) == nullptr, "an exbibyte of memory");
}

void UnloadsAndLoadsAgain() {
  const char* const path = std::getenv("GGML_BACKEND_PATH");
  for (int i = 0; i < 3; ++i) {
    ggml_backend_unload(ggml_backend_dev_backend_reg(ggml_backend_dev_by_name("Halyard0")));
    Check(ggml_backend_dev_by_name("Halyard0") == nullptr, "it is still there");
    Check(ggml_backend_load(path) != nullptr, "it does not load again");
    FillsAndCopiesWithoutAGraph();
  }
}

}  // namespace

int main() {
  ggml_backend_load_all();
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"DevicesHaveTheirProperties", DevicesHaveTheirProperties},
      {"FillsAndCopiesWithoutAGraph", FillsAndCopiesWithoutAGraph},
      {"DevicesAndEventsAreInOrder", DevicesAndEventsAreInOrder},
      {"ViewsThatMoveAreReplayed", ViewsThatMoveAreReplayed},
      {"EmptyTensorsAreNothingToDo", EmptyTensorsAreNothingToDo},
      {"WhatItCannotDoIsAStatus", WhatItCannotDoIsAStatus},
      {"UnloadsAndLoadsAgain", UnloadsAndLoadsAgain},
  };
  int failures = 0;
  for (const auto& [name, run] : cases) {
    try {
      run();
      std::printf("ok      %s\n", name);
    } catch (const std::exception& error) {
      std::printf("FAILED  %s: %s\n", name, error.what());
      failures += 1;
    }
  }
  return failures == 0 ? 0 : 1;
}
