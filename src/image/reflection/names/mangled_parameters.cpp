// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/names/mangled_parameters.h"

#include <optional>

#include "image/reflection/names/mangled_types.h"

namespace halyard {
namespace {

using TypeIndex = uint32_t;
using Type = MangledType;
using TypeKind = MangledTypeKind;

constexpr uint32_t kWordSize = 8;  // bytes

/// Says what the types of parameters mean.
class Describer {
 public:
  explicit Describer(const MangledTypes& types) : types_(types) {}

  bool Describe(TypeIndex type, HostVector<MangledParameter>* out) const {
    if (types_.all[type].kind == TypeKind::kNumbaArray) return AppendNumbaArray(types_.all[type], out);
    if (types_.all[type].kind != TypeKind::kExpanded) return Append(type, kNoMangledType, out);
    const TypeIndex pack = types_.PackOf(types_.all[type].inner);
    if (pack == kNoMangledType) return false;
    for (uint32_t i = 0; i < types_.all[pack].count; ++i) {
      if (!Append(types_.all[type].inner, types_.packed[types_.all[pack].inner + i], out)) return false;
    }
    return true;
  }

 private:
  // Two addresses of Python's, which kernels leave alone; how many elements, the bytes of one; the data; then the size
  // and the stride in bytes of each dimension.
  static bool AppendNumbaArray(const Type& array, HostVector<MangledParameter>* out) {
    const MangledParameter unused = {MangledKind::kNumber, HAL_ELEMENT_TYPE_NONE, kWordSize};
    const MangledParameter number = {MangledKind::kNumber, HAL_ELEMENT_TYPE_SI64, kWordSize};
    const size_t numbers = size_t{2} * array.count;
    if (out->size() + 5 + numbers > MangledTypes::kMostParameters) return false;
    out->insert(out->end(), {unused, unused, number, number});
    out->push_back({MangledKind::kPointer, array.element, 0});
    out->insert(out->end(), numbers, number);
    return true;
  }

  /// @param element  what a pack in the type stands for
  bool Append(TypeIndex type, TypeIndex element, HostVector<MangledParameter>* out) const {
    if (out->size() == MangledTypes::kMostParameters) return false;
    MangledParameter parameter;
    type = Resolve(type, element);
    if (type == kNoMangledType) return false;
    const Type& given = types_.all[type];
    parameter.element_type = given.element;
    parameter.size = given.size;
    switch (given.kind) {
      case TypeKind::kNumber:
        parameter.kind = MangledKind::kNumber;
        break;
      case TypeKind::kPointer: {
        const std::optional<Type> target = TargetOf(given.inner, element);
        if (!target) return false;
        parameter.kind = target->kind == TypeKind::kFunction ? MangledKind::kValue : MangledKind::kPointer;
        parameter.element_type = target->element;
        break;
      }
      case TypeKind::kNamed:
        break;
      case TypeKind::kArray: {  // a vector: arrays are no parameters
        const std::optional<Type> target = TargetOf(given.inner, element);
        if (!target) return false;
        parameter.element_type = target->element;
        break;
      }
      default:
        return false;
    }
    out->push_back(parameter);
    return true;
  }

  TypeIndex Resolve(TypeIndex type, TypeIndex element) const {
    if (types_.all[type].kind != TypeKind::kPack) return type;
    if (element == kNoMangledType || types_.all[element].kind == TypeKind::kPack) return kNoMangledType;
    return element;
  }

  /// What a pointer points to, with the type of the numbers in it.
  std::optional<Type> TargetOf(TypeIndex type, TypeIndex element) const {
    for (size_t steps = 0; steps <= MangledTypes::kMostDepth; ++steps) {
      type = Resolve(type, element);
      if (type == kNoMangledType) return std::nullopt;
      const Type& target = types_.all[type];
      if (target.kind == TypeKind::kForeign || target.kind == TypeKind::kOther) return std::nullopt;
      if (target.kind == TypeKind::kPointer)
        return Type{TypeKind::kPointer, HAL_ELEMENT_TYPE_NONE, 0, kNoMangledType, 0};
      if (target.kind != TypeKind::kArray) return target;
      type = target.inner;
    }
    return std::nullopt;
  }

  const MangledTypes& types_;
};

}  // namespace

bool ReadMangledParameters(std::string_view name, HostVector<MangledParameter>* out_parameters) {
  out_parameters->clear();
  MangledTypes types;
  if (!ReadMangledTypes(name, &types)) return false;
  HostVector<MangledParameter> parameters;
  const Describer describer(types);
  for (const TypeIndex type : types.parameters) {
    if (!describer.Describe(type, &parameters)) return false;
  }
  *out_parameters = std::move(parameters);
  return true;
}

}  // namespace halyard
