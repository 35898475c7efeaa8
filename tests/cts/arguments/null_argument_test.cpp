// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every public function that returns a status, with NULL for each argument that must not be: INVALID_ARGUMENT, and
// nothing else happens. Functions that accept NULL do nothing and return nothing. A case is named after function and
// argument.
#include "cts/api_objects.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

constexpr hal_status_t kInvalid = HAL_STATUS_INVALID_ARGUMENT;
constexpr hal_string_view_t kNullText = {nullptr, 3};  // text that claims a length

class NullArgumentTest : public RefusedCallTest {};

TEST_P(NullArgumentTest, IsRefused) { ExpectRefused(); }

const RefusedCall kRegistryCalls[] = {
    {"registry_create_out", kInvalid, [](ApiObjects&) { return hal_registry_create(nullptr); }},
    {"load_plugin_registry", kInvalid,
     [](ApiObjects&) { return hal_registry_load_plugin(nullptr, hal_string_view("x.so")); }},
    {"load_plugin_path", kInvalid, [](ApiObjects& o) { return hal_registry_load_plugin(o.registry, kNullText); }},
    {"list_drivers_registry", kInvalid,
     [](ApiObjects& o) { return hal_registry_list_drivers(nullptr, &o.count, nullptr); }},
    {"list_drivers_count", kInvalid,
     [](ApiObjects& o) { return hal_registry_list_drivers(o.registry, nullptr, nullptr); }},
    {"open_driver_registry", kInvalid,
     [](ApiObjects& o) { return hal_registry_open_driver(nullptr, o.device.info().driver, Driver().out()); }},
    {"open_driver_name", kInvalid,
     [](ApiObjects& o) { return hal_registry_open_driver(o.registry, kNullText, Driver().out()); }},
    {"open_driver_out", kInvalid,
     [](ApiObjects& o) { return hal_registry_open_driver(o.registry, o.device.info().driver, nullptr); }},
    {"registry_create_device_registry", kInvalid,
     [](ApiObjects& o) {
       return hal_registry_create_device(nullptr, o.device.info().driver, 0, nullptr, Device().out());
     }},
    {"registry_create_device_uri", kInvalid,
     [](ApiObjects& o) { return hal_registry_create_device(o.registry, kNullText, 0, nullptr, Device().out()); }},
    {"registry_create_device_pairs", kInvalid,
     [](ApiObjects& o) {
       return hal_registry_create_device(o.registry, o.device.info().driver, 1, nullptr, Device().out());
     }},
    {"registry_create_device_out", kInvalid,
     [](ApiObjects& o) { return hal_registry_create_device(o.registry, o.device.info().driver, 0, nullptr, nullptr); }},
    {"device_create_uri", kInvalid, [](ApiObjects&) { return hal_device_create(kNullText, Device().out()); }},
    {"device_create_out", kInvalid, [](ApiObjects& o) { return hal_device_create(o.device.info().driver, nullptr); }},
    {"list_devices_driver", kInvalid,
     [](ApiObjects& o) { return hal_driver_list_devices(nullptr, &o.count, nullptr); }},
    {"list_devices_count", kInvalid, [](ApiObjects& o) { return hal_driver_list_devices(o.driver, nullptr, nullptr); }},
    {"driver_create_device_driver", kInvalid,
     [](ApiObjects&) { return hal_driver_create_device(nullptr, hal_string_view(""), 0, nullptr, Device().out()); }},
    {"driver_create_device_id", kInvalid,
     [](ApiObjects& o) { return hal_driver_create_device(o.driver, kNullText, 0, nullptr, Device().out()); }},
    {"driver_create_device_pairs", kInvalid,
     [](ApiObjects& o) { return hal_driver_create_device(o.driver, hal_string_view(""), 1, nullptr, Device().out()); }},
    {"driver_create_device_out", kInvalid,
     [](ApiObjects& o) { return hal_driver_create_device(o.driver, hal_string_view(""), 0, nullptr, nullptr); }},
    {"driver_wrap_device_driver", kInvalid,
     [](ApiObjects& o) {
       return hal_driver_wrap_device(nullptr, hal_string_view("x"), &o, 0, nullptr, nullptr, nullptr, Device().out());
     }},
    {"driver_wrap_device_name", kInvalid,
     [](ApiObjects& o) {
       return hal_driver_wrap_device(o.driver, kNullText, &o, 0, nullptr, nullptr, nullptr, Device().out());
     }},
    {"driver_wrap_device_native", kInvalid,
     [](ApiObjects& o) {
       return hal_driver_wrap_device(o.driver, hal_string_view("x"), nullptr, 0, nullptr, nullptr, nullptr,
                                     Device().out());
     }},
    {"driver_wrap_device_pairs", kInvalid,
     [](ApiObjects& o) {
       return hal_driver_wrap_device(o.driver, hal_string_view("x"), &o, 1, nullptr, nullptr, nullptr, Device().out());
     }},
    {"driver_wrap_device_out", kInvalid,
     [](ApiObjects& o) {
       return hal_driver_wrap_device(o.driver, hal_string_view("x"), &o, 0, nullptr, nullptr, nullptr, nullptr);
     }},
    {"query_format_device", kInvalid,
     [](ApiObjects&) { return hal_device_query_format(nullptr, hal_string_view("x")); }},
    {"query_format_format", kInvalid, [](ApiObjects& o) { return hal_device_query_format(o.device, kNullText); }},
    {"drain_device", kInvalid, [](ApiObjects&) { return hal_device_drain(nullptr, 0); }},
    {"query_health_device", kInvalid, [](ApiObjects&) { return hal_device_query_health(nullptr); }},
    {"query_interface_device", kInvalid,
     [](ApiObjects& o) { return hal_device_query_interface(nullptr, hal_string_view("x"), 1, &o.table); }},
    {"query_interface_name", kInvalid,
     [](ApiObjects& o) { return hal_device_query_interface(o.device, kNullText, 1, &o.table); }},
    {"query_interface_out", kInvalid,
     [](ApiObjects& o) { return hal_device_query_interface(o.device, hal_string_view("x"), 1, nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(Registry, NullArgumentTest, testing::ValuesIn(kRegistryCalls), ByName);

const RefusedCall kNullMemoryCalls[] = {
    {"query_heaps_allocator", kInvalid,
     [](ApiObjects& o) { return hal_allocator_query_heaps(nullptr, &o.count, nullptr); }},
    {"query_heaps_count", kInvalid,
     [](ApiObjects& o) { return hal_allocator_query_heaps(o.allocator, nullptr, nullptr); }},
    {"query_statistics_allocator", kInvalid,
     [](ApiObjects& o) { return hal_allocator_query_statistics(nullptr, &o.statistics); }},
    {"query_statistics_out", kInvalid,
     [](ApiObjects& o) { return hal_allocator_query_statistics(o.allocator, nullptr); }},
    {"allocate_allocator", kInvalid,
     [](ApiObjects& o) { return hal_allocator_allocate(nullptr, &o.buffer_params, 16, Buffer().out()); }},
    {"allocate_params", kInvalid,
     [](ApiObjects& o) { return hal_allocator_allocate(o.allocator, nullptr, 16, Buffer().out()); }},
    {"allocate_out", kInvalid,
     [](ApiObjects& o) { return hal_allocator_allocate(o.allocator, &o.buffer_params, 16, nullptr); }},
    {"import_allocator", kInvalid,
     [](ApiObjects& o) {
       return hal_allocator_import(nullptr, &o.buffer_params, &o.memory, nullptr, nullptr, Buffer().out());
     }},
    {"import_params", kInvalid,
     [](ApiObjects& o) {
       return hal_allocator_import(o.allocator, nullptr, &o.memory, nullptr, nullptr, Buffer().out());
     }},
    {"import_memory", kInvalid,
     [](ApiObjects& o) {
       return hal_allocator_import(o.allocator, &o.buffer_params, nullptr, nullptr, nullptr, Buffer().out());
     }},
    {"import_out", kInvalid,
     [](ApiObjects& o) {
       const hal_buffer_params_t p = Mappable();
       hal_external_memory_t m = HAL_INIT(hal_external_memory_t);
       m.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
       m.handle = reinterpret_cast<uintptr_t>(&o.word);
       m.length = 4;
       return hal_allocator_import(o.allocator, &p, &m, nullptr, nullptr, nullptr);
     }},
    {"trim_allocator", kInvalid, [](ApiObjects&) { return hal_allocator_trim(nullptr); }},
    {"query_info_buffer", kInvalid, [](ApiObjects& o) { return hal_buffer_query_info(nullptr, &o.info); }},
    {"query_info_out", kInvalid, [](ApiObjects& o) { return hal_buffer_query_info(o.buffer, nullptr); }},
    {"subspan_buffer", kInvalid, [](ApiObjects&) { return hal_buffer_subspan(nullptr, 0, 1, Buffer().out()); }},
    {"subspan_out", kInvalid, [](ApiObjects& o) { return hal_buffer_subspan(o.buffer, 0, 1, nullptr); }},
    {"map_buffer", kInvalid,
     [](ApiObjects& o) { return hal_buffer_map(nullptr, HAL_MAP_ACCESS_READ, 0, 1, &o.pointer); }},
    {"map_out", kInvalid, [](ApiObjects& o) { return hal_buffer_map(o.buffer, HAL_MAP_ACCESS_READ, 0, 1, nullptr); }},
    {"unmap_buffer", kInvalid, [](ApiObjects&) { return hal_buffer_unmap(nullptr); }},
    {"flush_buffer", kInvalid, [](ApiObjects&) { return hal_buffer_flush(nullptr, 0, 1); }},
    {"invalidate_buffer", kInvalid, [](ApiObjects&) { return hal_buffer_invalidate(nullptr, 0, 1); }},
    {"write_buffer", kInvalid, [](ApiObjects& o) { return hal_buffer_write(nullptr, 0, &o.word, 4); }},
    {"write_data", kInvalid, [](ApiObjects& o) { return hal_buffer_write(o.buffer, 0, nullptr, 4); }},
    {"read_buffer", kInvalid, [](ApiObjects& o) { return hal_buffer_read(nullptr, 0, &o.word, 4); }},
    {"read_data", kInvalid, [](ApiObjects& o) { return hal_buffer_read(o.buffer, 0, nullptr, 4); }},
    {"export_buffer", kInvalid,
     [](ApiObjects& o) { return hal_buffer_export(nullptr, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &o.memory); }},
    {"view_create_buffer", kInvalid,
     [](ApiObjects& o) {
       return hal_buffer_view_create(nullptr, HAL_ELEMENT_TYPE_I32, 1, &o.size, BufferView().out());
     }},
    {"view_create_sizes", kInvalid,
     [](ApiObjects& o) {
       return hal_buffer_view_create(o.buffer, HAL_ELEMENT_TYPE_I32, 1, nullptr, BufferView().out());
     }},
    {"view_create_out", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_create(o.buffer, HAL_ELEMENT_TYPE_I32, 1, &o.size, nullptr); }},
    {"element_offset_view", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_element_offset(nullptr, 1, &o.index, &o.number); }},
    {"element_offset_indices", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_element_offset(o.view, 1, nullptr, &o.number); }},
    {"element_offset_out", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_element_offset(o.view, 1, &o.index, nullptr); }},
    {"view_format_view", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_format(nullptr, 1, o.text, sizeof(o.text), nullptr); }},
    {"view_format_text", kInvalid,
     [](ApiObjects& o) { return hal_buffer_view_format(o.view, 1, nullptr, 64, nullptr); }},
    {"element_type_format_text", kInvalid,
     [](ApiObjects&) { return hal_element_type_format(HAL_ELEMENT_TYPE_F32, nullptr, 24); }},
    {"element_type_parse_text", kInvalid, [](ApiObjects& o) { return hal_element_type_parse(kNullText, &o.type); }},
    {"element_type_parse_out", kInvalid,
     [](ApiObjects&) { return hal_element_type_parse(hal_string_view("f32"), nullptr); }},
    {"file_open_path", kInvalid,
     [](ApiObjects&) { return hal_file_open(kNullText, HAL_FILE_ACCESS_READ, File().out()); }},
    {"file_open_out", kInvalid,
     [](ApiObjects&) { return hal_file_open(hal_string_view("/dev/null"), HAL_FILE_ACCESS_READ, nullptr); }},
    {"file_from_memory_data", kInvalid,
     [](ApiObjects&) {
       return hal_file_from_memory(nullptr, 4, HAL_FILE_ACCESS_READ, nullptr, nullptr, File().out());
     }},
    {"file_from_memory_out", kInvalid,
     [](ApiObjects& o) { return hal_file_from_memory(&o.word, 4, HAL_FILE_ACCESS_READ, nullptr, nullptr, nullptr); }},
    {"file_from_descriptor_out", kInvalid,
     [](ApiObjects&) { return hal_file_from_descriptor(0, HAL_FILE_ACCESS_READ, nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(Memory, NullArgumentTest, testing::ValuesIn(kNullMemoryCalls), ByName);

void IgnoreTimepoint(void*, hal_status_t, hal_string_view_t) {}

const RefusedCall kSemaphoreCalls[] = {
    {"semaphore_create_device", kInvalid,
     [](ApiObjects&) { return hal_semaphore_create(nullptr, nullptr, Semaphore().out()); }},
    {"semaphore_create_out", kInvalid, [](ApiObjects& o) { return hal_semaphore_create(o.device, nullptr, nullptr); }},
    {"semaphore_query_semaphore", kInvalid, [](ApiObjects& o) { return hal_semaphore_query(nullptr, &o.number); }},
    {"semaphore_query_out", kInvalid, [](ApiObjects& o) { return hal_semaphore_query(o.semaphore, nullptr); }},
    {"semaphore_signal", kInvalid, [](ApiObjects&) { return hal_semaphore_signal(nullptr, 1); }},
    {"semaphore_fail", kInvalid,
     [](ApiObjects&) { return hal_semaphore_fail(nullptr, HAL_STATUS_ABORTED, hal_string_view("x")); }},
    {"semaphore_wait", kInvalid, [](ApiObjects&) { return hal_semaphore_wait(nullptr, 1, 0); }},
    {"list_wait_points", kInvalid,
     [](ApiObjects&) {
       return hal_semaphore_list_wait({nullptr, 1}, HAL_WAIT_ALL, 0, nullptr);
     }},
    {"list_wait_any_points", kInvalid,
     [](ApiObjects&) {
       size_t index = 0;
       return hal_semaphore_list_wait({nullptr, 1}, HAL_WAIT_ANY, 0, &index);
     }},
    {"list_wait_semaphore", kInvalid,
     [](ApiObjects& o) {
       return hal_semaphore_list_wait(Points({{o.semaphore, 1}, {nullptr, 1}}), HAL_WAIT_ANY, 0, nullptr);
     }},
    {"notify_semaphore", kInvalid,
     [](ApiObjects&) { return hal_semaphore_notify(nullptr, 1, IgnoreTimepoint, nullptr, nullptr); }},
    {"notify_callback", kInvalid,
     [](ApiObjects& o) { return hal_semaphore_notify(o.semaphore, 1, nullptr, nullptr, nullptr); }},
    {"cancel_semaphore", kInvalid,
     [](ApiObjects&) {
       return hal_semaphore_cancel(nullptr, {1, 1});
     }},
    {"fence_create_out", kInvalid, [](ApiObjects&) { return hal_fence_create(1, nullptr); }},
    {"fence_insert_fence", kInvalid, [](ApiObjects& o) { return hal_fence_insert(nullptr, o.semaphore, 1); }},
    {"fence_insert_semaphore", kInvalid, [](ApiObjects& o) { return hal_fence_insert(o.fence, nullptr, 1); }},
    {"fence_extend_fence", kInvalid, [](ApiObjects&) { return hal_fence_extend(nullptr, kEmptyList); }},
    {"fence_extend_points", kInvalid,
     [](ApiObjects& o) {
       return hal_fence_extend(o.fence, {nullptr, 1});
     }},
    {"fence_query", kInvalid, [](ApiObjects&) { return hal_fence_query(nullptr); }},
    {"fence_signal", kInvalid, [](ApiObjects&) { return hal_fence_signal(nullptr); }},
    {"fence_fail", kInvalid,
     [](ApiObjects&) { return hal_fence_fail(nullptr, HAL_STATUS_ABORTED, hal_string_view("x")); }},
    {"fence_wait", kInvalid, [](ApiObjects&) { return hal_fence_wait(nullptr, 0); }},
    {"channel_create_id", kInvalid, [](ApiObjects&) { return hal_channel_create_id(nullptr); }},
    {"channel_create_device", kInvalid,
     [](ApiObjects&) {
       hal_channel_t* channel = nullptr;
       const hal_channel_params_t params = HAL_INIT(hal_channel_params_t);
       return hal_channel_create(nullptr, &params, &channel);
     }},
    {"channel_create_params", kInvalid,
     [](ApiObjects& o) {
       hal_channel_t* channel = nullptr;
       return hal_channel_create(o.device, nullptr, &channel);
     }},
    {"channel_create_all_devices", kInvalid,
     [](ApiObjects&) {
       hal_channel_t* channel = nullptr;
       return hal_channel_create_all(1, nullptr, 0, &channel);
     }},
    {"channel_create_all_device", kInvalid,
     [](ApiObjects&) {
       hal_channel_t* channel = nullptr;
       hal_device_t* const none = nullptr;
       return hal_channel_create_all(1, &none, 0, &channel);
     }},
    {"channel_create_all_out", kInvalid,
     [](ApiObjects& o) {
       hal_device_t* const device = o.device;
       return hal_channel_create_all(1, &device, 0, nullptr);
     }},
    {"channel_split", kInvalid,
     [](ApiObjects&) {
       hal_channel_t* channel = nullptr;
       return hal_channel_split(nullptr, 0, 0, &channel);
     }},
    {"channel_query", kInvalid, [](ApiObjects&) { return hal_channel_query(nullptr, nullptr); }},
    {"channel_wait", kInvalid, [](ApiObjects&) { return hal_channel_wait(nullptr, 0); }},
    {"channel_abort", kInvalid,
     [](ApiObjects&) { return hal_channel_abort(nullptr, HAL_STATUS_ABORTED, hal_string_view("x")); }},
    {"event_create_device", kInvalid, [](ApiObjects&) { return hal_event_create(nullptr, Event().out()); }},
    {"event_create_out", kInvalid, [](ApiObjects& o) { return hal_event_create(o.device, nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(Semaphores, NullArgumentTest, testing::ValuesIn(kSemaphoreCalls), ByName);

const RefusedCall kCommandBufferCalls[] = {
    {"create_device", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_create(nullptr, &o.command_buffer_params, CommandBuffer().out()); }},
    {"create_params", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_create(o.device, nullptr, CommandBuffer().out()); }},
    {"create_out", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_create(o.device, &o.command_buffer_params, nullptr); }},
    {"begin", kInvalid, [](ApiObjects&) { return hal_command_buffer_begin(nullptr); }},
    {"end", kInvalid, [](ApiObjects&) { return hal_command_buffer_end(nullptr); }},
    {"barrier", kInvalid, [](ApiObjects&) { return hal_command_buffer_barrier(nullptr); }},
    {"fill_commands", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_fill(nullptr, Ref(o.buffer), &o.word, 4); }},
    {"fill_pattern", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_fill(o.recording, Ref(o.buffer), nullptr, 4); }},
    {"update_commands", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_update(nullptr, &o.word, Ref(o.buffer, 0, 4)); }},
    {"update_data", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_update(o.recording, nullptr, Ref(o.buffer, 0, 4)); }},
    {"copy_commands", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_copy(nullptr, Ref(o.buffer, 0, 4), Ref(o.buffer, 8, 4)); }},
    {"dispatch_commands", kInvalid,
     [](ApiObjects& o) {
       return hal_command_buffer_dispatch(nullptr, o.executable, o.add_one, Dispatch().Bind(o.buffer).params());
     }},
    {"dispatch_executable", kInvalid,
     [](ApiObjects& o) {
       return hal_command_buffer_dispatch(o.recording, nullptr, 0, Dispatch().Bind(o.buffer).params());
     }},
    {"dispatch_params", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_dispatch(o.recording, o.executable, o.add_one, nullptr); }},
    {"signal_event_commands", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_signal_event(nullptr, o.event); }},
    {"signal_event_event", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_signal_event(o.recording, nullptr); }},
    {"wait_events_commands", kInvalid,
     [](ApiObjects& o) {
       hal_event_t* const e = o.event;
       return hal_command_buffer_wait_events(nullptr, 1, &e);
     }},
    {"wait_events_events", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_wait_events(o.recording, 1, nullptr); }},
    {"wait_events_event", kInvalid,
     [](ApiObjects& o) {
       hal_event_t* const e = nullptr;
       return hal_command_buffer_wait_events(o.recording, 1, &e);
     }},
    {"begin_debug_group", kInvalid,
     [](ApiObjects&) { return hal_command_buffer_begin_debug_group(nullptr, hal_string_view("x")); }},
    {"begin_debug_group_label", kInvalid,
     [](ApiObjects& o) { return hal_command_buffer_begin_debug_group(o.recording, kNullText); }},
    {"end_debug_group", kInvalid, [](ApiObjects&) { return hal_command_buffer_end_debug_group(nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(CommandBuffer, NullArgumentTest, testing::ValuesIn(kCommandBufferCalls), ByName);

const RefusedCall kExecutableCalls[] = {
    {"create_device", kInvalid,
     [](ApiObjects& o) { return hal_executable_create(nullptr, &o.kernels.params(), Executable().out()); }},
    {"create_params", kInvalid,
     [](ApiObjects& o) { return hal_executable_create(o.device, nullptr, Executable().out()); }},
    {"create_out", kInvalid,
     [](ApiObjects& o) { return hal_executable_create(o.device, &o.kernels.params(), nullptr); }},
    {"create_image", kInvalid,
     [](ApiObjects& o) {
       hal_executable_params_t p = HAL_INIT(hal_executable_params_t);
       const KernelSource s(o.device, "basic");
       p.format = View(s.format());
       return hal_executable_create(o.device, &p, Executable().out());
     }},
    {"find_global_executable", kInvalid,
     [](ApiObjects&) { return hal_executable_find_global(nullptr, 0, hal_string_view("table"), Buffer().out()); }},
    {"find_global_name", kInvalid,
     [](ApiObjects& o) { return hal_executable_find_global(o.executable, 0, kNullText, Buffer().out()); }},
    {"find_global_out", kInvalid,
     [](ApiObjects& o) { return hal_executable_find_global(o.executable, 0, hal_string_view("table"), nullptr); }},
    {"query_export_properties_executable", kInvalid,
     [](ApiObjects&) {
       hal_export_properties_t p = HAL_INIT(hal_export_properties_t);
       return hal_executable_query_export_properties(nullptr, 0, hal_dim3(0, 0, 0), 0, &p);
     }},
    {"query_export_properties_out", kInvalid,
     [](ApiObjects& o) {
       return hal_executable_query_export_properties(o.executable, 0, hal_dim3(0, 0, 0), 0, nullptr);
     }},
    {"find_export_executable", kInvalid,
     [](ApiObjects& o) { return hal_executable_find_export(nullptr, hal_string_view("add_one"), &o.ordinal); }},
    {"find_export_name", kInvalid,
     [](ApiObjects& o) { return hal_executable_find_export(o.executable, kNullText, &o.ordinal); }},
    {"find_export_out", kInvalid,
     [](ApiObjects& o) { return hal_executable_find_export(o.executable, hal_string_view("add_one"), nullptr); }},
    {"cache_create_device", kInvalid,
     [](ApiObjects&) { return hal_executable_cache_create(nullptr, nullptr, ExecutableCache().out()); }},
    {"cache_create_out", kInvalid,
     [](ApiObjects& o) { return hal_executable_cache_create(o.device, nullptr, nullptr); }},
    {"cache_prepare_cache", kInvalid,
     [](ApiObjects& o) { return hal_executable_cache_prepare(nullptr, &o.kernels.params(), Executable().out()); }},
    {"cache_prepare_params", kInvalid,
     [](ApiObjects& o) { return hal_executable_cache_prepare(o.cache, nullptr, Executable().out()); }},
    {"cache_prepare_out", kInvalid,
     [](ApiObjects& o) { return hal_executable_cache_prepare(o.cache, &o.kernels.params(), nullptr); }},
    {"cache_trim", kInvalid, [](ApiObjects&) { return hal_executable_cache_trim(nullptr); }},
    {"set_layout_create_device", kInvalid,
     [](ApiObjects&) { return hal_descriptor_set_layout_create(nullptr, 0, nullptr, DescriptorSetLayout().out()); }},
    {"set_layout_create_bindings", kInvalid,
     [](ApiObjects& o) { return hal_descriptor_set_layout_create(o.device, 1, nullptr, DescriptorSetLayout().out()); }},
    {"set_layout_create_out", kInvalid,
     [](ApiObjects& o) { return hal_descriptor_set_layout_create(o.device, 0, nullptr, nullptr); }},
    {"layout_create_device", kInvalid,
     [](ApiObjects&) { return hal_pipeline_layout_create(nullptr, 0, nullptr, 0, PipelineLayout().out()); }},
    {"layout_create_sets", kInvalid,
     [](ApiObjects& o) { return hal_pipeline_layout_create(o.device, 1, nullptr, 0, PipelineLayout().out()); }},
    {"layout_create_out", kInvalid,
     [](ApiObjects& o) { return hal_pipeline_layout_create(o.device, 0, nullptr, 0, nullptr); }},
};
INSTANTIATE_TEST_SUITE_P(Executable, NullArgumentTest, testing::ValuesIn(kExecutableCalls), ByName);

hal_status_t IgnoreHostCall(void*, hal_status_t status) { return status; }

const RefusedCall kQueueCalls[] = {
    {"barrier_device", kInvalid,
     [](ApiObjects&) { return hal_device_queue_barrier(nullptr, hal::SubmitParams(kEmptyList, kEmptyList)); }},
    {"alloca_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_alloca(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), &o.buffer_params, 16,
                                      Buffer().out());
     }},
    {"alloca_params", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_alloca(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr, 16, Buffer().out());
     }},
    {"alloca_out", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_alloca(o.device, hal::SubmitParams(kEmptyList, kEmptyList), &o.buffer_params, 16,
                                      nullptr);
     }},
    {"dealloca_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_dealloca(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), o.buffer);
     }},
    {"dealloca_buffer", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_dealloca(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr);
     }},
    {"fill_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_fill(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer), &o.word, 4);
     }},
    {"fill_target", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_fill(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Slot(0, 0, 4), &o.word, 4);
     }},
    {"fill_pattern", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_fill(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer), nullptr, 4);
     }},
    {"update_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_update(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), &o.word, Ref(o.buffer, 0, 4));
     }},
    {"update_data", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_update(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr,
                                      Ref(o.buffer, 0, 4));
     }},
    {"update_target", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_update(o.device, hal::SubmitParams(kEmptyList, kEmptyList), &o.word, Slot(0, 0, 4));
     }},
    {"copy_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_copy(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer, 0, 4),
                                    Ref(o.buffer, 8, 4));
     }},
    {"copy_source", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_copy(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Slot(0, 0, 4),
                                    Ref(o.buffer, 8, 4));
     }},
    {"copy_target", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_copy(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer, 0, 4),
                                    Slot(0, 0, 4));
     }},
    {"read_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_read(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), o.file, 0, Ref(o.buffer));
     }},
    {"read_file", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_read(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr, 0, Ref(o.buffer));
     }},
    {"read_target", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_read(o.device, hal::SubmitParams(kEmptyList, kEmptyList), o.file, 0, Slot(0, 0, 4));
     }},
    {"write_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_write(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer), o.file, 0);
     }},
    {"write_file", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_write(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Ref(o.buffer), nullptr, 0);
     }},
    {"write_source", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_write(o.device, hal::SubmitParams(kEmptyList, kEmptyList), Slot(0, 0, 4), o.file, 0);
     }},
    {"dispatch_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_dispatch(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), o.executable, o.add_one,
                                        Dispatch().Bind(o.buffer).params());
     }},
    {"dispatch_executable", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_dispatch(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr, 0,
                                        Dispatch().Bind(o.buffer).params());
     }},
    {"dispatch_params", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_dispatch(o.device, hal::SubmitParams(kEmptyList, kEmptyList), o.executable, o.add_one,
                                        nullptr);
     }},
    {"execute_device", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_execute(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), o.executable_commands,
                                       {nullptr, 0});
     }},
    {"execute_commands", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_execute(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr, {nullptr, 0});
     }},
    {"execute_table", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_execute(o.device, hal::SubmitParams(kEmptyList, kEmptyList), o.executable_commands,
                                       {nullptr, 1});
     }},
    {"host_call_device", kInvalid,
     [](ApiObjects&) {
       return hal_device_queue_host_call(nullptr, hal::SubmitParams(kEmptyList, kEmptyList), IgnoreHostCall, nullptr);
     }},
    {"host_call_callback", kInvalid,
     [](ApiObjects& o) {
       return hal_device_queue_host_call(o.device, hal::SubmitParams(kEmptyList, kEmptyList), nullptr, nullptr);
     }},
    {"profiling_begin_device", kInvalid,
     [](ApiObjects& o) { return hal_device_profiling_begin(nullptr, HAL_PROFILING_DISPATCHES, &o.sink); }},
    {"profiling_begin_sink", kInvalid,
     [](ApiObjects& o) { return hal_device_profiling_begin(o.device, HAL_PROFILING_DISPATCHES, nullptr); }},
    {"profiling_begin_record", kInvalid,
     [](ApiObjects& o) {
       const hal_profiling_sink_t s = HAL_INIT(hal_profiling_sink_t);
       return hal_device_profiling_begin(o.device, HAL_PROFILING_DISPATCHES, &s);
     }},
    {"object_set_label_object", kInvalid,
     [](ApiObjects&) { return hal_object_set_label(nullptr, hal_string_view("x")); }},
    {"object_set_label_label", kInvalid, [](ApiObjects& o) { return hal_object_set_label(o.fence, kNullText); }},
    {"push_label_label", kInvalid, [](ApiObjects&) { return hal_push_label(kNullText); }},
    {"profiling_end_device", kInvalid, [](ApiObjects&) { return hal_device_profiling_end(nullptr); }},
    {"trace_writer_create_out", kInvalid, [](ApiObjects&) { return hal_trace_writer_create(nullptr); }},
    {"trace_writer_write_writer", kInvalid,
     [](ApiObjects&) { return hal_trace_writer_write(nullptr, hal_string_view("x")); }},
};
INSTANTIATE_TEST_SUITE_P(Queue, NullArgumentTest, testing::ValuesIn(kQueueCalls), ByName);

/// Functions that take NULL for an answer.
class NullObjectTest : public testing::Test {};

TEST_F(NullObjectTest, RetainAndReleaseDoNothing) {
  hal_registry_retain(nullptr), hal_registry_release(nullptr);
  hal_driver_retain(nullptr), hal_driver_release(nullptr);
  hal_device_retain(nullptr), hal_device_release(nullptr);
  hal_allocator_retain(nullptr), hal_allocator_release(nullptr);
  hal_buffer_retain(nullptr), hal_buffer_release(nullptr);
  hal_buffer_view_retain(nullptr), hal_buffer_view_release(nullptr);
  hal_semaphore_retain(nullptr), hal_semaphore_release(nullptr);
  hal_fence_retain(nullptr), hal_fence_release(nullptr);
  hal_event_retain(nullptr), hal_event_release(nullptr);
  hal_command_buffer_retain(nullptr), hal_command_buffer_release(nullptr);
  hal_executable_retain(nullptr), hal_executable_release(nullptr);
  hal_executable_cache_retain(nullptr), hal_executable_cache_release(nullptr);
  hal_descriptor_set_layout_retain(nullptr), hal_descriptor_set_layout_release(nullptr);
  hal_pipeline_layout_retain(nullptr), hal_pipeline_layout_release(nullptr);
  hal_file_retain(nullptr), hal_file_release(nullptr);
}

TEST_F(NullObjectTest, GettersReturnNothing) {
  EXPECT_EQ(hal_device_info(nullptr), nullptr);
  EXPECT_EQ(hal_device_allocator(nullptr), nullptr);
  EXPECT_EQ(hal_buffer_length(nullptr), 0u);
  EXPECT_EQ(hal_buffer_view_buffer(nullptr), nullptr);
  EXPECT_EQ(hal_buffer_view_shape(nullptr).rank, 0u);
  EXPECT_EQ(hal_buffer_view_shape(nullptr).sizes, nullptr);
  EXPECT_EQ(hal_buffer_view_element_count(nullptr), 0u);
  EXPECT_EQ(hal_buffer_view_length(nullptr), 0u);
  EXPECT_EQ(hal_fence_list(nullptr).count, 0u);
  EXPECT_EQ(hal_executable_export_count(nullptr), 0u);
  EXPECT_EQ(hal_executable_export_info(nullptr, 0), nullptr);
  size_t count = 7;
  EXPECT_EQ(hal_descriptor_set_layout_bindings(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hal_pipeline_layout_set_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_set(nullptr, 0), nullptr);
  EXPECT_EQ(hal_pipeline_layout_binding_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_constants_size(nullptr), 0u);
  EXPECT_EQ(hal_file_length(nullptr), 0u);
  EXPECT_EQ(hal_object_label(nullptr).size, 0u);
}

}  // namespace
}  // namespace halyard::cts
