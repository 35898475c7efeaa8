// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/host_reflection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "halyard/local_kernel_record.h"
#include "image/halx/container_contents.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {
namespace {

using Record = hal_local_kernel_record_t;
using ParameterRecord = hal_local_parameter_record_t;

struct Machine {
  uint16_t number;
  const char* target;
};
constexpr std::array kMachines = {Machine{62, "x86_64"}, Machine{183, "aarch64"}, Machine{243, "riscv64"},
                                  Machine{21, "ppc64le"}};

/// A record of the file, which may lie at any address and be of another byte order than this host's.
Record ReadRecord(Bytes bytes) {
  Record record = {};
  const auto number = [&](size_t offset) { return ReadUint<uint32_t>(bytes, offset); };
  record.magic = number(offsetof(Record, magic));
  record.version = number(offsetof(Record, version));
  record.record_size = number(offsetof(Record, record_size));
  record.name_offset = number(offsetof(Record, name_offset));
  record.parameters_offset = number(offsetof(Record, parameters_offset));
  record.parameter_count = number(offsetof(Record, parameter_count));
  for (size_t i = 0; i < 3; ++i) record.workgroup_size[i] = number(offsetof(Record, workgroup_size) + 4 * i);
  record.local_memory_size = number(offsetof(Record, local_memory_size));
  record.constants_size = number(offsetof(Record, constants_size));
  return record;
}

ParameterRecord ReadParameter(Bytes bytes) {
  const auto number = [&](size_t offset) { return ReadUint<uint32_t>(bytes, offset); };
  return {number(offsetof(ParameterRecord, kind)),    number(offsetof(ParameterRecord, offset)),
          number(offsetof(ParameterRecord, size)),    number(offsetof(ParameterRecord, set)),
          number(offsetof(ParameterRecord, binding)), number(offsetof(ParameterRecord, access))};
}

Status CheckRecord(const Record& record, size_t left) {
  if (record.magic != HAL_LOCAL_KERNEL_RECORD_MAGIC) {
    return Fail(HAL_STATUS_DATA_LOSS, "magic: it is 0x%08x, not 0x%08x", record.magic, HAL_LOCAL_KERNEL_RECORD_MAGIC);
  }
  if (record.version != HAL_LOCAL_KERNEL_RECORD_VERSION) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "version: it is %u; this library reads version %u", record.version,
                HAL_LOCAL_KERNEL_RECORD_VERSION);
  }
  if (record.record_size < sizeof(Record) || record.record_size % 8 != 0 || record.record_size > left) {
    return Fail(HAL_STATUS_DATA_LOSS, "record_size: %u bytes, with %zu left; expected a multiple of 8, %zu at least",
                record.record_size, left, sizeof(Record));
  }
  const uint64_t parameters_size = uint64_t{record.parameter_count} * sizeof(ParameterRecord);
  if (record.parameter_count > ContainerLimits::kParameters ||
      record.parameters_offset + parameters_size > record.record_size) {
    return Fail(HAL_STATUS_DATA_LOSS, "parameters_offset: %u with parameter_count %u exceeds record_size, which is %u",
                record.parameters_offset, record.parameter_count, record.record_size);
  }
  const auto& size = record.workgroup_size;
  const bool dispatch_says = size[0] == 0 && size[1] <= 1 && size[2] <= 1;
  if (!dispatch_says && (size[0] == 0 || size[1] == 0 || size[2] == 0)) {
    return Fail(HAL_STATUS_DATA_LOSS, "workgroup_size: %u x %u x %u has a 0; only x may be 0, if the dispatch says",
                size[0], size[1], size[2]);
  }
  if (record.local_memory_size > ContainerLimits::kLocalMemorySize ||
      record.constants_size > ContainerLimits::kConstantsSize) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "local_memory_size, constants_size: %u and %u bytes; at most %u and %u are possible",
                record.local_memory_size, record.constants_size, ContainerLimits::kLocalMemorySize,
                ContainerLimits::kConstantsSize);
  }
  return kOk;
}

Status CheckParameter(const ParameterRecord& parameter, uint32_t constants_size) {
  if (parameter.kind == HAL_PARAMETER_KIND_BINDING) {
    if (parameter.set >= ContainerLimits::kSets) {
      return Fail(HAL_STATUS_DATA_LOSS, "set: %u; at most %u sets are possible", parameter.set, ContainerLimits::kSets);
    }
    if (parameter.access <= HAL_BINDING_ACCESS_WRITE) return kOk;
    return Fail(HAL_STATUS_DATA_LOSS, "access: %u is unknown", parameter.access);
  }
  if (parameter.kind != HAL_PARAMETER_KIND_CONSTANT) {
    return Fail(HAL_STATUS_DATA_LOSS, "kind: %u is unknown", parameter.kind);
  }
  if (parameter.size > 0 && parameter.offset <= constants_size && parameter.size <= constants_size - parameter.offset) {
    return kOk;
  }
  return Fail(HAL_STATUS_DATA_LOSS, "offset: %u + size %u exceeds constants_size, which is %u, or is empty",
              parameter.offset, parameter.size, constants_size);
}

Status AddParameter(Bytes bytes, ReflectedKernel* kernel) {
  const ParameterRecord record = ReadParameter(bytes);
  HAL_TRY(CheckParameter(record, kernel->constants_size));
  ReflectedParameter& parameter = kernel->parameters.emplace_back();
  parameter.is_place_fixed = true;
  if (record.kind == HAL_PARAMETER_KIND_BINDING) {
    parameter.value = hal_parameter_binding(record.binding, static_cast<hal_binding_access_t>(record.access));
    parameter.value.set = record.set;
    parameter.is_access_known = true;
  } else {
    parameter.value = hal_parameter_constant(record.offset, record.size);
  }
  return kOk;
}

Status ReadKernel(Bytes bytes, const Record& record, ReflectedKernel* out_kernel) {
  const auto name = TextAt(bytes.first(record.record_size), record.name_offset);
  if (!name) {
    return Fail(HAL_STATUS_DATA_LOSS, "name_offset: %u has no text with an end inside the record of %u bytes",
                record.name_offset, record.record_size);
  }
  out_kernel->name = *name;
  const auto& size = record.workgroup_size;
  out_kernel->is_workgroup_size_exact = size[0] > 0;
  if (size[0] > 0) out_kernel->workgroup_size = hal_dim3(size[0], size[1], size[2]);
  out_kernel->is_workgroup_size_known = true;
  out_kernel->local_memory_size = record.local_memory_size;
  out_kernel->constants_size = record.constants_size;
  for (uint32_t i = 0; i < record.parameter_count; ++i) {
    const Bytes parameter = bytes.subspan(record.parameters_offset + i * sizeof(ParameterRecord));
    if (Status status = AddParameter(parameter, out_kernel); status != kOk) {
      char prefix[48];
      std::snprintf(prefix, sizeof(prefix), "parameters[%u].", i);
      return Annotate(status, prefix);
    }
  }
  return kOk;
}

Status ReadNext(Bytes left, size_t* out_size, ReflectedImage* image) {
  if (left.size() < sizeof(Record)) {
    return Fail(HAL_STATUS_DATA_LOSS, "it has %zu bytes, and a record %zu at least", left.size(), sizeof(Record));
  }
  if (image->kernels.size() == ContainerLimits::kExports) {
    return Fail(HAL_STATUS_DATA_LOSS, "there are more than %zu", ContainerLimits::kExports);
  }
  const Record record = ReadRecord(left);
  HAL_TRY(CheckRecord(record, left.size()));
  *out_size = record.record_size;
  return ReadKernel(left, record, &image->kernels.emplace_back());
}

}  // namespace

Status ReflectHostRecords(Bytes section, ReflectedImage* out_image) {
  ReflectedImage image;
  image.producer = "host records, version 1";
  size_t at = 0;
  while (at < section.size()) {
    size_t size = 0;
    const size_t index = image.kernels.size();
    if (Status status = ReadNext(section.subspan(at), &size, &image); status != kOk) {
      char prefix[64];
      std::snprintf(prefix, sizeof(prefix), HAL_LOCAL_KERNEL_SECTION ": record %zu: ", index);
      return Annotate(status, prefix);
    }
    at += size;
  }
  if (Status status = CheckKernelNames(image); status != kOk) return Annotate(status, HAL_LOCAL_KERNEL_SECTION ": ");
  *out_image = std::move(image);
  return kOk;
}

Status ReflectHost(Bytes image, ReflectedImage* out_image) {
  if (AsText(image).starts_with("MZ")) {
    return FailWith(HAL_STATUS_NOT_FOUND, "the image is a library of Windows, which does not tell what it exports");
  }
  ElfReader elf;
  HAL_TRY(elf.Open(image, "the image"));
  const ElfSection* const section = elf.FindSection(HAL_LOCAL_KERNEL_SECTION);
  if (!section || section->contents.empty()) {
    return FailWith(HAL_STATUS_NOT_FOUND,
                    "the image does not tell what it exports: it has no section " HAL_LOCAL_KERNEL_SECTION
                    " (halyard/local_kernel_record.h)");
  }
  if (Status status = ReflectHostRecords(section->contents, out_image); status != kOk) {
    return Annotate(status, "the image: ");
  }
  const auto* const machine = std::find_if(kMachines.begin(), kMachines.end(),
                                           [&](const Machine& known) { return known.number == elf.Header().machine; });
  if (machine != kMachines.end()) out_image->target = machine->target;
  return kOk;
}

}  // namespace halyard
