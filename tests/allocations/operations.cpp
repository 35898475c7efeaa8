// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocations/operations.h"

#include <cstdio>
#include <cstdlib>

#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

constexpr uint64_t kLength = 4096;  // bytes

void Require(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "%s: %s: %s\n", what, hal_status_name(status), hal_last_error_message());
  std::abort();
}

cts::Buffer MakeBuffer(hal_device_t* device) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_ALL;
  cts::Buffer buffer;
  Require(hal_allocator_allocate(hal_device_allocator(device), &params, kLength, buffer.out()), "buffer");
  return buffer;
}

ExecutableHandle LoadExport(hal_device_t* device, const hal_export_info_t& exported) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(HALYARD_KERNELS);
  params.exports = &exported;
  params.export_count = 1;
  ExecutableHandle executable;
  Require(hal_executable_create(device, &params, executable.out()), "executable");
  return executable;
}

ExecutableHandle LoadKernels(hal_device_t* device) {
  const std::array parameters = {hal_parameter_constant(0, 8), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                                 hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE)};
  hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
  exported.name = hal_string_view("nothing");
  exported.parameters = parameters.data();
  exported.parameter_count = static_cast<uint32_t>(parameters.size());
  exported.constants_size = 8;
  return LoadExport(device, exported);
}

#if defined(__x86_64__)
/// int c_function(const uint8_t*, uint8_t*, uint64_t, uint32_t id.x, id.y, id.z, uint32_t count.x).
ExecutableHandle LoadCFunction(hal_device_t* device) {
  std::array<hal_value_type_t, 7> arguments{};
  for (hal_value_type_t& type : arguments) type.element_type = HAL_ELEMENT_TYPE_UI32;
  for (const size_t i : {0, 1}) {
    arguments[i].kind = HAL_VALUE_KIND_POINTER;
    arguments[i].element_type = HAL_ELEMENT_TYPE_UI8;
  }
  arguments[0].access = HAL_BINDING_ACCESS_READ;
  arguments[2].element_type = HAL_ELEMENT_TYPE_UI64;
  for (uint32_t i = 0; i < 4; ++i) {
    arguments[3 + i].role = static_cast<hal_argument_role_t>(HAL_ARGUMENT_ROLE_WORKGROUP_ID_X + i);
  }
  hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
  signature.convention = HAL_CALLING_CONVENTION_C_STATUS;
  signature.arguments = arguments.data();
  signature.argument_count = static_cast<uint32_t>(arguments.size());
  hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
  exported.name = hal_string_view("c_function");
  exported.signature = &signature;
  return LoadExport(device, exported);
}
#else
ExecutableHandle LoadCFunction(hal_device_t*) { return {}; }
#endif

/// Gives `use` a dispatch of 100 workgroups over two bindings.
template <class Use>
hal_status_t WithDispatch(const std::array<hal_buffer_ref_t, 2>& bindings, const Use& use) {
  const uint64_t constants = 42;
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_count = hal_dim3(10, 5, 2);
  dispatch.constants = &constants;
  dispatch.constants_size = sizeof(constants);
  dispatch.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  return use(&dispatch);
}

std::array<hal_buffer_ref_t, 2> BothBuffers(const Workplace& place) {
  return {hal_buffer_ref(place.source, 0, HAL_WHOLE_SIZE), hal_buffer_ref(place.target, 0, HAL_WHOLE_SIZE)};
}

CommandBufferHandle Record(const Workplace& place) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 2;
  CommandBufferHandle commands;
  const uint32_t pattern = 7;
  Require(hal_command_buffer_create(place.device, &params, commands.out()), "command buffer");
  Require(hal_command_buffer_begin(commands), "begin");
  Require(hal_command_buffer_fill(commands, hal_slot_ref(0, 0, 64), &pattern, 4), "fill");
  Require(hal_command_buffer_fill(commands, hal_slot_ref(1, 64, 64), &pattern, 4), "fill");
  Require(hal_command_buffer_barrier(commands), "barrier");
  Require(WithDispatch({hal_slot_ref(0, 0, HAL_WHOLE_SIZE), hal_slot_ref(1, 0, HAL_WHOLE_SIZE)},
                       [&](const hal_dispatch_params_t* dispatch) {
                         return hal_command_buffer_dispatch(commands, place.executable, 0, dispatch);
                       }),
          "dispatch");
  Require(hal_command_buffer_end(commands), "end");
  return commands;
}

hal_status_t Barrier(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return hal_device_queue_barrier(place.device, hal::SubmitParams(waits, signals));
}

hal_status_t LabelledBarrier(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  hal_status_t status = hal_push_label(hal_string_view("a label that has no room in a short string"));
  if (status == HAL_STATUS_OK) status = Barrier(place, waits, signals);
  const hal_status_t popped = hal_pop_label();
  return status == HAL_STATUS_OK ? popped : status;
}

hal_status_t Fill(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const uint32_t pattern = 7;
  return hal_device_queue_fill(place.device, hal::SubmitParams(waits, signals),
                               hal_buffer_ref(place.target, 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
}

hal_status_t Update(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return hal_device_queue_update(place.device, hal::SubmitParams(waits, signals), place.file_memory.data(),
                                 hal_buffer_ref(place.target, 0, kLength));
}

hal_status_t Copy(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const auto [source, target] = BothBuffers(place);
  return hal_device_queue_copy(place.device, hal::SubmitParams(waits, signals), source, target);
}

hal_status_t Read(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return hal_device_queue_read(place.device, hal::SubmitParams(waits, signals), place.file, 0,
                               hal_buffer_ref(place.target, 0, HAL_WHOLE_SIZE));
}

hal_status_t Write(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return hal_device_queue_write(place.device, hal::SubmitParams(waits, signals),
                                hal_buffer_ref(place.source, 0, HAL_WHOLE_SIZE), place.file, 0);
}

hal_status_t Upload(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return hal_device_queue_upload(place.device, hal::SubmitParams(waits, signals), place.file_memory.data(),
                                 hal_buffer_ref(place.target, 0, HAL_WHOLE_SIZE));
}

/// Concurrent ones would write the same memory, so each has a byte of its own of the first ones.
hal_status_t Download(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const uint64_t offset = signals.points[0].value % kLength;
  return hal_device_queue_download(place.device, hal::SubmitParams(waits, signals),
                                   hal_buffer_ref(place.source, offset, 1), place.downloaded.data() + offset);
}

hal_status_t CopyStrided(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
  rows.source = hal_buffer_ref(place.source, 0, HAL_WHOLE_SIZE);
  rows.target = hal_buffer_ref(place.target, 0, HAL_WHOLE_SIZE);
  rows.width = 16;
  rows.height = 8;
  rows.source_row_pitch = 64;
  rows.target_row_pitch = 32;
  return hal_device_queue_copy_strided(place.device, hal::SubmitParams(waits, signals), &rows);
}

hal_status_t Dispatch(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return WithDispatch(BothBuffers(place), [&](const hal_dispatch_params_t* dispatch) {
    return hal_device_queue_dispatch(place.device, hal::SubmitParams(waits, signals), place.executable, 0, dispatch);
  });
}

hal_status_t DispatchCFunction(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return WithDispatch(BothBuffers(place), [&](const hal_dispatch_params_t* dispatch) {
    return hal_device_queue_dispatch(place.device, hal::SubmitParams(waits, signals), place.c_function, 0, dispatch);
  });
}

hal_status_t Execute(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const auto table = BothBuffers(place);
  return hal_device_queue_execute(place.device, hal::SubmitParams(waits, signals), place.commands,
                                  hal_buffer_ref_list(table.data(), table.size()));
}

hal_status_t HostCall(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const auto callback = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  return hal_device_queue_host_call(place.device, hal::SubmitParams(waits, signals), callback, nullptr);
}

/// An allocation, freed at once in the order of the queue.
hal_status_t AllocaAndDealloca(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_timeline_point_t between = signals.points[0];
  hal_timeline_point_t after = between;
  between.value = after.value * 2 - 1;
  after.value = after.value * 2;
  cts::Buffer buffer;
  const hal_status_t status =
      hal_device_queue_alloca(place.device, hal::SubmitParams(waits, {&between, 1}), &params, kLength, buffer.out());
  if (status != HAL_STATUS_OK) return status;
  return hal_device_queue_dealloca(place.device, hal::SubmitParams({&between, 1}, {&after, 1}), buffer);
}

}  // namespace

Workplace::Workplace(const std::string& uri) : file_memory(kLength), downloaded(kLength) {
  Require(hal_device_create({uri.data(), uri.size()}, device.out()), "device");
  Require(hal_semaphore_create(device, nullptr, wait.out()), "semaphore");
  Require(hal_semaphore_create(device, nullptr, done.out()), "semaphore");
  source = MakeBuffer(device);
  target = MakeBuffer(device);
  executable = LoadKernels(device);
  c_function = LoadCFunction(device);
  commands = Record(*this);
  Require(hal_file_from_memory(file_memory.data(), file_memory.size(), HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE,
                               nullptr, nullptr, file.out()),
          "file");
}

const std::vector<Operation> kOperations = {
    {"Barrier", Barrier},
    {"LabelledBarrier", LabelledBarrier},
    {"Fill", Fill},
    {"Update", Update},
    {"Copy", Copy},
    {"Read", Read},
    {"Write", Write},
    {"Upload", Upload},
    {"Download", Download},
    {"CopyStrided", CopyStrided},
    {"Dispatch", Dispatch},
#if defined(__x86_64__)
    {"DispatchCFunction", DispatchCFunction},
#endif
    {"Execute", Execute},
    {"HostCall", HostCall},
    // The buffer object, and its memory.
    {"AllocaAndDealloca", AllocaAndDealloca, 2},
};

}  // namespace halyard::allocations
