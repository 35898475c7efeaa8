// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/names/mangled_types.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "image/reflection/names/element_names.h"
#include "image/reflection/names/mangled_text.h"

namespace halyard {
namespace {

constexpr size_t kMostDimensions = 32;  // of an array
constexpr size_t kMostTypes = 16384;    // in one name; each takes a letter at least

using TypeIndex = uint32_t;
using Type = MangledType;
using TypeKind = MangledTypeKind;

/// Reads one name. Functions that read a type return kNoMangledType where it makes no sense, which ends the reading.
class Parser : MangledText {
 public:
  Parser(std::string_view name, MangledTypes* types) : MangledText(name), types_(*types) {}

  bool Read() {
    if (!Accept("_Z") || !ReadEncoding(&types_.parameters)) return false;
    return IsAtEnd() || Look() == '.';  // ".constprop.0"
  }

 private:
  /// How a name ends, which says what follows it.
  struct NameEnd {
    bool has_arguments = false;   // of a template: then its result comes first
    bool is_constructor = false;  // which has no result
  };

  // --- Types as they are kept ---

  TypeIndex Make(TypeKind kind, TypeIndex inner = kNoMangledType) {
    return Make({kind, HAL_ELEMENT_TYPE_NONE, 0, inner, 0});
  }
  TypeIndex Make(const Type& type) {
    if (types_.all.size() == kMostTypes) return kNoMangledType;
    types_.all.push_back(type);
    return static_cast<TypeIndex>(types_.all.size() - 1);
  }
  /// A later S_ may stand for it.
  TypeIndex Remember(TypeIndex type) {
    if (type != kNoMangledType) substitutions_.push_back(type);
    return type;
  }

  // --- A function: its name, its result if it is of a template, its parameters ---

  bool ReadEncoding(HostVector<TypeIndex>* parameters) {
    if (++depth_ > MangledTypes::kMostDepth) return false;
    HostVector<TypeIndex> outer_arguments = std::exchange(arguments_, {});
    const bool was_in_type = std::exchange(is_in_type_, false);
    const bool is_read = ReadFunction(parameters);
    is_in_type_ = was_in_type;
    arguments_ = std::move(outer_arguments);
    --depth_;
    return is_read;
  }

  bool ReadFunction(HostVector<TypeIndex>* parameters) {
    NameEnd end;
    if (ReadName(&end) == kNoMangledType) return false;
    if (IsAtEncodingEnd()) return true;  // of a variable
    if (end.has_arguments && !end.is_constructor && ReadType() == kNoMangledType) return false;
    return ReadParameters(parameters);
  }

  bool IsAtEncodingEnd() const { return IsAtEnd() || Look() == 'E' || Look() == '.'; }

  bool ReadParameters(HostVector<TypeIndex>* parameters) {
    if (Accept('v')) return IsAtEncodingEnd();
    do {
      const TypeIndex type = ReadType();
      if (type == kNoMangledType || parameters->size() == MangledTypes::kMostParameters) return false;
      parameters->push_back(type);
    } while (!IsAtEncodingEnd());
    return true;
  }

  // --- Names ---

  /// All of them: nested, local or plain, and with the arguments of a template.
  TypeIndex ReadName(NameEnd* end) {
    if (Look() == 'N') return ReadNestedName(end);
    if (Look() == 'Z') return ReadLocalName(end);
    TypeIndex name = kNoMangledType;
    const bool is_known = Look() == 'S' && Look(1) != 't';
    if (is_known) {
      name = ReadSubstitution();
      if (Look() != 'I') return kNoMangledType;
    } else {
      (void)Accept("St");
      name = ReadUnqualifiedName(end);
    }
    if (name == kNoMangledType || Look() != 'I') return name;
    if (!is_known) Remember(name);
    return ReadTemplateArguments(name, end);
  }

  // "N3foo3barIiEE"; each part but the last can be substituted later.
  TypeIndex ReadNestedName(NameEnd* end) {
    ++at_;
    (void)Accept('H');
    while (AcceptAny("rVKRO")) {
    }
    TypeIndex name = kNoMangledType;
    if (Look() == 'S' && Look(1) != 't') {
      name = ReadSubstitution();
      if (name == kNoMangledType || Look() == 'E') return kNoMangledType;
    }
    while (!Accept('E')) {
      name = ReadPart(name, end);
      if (Remember(name) == kNoMangledType) return kNoMangledType;
      (void)Accept('M');
    }
    if (name != kNoMangledType) substitutions_.pop_back();
    return name;
  }

  TypeIndex ReadPart(TypeIndex before, NameEnd* end) {
    if (before != kNoMangledType && Look() == 'I') return ReadTemplateArguments(before, end);
    if (before == kNoMangledType && Look() == 'T') return ReadTemplateParameter();
    if (before == kNoMangledType) (void)Accept("St");
    return ReadUnqualifiedName(end);
  }

  // "Z" function "E" name: what is declared inside of a function.
  TypeIndex ReadLocalName(NameEnd* end) {
    ++at_;
    HostVector<TypeIndex> parameters;
    if (!ReadEncoding(&parameters) || !Accept('E')) return kNoMangledType;
    if (Accept('s')) {
      ReadDiscriminator();
      return Make(TypeKind::kNamed);
    }
    const TypeIndex name = ReadName(end);
    ReadDiscriminator();
    return name;
  }

  // "_3" or "__12_", behind local names.
  void ReadDiscriminator() {
    if (Look() != '_') return;
    if (IsDigit(Look(1))) {
      at_ += 2;
    } else if (Look(1) == '_' && IsDigit(Look(2))) {
      at_ += 2;
      (void)ReadNumber();
      (void)Accept('_');
    }
  }

  TypeIndex ReadUnqualifiedName(NameEnd* end) {
    *end = {};
    (void)Accept('F');
    (void)Accept('L');  // internal linkage
    TypeIndex name = kNoMangledType;
    if (IsDigit(Look())) {
      name = ReadSourceName();
    } else if (Look() == 'U') {
      name = ReadUnnamedType();
    } else if ((Look() == 'C' || Look() == 'D') && IsDigit(Look(1))) {
      at_ += 2;
      end->is_constructor = true;
      name = Make(TypeKind::kNamed);
    }
    while (name != kNoMangledType && Accept('B')) {  // ABI tags
      if (ReadSourceName() == kNoMangledType) return kNoMangledType;
    }
    return name;
  }

  TypeIndex ReadSourceName() {
    const std::optional<size_t> size = ReadNumber();
    if (!size || *size == 0 || *size > text_.size() - at_) return kNoMangledType;
    const std::string_view name = text_.substr(at_, *size);
    at_ += *size;
    // Numba's "8int32_2a": a pointer, whose '*' has become its number.
    constexpr std::string_view kStar = "_2a";
    const bool is_pointer = name.size() > kStar.size() && name.ends_with(kStar);
    const std::string_view plain = is_pointer ? name.substr(0, name.size() - kStar.size()) : name;
    Type type;
    type.kind = TypeKind::kNamed;
    type.element = is_pointer ? ElementTypeOfNumba(plain) : ElementTypeOfName(plain);
    type.inner = kNoMangledType;
    const TypeIndex named = Make(type);
    return is_pointer && named != kNoMangledType ? Make(TypeKind::kPointer, named) : named;
  }

  // "Ut3_" and closures, "UlifE_".
  TypeIndex ReadUnnamedType() {
    if (Accept("Ut")) {
      (void)ReadNumber();
      return Accept('_') ? Make(TypeKind::kNamed) : kNoMangledType;
    }
    if (!Accept("Ul")) return kNoMangledType;
    while (Look() == 'T' && IsLower(Look(1))) {  // parameters of its template: "Ty", "Tni"
      ++at_;
      if (Accept('y')) continue;
      if (!Accept('n') || ReadType() == kNoMangledType) return kNoMangledType;
    }
    ++closures_;  // whose parameters may be of types that a call decides: T_
    while (!Accept('E')) {
      if (ReadType() == kNoMangledType) return kNoMangledType;
    }
    --closures_;
    (void)ReadNumber();
    return Accept('_') ? Make(TypeKind::kNamed) : kNoMangledType;
  }

  // --- Templates ---

  // "I" arguments "E"; they are what T_ stands for from here on.
  TypeIndex ReadTemplateArguments(TypeIndex name, NameEnd* end) {
    ++at_;
    TypeIndex pack = types_.PackOf(name);
    if (!is_in_type_) arguments_.clear();
    while (!Accept('E')) {
      const TypeIndex argument = ReadTemplateArgument();
      if (argument == kNoMangledType) return kNoMangledType;
      if (!is_in_type_) arguments_.push_back(argument);
      if (pack == kNoMangledType) pack = types_.PackOf(argument);
    }
    end->has_arguments = true;
    return Make(TypeKind::kNamed, pack);
  }

  TypeIndex ReadTemplateArgument() {
    if (Accept('L')) return ReadLiteral();
    if (Accept('J')) return ReadPack();
    if (Accept('X')) {  // an expression; only the address of a function is understood: "XadL_Z1fvEE"
      if (!Accept("ad") || !Accept('L') || ReadLiteral() == kNoMangledType) return kNoMangledType;
      return Accept('E') ? Make(TypeKind::kOther) : kNoMangledType;
    }
    return ReadType();
  }

  // "Lb1E", "L_Z1fvE", "LPKc0E".
  TypeIndex ReadLiteral() {
    if (Accept("_Z")) {
      HostVector<TypeIndex> parameters;
      if (!ReadEncoding(&parameters)) return kNoMangledType;
    } else {
      if (ReadType() == kNoMangledType) return kNoMangledType;
      while (IsDigit(Look()) || IsLower(Look()) || Look() == '_') ++at_;
    }
    return Accept('E') ? Make(TypeKind::kOther) : kNoMangledType;
  }

  TypeIndex ReadPack() {
    HostVector<TypeIndex> elements;
    while (!Accept('E')) {
      const TypeIndex element = ReadTemplateArgument();
      if (element == kNoMangledType) return kNoMangledType;
      elements.push_back(element);
    }
    Type pack;
    pack.kind = TypeKind::kPack;
    pack.inner = static_cast<TypeIndex>(types_.packed.size());
    pack.count = static_cast<uint32_t>(elements.size());
    types_.packed.insert(types_.packed.end(), elements.begin(), elements.end());
    return Make(pack);
  }

  // "T_", "T0_".
  TypeIndex ReadTemplateParameter() {
    ++at_;
    const std::optional<size_t> index = ReadSequence(10);
    if (!index) return kNoMangledType;
    if (closures_ > 0) {
      return Make(
          {TypeKind::kClosureParameter, HAL_ELEMENT_TYPE_NONE, 0, kNoMangledType, static_cast<uint32_t>(*index)});
    }
    return *index < arguments_.size() ? arguments_[*index] : kNoMangledType;
  }

  // "S_", "S1A_", "Sa".
  TypeIndex ReadSubstitution() {
    ++at_;
    if (AcceptAny("absiod")) return Make(TypeKind::kNamed);
    const std::optional<size_t> index = ReadSequence(36);
    if (!index || *index >= substitutions_.size()) return kNoMangledType;
    // T_ is written alike for a closure's parameter and for that of the function, so one may stand for the other.
    const Type& type = types_.all[substitutions_[*index]];
    if (type.kind != TypeKind::kClosureParameter || closures_ > 0) return substitutions_[*index];
    return type.count < arguments_.size() ? arguments_[type.count] : kNoMangledType;
  }

  // --- Types ---

  TypeIndex ReadType() {
    if (++depth_ > MangledTypes::kMostDepth) return kNoMangledType;
    const TypeIndex type = ReadAnyType();
    --depth_;
    return type;
  }

  TypeIndex ReadAnyType() {
    switch (Look()) {
      case 'r':
      case 'V':
      case 'K':
      case 'U':
        return Remember(ReadQualified());
      case 'P':
      case 'R':
      case 'O':
        return Remember(ReadWithInner(TypeKind::kPointer));
      case 'C':
      case 'G':
        return Remember(ReadWithInner(TypeKind::kNamed));
      case 'A':
        return Remember(ReadArray());
      case 'F':
        return Remember(ReadFunctionType());
      case 'M':
        ++at_;
        return ReadType() == kNoMangledType || ReadType() == kNoMangledType ? kNoMangledType
                                                                            : Remember(Make(TypeKind::kNamed));
      case 'T':
        return ReadParameterType();
      case 'D':
        return ReadExtended();
      case 'S':
        if (Look(1) != 't') return ReadSubstitutedType();
        return Remember(ReadNamedType());
      case 'v':
        ++at_;
        return Make(TypeKind::kVoid);
      case 'u':
        ++at_;
        return Remember(ReadSourceName());
      default:
        return IsLower(Look()) ? ReadBuiltIn() : Remember(ReadNamedType());
    }
  }

  TypeIndex ReadBuiltIn() {
    const MangledNumber* const found = FindMangledNumber(Look());
    if (!found) return kNoMangledType;  // "z" too: variable arguments
    ++at_;
    return Make({TypeKind::kNumber, found->element, found->size, kNoMangledType, 0});
  }

  TypeIndex ReadWithInner(TypeKind kind) {
    ++at_;
    const TypeIndex inner = ReadType();
    return inner == kNoMangledType ? kNoMangledType : Make(kind, inner);
  }

  // "K" and "U3AS1"; the type behind is the same as without, unless it lies in a state space.
  TypeIndex ReadQualified() {
    bool is_foreign = false;
    while (Accept('U')) {
      const std::optional<size_t> size = ReadNumber();
      if (!size || *size == 0 || *size > text_.size() - at_) return kNoMangledType;
      const std::string_view qualifier = text_.substr(at_, *size);
      is_foreign |= qualifier != "AS1" && qualifier != "CLglobal";
      at_ += *size;
    }
    while (AcceptAny("rVK")) {
    }
    const bool is_function = Look() == 'F' || (Look() == 'D' && Look(1) == 'o');
    const TypeIndex type = is_function ? ReadFunctionType() : ReadType();
    return is_foreign && type != kNoMangledType ? Make(TypeKind::kForeign) : type;
  }

  // "A4_f", "A_f".
  TypeIndex ReadArray() {
    ++at_;
    (void)ReadNumber();
    if (!Accept('_')) return kNoMangledType;
    const TypeIndex inner = ReadType();
    return inner == kNoMangledType ? kNoMangledType : Make(TypeKind::kArray, inner);
  }

  // "FvifE".
  TypeIndex ReadFunctionType() {
    (void)Accept("Do");
    if (!Accept('F')) return kNoMangledType;
    (void)Accept('Y');
    while (!Accept('E')) {
      const bool is_qualifier = (Look() == 'R' || Look() == 'O') && Look(1) == 'E';
      if (is_qualifier || Look() == 'z') {
        ++at_;
      } else if (ReadType() == kNoMangledType) {
        return kNoMangledType;
      }
    }
    return Make(TypeKind::kFunction);
  }

  TypeIndex ReadParameterType() {
    if (Look(1) == 's' || Look(1) == 'u' || Look(1) == 'e') {  // "struct", "union", "enum"
      at_ += 2;
      return Remember(ReadNamedType());
    }
    const TypeIndex type = Remember(ReadTemplateParameter());
    if (type == kNoMangledType || Look() != 'I') return type;
    return Remember(ReadArgumentsOfType(type));
  }

  TypeIndex ReadSubstitutedType() {
    const TypeIndex type = ReadSubstitution();
    if (type == kNoMangledType || Look() != 'I') return type;
    return Remember(ReadArgumentsOfType(type));
  }

  /// Arguments of a template in a type: T_ means those of the function.
  TypeIndex ReadArgumentsOfType(TypeIndex name) {
    const bool was_in_type = std::exchange(is_in_type_, true);
    NameEnd end;
    const TypeIndex type = ReadTemplateArguments(name, &end);
    is_in_type_ = was_in_type;
    return type;
  }

  // "5ArrayIfLi1E1C7mutable7alignedE": its element, dimensions and layout.
  TypeIndex ReadNumbaArray() {
    const size_t begin = at_;
    if (!Accept("5ArrayI")) return kNoMangledType;
    const TypeIndex element = IsLower(Look()) ? ReadBuiltIn() : ReadSourceName();
    const bool has_rank = element != kNoMangledType && Accept("Li");
    const std::optional<size_t> rank = has_rank ? ReadNumber() : std::nullopt;
    const bool is_array = rank && *rank <= kMostDimensions && Accept("E1") && AcceptAny("CFA") &&
                          (Accept("7mutable") || Accept("8readonly")) && (Accept("7aligned") || Accept("9unaligned")) &&
                          Accept('E');
    if (is_array) {
      return Make(
          {TypeKind::kNumbaArray, types_.all[element].element, 0, kNoMangledType, static_cast<uint32_t>(*rank)});
    }
    at_ = begin;
    return kNoMangledType;
  }

  TypeIndex ReadNamedType() {
    if (const TypeIndex array = ReadNumbaArray(); array != kNoMangledType) return array;
    const bool was_in_type = std::exchange(is_in_type_, true);
    NameEnd end;
    const TypeIndex type = ReadName(&end);
    is_in_type_ = was_in_type;
    return type;
  }

  // What begins with "D".
  TypeIndex ReadExtended() {
    ++at_;
    if (Look() == 'o' && Look(1) == 'F') return Remember(ReadFunctionType());
    if (Accept('p')) {
      const TypeIndex pattern = ReadType();
      return pattern == kNoMangledType ? kNoMangledType : Remember(Make(TypeKind::kExpanded, pattern));
    }
    if (Accept('v')) return Remember(ReadVector());
    if (Accept('h') || Accept("F16_")) return Make({TypeKind::kNumber, HAL_ELEMENT_TYPE_F16, 2, kNoMangledType, 0});
    if (Accept("F16b")) return Make({TypeKind::kNumber, HAL_ELEMENT_TYPE_BF16, 2, kNoMangledType, 0});
    if (Accept('n')) return Make(TypeKind::kNamed);  // of nullptr
    return kNoMangledType;                           // "Dt": decltype
  }

  // "Dv4_f", behind its "Dv".
  TypeIndex ReadVector() {
    if (!ReadNumber() || !Accept('_')) return kNoMangledType;
    const TypeIndex inner = ReadType();
    return inner == kNoMangledType ? kNoMangledType : Make(TypeKind::kArray, inner);
  }

  size_t depth_ = 0;
  size_t closures_ = 0;      // whose parameters are being read
  bool is_in_type_ = false;  // not in the name of the function itself
  MangledTypes& types_;
  HostVector<TypeIndex> substitutions_;  // what S_, S0_ and so on stand for
  HostVector<TypeIndex> arguments_;      // what T_, T0_ and so on stand for
};

}  // namespace

uint32_t MangledTypes::PackOf(uint32_t type) const {
  for (size_t steps = 0; type != kNoMangledType && steps <= kMostDepth; ++steps) {
    const Type& here = all[type];
    if (here.kind == TypeKind::kPack) return type;
    if (here.kind == TypeKind::kExpanded) return kNoMangledType;
    type = here.inner;
  }
  return kNoMangledType;
}

bool ReadMangledTypes(std::string_view name, MangledTypes* out_types) { return Parser(name, out_types).Read(); }

}  // namespace halyard
