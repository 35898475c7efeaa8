// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generated_function.h"

#include <cstring>
#include <sstream>

namespace halyard::testing {
namespace {

constexpr ScalarType kScalars[] = {
    {"i1", HAL_ELEMENT_TYPE_I1, 1, 1, false, nullptr},
    {"i8", HAL_ELEMENT_TYPE_I8, 1, 1, false, nullptr},
    {"i16", HAL_ELEMENT_TYPE_I16, 2, 1, false, nullptr},
    {"i32", HAL_ELEMENT_TYPE_I32, 4, 1, false, nullptr},
    {"i64", HAL_ELEMENT_TYPE_I64, 8, 1, false, nullptr},
    {"index", HAL_ELEMENT_TYPE_INDEX, 8, 1, false, nullptr},
    {"f16", HAL_ELEMENT_TYPE_F16, 2, 1, true, "i16"},
    {"bf16", HAL_ELEMENT_TYPE_BF16, 2, 1, true, "i16"},
    {"f32", HAL_ELEMENT_TYPE_F32, 4, 1, true, "i32"},
    {"f64", HAL_ELEMENT_TYPE_F64, 8, 1, true, "i64"},
    {"complex<f32>", HAL_ELEMENT_TYPE_COMPLEX_F32, 4, 2, true, "i32"},
    {"complex<f64>", HAL_ELEMENT_TYPE_COMPLEX_F64, 8, 2, true, "i64"},
};

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

uint64_t BitsOf(const ScalarType& type, int number) {
  if (!type.is_float) {
    if (type.type == HAL_ELEMENT_TYPE_I1) return static_cast<uint64_t>(number & 1);
    return static_cast<uint64_t>(int64_t{number});
  }
  if (type.type == HAL_ELEMENT_TYPE_F16) return HalfBits(number);
  if (type.type == HAL_ELEMENT_TYPE_BF16) return FloatBits(static_cast<float>(number)) >> 16;
  if (type.size == 4) return FloatBits(static_cast<float>(number));
  const auto wide = static_cast<double>(number);
  uint64_t bits = 0;
  std::memcpy(&bits, &wide, sizeof(bits));
  return bits;
}

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
    Line("memref.store " + number + ", %probe[" + Index(probes_++) + "] : memref<64xi64>");
  }

  void ProbeScalar(const ScalarType& type, const std::string& value) {
    if (type.parts == 1) return ProbePart(type, type.name, value);
    const std::string part = type.size == 4 ? "f32" : "f64";
    for (const char* const which : {"re", "im"}) {
      const std::string name = Fresh();
      Line(name + " = complex." + which + " " + value + " : " + type.name);
      ProbePart(type, part, name);
    }
  }

  std::string Constant(const ScalarType& type, const ScalarValue& value) {
    const std::string name = Fresh();
    const auto number = [&](int i) { return std::to_string(value.numbers[i]) + (type.is_float ? ".0" : ""); };
    if (type.parts == 2) {
      const std::string part = type.size == 4 ? " : f32" : " : f64";
      Line(name + " = complex.constant [" + number(0) + part + ", " + number(1) + part + "] : " + type.name);
    } else if (type.type == HAL_ELEMENT_TYPE_I1) {
      Line(name + " = arith.constant " + (value.numbers[0] & 1 ? "true" : "false"));
    } else {
      Line(name + " = arith.constant " + number(0) + " : " + type.name);
    }
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
      ProbeScalar(kScalars[5], size);
    }
    const std::string element = Fresh();
    Line(element + " = memref.load " + value + LastIndex(memref) + " : " + memref.RankedText());
    ProbeScalar(*memref.element, element);
  }

  std::string text() const { return text_.str(); }

 private:
  void ProbePart(const ScalarType& type, const std::string& part, std::string value) {
    std::string integer = part;
    if (type.bits) {
      const std::string name = Fresh();
      Line(name + " = arith.bitcast " + value + " : " + part + " to " + type.bits);
      value = name;
      integer = type.bits;
    }
    if (integer != "i64") {
      const std::string name = Fresh();
      const char* const widen = integer == "index" ? "index_cast" : type.bits || integer == "i1" ? "extui" : "extsi";
      Line(name + " = arith." + widen + " " + value + " : " + integer + " to i64");
      value = name;
    }
    Probe(value);
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
  for (size_t i = 0; i < type.parts; ++i) probe->push_back(static_cast<int64_t>(value.Bits(type)[i]));
}

}  // namespace

std::array<uint64_t, 2> ScalarValue::Bits(const ScalarType& type) const {
  return {BitsOf(type, numbers[0]), BitsOf(type, numbers[1])};
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
      argument.scalar = &RandomScalar();
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
    // Refused but for wrappers: versions of LLVM differ in where they return it.
    if (result.scalar && result.scalar->type == HAL_ELEMENT_TYPE_BF16 && floats >= 2) continue;
    if (result.scalar && result.scalar->is_float) floats += result.scalar->parts;
    results_.push_back(result);
  }
}

ScalarValue GeneratedFunction::RandomValue() {
  ScalarValue value;
  for (int& number : value.numbers) number = static_cast<int>(Below(201)) - 100;
  return value;
}

const ScalarType& GeneratedFunction::RandomScalar() { return kScalars[Below(std::size(kScalars))]; }

MemrefCase GeneratedFunction::RandomMemref(const CaseOptions& options) {
  MemrefCase memref;
  memref.element = &RandomScalar();
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
    result.scalar = &RandomScalar();
  } else if (result.source == Source::kArgument) {
    result.argument = Below(arguments_.size());
    result.scalar = arguments_[result.argument].scalar;
    result.value = arguments_[result.argument].value;
    result.memref = arguments_[result.argument].memref;
  } else if (result.source == Source::kGlobal) {
    result.memref.element = &kScalars[8];
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
  return head + "%probe: memref<64xi64>) -> (" + types + ") " + attributes + " {\n" + writer.text() + "  return" +
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
