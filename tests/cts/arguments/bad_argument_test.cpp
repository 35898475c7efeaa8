// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that are wrong without being NULL: ranges, unknown bits, struct sizes. Each is refused, and nothing else
// happens. Ranges of queue operations and commands are in the tests of those.
#include "cts/api_objects.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

class BadArgumentTest : public RefusedCallTest {};

TEST_P(BadArgumentTest, IsRefused) { ExpectRefused(); }

/// Allocates with parameters that `change` makes invalid.
hal_status_t AllocateWith(const ApiObjects& o, void (*change)(hal_buffer_params_t*), uint64_t length = 64) {
  hal_buffer_params_t params = Mappable();
  change(&params);
  return hal_allocator_allocate(o.allocator, &params, length, Buffer().out());
}

hal_status_t ImportWith(const ApiObjects& o, void (*change)(hal_external_memory_t*)) {
  static uint64_t memory[64];
  const hal_buffer_params_t params = Mappable();
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(memory);
  external.length = sizeof(memory);
  change(&external);
  return hal_allocator_import(o.allocator, &params, &external, nullptr, nullptr, Buffer().out());
}

hal_status_t Map(const ApiObjects& o, hal_map_access_t access, uint64_t offset = 0, uint64_t length = 16) {
  void* pointer = nullptr;
  return hal_buffer_map(o.buffer, access, offset, length, &pointer);
}

hal_status_t Subspan(const ApiObjects& o, uint64_t offset, uint64_t length) {
  return hal_buffer_subspan(o.buffer, offset, length, Buffer().out());
}

const RefusedCall kMemoryCalls[] = {
    {"allocate_no_usage", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->usage = HAL_BUFFER_USAGE_NONE; }); }},
    {"allocate_unknown_usage", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->usage |= UINT64_C(1) << 40; }); }},
    {"allocate_unknown_memory", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return AllocateWith(o, [](hal_buffer_params_t* p) { p->memory_type |= UINT64_C(1) << 40; });
     }},
    {"allocate_alignment_3", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->alignment = 3; }); }},
    {"allocate_alignment_96", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->alignment = 96; }); }},
    {"allocate_alignment_above_most", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       return AllocateWith(o, [](hal_buffer_params_t* p) { p->alignment = 2 * HAL_BUFFER_MAX_ALIGNMENT; });
     }},
    {"allocate_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->struct_size = 0; }); }},
    {"allocate_struct_size_garbage", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return AllocateWith(o, [](hal_buffer_params_t* p) { p->struct_size = SIZE_MAX; }); }},
    {"import_flags", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return ImportWith(o, [](hal_external_memory_t* m) { m->flags = 2; }); }},
    {"import_no_type", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return ImportWith(o, [](hal_external_memory_t* m) { m->type = HAL_EXTERNAL_MEMORY_TYPE_NONE; });
     }},
    {"import_null_pointer", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return ImportWith(o, [](hal_external_memory_t* m) { m->handle = 0; }); }},
    {"import_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return ImportWith(o, [](hal_external_memory_t* m) { m->struct_size = 0; }); }},
    {"heaps_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       size_t n = 0;
       hal_allocator_query_heaps(o.allocator, &n, nullptr);
       std::vector<hal_memory_heap_t> heaps(n);
       return hal_allocator_query_heaps(o.allocator, &n, heaps.data());
     }},
    {"statistics_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       hal_allocator_statistics_t s = {};
       return hal_allocator_query_statistics(o.allocator, &s);
     }},
    {"buffer_info_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       hal_buffer_info_t i = {};
       return hal_buffer_query_info(o.buffer, &i);
     }},
    {"subspan_offset_past_end", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return Subspan(o, 257, 0); }},
    {"subspan_length_past_end", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return Subspan(o, 200, 57); }},
    {"subspan_overflow", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return Subspan(o, 16, UINT64_MAX - 8); }},
    {"subspan_offset_overflow", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return Subspan(o, UINT64_MAX, 2); }},
    {"map_no_access", HAL_STATUS_INVALID_ARGUMENT, [](ApiObjects& o) { return Map(o, 0); }},
    {"map_unknown_access", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_READ | UINT64_C(1) << 20); }},
    {"map_discard_for_reading", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_DISCARD); }},
    {"map_discard_alone", HAL_STATUS_INVALID_ARGUMENT, [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_DISCARD); }},
    {"map_past_end", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_READ, 250, 7); }},
    {"map_offset_past_end", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_READ, 300, HAL_WHOLE_SIZE); }},
    {"map_overflow", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return Map(o, HAL_MAP_ACCESS_READ, 8, UINT64_MAX - 4); }},
    {"unmap_not_mapped", HAL_STATUS_FAILED_PRECONDITION, [](ApiObjects& o) { return hal_buffer_unmap(o.buffer); }},
    {"flush_past_end", HAL_STATUS_OUT_OF_RANGE, [](ApiObjects& o) { return hal_buffer_flush(o.buffer, 256, 1); }},
    {"invalidate_past_end", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_invalidate(o.buffer, 0, 257); }},
    {"write_past_end", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_write(o.buffer, 254, &o.word, 4); }},
    {"write_overflow", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_write(o.buffer, UINT64_MAX - 1, &o.word, 4); }},
    {"write_whole_size", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_write(o.buffer, 252, &o.word, HAL_WHOLE_SIZE); }},
    {"read_past_end", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_read(o.buffer, 254, &o.word, 4); }},
    {"read_whole_size", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return hal_buffer_read(o.buffer, 252, &o.word, HAL_WHOLE_SIZE); }},
    {"export_without_usage", HAL_STATUS_PERMISSION_DENIED,
     [](ApiObjects& o) {
       hal_external_memory_t m = HAL_INIT(hal_external_memory_t);
       return hal_buffer_export(o.buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &m);
     }},
    {"file_open_no_access", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) { return hal_file_open(hal_string_view("/dev/null"), 0, File().out()); }},
    {"file_open_unknown_access", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) { return hal_file_open(hal_string_view("/dev/null"), UINT64_C(1) << 9, File().out()); }},
    {"file_open_missing", HAL_STATUS_NOT_FOUND,
     [](ApiObjects&) { return hal_file_open(hal_string_view("/no/such/file"), HAL_FILE_ACCESS_READ, File().out()); }},
    {"file_open_folder", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) { return hal_file_open(hal_string_view("/"), HAL_FILE_ACCESS_READ, File().out()); }},
    {"file_from_memory_no_access", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return hal_file_from_memory(&o.word, 4, 0, nullptr, nullptr, File().out()); }},
    {"file_from_descriptor_closed", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) { return hal_file_from_descriptor(-1, HAL_FILE_ACCESS_READ, File().out()); }},
};
INSTANTIATE_TEST_SUITE_P(Memory, BadArgumentTest, testing::ValuesIn(kMemoryCalls), ByName);

hal_status_t CreateView(const ApiObjects& o, hal_element_type_t type, const std::vector<int64_t>& sizes) {
  return hal_buffer_view_create(o.buffer, type, sizes.size(), sizes.data(), BufferView().out());
}

const RefusedCall kViewCalls[] = {
    {"unknown_type", HAL_STATUS_INVALID_ARGUMENT, [](ApiObjects& o) { return CreateView(o, 0xFFFF, {1}); }},
    {"no_type", HAL_STATUS_INVALID_ARGUMENT, [](ApiObjects& o) { return CreateView(o, HAL_ELEMENT_TYPE_NONE, {1}); }},
    {"negative_size", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateView(o, HAL_ELEMENT_TYPE_I8, {4, -1});
     }},
    {"two_negative_sizes", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateView(o, HAL_ELEMENT_TYPE_I8, {-2, -2});
     }},
    {"larger_than_buffer", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) { return CreateView(o, HAL_ELEMENT_TYPE_I8, {257}); }},
    {"product_past_63_bits", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateView(o, HAL_ELEMENT_TYPE_F64, {INT64_C(1) << 31, INT64_C(1) << 31});
     }},
    {"product_wraps_to_zero", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateView(o, HAL_ELEMENT_TYPE_I8, {INT64_C(1) << 32, INT64_C(1) << 32});
     }},
    {"wrong_index_count", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       const int64_t i[] = {0, 0};
       uint64_t offset = 0;
       return hal_buffer_view_element_offset(o.view, 2, i, &offset);
     }},
    {"index_past_end", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       const int64_t i = 64;
       uint64_t offset = 0;
       return hal_buffer_view_element_offset(o.view, 1, &i, &offset);
     }},
    {"negative_index", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       const int64_t i = -1;
       uint64_t offset = 0;
       return hal_buffer_view_element_offset(o.view, 1, &i, &offset);
     }},
    {"text_too_short", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       char text[4] = {};
       return hal_buffer_view_format(o.view, 64, text, sizeof(text), nullptr);
     }},
    {"type_format_too_short", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects&) {
       char text[3] = {};
       return hal_element_type_format(HAL_ELEMENT_TYPE_F32, text, sizeof(text));
     }},
    {"type_format_unknown", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) {
       char text[24] = {};
       return hal_element_type_format(0xABCDEF, text, sizeof(text));
     }},
    {"type_parse_unknown", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) {
       hal_element_type_t t = 0;
       return hal_element_type_parse(hal_string_view("float33"), &t);
     }},
    {"type_parse_empty", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) {
       hal_element_type_t t = 0;
       return hal_element_type_parse(hal_string_view(""), &t);
     }},
};
INSTANTIATE_TEST_SUITE_P(View, BadArgumentTest, testing::ValuesIn(kViewCalls), ByName);

hal_status_t CreateCommands(const ApiObjects& o, void (*change)(hal_command_buffer_params_t*, const ApiObjects&)) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  change(&params, o);
  return hal_command_buffer_create(o.device, &params, CommandBuffer().out());
}

hal_status_t DispatchWith(const ApiObjects& o, void (*change)(hal_dispatch_params_t*), uint32_t ordinal_offset = 0) {
  const Dispatch good = Dispatch().Workgroups(1).Bind(o.buffer);
  hal_dispatch_params_t params = *good.params();
  change(&params);
  return hal_device_queue_dispatch(o.device, hal::SubmitParams(kEmptyList, kEmptyList), o.executable,
                                   o.add_one + ordinal_offset, &params);
}

hal_status_t CreateSetLayout(const ApiObjects& o, const std::vector<hal_descriptor_binding_t>& bindings) {
  return hal_descriptor_set_layout_create(o.device, bindings.size(), bindings.data(), DescriptorSetLayout().out());
}

const RefusedCall kObjectCalls[] = {
    {"commands_unknown_flag", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return CreateCommands(o, [](auto* p, const auto&) { p->flags = UINT64_C(1) << 30; }); }},
    {"commands_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return CreateCommands(o, [](auto* p, const auto&) { p->struct_size = 0; }); }},
    {"begin_twice", HAL_STATUS_FAILED_PRECONDITION, [](ApiObjects& o) { return o.recording.Begin(); }},
    {"begin_after_end", HAL_STATUS_FAILED_PRECONDITION, [](ApiObjects& o) { return o.executable_commands.Begin(); }},
    {"end_twice", HAL_STATUS_FAILED_PRECONDITION, [](ApiObjects& o) { return o.executable_commands.End(); }},
    {"execute_while_recording", HAL_STATUS_FAILED_PRECONDITION,
     [](ApiObjects& o) { return o.device.QueueExecute(kNoWaits, kNoSignals, o.recording); }},
    {"dispatch_ordinal", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       return DispatchWith(
           o, [](auto*) {}, 1000);
     }},
    {"dispatch_unknown_flag", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return DispatchWith(o, [](auto* p) { p->flags = UINT64_C(1) << 30; }); }},
    {"dispatch_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return DispatchWith(o, [](auto* p) { p->struct_size = 0; }); }},
    {"dispatch_no_bindings", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return DispatchWith(o, [](auto* p) { p->bindings.count = 0; }); }},
    {"dispatch_null_bindings", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) { return DispatchWith(o, [](auto* p) { p->bindings.refs = nullptr; }); }},
    {"dispatch_unwanted_constants", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return DispatchWith(o, [](auto* p) {
         static const uint32_t constant = 1;
         p->constants = &constant;
         p->constants_size = sizeof(constant);
       });
     }},
    {"executable_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       const KernelSource source(o.device, "basic");
       hal_executable_params_t p = source.params();
       p.struct_size = 0;
       return hal_executable_create(o.device, &p, Executable().out());
     }},
    {"executable_unknown_format", HAL_STATUS_INCOMPATIBLE,
     [](ApiObjects& o) {
       const KernelSource source(o.device, "basic");
       hal_executable_params_t p = source.params();
       p.format = hal_string_view("punch-cards");
       return hal_executable_create(o.device, &p, Executable().out());
     }},
    {"executable_data_and_path", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       const KernelSource source(o.device, "basic");
       const std::vector<unsigned char> image = source.ReadImage();
       hal_executable_params_t p = source.params();
       p.data = image.data();
       p.data_size = image.size();
       return hal_executable_create(o.device, &p, Executable().out());
     }},
    {"find_export_unknown", HAL_STATUS_NOT_FOUND,
     [](ApiObjects& o) {
       uint32_t n = 0;
       return hal_executable_find_export(o.executable, hal_string_view("add_two"), &n);
     }},
    {"query_export_properties_ordinal", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       hal_export_properties_t p = HAL_INIT(hal_export_properties_t);
       return hal_executable_query_export_properties(o.executable, hal_executable_export_count(o.executable),
                                                     hal_dim3(0, 0, 0), 0, &p);
     }},
    {"find_global_ordinal", HAL_STATUS_OUT_OF_RANGE,
     [](ApiObjects& o) {
       return hal_executable_find_global(o.executable, hal_executable_export_count(o.executable),
                                         hal_string_view("table"), Buffer().out());
     }},
    {"set_layout_falling_bindings", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateSetLayout(o, {{1, HAL_BINDING_ACCESS_READ}, {0, HAL_BINDING_ACCESS_READ}});
     }},
    {"set_layout_binding_twice", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateSetLayout(o, {{1, HAL_BINDING_ACCESS_READ}, {1, HAL_BINDING_ACCESS_READ}});
     }},
    {"set_layout_unknown_access", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return CreateSetLayout(o, {{1, static_cast<hal_binding_access_t>(9)}});
     }},
    {"semaphore_fail_length_without_text", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return hal_semaphore_fail(o.semaphore, HAL_STATUS_ABORTED, {nullptr, 5});
     }},
    {"fence_fail_length_without_text", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       return hal_fence_fail(o.fence, HAL_STATUS_ABORTED, {nullptr, 5});
     }},
    {"wait_flags", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects&) { return hal_semaphore_list_wait(kEmptyList, 0x20, 0, nullptr); }},
    {"profiling_no_flags", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       hal_profiling_sink_t s = HAL_INIT(hal_profiling_sink_t);
       s.record = [](void*, const hal_profiling_record_t*) {};
       return hal_device_profiling_begin(o.device, 0, &s);
     }},
    {"profiling_unknown_flag", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       hal_profiling_sink_t s = HAL_INIT(hal_profiling_sink_t);
       s.record = [](void*, const hal_profiling_record_t*) {};
       return hal_device_profiling_begin(o.device, UINT64_C(1) << 30, &s);
     }},
    {"profiling_struct_size_0", HAL_STATUS_INVALID_ARGUMENT,
     [](ApiObjects& o) {
       hal_profiling_sink_t s = {};
       s.record = [](void*, const hal_profiling_record_t*) {};
       return hal_device_profiling_begin(o.device, HAL_PROFILING_DISPATCHES, &s);
     }},
    {"interface_unknown", HAL_STATUS_UNIMPLEMENTED,
     [](ApiObjects& o) {
       const void* table = nullptr;
       return hal_device_query_interface(o.device, hal_string_view("halyard.nothing"), 1, &table);
     }},
    {"host_allocator_in_use", HAL_STATUS_FAILED_PRECONDITION,
     [](ApiObjects&) { return hal_set_host_allocator(nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(Objects, BadArgumentTest, testing::ValuesIn(kObjectCalls), ByName);

class ArgumentLimitTest : public DeviceTest {};

TEST_F(ArgumentLimitTest, ExportInfoOutOfRangeIsNull) {
  const Executable executable = LoadKernels("basic");
  const uint32_t count = hal_executable_export_count(executable);
  EXPECT_NE(hal_executable_export_info(executable, count - 1), nullptr);
  EXPECT_EQ(hal_executable_export_info(executable, count), nullptr);
  EXPECT_EQ(hal_executable_export_info(executable, UINT32_MAX), nullptr);
}

TEST_F(ArgumentLimitTest, LayoutsStayWithinTheLimits) {
  const hal_device_limits_t& limits = device().limits();
  PipelineLayout layout;
  if (limits.max_constants_size < UINT32_MAX) {
    EXPECT_OK(hal_pipeline_layout_create(device(), 0, nullptr, limits.max_constants_size, layout.out()));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                  hal_pipeline_layout_create(device(), 0, nullptr, limits.max_constants_size + 1, layout.out()));
  }
  if (limits.max_descriptor_sets < 1000) {
    const std::vector<hal_descriptor_set_layout_t*> sets(limits.max_descriptor_sets + 1, nullptr);
    EXPECT_OK(hal_pipeline_layout_create(device(), sets.size() - 1, sets.data(), 0, layout.out()));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                  hal_pipeline_layout_create(device(), sets.size(), sets.data(), 0, layout.out()));
  }
}

TEST_F(ArgumentLimitTest, AStatusHasAName) {
  EXPECT_STREQ(hal_status_name(HAL_STATUS_OK), "OK");
  EXPECT_STREQ(hal_status_name(HAL_STATUS_OUT_OF_RANGE), "OUT_OF_RANGE");
  for (const hal_status_t status : kFailures) EXPECT_STRNE(hal_status_name(status), hal_status_name(HAL_STATUS_OK));
  EXPECT_NE(hal_status_name(static_cast<hal_status_t>(12345)), nullptr);
}

TEST_F(ArgumentLimitTest, SuccessLeavesTheLastErrorAlone) {
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_semaphore_signal(nullptr, 1));
  const std::string before = hal_last_error_message();
  EXPECT_FALSE(before.empty());
  const Semaphore semaphore = CreateSemaphore();
  EXPECT_OK(semaphore.Signal(1));
  EXPECT_EQ(hal_last_error_message(), before);
}

TEST_F(ArgumentLimitTest, EachThreadHasItsOwnLastError) {
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_semaphore_signal(nullptr, 1));
  const std::string here = hal_last_error_message();
  OnThreads(2, [](size_t thread) {
    EXPECT_STREQ(hal_last_error_message(), "");
    const std::string mine = "message of thread " + std::to_string(thread);
    hal_set_error_message(View(mine));
    EXPECT_EQ(hal_last_error_message(), mine);
  });
  EXPECT_EQ(hal_last_error_message(), here);
}

}  // namespace
}  // namespace halyard::cts
