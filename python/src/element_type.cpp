// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_type.h"

namespace halyard::python {

namespace {

constexpr ElementName kNames[] = {
    {HAL_ELEMENT_TYPE_I1, "bool", "?", "b1"},
    {HAL_ELEMENT_TYPE_I8, "int8", "b", "i1"},
    {HAL_ELEMENT_TYPE_I16, "int16", "h", "i2"},
    {HAL_ELEMENT_TYPE_I32, "int32", "i", "i4"},
    {HAL_ELEMENT_TYPE_I64, "int64", "q", "i8"},
    {HAL_ELEMENT_TYPE_SI8, "int8", "b", "i1"},
    {HAL_ELEMENT_TYPE_SI16, "int16", "h", "i2"},
    {HAL_ELEMENT_TYPE_SI32, "int32", "i", "i4"},
    {HAL_ELEMENT_TYPE_SI64, "int64", "q", "i8"},
    {HAL_ELEMENT_TYPE_INDEX, "int64", "q", "i8"},
    {HAL_ELEMENT_TYPE_UI8, "uint8", "B", "u1"},
    {HAL_ELEMENT_TYPE_UI16, "uint16", "H", "u2"},
    {HAL_ELEMENT_TYPE_UI32, "uint32", "I", "u4"},
    {HAL_ELEMENT_TYPE_UI64, "uint64", "Q", "u8"},
    {HAL_ELEMENT_TYPE_F16, "float16", "e", "f2"},
    {HAL_ELEMENT_TYPE_F32, "float32", "f", "f4"},
    {HAL_ELEMENT_TYPE_F64, "float64", "d", "f8"},
    {HAL_ELEMENT_TYPE_BF16, "bfloat16", nullptr, nullptr},
    {HAL_ELEMENT_TYPE_COMPLEX_F32, "complex64", "Zf", "c8"},
    {HAL_ELEMENT_TYPE_COMPLEX_F64, "complex128", "Zd", "c16"},
};

/// The numeric kind; all integers are one.
uint32_t KindOf(hal_element_type_t type) {
  const uint32_t kind = (type >> 8) & 0xFFu;
  const bool is_integer = kind == HAL_NUMERIC_KIND_SIGNED || kind == HAL_NUMERIC_KIND_UNSIGNED ||
                          kind == HAL_NUMERIC_KIND_INDEX || kind == HAL_NUMERIC_KIND_INTEGER;
  return is_integer ? static_cast<uint32_t>(HAL_NUMERIC_KIND_INTEGER) : kind;
}

hal_element_type_t FindByName(std::string_view name) {
  for (const ElementName& entry : kNames) {
    if (name == entry.name) return entry.type;
  }
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  hal_element_type_parse({name.data(), name.size()}, &type);
  return type;
}

/// A type by what a format calls it and how many bytes it says.
hal_element_type_t FindBySize(char kind, Py_ssize_t size) {
  for (const ElementName& entry : kNames) {
    if (entry.array_type && entry.array_type[0] == kind && TypeSize(entry.type) == static_cast<size_t>(size)) {
      return entry.type;
    }
  }
  return HAL_ELEMENT_TYPE_NONE;
}

}  // namespace

const ElementName* FindElementName(hal_element_type_t type) {
  for (const ElementName& entry : kNames) {
    if (entry.type == type) return &entry;
  }
  return nullptr;
}

std::string TypeName(hal_element_type_t type) {
  if (type == HAL_ELEMENT_TYPE_NONE) return "bytes";
  if (const ElementName* const entry = FindElementName(type)) return entry->name;
  char text[32] = "?";
  hal_element_type_format(type, text, sizeof(text));
  return text;
}

hal_element_type_t ParseType(nb::handle type) {
  if (type.is_none()) return HAL_ELEMENT_TYPE_NONE;
  std::string name;
  if (nb::isinstance<nb::str>(type)) {
    name = nb::cast<std::string>(type);
  } else if (nb::hasattr(type, "name")) {  // numpy.dtype
    name = nb::cast<std::string>(nb::str(type.attr("name")));
  } else if (nb::hasattr(type, "__name__")) {  // numpy.float32
    name = nb::cast<std::string>(nb::str(type.attr("__name__")));
  } else {  // torch.float32
    name = nb::cast<std::string>(nb::str(type));
  }
  name.erase(0, name.rfind('.') + 1);
  if (name == "float") name = "float64";
  if (name == "int") name = "int64";
  const hal_element_type_t found = FindByName(name);
  if (found == HAL_ELEMENT_TYPE_NONE) {
    throw nb::type_error(
        ("'" + name + "' is no element type; names are NumPy's, such as 'float32', and MLIR's").c_str());
  }
  return found;
}

hal_element_type_t ParseFormat(const char* format, Py_ssize_t item_size) {
  const std::string given = format ? format : "B";
  std::string_view text = given;
  if (!text.empty() && (text[0] == '@' || text[0] == '=' || text[0] == '<')) text.remove_prefix(1);
  hal_element_type_t found = HAL_ELEMENT_TYPE_NONE;
  if (text.size() == 1) {
    constexpr std::string_view kSigned = "bhilqn", kUnsigned = "cBHILQN", kFloats = "efd";
    if (kSigned.find(text[0]) != std::string_view::npos) found = FindBySize('i', item_size);
    if (kUnsigned.find(text[0]) != std::string_view::npos) found = FindBySize('u', item_size);
    if (kFloats.find(text[0]) != std::string_view::npos) found = FindBySize('f', item_size);
    if (text[0] == '?') found = HAL_ELEMENT_TYPE_I1;
  } else if (text == "Zf" || text == "Zd") {
    found = FindBySize('c', item_size);
  }
  if (found == HAL_ELEMENT_TYPE_NONE) {
    throw nb::type_error(("elements of the format '" + given +
                          "' are none that a device takes: they are numbers of "
                          "this machine's byte order")
                             .c_str());
  }
  return found;
}

hal_element_type_t ParseArrayType(std::string_view text) {
  const std::string_view given = text;
  hal_element_type_t found = HAL_ELEMENT_TYPE_NONE;
  if (text.size() >= 3 && text.size() <= 4 && (text[0] == '<' || text[0] == '|')) {
    Py_ssize_t size = 0;
    for (const char digit : text.substr(2)) size = size * 10 + (digit - '0');
    found = text[1] == 'b' ? HAL_ELEMENT_TYPE_I1 : FindBySize(text[1], size);
  }
  if (found == HAL_ELEMENT_TYPE_NONE) {
    throw nb::type_error(("elements of the type '" + std::string(given) +
                          "' are none that a device takes: they are "
                          "numbers of this machine's byte order")
                             .c_str());
  }
  return found;
}

size_t TypeSize(hal_element_type_t type) { return type == HAL_ELEMENT_TYPE_NONE ? 1 : hal_element_type_size(type); }

bool SameElements(hal_element_type_t one, hal_element_type_t other) {
  return one == HAL_ELEMENT_TYPE_NONE || other == HAL_ELEMENT_TYPE_NONE || one == other ||
         (TypeSize(one) == TypeSize(other) && KindOf(one) == KindOf(other) && (one >> 15) == (other >> 15));
}

}  // namespace halyard::python
