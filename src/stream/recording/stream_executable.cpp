// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/stream_executable.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstring>
#include <iterator>
#include <memory>

#include "driver_kit/executable/image_of.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"
#include "stream/recording/kept_graphs.h"

namespace halyard::stream {
namespace {

HostString Prefix(uint32_t ordinal, const hal_export_info_t& info) {
  char text[32];
  std::snprintf(text, sizeof(text), "export %u (\"", ordinal);
  return text + HostString(View(info.name)) + "\"): ";
}

/// Whether the kernel takes a parameter as an argument of its own.
bool IsArgument(const hal_parameter_t& parameter) { return parameter.kind != HAL_PARAMETER_KIND_BINDING_ADDRESS; }

bool IsTensorMap(const hal_parameter_t& parameter) { return parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP; }

/// Bytes of an argument.
uint64_t ArgumentSize(const hal_parameter_t& parameter) {
  if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) return parameter.size;
  return IsTensorMap(parameter) ? sizeof(NativeTensorMap) : sizeof(NativeAddress);
}

// Gaps between parameters, for alignment, are known to the kernel's compiler alone, which has the same limit.
Status CheckParameterList(const hal_export_info_t& info, uint32_t most) {
  if (info.parameter_count > kMaxParameters) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%u parameters; the device takes at most %u", info.parameter_count,
                kMaxParameters);
  }
  uint64_t constants = 0;
  uint64_t bindings = 0;
  bool has_addresses = false;
  for (const hal_parameter_t& parameter : std::span(info.parameters, info.parameter_count)) {
    has_addresses = has_addresses || parameter.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS;
    if (!IsArgument(parameter)) continue;
    const bool is_value = parameter.kind == HAL_PARAMETER_KIND_CONSTANT || IsTensorMap(parameter);
    constants += is_value ? ArgumentSize(parameter) : 0;
    bindings += is_value ? 0 : 1;
  }
  if (has_addresses && info.constants_size > kMaxPatchedConstants) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "%u bytes of constants with addresses of bindings among them; at most %u are "
                "possible",
                info.constants_size, kMaxPatchedConstants);
  }
  const uint64_t total = constants + bindings * sizeof(NativeAddress);
  if (total <= most) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%" PRIu64 " bytes of constants and the addresses of %" PRIu64 " bindings are %" PRIu64
              " bytes of parameters; the device takes at most %u",
              constants, bindings, total, most);
}

bool IsScratch(const hal_parameter_t& parameter) { return parameter.kind == HAL_PARAMETER_KIND_SCRATCH; }

Status CheckScratch(const hal_export_info_t& info, bool stream_ordered) {
  const std::span parameters(info.parameters, info.parameter_count);
  const auto count = std::count_if(parameters.begin(), parameters.end(), IsScratch);
  if (count > std::ptrdiff_t{kMaxScratchParameters}) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%td parameters are scratch memory; at most %u are possible", count,
                kMaxScratchParameters);
  }
  if (count == 0 || stream_ordered) return kOk;
  return FailWith(HAL_STATUS_UNIMPLEMENTED,
                  "it takes scratch memory, which is allocated in the order of a stream: that takes async_allocation");
}

Status CheckTensorMaps(const hal_export_info_t& info, bool tensor_maps) {
  const std::span parameters(info.parameters, info.parameter_count);
  const auto first = std::find_if(parameters.begin(), parameters.end(), IsTensorMap);
  if (first == parameters.end()) return kOk;
  if (!tensor_maps) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "parameter %td is a tensor map, which the device cannot pass",
                first - parameters.begin());
  }
  if (info.tensor_map_count <= kMaxTensorMaps) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%u parameters are tensor maps; at most %u are possible", info.tensor_map_count,
              kMaxTensorMaps);
}

// Bytes; UINT64_MAX if they are more than that.
uint64_t ScratchOf(const hal_parameter_t& parameter, const hal_dim3_t& count) {
  uint64_t bytes = uint64_t{count.x} * count.y;
  if (__builtin_mul_overflow(bytes, count.z, &bytes)) return UINT64_MAX;
  if (__builtin_mul_overflow(bytes, parameter.size, &bytes)) return UINT64_MAX;
  return bytes;
}

}  // namespace

Status StreamExport::CheckLaunch(const hal_export_info_t& info, const hal_dispatch_params_t& params,
                                 const hal_dim3_t& count) const {
  const hal_dim3_t& size = params.workgroup_size;
  const uint64_t volume = uint64_t{size.x} * size.y * size.z;
  if (volume > native.max_workgroup_volume) {
    return Fail(
        HAL_STATUS_OUT_OF_RANGE,
        "dispatch of '%.*s': a workgroup of %ux%ux%u; with the registers that it uses the kernel runs at most %u "
        "work-items in one",
        HALYARD_SV(View(info.name)), size.x, size.y, size.z, native.max_workgroup_volume);
  }
  const uint64_t widest =
      std::max({uint64_t{count.x} * size.x, uint64_t{count.y} * size.y, uint64_t{count.z} * size.z});
  if (widest > max_work_items) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "dispatch of '%.*s': %ux%ux%u workgroups of %ux%ux%u are %" PRIu64
                " work-items in one dimension; the device takes at most %" PRIu64,
                HALYARD_SV(View(info.name)), count.x, count.y, count.z, size.x, size.y, size.z, widest, max_work_items);
  }
  const uint64_t local = uint64_t{native.local_memory_size} + dynamic_local_memory + params.dynamic_local_memory;
  if (local <= max_local_memory) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "dispatch of '%.*s': %" PRIu64
              " bytes of workgroup memory, declared and dynamic; the device takes at most %u",
              HALYARD_SV(View(info.name)), local, max_local_memory);
}

Status StreamExecutable::CheckLaunch(uint32_t ordinal, const hal_dispatch_params_t& params,
                                     const hal_dim3_t& count) const {
  const StreamExport& kernel = kernels_[ordinal];
  const hal_export_info_t& info = *exports_.Info(ordinal);
  HAL_TRY(kernel.CheckLaunch(info, params, count));
  return kernel.rules.cooperative ? CheckResident(kernel, info, params, count) : kOk;
}

Status StreamExecutable::CheckCooperative(uint32_t ordinal, const hal_dispatch_params_t& params) const {
  return context_.Checked(CheckLaunch(ordinal, params, params.workgroup_count));
}

// CheckLaunch() has passed on the volume, so it is far below 2^16. A launch asks with its lane's lock, where the loss
// of the device may not be told: that is for the code that took the lock.
Status StreamExecutable::FindResident(const StreamExport& kernel, uint32_t volume, uint32_t dynamic,
                                      uint32_t* out_workgroups) const {
  constexpr uint64_t kAnswer = 0xffff;
  const uint64_t question = uint64_t{volume} << 48 | uint64_t{dynamic} << 16;
  const std::atomic_ref<uint64_t> cached(kernel.resident);
  const uint64_t known = cached.load(std::memory_order_relaxed);
  if (known != 0 && (known & ~kAnswer) == question) {
    *out_workgroups = static_cast<uint32_t>(known & kAnswer);
    return kOk;
  }
  const NativeScope scope(context_.api());
  HAL_TRY(scope.status());
  HAL_TRY(context_.api().CountResident(kernel.function, volume, dynamic, out_workgroups));
  if (*out_workgroups <= kAnswer) cached.store(question | *out_workgroups, std::memory_order_relaxed);
  return kOk;
}

Status StreamExecutable::CheckResident(const StreamExport& kernel, const hal_export_info_t& info,
                                       const hal_dispatch_params_t& params, const hal_dim3_t& count) const {
  const hal_dim3_t& size = params.workgroup_size;
  const uint32_t dynamic = kernel.dynamic_local_memory + params.dynamic_local_memory;
  uint32_t of_unit = 0;
  HAL_TRY(FindResident(kernel, size.x * size.y * size.z, dynamic, &of_unit));
  const uint64_t resident = uint64_t{of_unit} * context_.api().traits().compute_units;
  const uint64_t wanted = uint64_t{count.x} * count.y * count.z;
  if (wanted <= resident) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "dispatch of '%.*s': it is cooperative, and %" PRIu64
              " workgroups of %ux%ux%u do not run at once: the device runs %" PRIu64 " of them",
              HALYARD_SV(View(info.name)), wanted, size.x, size.y, size.z, resident);
}

Status StreamExport::LayOutScratch(const hal_export_info_t& info, const hal_dim3_t& count,
                                   std::span<NativeAddress> out_offsets, uint64_t* out_size) const {
  *out_size = 0;
  size_t next = 0;
  for (const hal_parameter_t& parameter : parameters) {
    if (!IsScratch(parameter)) continue;
    const uint64_t bytes = ScratchOf(parameter, count);
    if (bytes > max_scratch || *out_size > max_scratch - bytes) {
      return Fail(
          HAL_STATUS_OUT_OF_RANGE,
          "dispatch of '%.*s': %ux%ux%u workgroups take %u bytes of scratch memory each; the device has %" PRIu64
          " bytes of memory",
          HALYARD_SV(View(info.name)), count.x, count.y, count.z, parameter.size, max_scratch);
    }
    out_offsets[next++] = *out_size;
    *out_size += (bytes + StreamMemory::kMinAlignment - 1) / StreamMemory::kMinAlignment * StreamMemory::kMinAlignment;
  }
  return kOk;
}

Status StreamExecutable::MakeTensorMaps(uint32_t ordinal, std::span<const DeviceRange> bindings, const void* constants,
                                        std::span<NativeTensorMap> out_maps) const {
  const StreamExport& kernel = kernels_[ordinal];
  const hal_export_info_t& info = *exports_.Info(ordinal);
  size_t next = 0;
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if (!IsTensorMap(info.parameters[i])) continue;
    const hal_tensor_map_t& map = info.tensor_maps[next];
    const DeviceRange& tensor = bindings[kernel.parameter_bindings[i]];
    TensorShape shape;
    Status status = ReadTensorShape(map, constants, &shape);
    if (status == kOk) status = CheckTensorFits(shape, tensor.length);
    if (status == kOk) status = context_.api().EncodeTensorMap(map, shape, tensor.address, &out_maps[next]);
    if (status != kOk) return AnnotateTensor(status, info, i);
    ++next;
  }
  return kOk;
}

void StreamExport::Arrange(std::span<NativeAddress> bindings, std::span<NativeAddress> scratch,
                           std::span<NativeTensorMap> maps, const void* constants,
                           std::span<void*> out_arguments) const {
  static constexpr NativeAddress kNull = 0;
  auto* const bytes = const_cast<char*>(static_cast<const char*>(constants));  // only read
  size_t count = 0;
  size_t next_scratch = 0;
  size_t next_map = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    switch (parameters[i].kind) {
      case HAL_PARAMETER_KIND_BINDING:
        out_arguments[count++] = &bindings[parameter_bindings[i]];
        break;
      case HAL_PARAMETER_KIND_CONSTANT:
        out_arguments[count++] = bytes + parameters[i].offset;
        break;
      case HAL_PARAMETER_KIND_NULL:
        out_arguments[count++] = const_cast<NativeAddress*>(&kNull);
        break;
      case HAL_PARAMETER_KIND_SCRATCH:
        out_arguments[count++] = &scratch[next_scratch++];
        break;
      case HAL_PARAMETER_KIND_TENSOR_MAP:
        out_arguments[count++] = &maps[next_map++];
        break;
      default:
        break;  // no argument of its own
    }
  }
}

void StreamExport::PatchConstants(std::span<const NativeAddress> bindings, std::byte* constants) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != HAL_PARAMETER_KIND_BINDING_ADDRESS) continue;
    std::memcpy(constants + parameters[i].offset, &bindings[parameter_bindings[i]], sizeof(NativeAddress));
  }
}

StreamExecutable::StreamExecutable(StreamContext& owner) : hal_executable_t{}, context_(owner) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, owner.tables().executable);
}

StreamExecutable::~StreamExecutable() {
  if (!module_) return;
  context_.kept_graphs().Forget(*this);
  const NativeScope scope(context_.api());
  if (scope.entered()) {
    context_.api().UnloadModule(module_);
  } else {
    context_.api().AbandonModule(module_);
  }
}

Status StreamExecutable::Create(StreamContext& context, const hal_executable_params_t& params,
                                hal_executable_t** out_executable) {
  const std::string_view format = View(params.format);
  if (params.export_count == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "an image of format '%.*s' does not tell what it exports: give the list in "
                "params->exports",
                HALYARD_SV(format));
  }
  if (params.specialization_count != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "images of format '%.*s' have no specialisation constants",
                HALYARD_SV(format));
  }
  std::unique_ptr<StreamExecutable> executable(new StreamExecutable(context));
  if (Status status = executable->exports_.Assign(&context.device(), {params.exports, params.export_count});
      status != kOk) {
    return status;
  }
  HAL_TRY(executable->CheckParameterLists());
  const NativeScope scope(context.api());
  Status status = scope.status();
  if (status == kOk) status = executable->Load(params);
  if (status == kOk) status = executable->FindExports();
  if (status != kOk) return context.Checked(status);
  executable->export_count = executable->exports_.Count();
  *out_executable = executable.release();
  return kOk;
}

Status StreamExecutable::Load(const hal_executable_params_t& params) {
  return WithImage(params, [&](std::span<const std::byte> image) {
    return context_.api().LoadModule(View(params.format), image, params.blobs, &module_);
  });
}

Status StreamExecutable::CheckParameterLists() const {
  const uint32_t most = context_.api().traits().max_constants_size;
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    const hal_export_info_t& info = *exports_.Info(i);
    if (Failure failure(CheckParameterList(info, most)); failure) return Annotate(failure, Prefix(i, info));
  }
  return kOk;
}

Status StreamExecutable::FindExports() {
  kernels_.resize(exports_.Count());
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    if (Failure failure(FindExport(i)); failure) return Annotate(failure, Prefix(i, *exports_.Info(i)));
  }
  return kOk;
}

Status StreamExecutable::FindExport(uint32_t ordinal) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  if (info.signature) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "a function of another calling convention runs on the host only");
  }
  HAL_TRY(CheckScratch(info, context_.memory().stream_ordered()));
  HAL_TRY(CheckTensorMaps(info, context_.api().traits().tensor_maps));
  StreamExport& kernel = kernels_[ordinal];
  const HostString symbol(exports_.Symbol(ordinal));
  HAL_TRY(context_.api().FindFunction(module_, symbol.c_str(), &kernel.function));
  HAL_TRY(context_.api().DescribeFunction(kernel.function, &kernel.native));
  kernel.max_work_items = context_.api().traits().max_work_items;
  kernel.dynamic_local_memory = info.dynamic_local_memory_size;
  kernel.max_scratch = context_.memory().capacity();
  kernel.parameters = {info.parameters, info.parameter_count};
  kernel.takes_scratch = std::any_of(kernel.parameters.begin(), kernel.parameters.end(), IsScratch);
  kernel.has_addresses = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                     [](const hal_parameter_t& parameter) { return !IsArgument(parameter); });
  kernel.takes_tensor_maps = info.tensor_map_count > 0;
  kernel.parameter_bindings = exports_.ParameterBindings(ordinal);
  HAL_TRY(CheckParameterSizes(kernel));
  HAL_TRY(SetRules(info, &kernel));
  return AllowLocalMemory(kernel);
}

Status StreamExecutable::SetRules(const hal_export_info_t& info, StreamExport* kernel) {
  const NativeTraits& traits = context_.api().traits();
  kernel->rules = {info.cluster_size, (info.flags & HAL_EXPORT_COOPERATIVE) != 0,
                   (info.flags & HAL_EXPORT_PROGRAMMATIC_LAUNCH) != 0 && traits.clusters};
  if (kernel->rules.cooperative && !traits.cooperative) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED,
                    "it is cooperative: the device does not promise that all workgroups run at once");
  }
  const hal_dim3_t& cluster = info.cluster_size;
  if (cluster.x == 0) return kOk;
  if (!traits.clusters) return FailWith(HAL_STATUS_UNIMPLEMENTED, "it runs in clusters, which the device lacks");
  return context_.api().AllowClusters(kernel->function, cluster.x * cluster.y * cluster.z);
}

// All kernels of an image have the same variables.
Status StreamExecutable::FindGlobal(uint32_t, hal_string_view_t name, hal_external_memory_t* out_memory) {
  const NativeScope scope(context_.api());
  if (!scope.entered()) return context_.Checked(scope.status());
  const HostString symbol(View(name));
  out_memory->type = HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
  return context_.Checked(
      context_.api().FindVariable(module_, symbol.c_str(), &out_memory->handle, &out_memory->length));
}

Status StreamExecutable::QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties) {
  const StreamExport& kernel = kernels_[ordinal];
  const NativeScope scope(context_.api());
  if (!scope.entered()) return context_.Checked(scope.status());
  NativeCodeInfo code;
  HAL_TRY(context_.Checked(context_.api().DescribeCode(kernel.function, &code)));
  out_properties->register_count = code.registers;
  out_properties->private_memory_size = code.private_memory_size;
  out_properties->local_memory_size = kernel.native.local_memory_size;
  out_properties->max_workgroup_volume = kernel.native.max_workgroup_volume;
  // Code may be compiled for another size than the device's usual one: wave64 on RDNA.
  uint32_t& multiple = out_properties->preferred_multiple;
  if (multiple == 0) multiple = context_.api().properties().min_subgroup_size;
  const uint64_t taken = uint64_t{kernel.native.local_memory_size} + kernel.dynamic_local_memory;
  const uint64_t most = kernel.max_local_memory;
  out_properties->max_dynamic_local_memory = most - std::min(taken, most);
  return kOk;
}

Status StreamExecutable::CountResident(uint32_t ordinal, uint32_t workgroup_volume, uint32_t dynamic_local_memory,
                                       uint32_t* out_workgroups) {
  const StreamExport& kernel = kernels_[ordinal];
  const NativeScope scope(context_.api());
  if (!scope.entered()) return context_.Checked(scope.status());
  const uint32_t dynamic = kernel.dynamic_local_memory + dynamic_local_memory;
  return context_.Checked(context_.api().CountResident(kernel.function, workgroup_volume, dynamic, out_workgroups));
}

// A list that does not fit the kernel would make each launch read past the values that it is given.
Status StreamExecutable::CheckParameterSizes(const StreamExport& kernel) {
  HostVector<hal_parameter_t> arguments;
  std::copy_if(kernel.parameters.begin(), kernel.parameters.end(), std::back_inserter(arguments), IsArgument);
  for (uint32_t i = 0;; ++i) {
    uint64_t size = 0;
    Failure failure(context_.api().ParameterSize(module_, kernel.function, i, &size));
    const size_t given = arguments.size();
    const bool is_missing = failure.code() == HAL_STATUS_NOT_FOUND;
    // That a parameter is not there, or not told, need be no failure.
    if (failure.code() == HAL_STATUS_UNIMPLEMENTED || (is_missing && i == given)) return kOk;
    if (failure && !is_missing) return failure.Take();
    const uint64_t expected = i < given ? ArgumentSize(arguments[i]) : 0;
    if (!is_missing && i < given && size == expected) continue;
    if (i == given || is_missing) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "the list has %zu parameters, the kernel takes %s", given,
                  is_missing ? "fewer" : "more");
    }
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "parameter %u has %" PRIu64 " bytes in the list, %" PRIu64 " in the kernel", i, expected, size);
  }
}

Status StreamExecutable::AllowLocalMemory(StreamExport& kernel) {
  const uint32_t most = context_.api().traits().max_local_memory;
  kernel.max_local_memory = most;
  if (kernel.native.local_memory_size >= most) return kOk;
  return context_.api().AllowDynamicLocalMemory(kernel.function, most - kernel.native.local_memory_size);
}

}  // namespace halyard::stream
