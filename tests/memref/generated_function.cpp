// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generated_function.h"

#include <bit>
#include <cstring>
#include <sstream>

namespace halyard::testing {
namespace {

constexpr hal_element_type_t Integer(uint32_t width) { return HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, width); }

constexpr ScalarType kScalars[] = {
    {"i1", HAL_ELEMENT_TYPE_I1, "i1", "i1", 1, 1, 1},
    {"i8", HAL_ELEMENT_TYPE_I8, "i8", "i8", 8, 1, 1},
    {"i16", HAL_ELEMENT_TYPE_I16, "i16", "i16", 16, 2, 1},
    {"i32", HAL_ELEMENT_TYPE_I32, "i32", "i32", 32, 4, 1},
    {"i64", HAL_ELEMENT_TYPE_I64, "i64", "i64", 64, 8, 1},
    {"index", HAL_ELEMENT_TYPE_INDEX, "index", "index", 64, 8, 1},
    {"f16", HAL_ELEMENT_TYPE_F16, "f16", "i16", 16, 2, 1},
    {"bf16", HAL_ELEMENT_TYPE_BF16, "bf16", "i16", 16, 2, 1},
    {"f32", HAL_ELEMENT_TYPE_F32, "f32", "i32", 32, 4, 1},
    {"f64", HAL_ELEMENT_TYPE_F64, "f64", "i64", 64, 8, 1},
    {"complex<f32>", HAL_ELEMENT_TYPE_COMPLEX_F32, "f32", "i32", 32, 4, 2},
    {"complex<f64>", HAL_ELEMENT_TYPE_COMPLEX_F64, "f64", "i64", 64, 8, 2},
    {"i7", Integer(7), "i7", "i7", 7, 1, 1},
    {"i24", Integer(24), "i24", "i24", 24, 4, 1},
    {"i33", Integer(33), "i33", "i33", 33, 8, 1},
    {"i128", HAL_ELEMENT_TYPE_I128, "i128", "i128", 128, 16, 1},
    {"si16", HAL_ELEMENT_TYPE_SI16, "si16", "i16", 16, 2, 1},
    {"ui8", HAL_ELEMENT_TYPE_UI8, "ui8", "i8", 8, 1, 1},
    {"ui32", HAL_ELEMENT_TYPE_UI32, "ui32", "i32", 32, 4, 1},
    {"f80", HAL_ELEMENT_TYPE_F80, "f80", "i80", 80, 16, 1},
    {"f128", HAL_ELEMENT_TYPE_F128, "f128", "i128", 128, 16, 1},
    {"complex<f16>", HAL_ELEMENT_TYPE_COMPLEX_F16, "f16", "i16", 16, 2, 2},
    {"complex<bf16>", HAL_ELEMENT_TYPE_COMPLEX_BF16, "bf16", "i16", 16, 2, 2},
    {"complex<f80>", HAL_ELEMENT_TYPE_COMPLEX_F80, "f80", "i80", 80, 16, 2},
    {"complex<f128>", HAL_ELEMENT_TYPE_COMPLEX_F128, "f128", "i128", 128, 16, 2},
    {"complex<i1>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I1), "i1", "i1", 1, 1, 2},
    {"complex<i7>", HAL_ELEMENT_TYPE_COMPLEX(Integer(7)), "i7", "i7", 7, 1, 2},
    {"complex<i24>", HAL_ELEMENT_TYPE_COMPLEX(Integer(24)), "i24", "i24", 24, 4, 2},
    {"complex<i64>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I64), "i64", "i64", 64, 8, 2},
    {"complex<i128>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I128), "i128", "i128", 128, 16, 2},
    {"complex<si16>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_SI16), "si16", "i16", 16, 2, 2},
    {"complex<ui32>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_UI32), "ui32", "i32", 32, 4, 2},
    {"f8E5M2", HAL_ELEMENT_TYPE_F8E5M2, "f8E5M2", "i8", 8, 1, 1, 19},
    {"f8E4M3", HAL_ELEMENT_TYPE_F8E4M3, "f8E4M3", "i8", 8, 1, 1, 19},
    {"f8E4M3FN", HAL_ELEMENT_TYPE_F8E4M3FN, "f8E4M3FN", "i8", 8, 1, 1, 19},
    {"f8E5M2FNUZ", HAL_ELEMENT_TYPE_F8E5M2FNUZ, "f8E5M2FNUZ", "i8", 8, 1, 1, 19},
    {"f8E4M3FNUZ", HAL_ELEMENT_TYPE_F8E4M3FNUZ, "f8E4M3FNUZ", "i8", 8, 1, 1, 19},
    {"f8E4M3B11FNUZ", HAL_ELEMENT_TYPE_F8E4M3B11FNUZ, "f8E4M3B11FNUZ", "i8", 8, 1, 1, 19},
    {"complex<f8E4M3FN>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E4M3FN), "f8E4M3FN", "i8", 8, 1, 2, 19},
    {"f8E3M4", HAL_ELEMENT_TYPE_F8E3M4, "f8E3M4", "i8", 8, 1, 1, 22},
    {"f8E8M0FNU", HAL_ELEMENT_TYPE_F8E8M0FNU, "f8E8M0FNU", "i8", 8, 1, 1, 22},
    {"f6E2M3FN", HAL_ELEMENT_TYPE_F6E2M3FN, "f6E2M3FN", "i6", 6, 1, 1, 22},
    {"f6E3M2FN", HAL_ELEMENT_TYPE_F6E3M2FN, "f6E3M2FN", "i6", 6, 1, 1, 22},
    {"f4E2M1FN", HAL_ELEMENT_TYPE_F4E2M1FN, "f4E2M1FN", "i4", 4, 1, 1, 22},
    {"complex<f4E2M1FN>", HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F4E2M1FN), "f4E2M1FN", "i4", 4, 1, 2, 22},
};
// LLVM has floats of 80 bits for x86-64 alone.
constexpr std::string_view kX87 = "f80";
#if defined(__x86_64__)
constexpr bool kHasX87 = true;
#else
constexpr bool kHasX87 = false;
#endif
constexpr const ScalarType& kIndex = kScalars[5];
constexpr const ScalarType& kFloat = kScalars[8];

uint32_t FloatBits(float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

// Of whole numbers that are exact in it.
uint64_t HalfBits(int number) {
  const uint32_t bits = FloatBits(static_cast<float>(number));
  if (number == 0) return 0;
  return (bits >> 16 & 0x8000) | (((bits >> 23 & 0xFF) - 112) << 10) | (bits >> 13 & 0x3FF);
}

// f80 and f128 have a sign and an exponent of 15 bits. Of f80 all digits are kept; of f128 not the first, which is 1.
WideBits LongFloatBits(const ScalarType& type, int number) {
  if (number == 0) return {};
  const auto magnitude = static_cast<uint64_t>(number < 0 ? -number : number);
  const auto exponent = static_cast<uint64_t>(std::bit_width(magnitude) - 1);
  const uint64_t head = (number < 0 ? 0x8000u : 0u) | (16383 + exponent);
  if (type.width == 80) return {magnitude << (63 - exponent), head};
  return {0, head << 48 | (magnitude - (uint64_t{1} << exponent)) << (48 - exponent)};
}

WideBits FloatPartBits(const ScalarType& type, int number) {
  if (type.width > 64) return LongFloatBits(type, number);
  if (type.width == 32) return {FloatBits(static_cast<float>(number)), 0};
  if (type.IsBfloat()) return {FloatBits(static_cast<float>(number)) >> 16, 0};
  if (type.width == 16) return {HalfBits(number), 0};
  const auto wide = static_cast<double>(number);
  WideBits bits;
  std::memcpy(&bits.low, &wide, sizeof(wide));
  return bits;
}

bool IsUnsigned(const ScalarType& type) { return type.part[0] == 'u' || type.width == 1 || type.IsSmallFloat(); }

// The dialect of complex numbers has no operations for parts that are integers.
bool IsIntegerPair(const ScalarType& type) { return type.parts == 2 && !type.IsFloat() && !type.IsSmallFloat(); }

std::string PairText(const ScalarType& type) {
  return std::string("!llvm.struct<(") + type.bits + ", " + type.bits + ")>";
}

// The low bits of a number, and above them what its sign says.
WideBits IntegerBits(const ScalarType& type, int number) {
  const uint64_t above = number < 0 ? UINT64_MAX : 0;
  if (type.width >= 64) return {static_cast<uint64_t>(int64_t{number}), above};
  const int unused = 64 - type.width;
  const uint64_t low = static_cast<uint64_t>(int64_t{number}) << unused;
  if (IsUnsigned(type)) return {low >> unused, 0};
  const int64_t extended = static_cast<int64_t>(low) >> unused;
  return {static_cast<uint64_t>(extended), extended < 0 ? UINT64_MAX : 0};
}

std::string ProbeText() { return "memref<" + std::to_string(GeneratedFunction::kProbeSize) + "xi64>"; }

// The body of a function as it is written.
class Writer {
 public:
  std::string Fresh() { return "%v" + std::to_string(count_++); }
  void Line(const std::string& line) { text_ << "  " << line << "\n"; }
  std::string Index(int64_t number) {
    const std::string name = Fresh();
    Line(name + " = arith.constant " + std::to_string(number) + " : index");
    return name;
  }

  // Writes a number of type i64 to the probe.
  void Probe(const std::string& number) {
    Line("memref.store " + number + ", %probe[" + Index(probes_++) + "] : " + ProbeText());
  }

  void ProbeScalar(const ScalarType& type, const std::string& value) {
    if (type.parts == 1) return ProbePart(type, value);
    if (IsIntegerPair(type)) return ProbePair(type, value);
    for (const char* const which : {"re", "im"}) {
      const std::string name = Fresh();
      Line(name + " = complex." + which + " " + value + " : " + type.name);
      ProbePart(type, name);
    }
  }

  std::string Constant(const ScalarType& type, const ScalarValue& value) {
    if (IsIntegerPair(type)) return ConstantPair(type, value);
    const std::string name = Fresh();
    const auto number = [&](int i) {
      if (type.IsFloat()) return std::to_string(value.numbers[i]) + ".0";
      return std::to_string(static_cast<int64_t>(value.Bits(type, i).low));
    };
    if (type.parts == 2) {
      // Of its parts, since MLIR 19 does not lower a constant complex<bf16>.
      const std::string real = ConstantPart(type, number(0));
      const std::string imaginary = ConstantPart(type, number(1));
      Line(name + " = complex.create " + real + ", " + imaginary + " : " + type.name);
    } else if (type.type == HAL_ELEMENT_TYPE_I1) {
      Line(name + " = arith.constant " + (value.numbers[0] & 1 ? "true" : "false"));
    } else if (type.IsFloat() || &type == &kIndex) {
      Line(name + " = arith.constant " + number(0) + " : " + type.name);
    } else {
      Line(name + " = arith.constant " + number(0) + " : " + type.bits);
      return Cast(type, name, type.bits, type.name);
    }
    return name;
  }

  std::string ConstantPart(const ScalarType& type, const std::string& number) {
    const std::string name = Fresh();
    const char* const constant_type = type.IsFloat() ? type.part : type.bits;
    Line(name + " = arith.constant " + number + " : " + constant_type);
    return Cast(type, name, constant_type, type.part);
  }

  std::string ConstantPair(const ScalarType& type, const ScalarValue& value) {
    std::string pair = Fresh();
    Line(pair + " = llvm.mlir.undef : " + PairText(type));
    for (int i = 0; i < 2; ++i) {
      const std::string part = Fresh();
      const std::string filled = Fresh();
      Line(part + " = llvm.mlir.constant(" + std::to_string(static_cast<int64_t>(value.Bits(type, i).low)) + " : " +
           type.bits + ") : " + type.bits);
      Line(filled + " = llvm.insertvalue " + part + ", " + pair + "[" + std::to_string(i) + "] : " + PairText(type));
      pair = filled;
    }
    return Cast(type, pair, PairText(type), type.name);
  }

  // To or from a type that operations do not take: integers whose type has a sign, pairs of integers, small floats.
  std::string Cast(const ScalarType& type, const std::string& value, const std::string& from, const std::string& to) {
    if (from == to) return value;
    const std::string name = Fresh();
    const char* const operation = type.IsSmallFloat() ? "arith.bitcast" : "builtin.unrealized_conversion_cast";
    Line(name + " = " + operation + " " + value + " : " + from + " to " + to);
    return name;
  }

  // "[%a, %b]": the index of the last element.
  std::string LastIndex(const MemrefCase& memref) {
    std::string indices = "[";
    for (size_t i = 0; i < memref.sizes.size(); ++i) indices += (i ? ", " : "") + Index(memref.sizes[i] - 1);
    return indices + "]";
  }

  void ProbeMemref(const MemrefCase& memref, std::string value) {
    if (memref.is_unranked) {
      const std::string ranked = Fresh();
      Line(ranked + " = memref.cast " + value + " : " + memref.TypeText() + " to " + memref.RankedText());
      value = ranked;
    }
    for (size_t i = 0; i < memref.sizes.size(); ++i) {
      const std::string size = Fresh();
      Line(size + " = memref.dim " + value + ", " + Index(static_cast<int64_t>(i)) + " : " + memref.RankedText());
      ProbeScalar(kIndex, size);
    }
    const std::string element = Fresh();
    Line(element + " = memref.load " + value + LastIndex(memref) + " : " + memref.RankedText());
    ProbeScalar(*memref.element, element);
  }

  std::string text() const { return text_.str(); }

 private:
  std::string Convert(const std::string& operation, const std::string& value, const std::string& from,
                      const std::string& to) {
    if (from == to) return value;
    const std::string name = Fresh();
    Line(name + " = arith." + operation + " " + value + " : " + from + " to " + to);
    return name;
  }

  void ProbePair(const ScalarType& type, const std::string& value) {
    const std::string pair = Cast(type, value, type.name, PairText(type));
    for (const char* const which : {"0", "1"}) {
      const std::string part = Fresh();
      Line(part + " = llvm.extractvalue " + pair + "[" + which + "] : " + PairText(type));
      ProbeBits(type, part);
    }
  }

  void ProbePart(const ScalarType& type, std::string value) {
    value = type.IsFloat() ? Convert("bitcast", value, type.part, type.bits) : Cast(type, value, type.part, type.bits);
    if (&type == &kIndex) return Probe(Convert("index_cast", value, "index", "i64"));
    ProbeBits(type, value);
  }

  void ProbeBits(const ScalarType& type, const std::string& value) {
    if (type.width > 64) return ProbeWide(type, value);
    Probe(Convert(type.IsFloat() || IsUnsigned(type) ? "extui" : "extsi", value, type.bits, "i64"));
  }

  void ProbeWide(const ScalarType& type, const std::string& value) {
    const std::string integer = std::string(" : ") + type.bits;
    Probe(Convert("trunci", value, type.bits, "i64"));
    const std::string count = Fresh();
    Line(count + " = arith.constant 64" + integer);
    const std::string high = Fresh();
    Line(high + " = arith." + (type.IsFloat() ? "shrui " : "shrsi ") + value + ", " + count + integer);
    Probe(Convert("trunci", high, type.bits, "i64"));
  }

  std::ostringstream text_;
  int count_ = 0;
  int64_t probes_ = 0;
};

std::string TypeText(const ScalarType* scalar, const MemrefCase& memref) {
  return scalar ? scalar->name : memref.TypeText();
}

// The memref type of an allocation with static sizes.
std::string StaticText(const MemrefCase& memref) {
  std::string text = "memref<";
  for (const int64_t size : memref.sizes) text += std::to_string(size) + "x";
  return text + memref.element->name + ">";
}

std::string WriteResult(const ResultCase& result, Writer* writer) {
  using Source = ResultCase::Source;
  if (result.source == Source::kArgument) return "%a" + std::to_string(result.argument);
  if (result.source == Source::kConstant) return writer->Constant(*result.scalar, result.value);
  const std::string made = writer->Fresh();
  const std::string type = StaticText(result.memref);
  if (result.source == Source::kGlobal) {
    writer->Line(made + " = memref.get_global @table : " + type);
  } else {
    const char* const alignment = result.value.numbers[1] & 1 ? " {alignment = 64 : i64}" : "";
    writer->Line(made + " = memref.alloc()" + alignment + " : " + type);
    const std::string value = writer->Constant(*result.memref.element, result.value);
    writer->Line("memref.store " + value + ", " + made + writer->LastIndex(result.memref) + " : " + type);
  }
  if (type == result.memref.TypeText()) return made;
  const std::string cast = writer->Fresh();
  writer->Line(cast + " = memref.cast " + made + " : " + type + " to " + result.memref.TypeText());
  return cast;
}

void AppendProbe(const ScalarType& type, const ScalarValue& value, std::vector<int64_t>* probe) {
  for (size_t i = 0; i < type.parts; ++i) {
    const WideBits bits = value.Bits(type, i);
    probe->push_back(static_cast<int64_t>(bits.low));
    if (type.width > 64) probe->push_back(static_cast<int64_t>(bits.high));
  }
}

}  // namespace

WideBits ScalarValue::Bits(const ScalarType& type, size_t part) const {
  return type.IsFloat() ? FloatPartBits(type, numbers[part]) : IntegerBits(type, numbers[part]);
}

void ScalarValue::Store(const ScalarType& type, Form form, void* memory) const {
  for (size_t part = 0; part < type.parts; ++part) {
    WideBits bits = Bits(type, part);
    const int above = 64 - type.width % 64;
    uint64_t& highest = type.width > 64 ? bits.high : bits.low;
    if (form == Form::kElement && above < 64) highest = highest << above >> above;
    std::memcpy(static_cast<char*>(memory) + part * type.size, &bits, type.size);
  }
}

std::string MemrefCase::RankedText() const {
  std::ostringstream text;
  text << "memref<";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (is_static[i]) text << sizes[i] << "x";
    if (!is_static[i]) text << "?x";
  }
  text << element->name;
  if (layout != Layout::kIdentity) {
    text << ", strided<[";
    for (size_t i = 0; i < sizes.size(); ++i) {
      text << (i ? ", " : "") << (layout == Layout::kDynamic ? "?" : std::to_string(strides[i]));
    }
    text << "], offset: " << (layout == Layout::kDynamic ? "?" : std::to_string(offset)) << ">";
  }
  text << ">";
  return text.str();
}

std::string MemrefCase::TypeText() const {
  return is_unranked ? "memref<*x" + std::string(element->name) + ">" : RankedText();
}

int64_t MemrefCase::LastIndex() const {
  int64_t index = offset;
  for (size_t i = 0; i < sizes.size(); ++i) index += (sizes[i] - 1) * strides[i];
  return index;
}

GeneratedFunction::GeneratedFunction(uint64_t seed, const CaseOptions& options) : random_(seed) {
  const size_t arguments = Below(7);
  for (size_t i = 0; i < arguments; ++i) {
    ArgumentCase argument;
    if (Below(2)) {
      argument.scalar = &RandomScalar(options);
      // Further back, where these lie depends on LLVM's version, and they are refused.
      if (argument.scalar->IsWideInteger() && i > 0) argument.scalar = &kFloat;
      argument.value = RandomValue();
    } else {
      argument.memref = RandomMemref(options);
    }
    arguments_.push_back(argument);
  }
  const size_t results = Below(6);
  size_t floats = 0;
  while (results_.size() < results) {
    const ResultCase result = RandomResult(options);
    // Refused except for wrappers: versions of LLVM differ in where they return it.
    if (result.scalar && result.scalar->IsBfloat() && floats + result.scalar->parts > 2) continue;
    if (result.scalar && result.scalar->IsWideInteger() && !results_.empty()) continue;
    if (result.scalar && result.scalar->IsFloat()) floats += result.scalar->parts;
    results_.push_back(result);
  }
}

ScalarValue GeneratedFunction::RandomValue() {
  ScalarValue value;
  for (int& number : value.numbers) number = static_cast<int>(Below(201)) - 100;
  return value;
}

const ScalarType& GeneratedFunction::RandomScalar(const CaseOptions& options) {
  const ScalarType* type = nullptr;
  do {
    type = &kScalars[Below(std::size(kScalars))];
  } while (type->since > options.mlir_version || (type->part == kX87 && !kHasX87));
  return *type;
}

MemrefCase GeneratedFunction::RandomMemref(const CaseOptions& options) {
  MemrefCase memref;
  memref.element = &RandomScalar(options);
  memref.last = RandomValue();
  const size_t rank = Below(16) == 0 ? 8 : Below(7);
  for (size_t i = 0; i < rank; ++i) {
    memref.sizes.push_back(static_cast<int64_t>(1 + Below(rank > 3 ? 2 : 4)));
    memref.is_static.push_back(options.bare_pointers || Below(2));
  }
  memref.is_unranked = !options.bare_pointers && Below(5) == 0;
  memref.layout = static_cast<MemrefCase::Layout>(Below(3));
  if (memref.is_unranked) memref.layout = MemrefCase::Layout::kDynamic;  // which describes them all
  if (options.bare_pointers) memref.layout = Below(2) ? MemrefCase::Layout::kStatic : MemrefCase::Layout::kIdentity;
  const int64_t padding = memref.layout == MemrefCase::Layout::kIdentity ? 1 : static_cast<int64_t>(1 + Below(3));
  memref.strides.resize(rank);
  int64_t stride = padding;
  for (size_t i = rank; i-- > 0; stride *= memref.sizes[i] * (padding > 2 ? 2 : 1)) memref.strides[i] = stride;
  memref.offset = static_cast<int64_t>(Below(4));  // folded where the type has none
  return memref;
}

ResultCase GeneratedFunction::RandomResult(const CaseOptions& options) {
  using Source = ResultCase::Source;
  ResultCase result;
  result.source = static_cast<Source>(Below(options.bare_pointers ? 2 : 4));
  result.value = RandomValue();
  if (result.source == Source::kArgument && arguments_.empty()) result.source = Source::kConstant;
  if (result.source == Source::kConstant) {
    result.scalar = &RandomScalar(options);
  } else if (result.source == Source::kArgument) {
    result.argument = Below(arguments_.size());
    result.scalar = arguments_[result.argument].scalar;
    result.value = arguments_[result.argument].value;
    result.memref = arguments_[result.argument].memref;
  } else if (result.source == Source::kGlobal) {
    result.memref.element = &kFloat;
    result.memref.sizes = {2};
    result.memref.is_static = {Below(2) == 0};
    result.memref.strides = {1};
    result.memref.is_unranked = Below(3) == 0;
    result.memref.last.numbers = {7, 7};
  } else {
    result.memref = RandomMemref(options);
    result.memref.layout = MemrefCase::Layout::kIdentity;
    result.memref.offset = 0;
    int64_t stride = 1;
    for (size_t i = result.memref.sizes.size(); i-- > 0; stride *= result.memref.sizes[i]) {
      result.memref.strides[i] = stride;
    }
    result.memref.last = result.value;
  }
  return result;
}

std::string GeneratedFunction::Text(const std::string& name, const std::string& attributes) const {
  std::string head = "func.func @" + name + "(";
  for (size_t i = 0; i < arguments_.size(); ++i) {
    head += "%a" + std::to_string(i) + ": " + testing::TypeText(arguments_[i].scalar, arguments_[i].memref) + ", ";
  }
  Writer writer;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const std::string value = "%a" + std::to_string(i);
    if (arguments_[i].scalar) {
      writer.ProbeScalar(*arguments_[i].scalar, value);
    } else {
      writer.ProbeMemref(arguments_[i].memref, value);
    }
  }
  std::string types;
  std::string values;
  for (size_t i = 0; i < results_.size(); ++i) {
    types += (i ? ", " : "") + testing::TypeText(results_[i].scalar, results_[i].memref);
    values += (i ? ", " : "") + WriteResult(results_[i], &writer);
  }
  const std::string returned = results_.empty() ? "" : " " + values + " : " + types;
  return head + "%probe: " + ProbeText() + ") -> (" + types + ") " + attributes + " {\n" + writer.text() + "  return" +
         returned + "\n}\n";
}

std::vector<int64_t> GeneratedFunction::Probe() const {
  std::vector<int64_t> probe;
  for (const ArgumentCase& argument : arguments_) {
    if (argument.scalar) {
      AppendProbe(*argument.scalar, argument.value, &probe);
      continue;
    }
    probe.insert(probe.end(), argument.memref.sizes.begin(), argument.memref.sizes.end());
    AppendProbe(*argument.memref.element, argument.memref.last, &probe);
  }
  return probe;
}

std::string ModuleHead() { return "memref.global \"private\" constant @table : memref<2xf32> = dense<[3.0, 7.0]>\n"; }

}  // namespace halyard::testing
