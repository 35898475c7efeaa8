// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace halyard_ggml {
namespace {

constexpr uint32_t kBlock = 32;          // numbers in a block of a quantised tensor
constexpr uint32_t kItemsOfARow = 32;    // work-items that share a row on a GPU
constexpr uint32_t kMaxGroupsX = 32768;  // workgroups in x; more go to y. Every device takes as many

/// The operations of `combine` and of `apply` in the kernels.
enum class Combination : uint32_t { kAdd, kSubtract, kMultiply, kDivide };
enum class Function : uint32_t { kScale, kSilu, kRelu, kNegative, kAbsolute, kSigmoid, kExponential, kTangent };

bool IsQuantized(ggml_type type) { return type == GGML_TYPE_Q8_0 || type == GGML_TYPE_Q4_0; }

/// The kernels of one operation for f32, f16, q8_0 and q4_0 stand in this order. None for another type.
std::optional<Kernel> OfType(Kernel f32, ggml_type type) {
  switch (type) {
    case GGML_TYPE_F32:
      return f32;
    case GGML_TYPE_F16:
      return static_cast<Kernel>(static_cast<uint32_t>(f32) + 1);
    case GGML_TYPE_Q8_0:
      return static_cast<Kernel>(static_cast<uint32_t>(f32) + 2);
    case GGML_TYPE_Q4_0:
      return static_cast<Kernel>(static_cast<uint32_t>(f32) + 3);
    default:
      return std::nullopt;
  }
}

/// Bytes of an element of the binding: quantised tensors are bytes, and numbers of 64 bits two words.
uint32_t UnitOf(ggml_type type) {
  if (IsQuantized(type)) return 1;
  return type == GGML_TYPE_I64 ? 4 : static_cast<uint32_t>(ggml_type_size(type));
}

template <class T>
T Parameter(const ggml_tensor& node, size_t index) {
  T value;
  static_assert(sizeof(value) == sizeof(node.op_params[0]));
  std::memcpy(&value, &node.op_params[index], sizeof(value));
  return value;
}

bool StartsRowsWithoutGaps(const ggml_tensor& tensor) { return tensor.nb[0] == ggml_type_size(tensor.type); }

/// Puts an operation together. Whatever does not fit makes the result none.
class Builder {
 public:
  Builder(const DispatchTraits& traits, Kernel kernel) : traits_(traits) { operation_.kernel = kernel; }

  /// The next operand. `elements` is where it begins, from the tensor's own begin.
  Builder& Use(const ggml_tensor& tensor, int64_t elements = 0) {
    const ggml_tensor& root = tensor.view_src ? *tensor.view_src : tensor;
    const uint32_t unit = UnitOf(tensor.type);
    const uint64_t length = ggml_nbytes(&root) + traits_.binding_alignment;
    Require(length <= traits_.max_binding_range && length / unit <= INT32_MAX);
    operation_.operands[operation_.operand_count++] = {&tensor, unit, elements};
    return Word(0);
  }

  Builder& Word(int64_t value) {
    Require(value >= INT32_MIN && value <= INT32_MAX);
    operation_.constants[operation_.constant_count++] = static_cast<uint32_t>(value);
    return *this;
  }
  Builder& Word(Combination value) { return Word(static_cast<int64_t>(value)); }
  Builder& Word(Function value) { return Word(static_cast<int64_t>(value)); }
  Builder& Float(float value) {
    operation_.constants[operation_.constant_count++] = std::bit_cast<uint32_t>(value);
    return *this;
  }

  /// The four sizes, with the first one divided: into blocks, or pairs.
  Builder& Sizes(const ggml_tensor& tensor, int64_t divisor = 1) {
    Require(tensor.ne[0] % divisor == 0);
    AlignArray();
    return Word(tensor.ne[0] / divisor).Word(tensor.ne[1]).Word(tensor.ne[2]).Word(tensor.ne[3]);
  }

  /// The four strides in elements of the binding, with the first one multiplied.
  Builder& Strides(const ggml_tensor& tensor, int64_t factor = 1) {
    const uint32_t unit = UnitOf(tensor.type);
    AlignArray();
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
      Require(tensor.nb[i] % unit == 0);
      Word(static_cast<int64_t>(tensor.nb[i] / unit) * (i == 0 ? factor : 1));
    }
    return *this;
  }

  Builder& Require(bool holds) {
    fits_ = fits_ && holds;
    return *this;
  }

  /// A work-item for each of `count`.
  std::optional<Operation> Items(int64_t count, uint32_t workgroup_size) {
    return Groups((count + workgroup_size - 1) / workgroup_size);
  }

  /// Work-items of a row: those of a host would only run one after the other.
  std::optional<Operation> Rows(int64_t groups) {
    operation_.workgroup_size = traits_.is_host ? 1 : kItemsOfARow;
    return Groups(groups);
  }

 private:
  // An array of four constants begins at a multiple of its size (docs/kernels.md).
  void AlignArray() { operation_.constant_count = (operation_.constant_count + 3) / 4 * 4; }

  std::optional<Operation> Groups(int64_t groups) {
    // A number of a work-item is a signed one of 32 bits, the last workgroups of the grid included.
    constexpr int64_t kMost = int64_t{1} << 30;
    Require(groups > 0 && groups * std::max<int64_t>(operation_.workgroup_size, 256) <= kMost);
    if (!fits_) return std::nullopt;
    operation_.workgroup_count[0] = static_cast<uint32_t>(std::min<int64_t>(groups, kMaxGroupsX));
    operation_.workgroup_count[1] = static_cast<uint32_t>((groups + kMaxGroupsX - 1) / kMaxGroupsX);
    return operation_;
  }

  const DispatchTraits& traits_;
  Operation operation_ = {};
  bool fits_ = true;
};

/// Rows that a workgroup does one after the other: on a host as many as leave every thread some workgroups.
int64_t RowsEach(const DispatchTraits& traits, int64_t rows, int64_t batches) {
  if (!traits.is_host) return 1;
  const int64_t groups = int64_t{8} * traits.threads;
  return std::clamp<int64_t>(rows * batches / groups, 1, rows);
}

std::optional<Operation> Binary(const ggml_tensor& node, const DispatchTraits& traits, Combination combination) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& y = *node.src[1];
  if (x.type != GGML_TYPE_F32 || y.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32) return std::nullopt;
  const int64_t count = ggml_nelements(&node);
  Builder builder(traits, Kernel::binary);
  builder.Use(x).Use(y).Use(node).Word(count).Word(combination);
  return builder.Sizes(node).Strides(x).Strides(y).Strides(node).Sizes(y).Items(count, 256);
}

std::optional<Operation> Elementwise(const ggml_tensor& node, const DispatchTraits& traits, Function function,
                                     float scale, float bias) {
  const ggml_tensor& x = *node.src[0];
  if (x.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32) return std::nullopt;
  const int64_t count = ggml_nelements(&node);
  Builder builder(traits, Kernel::unary);
  builder.Use(x).Use(node).Word(count).Word(function).Float(scale).Float(bias);
  return builder.Sizes(node).Strides(x).Strides(node).Items(count, 256);
}

std::optional<Operation> Unary(const ggml_tensor& node, const DispatchTraits& traits) {
  switch (ggml_get_unary_op(&node)) {
    case GGML_UNARY_OP_SILU:
      return Elementwise(node, traits, Function::kSilu, 1, 0);
    case GGML_UNARY_OP_RELU:
      return Elementwise(node, traits, Function::kRelu, 1, 0);
    case GGML_UNARY_OP_NEG:
      return Elementwise(node, traits, Function::kNegative, 1, 0);
    case GGML_UNARY_OP_ABS:
      return Elementwise(node, traits, Function::kAbsolute, 1, 0);
    case GGML_UNARY_OP_SIGMOID:
      return Elementwise(node, traits, Function::kSigmoid, 1, 0);
    case GGML_UNARY_OP_EXP:
      return Elementwise(node, traits, Function::kExponential, 1, 0);
    case GGML_UNARY_OP_TANH:
      return Elementwise(node, traits, Function::kTangent, 1, 0);
    default:
      return std::nullopt;
  }
}

std::optional<Operation> Gated(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_glu_op kind = ggml_get_glu_op(&node);
  if (kind != GGML_GLU_OP_SWIGLU && kind != GGML_GLU_OP_REGLU) return std::nullopt;
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& gate = node.src[1] ? *node.src[1] : x;
  if (x.type != GGML_TYPE_F32 || gate.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32) return std::nullopt;
  // One source has both: a half of each row is the gate of the other half.
  const bool is_swapped = Parameter<int32_t>(node, 1) != 0;
  const int64_t half = node.src[1] ? 0 : node.ne[0];
  const int64_t count = ggml_nelements(&node);
  Builder builder(traits, Kernel::gated);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(gate));
  builder.Use(x, is_swapped ? half : 0).Use(gate, is_swapped ? 0 : half).Use(node).Word(count);
  builder.Word(kind == GGML_GLU_OP_SWIGLU ? Function::kSilu : Function::kRelu);
  return builder.Sizes(node).Strides(x).Strides(gate).Strides(node).Items(count, 256);
}

std::optional<Operation> Rope(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& positions = *node.src[1];
  const ggml_tensor* const factors = node.src[2];
  const auto turned = Parameter<int32_t>(node, 1);
  const auto mode = Parameter<int32_t>(node, 2);
  const auto trained_context = Parameter<int32_t>(node, 4);
  const auto base = Parameter<float>(node, 5);
  const auto interpolation = Parameter<float>(node, 6);
  const auto extrapolation = Parameter<float>(node, 7);
  const auto attention = Parameter<float>(node, 8);
  const auto skipped = Parameter<int32_t>(node, 15);
  if (mode != GGML_ROPE_TYPE_NORMAL && mode != GGML_ROPE_TYPE_NEOX) return std::nullopt;
  if (x.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32 || skipped != 0) return std::nullopt;
  if (!StartsRowsWithoutGaps(x) || !StartsRowsWithoutGaps(node) || turned <= 0) return std::nullopt;

  float correction[2];
  ggml_rope_yarn_corr_dims(turned, trained_context, base, Parameter<float>(node, 9), Parameter<float>(node, 10),
                           correction);
  const float magnitude =
      extrapolation == 0.0f ? attention : attention * (1.0f + 0.1f * std::log(1.0f / interpolation));
  const int64_t count = ggml_nelements(&node) / 2;
  Builder builder(traits, Kernel::rope);
  builder.Use(x).Use(positions).Use(factors ? *factors : positions).Use(node).Word(count).Word(turned);
  builder.Word(mode == GGML_ROPE_TYPE_NEOX ? 1 : 0).Word(factors ? 1 : 0);
  builder.Float(-2.0f / static_cast<float>(turned) * std::log2(base));
  builder.Float(interpolation).Float(extrapolation).Float(magnitude).Float(correction[0]).Float(correction[1]);
  builder.Float(node.op == GGML_OP_ROPE_BACK ? -1.0f : 1.0f);
  return builder.Sizes(node, 2).Strides(x).Strides(node).Items(count, 128);
}

std::optional<Kernel> CopyKernel(ggml_type from, ggml_type to) {
  if (from == to && !ggml_is_quantized(from)) {
    if (ggml_type_size(from) == 4) return Kernel::copy_32;
    if (ggml_type_size(from) == 2) return Kernel::copy_16;
  }
  if (from == GGML_TYPE_F32 && to == GGML_TYPE_F16) return Kernel::copy_f32_f16;
  if (from == GGML_TYPE_F16 && to == GGML_TYPE_F32) return Kernel::copy_f16_f32;
  if (from == GGML_TYPE_F32 && to == GGML_TYPE_Q8_0) return Kernel::copy_f32_q8_0;
  if (from == GGML_TYPE_F32 && to == GGML_TYPE_Q4_0) return Kernel::copy_f32_q4_0;
  if (from == GGML_TYPE_Q8_0 && to == GGML_TYPE_F32) return Kernel::copy_q8_0_f32;
  if (from == GGML_TYPE_Q4_0 && to == GGML_TYPE_F32) return Kernel::copy_q4_0_f32;
  return std::nullopt;
}

/// The first stride of a side that is copied in blocks: the bytes of a block, or as many numbers.
int64_t BlockFactor(const ggml_tensor& tensor, bool in_blocks) {
  return in_blocks && !IsQuantized(tensor.type) ? kBlock : 1;
}

std::optional<Operation> Copy(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const std::optional<Kernel> kernel = CopyKernel(x.type, node.type);
  if (!kernel) return std::nullopt;
  const bool in_blocks = IsQuantized(x.type) || IsQuantized(node.type);
  const uint32_t divisor = in_blocks ? kBlock : 1;
  const int64_t count = ggml_nelements(&node) / divisor;
  Builder builder(traits, *kernel);
  builder.Require(!in_blocks || (StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(node)));
  builder.Use(x).Use(node).Word(count).Sizes(x, divisor).Strides(x, BlockFactor(x, in_blocks));
  builder.Sizes(node, divisor).Strides(node, BlockFactor(node, in_blocks));
  return builder.Items(count, in_blocks ? 64 : 256);
}

std::optional<Operation> GetRows(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& index = *node.src[1];
  const std::optional<Kernel> kernel = OfType(Kernel::get_rows_f32, x.type);
  if (!kernel || index.type != GGML_TYPE_I32 || node.type != GGML_TYPE_F32) return std::nullopt;
  const bool in_blocks = IsQuantized(x.type);
  const uint32_t divisor = in_blocks ? kBlock : 1;
  const int64_t count = ggml_nelements(&node) / divisor;
  Builder builder(traits, *kernel);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(node));
  builder.Use(x).Use(index).Use(node).Word(count).Word(x.ne[1]).Sizes(node, divisor);
  builder.Strides(x).Strides(index).Strides(node, BlockFactor(node, in_blocks));
  return builder.Items(count, in_blocks ? 64 : 256);
}

std::optional<Operation> SetRows(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& index = *node.src[1];
  const std::optional<Kernel> kernel = OfType(Kernel::set_rows_f32, node.type);
  if (!kernel || x.type != GGML_TYPE_F32) return std::nullopt;
  if (index.type != GGML_TYPE_I32 && index.type != GGML_TYPE_I64) return std::nullopt;
  const bool in_blocks = IsQuantized(node.type);
  const uint32_t divisor = in_blocks ? kBlock : 1;
  const int64_t count = ggml_nelements(&x) / divisor;
  Builder builder(traits, *kernel);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(node));
  builder.Use(x).Use(index).Use(node).Word(count).Word(node.ne[1]).Sizes(x, divisor);
  builder.Strides(x, BlockFactor(x, in_blocks)).Strides(index).Strides(node).Word(index.ne[1]).Word(index.ne[2]);
  return builder.Items(count, in_blocks ? 64 : 256);
}

std::optional<Operation> RmsNorm(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  if (x.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32) return std::nullopt;
  const int64_t rows = ggml_nrows(&node);
  const int64_t each = RowsEach(traits, rows, 1);
  Builder builder(traits, Kernel::rms_norm);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(node));
  builder.Use(x).Use(node).Word(rows).Word(each).Float(Parameter<float>(node, 0));
  return builder.Sizes(node).Strides(x).Strides(node).Rows((rows + each - 1) / each);
}

std::optional<Operation> SoftMax(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor* const mask = node.src[1];
  if (x.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32 || node.src[2]) return std::nullopt;
  if (mask && mask->type != GGML_TYPE_F32 && mask->type != GGML_TYPE_F16) return std::nullopt;
  const auto max_bias = Parameter<float>(node, 1);
  // The slopes of ALiBi (Press et al., 2022) for a number of heads that need not be a power of two.
  const uint32_t heads = std::bit_floor(static_cast<uint32_t>(x.ne[2]));
  const float log2_low = -max_bias / static_cast<float>(heads);
  const int64_t rows = ggml_nrows(&node);
  const int64_t each = RowsEach(traits, rows, 1);
  Builder builder(traits, !mask                         ? Kernel::soft_max
                          : mask->type == GGML_TYPE_F32 ? Kernel::soft_max_f32
                                                        : Kernel::soft_max_f16);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(node));
  builder.Require(!mask || StartsRowsWithoutGaps(*mask));
  builder.Use(x);
  if (mask) builder.Use(*mask);
  return builder.Use(node)
      .Word(rows)
      .Word(each)
      .Word(heads)
      .Float(Parameter<float>(node, 0))
      .Float(log2_low)
      .Float(log2_low / 2)
      .Sizes(node)
      .Strides(x)
      .Strides(mask ? *mask : x)
      .Strides(node)
      .Word(mask ? mask->ne[2] : 1)
      .Word(mask ? mask->ne[3] : 1)
      .Rows((rows + each - 1) / each);
}

std::optional<Operation> MulMat(const ggml_tensor& node, const DispatchTraits& traits) {
  const ggml_tensor& x = *node.src[0];
  const ggml_tensor& y = *node.src[1];
  const bool is_vector = y.ne[1] == 1;
  const std::optional<Kernel> kernel = OfType(is_vector ? Kernel::mul_vec_f32 : Kernel::mul_mat_f32, x.type);
  if (!kernel || y.type != GGML_TYPE_F32 || node.type != GGML_TYPE_F32) return std::nullopt;
  const int64_t column_groups = is_vector ? 1 : (y.ne[1] + 3) / 4;
  const int64_t batches = column_groups * y.ne[2] * y.ne[3];
  const int64_t each = RowsEach(traits, x.ne[1], batches);
  Builder builder(traits, *kernel);
  builder.Require(StartsRowsWithoutGaps(x) && StartsRowsWithoutGaps(y) && StartsRowsWithoutGaps(node));
  builder.Require(x.ne[2] > 0 && x.ne[3] > 0);
  builder.Use(x).Use(y).Use(node).Word(x.ne[1]).Word(each).Sizes(y).Strides(x).Strides(y).Strides(node);
  builder.Word(y.ne[2] / std::max<int64_t>(x.ne[2], 1)).Word(y.ne[3] / std::max<int64_t>(x.ne[3], 1));
  return builder.Rows((x.ne[1] + each - 1) / each * batches);
}

}  // namespace

const char* KernelName(Kernel kernel) {
  static constexpr const char* kNames[] = {
#define HALYARD_GGML_NAME(name) #name
      HALYARD_GGML_KERNELS(HALYARD_GGML_NAME)
#undef HALYARD_GGML_NAME
  };
  return kNames[static_cast<uint32_t>(kernel)];
}

bool IsView(const ggml_tensor& node) {
  switch (node.op) {
    case GGML_OP_NONE:
    case GGML_OP_RESHAPE:
    case GGML_OP_VIEW:
    case GGML_OP_PERMUTE:
    case GGML_OP_TRANSPOSE:
      return true;
    default:
      return false;
  }
}

std::optional<Operation> DescribeOperation(const ggml_tensor& node, const DispatchTraits& traits) {
  switch (node.op) {
    case GGML_OP_ADD:
      return Binary(node, traits, Combination::kAdd);
    case GGML_OP_SUB:
      return Binary(node, traits, Combination::kSubtract);
    case GGML_OP_MUL:
      return Binary(node, traits, Combination::kMultiply);
    case GGML_OP_DIV:
      return Binary(node, traits, Combination::kDivide);
    case GGML_OP_SCALE:
      return Elementwise(node, traits, Function::kScale, Parameter<float>(node, 0), Parameter<float>(node, 1));
    case GGML_OP_UNARY:
      return Unary(node, traits);
    case GGML_OP_GLU:
      return Gated(node, traits);
    case GGML_OP_ROPE:
    case GGML_OP_ROPE_BACK:
      return Rope(node, traits);
    case GGML_OP_CPY:
    case GGML_OP_DUP:
    case GGML_OP_CONT:
      return Copy(node, traits);
    case GGML_OP_GET_ROWS:
      return GetRows(node, traits);
    case GGML_OP_SET_ROWS:
      return SetRows(node, traits);
    case GGML_OP_RMS_NORM:
      return RmsNorm(node, traits);
    case GGML_OP_SOFT_MAX:
      return SoftMax(node, traits);
    case GGML_OP_MUL_MAT:
      return MulMat(node, traits);
    default:
      return std::nullopt;
  }
}

}  // namespace halyard_ggml
