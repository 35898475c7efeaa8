// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/rules.h"
#include "base/text/shape.h"
#include "core/executable/composite_executable.h"
#include "core/validation/checks.h"
#include "core/validation/command_validation.h"
#include "core/validation/exact_size.h"
#include "driver_kit/device/limit_checks.h"
#include "driver_kit/executable/tensor_shape.h"
#include "function/bindings.h"
#include "function/parameter_checks.h"

namespace halyard {
namespace {

/// The workgroup counts of an indirect dispatch: three uint32.
constexpr uint64_t kIndirectLength = 3 * sizeof(uint32_t);

constexpr const char* kBindings = "params->bindings.refs";

Status CheckExecutable(CommandContext& context, const hal_executable_t& executable, uint32_t ordinal) {
  if (executable.device != context.device) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "executable%s belongs to another device%s",
                LabelWords(&executable).c_str(), LabelWords(executable.device).c_str());
  }
  if (ordinal >= executable.export_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "ordinal is %u, but the executable%s has %u exports", ordinal,
                LabelWords(&executable).c_str(), executable.export_count);
  }
  return kOk;
}

/// What a caller should know that gives other things than the export takes: which of these are guesses.
Status WithGuesses(Status status, const hal_export_info_t& info) {
  Failure failure(status);
  if (!HasLaunchRules(info) || !info.parameter_infos) return failure.Take();
  HostString list;
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if ((info.parameter_infos[i].flags & HAL_PARAMETER_GUESSED) == 0) continue;
    list.append(list.empty() ? "" : ", ").append(std::to_string(i));
  }
  if (list.empty()) return failure.Take();
  const bool is_one = list.find(',') == HostString::npos;
  return Fail(failure.code(), "%s; parameter%s %s %s, as the image does not tell addresses from numbers",
              failure.message().data(), is_one ? "" : "s", list.c_str(), is_one ? "is a guess" : "are guesses");
}

/// A dispatch whose workgroup size is the effective one, for rules. Messages name no function: Public() does.
struct DispatchLook {
  const hal_device_limits_t& limits;
  const hal_export_info_t& info;
  const hal_dispatch_params_t& params;

  bool indirect() const { return (params.flags & HAL_DISPATCH_INDIRECT) != 0; }
  uint64_t dynamic_memory() const {
    return uint64_t{params.dynamic_local_memory} + (HasLaunchRules(info) ? info.dynamic_local_memory_size : 0);
  }
  uint64_t local_memory() const { return info.local_memory_size + dynamic_memory(); }
  std::string_view name() const { return View(info.name); }
};

Status FailWithoutSize(const DispatchLook& look) {
  char most[64] = "";
  if (HasLaunchRules(look.info) && look.info.max_workgroup_volume > 0) {
    std::snprintf(most, sizeof(most), "; it was compiled for at most %u work-items", look.info.max_workgroup_volume);
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->workgroup_size must be given, as \"%.*s\" declares no workgroup size%s", HALYARD_SV(look.name()),
              most);
}

/// What a dispatch must be.
constexpr Rule<DispatchLook> kDispatchRules[] = {
    {[](const DispatchLook& look) { return (look.params.flags & ~HAL_DISPATCH_INDIRECT) == 0; },
     [](const DispatchLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->flags has unknown bits 0x%" PRIx64,
                   uint64_t{look.params.flags} & ~uint64_t{HAL_DISPATCH_INDIRECT});
     }},
    {[](const DispatchLook& look) { return look.params.constants_size == look.info.constants_size; },
     [](const DispatchLook& look) {
       const Status status =
           Fail(HAL_STATUS_INVALID_ARGUMENT, "params->constants_size is %u, but \"%.*s\" takes %u bytes",
                look.params.constants_size, HALYARD_SV(look.name()), look.info.constants_size);
       return WithGuesses(status, look.info);
     }},
    {[](const DispatchLook& look) { return look.params.constants || look.params.constants_size == 0; },
     [](const DispatchLook&) { return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->constants is NULL"); }},
    {[](const DispatchLook& look) { return look.params.bindings.count == look.info.binding_count; },
     [](const DispatchLook& look) {
       const Status status =
           Fail(HAL_STATUS_INVALID_ARGUMENT, "params->bindings.count is %zu, but \"%.*s\" takes %u bindings",
                look.params.bindings.count, HALYARD_SV(look.name()), look.info.binding_count);
       return WithGuesses(status, look.info);
     }},
    {[](const DispatchLook& look) { return look.params.bindings.refs || look.params.bindings.count == 0; },
     [](const DispatchLook&) { return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->bindings.refs is NULL"); }},
    {[](const DispatchLook& look) { return look.params.workgroup_size.x != 0; }, FailWithoutSize},
    {[](const DispatchLook& look) { return TakesWorkgroupSize(look.limits, look.params.workgroup_size); },
     [](const DispatchLook& look) { return CheckWorkgroupSize(look.limits, look.params.workgroup_size); }},
    {[](const DispatchLook& look) { return look.local_memory() <= look.limits.max_local_memory; },
     [](const DispatchLook& look) {
       return CheckLimit("local memory, declared and dynamic,", look.local_memory(), look.limits.max_local_memory);
     }},
    {[](const DispatchLook& look) {  // the device reads the counts of an indirect one
       return look.indirect() || Fits(look.params.workgroup_count, look.limits.max_workgroup_count);
     },
     [](const DispatchLook& look) { return CheckWorkgroupCount(look.limits, look.params.workgroup_count); }},
};

bool HasWholeClusters(const hal_export_info_t& info, const hal_dim3_t& count) {
  const hal_dim3_t& cluster = info.cluster_size;
  return cluster.x == 0 || (count.x % cluster.x == 0 && count.y % cluster.y == 0 && count.z % cluster.z == 0);
}

Status CheckClusters(const char* name, const hal_export_info_t& info, const hal_dim3_t& count) {
  if (HasWholeClusters(info, count)) return kOk;
  const hal_dim3_t& cluster = info.cluster_size;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "%s is (%u, %u, %u), but \"%.*s\" runs in clusters of (%u, %u, %u) workgroups, of which it must be a "
              "multiple",
              name, count.x, count.y, count.z, HALYARD_SV(View(info.name)), cluster.x, cluster.y, cluster.z);
}

/// What a dispatch of an export that says how it is launched must also be.
constexpr Rule<DispatchLook> kLaunchRules[] = {
    {[](const DispatchLook& look) { return CanHaveSize(look.info, look.params.workgroup_size); },
     [](const DispatchLook& look) {
       return CheckExactSize("params->workgroup_size", look.info, look.params.workgroup_size);
     }},
    {[](const DispatchLook& look) { return CanHaveVolume(look.info, look.params.workgroup_size); },
     [](const DispatchLook& look) {
       return CheckCompiledVolume("params->workgroup_size", look.info, look.params.workgroup_size);
     }},
    {[](const DispatchLook& look) {  // counts that the device reads cannot be checked before they do harm
       return !look.indirect() || (look.info.cluster_size.x == 0 && (look.info.flags & HAL_EXPORT_COOPERATIVE) == 0);
     },
     [](const DispatchLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT,
                   "params->flags has INDIRECT, but \"%.*s\" %s: its workgroup count must be known beforehand",
                   HALYARD_SV(look.name()), look.info.cluster_size.x > 0 ? "runs in clusters" : "is cooperative");
     }},
    {[](const DispatchLook& look) { return HasWholeClusters(look.info, look.params.workgroup_count); },
     [](const DispatchLook& look) {
       return CheckClusters("params->workgroup_count", look.info, look.params.workgroup_count);
     }},
    {[](const DispatchLook& look) {
       return (look.info.flags & HAL_EXPORT_NEEDS_LOCAL_MEMORY) == 0 || look.dynamic_memory() > 0;
     },
     [](const DispatchLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT,
                   "params->dynamic_local_memory is 0, but \"%.*s\" uses dynamic workgroup memory, and only the "
                   "dispatch can say how much",
                   HALYARD_SV(look.name()));
     }},
};

/// Whether one of kLaunchRules may not hold: few exports have any of these.
bool HasAnyLaunchRule(const hal_export_info_t& info) {
  constexpr hal_export_flags_t kRules =
      HAL_EXPORT_EXACT_WORKGROUP_SIZE | HAL_EXPORT_NEEDS_LOCAL_MEMORY | HAL_EXPORT_COOPERATIVE;
  return HasLaunchRules(info) && ((info.flags & kRules) | info.cluster_size.x | info.max_workgroup_volume) != 0;
}

/// Apart, as few exports have any: what it needs would take registers of the others.
[[gnu::noinline]] bool KeepsLaunchRules(const DispatchLook& look) { return AllHold<kLaunchRules>(look); }

[[gnu::cold, gnu::noinline]] Status RefuseDispatch(const hal_device_limits_t& limits, const hal_export_info_t& info,
                                                   const hal_dispatch_params_t& params) {
  const DispatchLook look = {limits, info, params};
  HAL_TRY(RefuseFirst<kDispatchRules>(look));
  return HasLaunchRules(info) ? RefuseFirst<kLaunchRules>(look) : kOk;
}

/// What a binding has to be like. A driver that was built before these limits has none: what it leaves 0 means that.
BufferUse BindingUse(const hal_device_limits_t& limits) {
  constexpr size_t kEnd = offsetof(hal_device_limits_t, max_binding_range) + sizeof(limits.max_binding_range);
  BufferUse use = {HAL_BUFFER_USAGE_STORAGE};
  use.writes = true;
  if (limits.struct_size < kEnd) return use;
  if (limits.binding_alignment != 0) use.alignment = limits.binding_alignment;
  if (limits.max_binding_range != 0) use.max_length = limits.max_binding_range;
  return use;
}

/// Which of a dispatch's bindings a parameter names.
uint32_t BindingOf(const hal_export_info_t& info, const hal_parameter_t& parameter) {
  const std::span parameters(info.parameters, info.parameter_count);
  const auto place = [](const hal_parameter_t& one) { return std::pair(one.set, one.binding); };
  uint32_t before = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!NamesBinding(parameters[i]) || place(parameters[i]) >= place(parameter)) continue;
    const bool is_new = std::none_of(
        parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const hal_parameter_t& other) { return NamesBinding(other) && place(other) == place(parameters[i]); });
    before += is_new ? 1 : 0;
  }
  return before;
}

/// Whether the export says that its kernel only reads a binding.
bool IsOnlyRead(const hal_export_info_t* info, size_t index) {
  if (!info) return false;
  const std::span parameters(info->parameters, info->parameter_count);
  const hal_parameter_t* last = nullptr;
  const hal_parameter_t* found = nullptr;
  bool is_rising = true;  // as nearly always: then they need no search
  size_t count = 0;
  for (const hal_parameter_t& parameter : parameters) {
    if (!NamesBinding(parameter)) continue;
    is_rising &= !last || std::pair(last->set, last->binding) < std::pair(parameter.set, parameter.binding);
    last = &parameter;
    if (count++ == index) found = &parameter;
  }
  if (is_rising) return found && found->access == HAL_BINDING_ACCESS_READ;
  return std::all_of(parameters.begin(), parameters.end(), [&](const hal_parameter_t& parameter) {
    return !NamesBinding(parameter) || parameter.access == HAL_BINDING_ACCESS_READ ||
           BindingOf(*info, parameter) != index;
  });
}

/// As ResolveCommandRef(), for slots, whose buffer is not known yet, and for buffers that cannot be bound as `use`
/// says: those that may only be read can be where the kernel only reads.
[[gnu::noinline]] Status ResolveUnusualBinding(CommandContext& context, const hal_export_info_t* info, size_t index,
                                               BufferUse use, const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  use.writes = !IsOnlyRead(info, index);
  return ResolveCommandRef(context, kBindings, index, use, given, out);
}

Status ResolveBindings(CommandContext& context, const hal_export_info_t* info, RefStorage* storage,
                       hal_buffer_ref_list_t* bindings) {
  const BufferUse use = BindingUse(*context.device->info->limits);
  const std::span<const hal_buffer_ref_t> given(bindings->refs, bindings->count);
  const std::span<hal_buffer_ref_t> resolved = storage->Take(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    // A kernel is taken to write: only of few buffers it matters.
    const bool is_plain =
        given[i].buffer && Succeeds(ResolveCommandRef(context, kBindings, i, use, given[i], &resolved[i]));
    if (is_plain) [[likely]]
      continue;
    HAL_TRY(ResolveUnusualBinding(context, info, i, use, given[i], &resolved[i]));
  }
  bindings->refs = resolved.data();
  return kOk;
}

/// Leaves exactly the bytes of the counts, or nothing if the dispatch is not indirect.
Status ResolveIndirect(CommandContext& context, hal_dispatch_params_t* params) {
  if (!(params->flags & HAL_DISPATCH_INDIRECT)) {
    params->indirect = hal_buffer_ref_t{};
    return kOk;
  }
  hal_buffer_ref_t given = params->indirect;
  params->indirect = hal_buffer_ref_t{};
  if (given.length == HAL_WHOLE_SIZE) given.length = kIndirectLength;
  if (context.validated && given.length < kIndirectLength) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "params->indirect has %" PRIu64 " bytes; the counts take %" PRIu64,
                given.length, kIndirectLength);
  }
  const BufferUse use = {HAL_BUFFER_USAGE_INDIRECT, sizeof(uint32_t)};
  const Status status =
      ResolveCommandRef(context, "params->indirect", ArgumentName::kNoIndex, use, given, &params->indirect);
  params->indirect.length = kIndirectLength;
  return status;
}

/// Checks that the elements of a shape lie inside its binding. For a slot the command buffer asks it of the table.
Status CheckShapeFits(CommandContext& context, const ArgumentName& name, const hal_shape_t& shape,
                      const hal_buffer_ref_t& binding) {
  if (shape.element_type == HAL_ELEMENT_TYPE_NONE) return kOk;  // of unknown size
  const std::optional<uint64_t> extent = ShapeExtent(shape);
  if (!extent || *extent > binding.length || *extent > HAL_WHOLE_SIZE - binding.offset) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s reaches over %" PRIu64 " bytes, but its binding has %" PRIu64,
                name.Text().c_str(), extent.value_or(HAL_WHOLE_SIZE), binding.length);
  }
  if (!binding.buffer && binding.length == HAL_WHOLE_SIZE) {
    hal_buffer_ref_t used = binding;
    used.length = *extent;
    context.commands->RequireSlot(used, {HAL_BUFFER_USAGE_STORAGE});
  }
  return kOk;
}

/// What kernels with tensor maps find in their bindings. A slot's length is checked when the table is known.
Status CheckTensors(const hal_export_info_t& info, const hal_dispatch_params_t& params) {
  if (!HasLaunchRules(info) || info.tensor_map_count == 0) return kOk;
  const hal_tensor_map_t* map = info.tensor_maps;
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if (info.parameters[i].kind != HAL_PARAMETER_KIND_TENSOR_MAP) continue;
    TensorShape shape;
    Status status = ReadTensorShape(*map++, params.constants, &shape);
    const hal_buffer_ref_t& binding = params.bindings.refs[BindingOf(info, info.parameters[i])];
    if (status == kOk) status = CheckTensorFits(shape, binding.length);
    if (status != kOk) return AnnotateTensor(status, info, i);
  }
  return kOk;
}

/// A function says what its bindings have to look like.
Status CheckSignature(const hal_export_info_t& info, const hal_dispatch_params_t& params) {
  if (!info.signature) return kOk;
  return CheckFunctionDispatch(View(info.name), *info.signature, params);
}

Status CheckShapes(CommandContext& context, const hal_dispatch_params_t& params) {
  if (!params.binding_shapes) return kOk;
  for (size_t i = 0; i < params.bindings.count; ++i) {
    const ArgumentName name = {"params->binding_shapes", i};
    const hal_shape_t& shape = params.binding_shapes[i];
    if (const Failure failure(CheckShape(shape)); failure) return Annotate(failure, name.Text(), ": ");
    HAL_TRY(CheckShapeFits(context, name, shape, params.bindings.refs[i]));
  }
  return kOk;
}

/// The workgroup size of the export, where the caller does not override it.
void FillWorkgroupSize(const hal_export_info_t* info, hal_dispatch_params_t* params) {
  if (params->workgroup_size.x == 0 && info) params->workgroup_size = info->workgroup_size;
}

Status CheckDispatch(CommandContext& context, hal_executable_t* executable, uint32_t ordinal,
                     const hal_export_info_t* info, const hal_dispatch_params_t& params) {
  if (!info) {
    return Fail(HAL_STATUS_INTERNAL, "the driver does not know its own export %u of %u", ordinal,
                executable->export_count);
  }
  const hal_device_limits_t& limits = *context.device->info->limits;
  const bool all_hold = AllHold<kDispatchRules>(DispatchLook{limits, *info, params}) &&
                        (!HasAnyLaunchRule(*info) || KeepsLaunchRules({limits, *info, params}));
  return all_hold ? kOk : RefuseDispatch(limits, *info, params);
}

/// A number of a dispatch that is recorded, for rules.
struct NumberLook {
  const hal_export_info_t& info;
  const hal_dispatch_params_t& params;
  const hal_number_ref_t& ref;
  uint64_t capacity;  ///< bytes of the block

  bool is_count() const { return ref.kind == HAL_NUMBER_KIND_WORKGROUP_COUNT; }
  const char* what() const { return is_count() ? "workgroup count" : "constants"; }
  uint64_t target_size() const { return is_count() ? sizeof(hal_dim3_t) : params.constants_size; }
};

/// What a number must be.
constexpr Rule<NumberLook> kNumberRules[] = {
    {[](const NumberLook& look) { return look.ref.kind == HAL_NUMBER_KIND_CONSTANTS || look.is_count(); },
     [](const NumberLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT, "kind: %u is unknown", static_cast<unsigned>(look.ref.kind));
     }},
    {[](const NumberLook& look) { return look.ref.length > 0; },
     [](const NumberLook&) { return FailWith(HAL_STATUS_INVALID_ARGUMENT, "length: it is 0"); }},
    {[](const NumberLook& look) { return !look.is_count() || (look.ref.target_offset | look.ref.length) % 4 == 0; },
     [](const NumberLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT,
                   "target_offset: %u, length: %u; those of a workgroup count are multiples of 4",
                   look.ref.target_offset, look.ref.length);
     }},
    {[](const NumberLook& look) { return uint64_t{look.ref.target_offset} + look.ref.length <= look.target_size(); },
     [](const NumberLook& look) {
       return Fail(HAL_STATUS_OUT_OF_RANGE, "target_offset: %u + length %u exceeds the %" PRIu64 " bytes of the %s",
                   look.ref.target_offset, look.ref.length, look.target_size(), look.what());
     }},
    {[](const NumberLook& look) { return uint64_t{look.ref.offset} + look.ref.length <= look.capacity; },
     [](const NumberLook& look) {
       return Fail(HAL_STATUS_OUT_OF_RANGE,
                   "offset: %u + length %u exceeds the numbers_size of the command buffer, which is %" PRIu64,
                   look.ref.offset, look.ref.length, look.capacity);
     }},
    {[](const NumberLook& look) { return !look.is_count() || (look.params.flags & HAL_DISPATCH_INDIRECT) == 0; },
     [](const NumberLook&) {
       return FailWith(HAL_STATUS_INVALID_ARGUMENT, "kind: the workgroup count is INDIRECT, so that a buffer has it");
     }},
    {[](const NumberLook& look) {  // what it maps was checked against its binding
       return look.is_count() || !HasLaunchRules(look.info) || look.info.tensor_map_count == 0;
     },
     [](const NumberLook& look) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT,
                   "kind: \"%.*s\" takes tensor maps, whose sizes are among its constants, which must be known",
                   HALYARD_SV(View(look.info.name)));
     }},
};

/// What comes from a block of numbers, if anything does. Apart, as few dispatches have any.
[[gnu::noinline]] Status CheckNumbers(CommandContext& context, const hal_export_info_t& info,
                                      const hal_dispatch_params_t& params) {
  if (!context.commands) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->numbers is for dispatches that a command buffer records");
  }
  HAL_TRY(CheckNotNull("params->numbers", params.numbers));
  for (size_t i = 0; i < params.number_count; ++i) {
    const NumberLook look = {info, params, params.numbers[i], context.commands->NumbersCapacity()};
    const Failure failure(RefuseFirst<kNumberRules>(look));
    if (failure) return Annotate(failure, ArgumentName{"params->numbers", i}.Text(), ".");
  }
  context.commands->AddNumbers(info, params);
  return kOk;
}

/// As ReadStruct(), for parameters that mostly come from a caller of this version.
Status ReadParams(const hal_dispatch_params_t* given, hal_dispatch_params_t* out) {
  if (given && given->struct_size == sizeof(*given)) [[likely]] {
    *out = *given;
    return kOk;
  }
  *out = HAL_DISPATCH_PARAMS_INIT;
  return ReadStruct("params", given, out);
}

}  // namespace

Status MakeDispatch(CommandContext& context, hal_executable_t* executable, uint32_t ordinal,
                    const hal_dispatch_params_t* given, DispatchStorage* storage, hal_command_t* out) {
  HAL_TRY(CheckNotNull("executable", executable));
  out->type = HAL_COMMAND_TYPE_DISPATCH;
  hal_dispatch_params_t& params = storage->params;
  out->u.dispatch.params = &params;
  HAL_TRY(ReadParams(given, &params));
  if (context.validated) HAL_TRY(CheckExecutable(context, *executable, ordinal));
  CompositeExecutable::Resolve(&executable, &ordinal);
  out->u.dispatch.executable = executable;
  out->u.dispatch.ordinal = ordinal;
  const hal_export_info_t* info = VtableOf(executable)->export_info(executable, ordinal);
  FillWorkgroupSize(info, &params);
  if (context.validated) HAL_TRY(CheckDispatch(context, executable, ordinal, info, params));
  HAL_TRY(ResolveBindings(context, info, &storage->bindings, &params.bindings));
  HAL_TRY(ResolveIndirect(context, &params));
  if (!context.validated) return kOk;
  HAL_TRY(CheckShapes(context, params));
  HAL_TRY(CheckTensors(*info, params));
  if (params.number_count > 0) [[unlikely]]
    HAL_TRY(CheckNumbers(context, *info, params));
  return CheckSignature(*info, params);
}

Status CheckGivenCount(const hal_device_limits_t& limits, const hal_export_info_t& info, const hal_dim3_t& count) {
  if (const Failure failure(CheckWorkgroupCount(limits, count)); failure) {
    return Annotate(failure, "the block of numbers, for \"" + HostString(View(info.name)) + "\": ");
  }
  if (HasLaunchRules(info)) HAL_TRY(CheckClusters("in the block of numbers workgroup_count", info, count));
  return info.signature ? CheckFunctionGrid(View(info.name), *info.signature, count) : kOk;
}

}  // namespace halyard
