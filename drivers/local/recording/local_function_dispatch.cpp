// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/recording/local_function_dispatch.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "function/bindings.h"
#include "function/results.h"
#include "local/executor/local_loop.h"

namespace halyard::local {
namespace {

/// The bytes of a scalar that a value has no room for.
struct alignas(16) WideComplex {
  std::array<std::byte, 32> bytes;
};

/// What the arguments of a dispatch are put together from.
class FunctionDispatch {
 public:
  FunctionDispatch(const CommandContext& context, const CompiledFunction& function, const hal_dispatch_params_t& params)
      : context_(context),
        function_(function),
        params_(params),
        words_(WordsNeeded()),
        call_(function),
        aliases_(params.bindings.count) {}

  Status Prepare();
  Status RunOne();
  Status RunGrid(const hal_dim3_t& count);

 private:
  const hal_function_signature_t& Signature() const { return function_.Signature(); }
  const hal_shape_t* ShapeOf(size_t binding) const {
    return params_.binding_shapes ? &params_.binding_shapes[binding] : nullptr;
  }
  size_t WordsNeeded() const;
  Status BindMemref(uint32_t argument);
  void ReadScalar(uint32_t argument);
  void SetWorkgroup(FunctionCall* call, const std::array<uint32_t, 3>& id, const hal_dim3_t& count) const;
  Status StoreResults(const std::byte* results);
  Status SetAside(std::span<hal_memref_t> results, HostVector<HostVector<std::byte>>* copies);
  bool IsTarget(const Descriptor& result);
  Status StoreResult(uint32_t index, const hal_value_t& value);
  Status StoreMemref(const hal_value_type_t& type, size_t binding, const MemoryRange& range, const Descriptor& result);

  const CommandContext& context_;
  const CompiledFunction& function_;
  const hal_dispatch_params_t& params_;
  Pins pins_;
  WordStorage<256> words_;  // the descriptors
  FunctionCall call_;
  WordStorage<16> aliases_;  // `allocated` of each memref
  size_t words_used_ = 0;
  size_t bindings_used_ = 0;
  size_t constants_used_ = 0;  // bytes
};

size_t FunctionDispatch::WordsNeeded() const {
  size_t words = 0;
  size_t binding = 0;
  for (const hal_value_type_t& type : ArgumentsOf(Signature())) {
    if (IsBound(type)) words += Descriptor::WordCount(BindingRank(type, ShapeOf(binding++)));
  }
  return words;
}

Status FunctionDispatch::Prepare() {
  for (uint32_t i = 0; i < Signature().argument_count; ++i) {
    const hal_value_type_t& type = Signature().arguments[i];
    if (IsBound(type)) {
      HAL_TRY(BindMemref(i));
    } else if (type.role == HAL_ARGUMENT_ROLE_DATA) {
      ReadScalar(i);
    }
  }
  return kOk;
}

Status FunctionDispatch::BindMemref(uint32_t argument) {
  const hal_value_type_t& type = Signature().arguments[argument];
  const size_t binding = bindings_used_++;
  MemoryRange range{};
  HAL_TRY(Resolve(context_, params_.bindings.refs[binding], pins_, &range));
  Descriptor descriptor;
  auto* const words = reinterpret_cast<int64_t*>(words_.data() + words_used_);
  if (Status status = DescribeBinding(type, ShapeOf(binding), {range.data, range.length}, words, &descriptor);
      status != kOk) {
    return AnnotateBinding(status, function_.Name(), "argument", argument, binding);
  }
  words_used_ += Descriptor::WordCount(descriptor.rank);
  aliases_.data()[binding] = static_cast<uint64_t>(descriptor.Allocated());
  call_.SetMemref(argument, descriptor);
  return kOk;
}

void FunctionDispatch::ReadScalar(uint32_t argument) {
  const hal_element_type_t type = Signature().arguments[argument].element_type;
  const size_t alignment = ElementAlignment(type);
  constants_used_ = (constants_used_ + alignment - 1) / alignment * alignment;
  call_.SetScalar(argument, static_cast<const std::byte*>(params_.constants) + constants_used_);
  constants_used_ += ElementSize(type);
}

void FunctionDispatch::SetWorkgroup(FunctionCall* call, const std::array<uint32_t, 3>& id,
                                    const hal_dim3_t& count) const {
  const hal_dim3_t& size = params_.workgroup_size;
  // One for each role but DATA; the last is that of NULL.
  const std::array<uint32_t, 10> numbers = {id[0], id[1], id[2], count.x, count.y, count.z, size.x, size.y, size.z, 0};
  for (uint32_t i = 0; i < Signature().argument_count; ++i) {
    const hal_argument_role_t role = Signature().arguments[i].role;
    if (role != HAL_ARGUMENT_ROLE_DATA) call->SetNumber(i, numbers[role - HAL_ARGUMENT_ROLE_WORKGROUP_ID_X]);
  }
}

Status FunctionDispatch::RunOne() {
  SetWorkgroup(&call_, {0, 0, 0}, {1, 1, 1});
  WordStorage<64> memory(function_.Plan().ResultSize() / sizeof(uint64_t));
  auto* const results = reinterpret_cast<std::byte*>(memory.data());
  HAL_TRY(call_.Run(results));
  return Signature().result_count > 0 ? StoreResults(results) : kOk;
}

Status FunctionDispatch::RunGrid(const hal_dim3_t& count) {
  const auto run = [&](uint64_t begin, uint64_t end) {
    FunctionCall call(call_);
    Status status = kOk;
    for (uint64_t i = begin; i < end && status == kOk; ++i) {
      const std::array<uint32_t, 3> id = {static_cast<uint32_t>(i % count.x),
                                          static_cast<uint32_t>(i / count.x % count.y),
                                          static_cast<uint32_t>(i / count.x / count.y)};
      SetWorkgroup(&call, id, count);
      status = call.Run(nullptr);
    }
    return status;
  };
  return RunLoop(context_.executor, uint64_t{count.x} * count.y * count.z, run);
}

Status FunctionDispatch::StoreResults(const std::byte* results) {
  HostVector<hal_memref_t> memrefs(Signature().result_count);
  HostVector<hal_value_t> values(Signature().result_count);
  HostVector<WideComplex> wide(Signature().result_count);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].as.memref = &memrefs[i];
    if (IsIndirect(Signature().results[i])) values[i].as.complex_wide = &wide[i];
  }
  const std::span<const int64_t> aliases(reinterpret_cast<const int64_t*>(aliases_.data()), bindings_used_);
  Status status = TakeResults(function_.Name(), function_.Plan(), Signature(), aliases, results, values.data());
  HostVector<HostVector<std::byte>> copies(values.size());
  if (status == kOk) status = SetAside(memrefs, &copies);
  for (uint32_t i = 0; i < values.size() && status == kOk; ++i) status = StoreResult(i, values[i]);
  for (hal_memref_t& memref : memrefs) hal_memref_release(&memref);
  return status;
}

// A result may lie in the memory of an argument that is also bound to a result, and storing one would overwrite what
// the other reads. Such results are copied first.
Status FunctionDispatch::SetAside(std::span<hal_memref_t> results, HostVector<HostVector<std::byte>>* copies) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (Signature().results[i].kind == HAL_VALUE_KIND_SCALAR || results[i].owned) continue;
    const Descriptor source = Descriptor::Of(results[i]);
    if (!IsTarget(source)) continue;
    hal_memref_t copy = results[i];
    const Descriptor dense = Descriptor::Of(copy);
    FillDenseStrides(dense.Sizes(), dense.Strides());
    uint64_t below = 0;
    (*copies)[i].resize(ByteExtent(dense, &below));
    copy.aligned = (*copies)[i].data();
    copy.offset = 0;
    CopyElements(source, Descriptor::Of(copy), ElementSize(source.element_type));
    results[i] = copy;
  }
  return kOk;
}

// Whether a result will be stored into memory that this one occupies.
bool FunctionDispatch::IsTarget(const Descriptor& result) {
  uint64_t below = 0;
  const uint64_t extent = ByteExtent(result, &below);
  const char* const begin = reinterpret_cast<const char*>(FirstElement(result)) - below;
  for (size_t i = 0; i < Signature().result_count && extent > 0; ++i) {
    MemoryRange range{};
    const hal_buffer_ref_t& ref = params_.bindings.refs[bindings_used_ + i];
    if (!Succeeds(Resolve(context_, ref, pins_, &range))) continue;  // StoreResult fails
    if (begin < range.data + range.length && range.data < begin + extent) return true;
  }
  return false;
}

Status FunctionDispatch::StoreResult(uint32_t index, const hal_value_t& value) {
  const hal_value_type_t& type = Signature().results[index];
  const size_t binding = bindings_used_ + index;
  MemoryRange range{};
  HAL_TRY(Resolve(context_, params_.bindings.refs[binding], pins_, &range));
  if (type.kind != HAL_VALUE_KIND_SCALAR) {
    const Status status = StoreMemref(type, binding, range, Descriptor::Of(*value.as.memref));
    return AnnotateBinding(status, function_.Name(), "result", index, binding);
  }
  std::memcpy(range.data, ScalarBytes(type, value), std::min<uint64_t>(ElementSize(type.element_type), range.length));
  return kOk;
}

/// A binding without a shape takes the result densely, whatever its sizes, if it has room.
Status FunctionDispatch::StoreMemref(const hal_value_type_t& type, size_t binding, const MemoryRange& range,
                                     const Descriptor& result) {
  const auto sizes = result.Sizes();
  const hal_shape_t* shape = ShapeOf(binding);
  const hal_shape_t dense = {type.element_type, result.rank, sizes.data(), nullptr};
  if (!shape) shape = &dense;
  if (!std::equal(sizes.begin(), sizes.end(), shape->sizes, shape->sizes + shape->rank)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the function returned %s, but the shape of the binding is another",
                DescriptorText(result).c_str());
  }
  const hal_value_type_t any = {
      HAL_VALUE_KIND_UNRANKED, type.element_type, 0, {}, {}, {}, 0, nullptr, nullptr};  // the layouts may differ
  WordStorage<64> words(Descriptor::WordCount(shape->rank));
  Descriptor target;
  const Status status =
      DescribeBinding(any, shape, {range.data, range.length}, reinterpret_cast<int64_t*>(words.data()), &target);
  if (status != kOk) return status;
  CopyElements(result, target, ElementSize(type.element_type));
  return kOk;
}

}  // namespace

Status RunFunction(const CommandContext& context, const CompiledFunction& function, const hal_dispatch_params_t& params,
                   const hal_dim3_t& count) {
  HAL_TRY(CheckFunctionGrid(function.Name(), function.Signature(), count));
  const uint64_t total = uint64_t{count.x} * count.y * count.z;
  if (total == 0) return kOk;
  FunctionDispatch dispatch(context, function, params);
  HAL_TRY(dispatch.Prepare());
  return total == 1 ? dispatch.RunOne() : dispatch.RunGrid(count);
}

}  // namespace halyard::local
