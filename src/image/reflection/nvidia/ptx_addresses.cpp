// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_addresses.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace halyard {
namespace {

/// The operation of an opcode: "add" of "add.s64".
std::string_view Operation(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

// From which operand on the result is an address if an operand is: "add %rd3, %rd1, %rd2", "mad %rd4, %r1, 4, %rd1".
size_t FirstKept(std::string_view opcode, size_t operand_count) {
  constexpr std::array<std::string_view, 7> kOperations = {"mov", "add", "sub", "or", "and", "selp", "cvta"};
  const std::string_view operation = Operation(opcode);
  if (operation == "mad") return operand_count - 1;
  return std::find(kOperations.begin(), kOperations.end(), operation) != kOperations.end() ? 1 : operand_count;
}

// What an instruction that has an address in brackets takes it for, or one that turns it into one.
PtxUse UseAsAddress(std::string_view opcode) {
  constexpr std::array<std::string_view, 6> kOperations = {"ld", "st", "atom", "red", "ldmatrix", "cvta"};
  const std::string_view operation = Operation(opcode);
  if (std::find(kOperations.begin(), kOperations.end(), operation) == kOperations.end()) return PtxUse::kAddress;
  if (opcode.find(".shared") != std::string_view::npos) return PtxUse::kShared;
  return opcode.find(".const") != std::string_view::npos ? PtxUse::kConstant : PtxUse::kAddress;
}

bool TakesHandle(std::string_view opcode) {
  constexpr std::array<std::string_view, 7> kOperations = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"};
  return std::find(kOperations.begin(), kOperations.end(), Operation(opcode)) != kOperations.end();
}

bool IsRegister(const PtxToken& token) { return token.kind == PtxTokenKind::kWord && token.text.starts_with('%'); }

bool IsName(const PtxToken& token) { return token.kind == PtxTokenKind::kWord && !token.text.starts_with('%'); }

bool Has(std::string_view opcode, std::string_view part) { return opcode.find(part) != std::string_view::npos; }

/// Bytes of each number that an instruction loads: 8 of "ld.param.v2.u64"; 0 if none of them is a part of an address.
uint32_t LoadedSize(std::string_view opcode) {
  const std::string_view type = opcode.substr(std::min(opcode.rfind('.'), opcode.size()));
  if (type.size() < 3 || std::string_view("ubs").find(type[1]) == std::string_view::npos) return 0;
  const std::string_view bits = type.substr(2);
  return bits == "64" ? 8 : bits == "32" ? 4 : bits == "16" ? 2 : bits == "8" ? 1 : 0;
}

/// A whole number; kAnyOffset for what is none.
uint32_t ToNumber(std::string_view digits) {
  uint64_t number = 0;
  const bool is_hexadecimal = digits.starts_with("0x");
  if (is_hexadecimal) digits.remove_prefix(2);
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, number, is_hexadecimal ? 16 : 10);
  return error == std::errc() && last == end && number < kAnyOffset ? static_cast<uint32_t>(number) : kAnyOffset;
}

uint32_t OffsetPlus(uint32_t offset, uint32_t more) {
  return offset >= kAnyOffset - more || more == kAnyOffset ? kAnyOffset : offset + more;
}

/// An operand in brackets, "[%rd1+8]", from its bracket on.
struct Memory {
  PtxToken base;
  uint32_t offset = 0;
};

Memory MemoryAt(std::span<const PtxToken> operands, size_t bracket) {
  const auto at = [&](size_t place) { return place < operands.size() ? operands[place] : PtxToken{}; };
  Memory memory = {at(bracket + 1)};
  if (at(bracket + 2).Is("]")) return memory;
  memory.offset = at(bracket + 2).Is("+") && at(bracket + 4).Is("]") ? ToNumber(at(bracket + 3).text) : kAnyOffset;
  return memory;
}

bool IsFollowed(PtxUse use) { return use == PtxUse::kAddress || use == PtxUse::kPartAddress; }

size_t FindBracket(std::span<const PtxToken> operands) {
  const auto found =
      std::find_if(operands.begin(), operands.end(), [](const PtxToken& token) { return token.Is("["); });
  return static_cast<size_t>(found - operands.begin());
}

}  // namespace

PtxUse PtxAddresses::UseOf(std::string_view parameter) const {
  const auto found = uses_.find({parameter, 0});
  return found == uses_.end() ? PtxUse::kNone : found->second;
}

bool PtxAddresses::HasUse(std::string_view parameter, PtxUse use) const {
  for (auto at = uses_.lower_bound({parameter, 0}); at != uses_.end() && at->first.owner == parameter; ++at) {
    if (at->second == use) return true;
  }
  return false;
}

HostVector<uint32_t> PtxAddresses::AddressesIn(std::string_view parameter) const {
  HostVector<uint32_t> offsets;
  for (auto at = uses_.lower_bound({parameter, 0}); at != uses_.end() && at->first.owner == parameter; ++at) {
    if (IsFollowed(at->second)) offsets.push_back(at->first.offset);
  }
  return offsets;
}

HostVector<AddressesInVariable> PtxAddresses::AddressesInVariables() const {
  HostVector<AddressesInVariable> variables;
  for (const auto& [place, use] : uses_) {
    if (!IsFollowed(use) || watched_.find(place.owner) != watched_.end()) continue;
    if (variables.empty() || variables.back().variable != place.owner) {
      variables.push_back({HostString(place.owner), {}});
    }
    variables.back().offsets.push_back(place.offset);
  }
  return variables;
}

void PtxAddresses::Watch(std::string_view parameter, PtxShape shape, bool is_marked) {
  watched_.try_emplace(parameter, shape);
  if (is_marked) Mark(PtxPlace{parameter, 0}, PtxUse::kAddress);
}

bool PtxAddresses::IsStructure(const PtxPlace& place) const {
  const auto found = watched_.find(place.owner);
  return found == watched_.end() || found->second != PtxShape::kNumber;  // variables are taken for structures
}

void PtxAddresses::Mark(const PtxPlace& place, PtxUse use) {
  PtxUse& known = uses_[place];
  known = std::max(known, use);
}

void PtxAddresses::Mark(const PtxToken& token, PtxUse use) {
  const Value value = ValueOf(token);
  if (value.kind != Value::Kind::kContents) return;
  if (value.is_sum && use == PtxUse::kAddress) {
    sums_.emplace_back(value.place, value.other);
    return;
  }
  Mark(value.place, use);
  if (!value.other.owner.empty() && !value.is_sum) Mark(value.other, use);
}

// Of two parts that are added, one is the address. If another place of the code tells which, the other is a number.
void PtxAddresses::Finish() {
  const auto is_address = [&](const PtxPlace& place) {
    const auto found = uses_.find(place);
    return found != uses_.end() && found->second >= PtxUse::kAddress;
  };
  for (const auto& [left, right] : sums_) {
    const bool is_left = is_address(left), is_right = is_address(right);
    Mark(left, is_right && !is_left ? PtxUse::kNumber : PtxUse::kPartAddress);
    Mark(right, is_left && !is_right ? PtxUse::kNumber : PtxUse::kPartAddress);
  }
  sums_.clear();
}

void PtxAddresses::Take(Statement statement) {
  if (statement.size() > 2 && statement[0].Is("@")) {  // a predicate: "@%p1 bra", "@!%p1 bra"
    statement = statement.subspan(statement[1].Is("!") ? 3 : 2);
  }
  if (statement.size() < 2 || statement[0].kind != PtxTokenKind::kWord) return;
  const std::string_view opcode = statement[0].text;
  if (opcode.starts_with('.')) return;  // a declaration
  if (opcode.starts_with("st.local")) TakeLocalStore(statement.subspan(1));
  if (!opcode.starts_with("ld.param")) TakeOther(opcode, statement.subspan(1));
  if (opcode.starts_with("ld.")) TakeLoad(opcode, statement.subspan(1));
}

// "%rd1 , [ name ]", "{ %rd1 , %rd2 } , [ name + 16 ]", "%rd1 , [ %rd9 + 8 ]".
void PtxAddresses::TakeLoad(std::string_view opcode, Statement operands) {
  const Memory memory = MemoryAt(operands, FindBracket(operands));
  const Value base = BaseOf(opcode, memory.base);
  const uint32_t size = LoadedSize(opcode);
  uint32_t offset = memory.offset;
  for (const PtxToken& operand : operands) {
    if (operand.Is("[")) return;
    if (operand.kind != PtxTokenKind::kWord) continue;
    SetValue(operand.text, Loaded(opcode, base, offset, size));
    offset = OffsetPlus(offset, size);
  }
}

// What brackets begin with: a parameter, a variable in constant memory, or a register that has the address of either.
PtxAddresses::Value PtxAddresses::BaseOf(std::string_view opcode, const PtxToken& token) const {
  if (!IsName(token)) return ValueOf(token);
  const bool is_known = Has(opcode, ".const") || watched_.find(token.text) != watched_.end();
  return is_known ? Value{Value::Kind::kPlace, {token.text, 0}} : Value{};
}

PtxAddresses::Value PtxAddresses::Loaded(std::string_view opcode, const Value& base, uint32_t offset,
                                         uint32_t size) const {
  if (size == 0) return {};
  if (opcode.starts_with("ld.local")) {
    const bool is_structure = size == 8 && !stored_.empty() && !are_several_stored_;
    return is_structure ? Value{Value::Kind::kContents, {stored_, kAnyOffset}} : Value{};
  }
  const auto watched = watched_.find(base.place.owner);
  if (base.kind != Value::Kind::kPlace || (!Has(opcode, ".const") && watched == watched_.end())) return {};
  const PtxPlace place = {base.place.owner, OffsetPlus(base.place.offset, offset)};
  if (watched != watched_.end() && size < (watched->second == PtxShape::kPacked ? 8 : 4)) {
    return watched->second == PtxShape::kNumber ? Value{} : Value{Value::Kind::kPiece, {place.owner, kAnyOffset}};
  }
  // Compilers may load an address in two halves.
  if (!IsStructure(place)) return size == 8 && place.offset == 0 ? Value{Value::Kind::kContents, place} : Value{};
  return size == 8 || place.offset % 8 == 0 ? Value{Value::Kind::kContents, place} : Value{};
}

// A structure whose members the code chooses is copied first.
void PtxAddresses::TakeLocalStore(Statement operands) {
  for (size_t i = FindBracket(operands) + 2; i < operands.size(); ++i) {
    const Value value = ValueOf(operands[i]);
    if (value.kind != Value::Kind::kContents || value.is_sum || !IsStructure(value.place)) continue;
    are_several_stored_ |= !stored_.empty() && stored_ != value.place.owner;
    stored_ = value.place.owner;
  }
}

void PtxAddresses::TakeOther(std::string_view opcode, Statement operands) {
  if (TakesHandle(opcode)) TakeHandles(operands);
  const size_t first_kept = FirstKept(opcode, operands.size());
  const bool is_handed_on = Operation(opcode) == "call" || opcode.starts_with("st.param");
  const bool is_copied = opcode.starts_with("st.local");
  const bool is_conversion = opcode.starts_with("cvta.to.");
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsRegister(operands[i]) || (i == 0 && operands.size() > 1)) continue;
    const bool is_address = i > 0 && (operands[i - 1].Is("[") || is_conversion);
    if (is_address) Mark(operands[i], UseAsAddress(opcode));
    const Value value = ValueOf(operands[i]);
    const bool is_whole = value.kind == Value::Kind::kContents || value.kind == Value::Kind::kPlace;
    if (is_handed_on && is_whole) handed_on_[value.place.owner] = true;
    if (!is_address && !is_handed_on && !is_copied && i < first_kept) Mark(operands[i], PtxUse::kNumber);
  }
  const Value pieces = PiecesOf(opcode, operands);
  const Value result = pieces.kind == Value::Kind::kOther ? ResultOf(opcode, operands, first_kept) : pieces;
  if (IsRegister(operands[0])) SetValue(operands[0].text, result);
}

// "{…}, [%rd1, %rd2, {…}]": a texture, and maybe a sampler, before the coordinates.
void PtxAddresses::TakeHandles(Statement operands) {
  bool is_inside = false;
  for (const PtxToken& operand : operands) {
    if (operand.Is("[")) {
      is_inside = true;
    } else if (operand.Is("{") || operand.Is("]")) {
      is_inside = false;
    } else if (is_inside && IsRegister(operand)) {
      Mark(operand, PtxUse::kHandle);
    }
  }
}

// What the operands from the first one on make of the result. Beside the address of a variable, all are numbers.
PtxAddresses::Value PtxAddresses::ResultOf(std::string_view opcode, Statement operands, size_t first_kept) {
  Value result;
  uint32_t added = 0;
  for (size_t i = first_kept; i < operands.size(); ++i) {
    const Value value = ValueOf(operands[i]);
    const bool is_negative = i > 0 && operands[i - 1].Is("-");
    if (operands[i].kind == PtxTokenKind::kNumber) added = is_negative ? kAnyOffset : ToNumber(operands[i].text);
    if (IsRegister(operands[i]) && value.kind != Value::Kind::kPlace) added = kAnyOffset;
    const bool is_first = value.kind == Value::Kind::kContents && result.kind == Value::Kind::kOther;
    if (value.kind == Value::Kind::kPlace || is_first) {
      result = value;
      continue;
    }
    const bool are_two = value.kind == Value::Kind::kContents && result.kind == Value::Kind::kContents;
    if (!are_two || value.place == result.place) continue;
    if (result.other.owner.empty()) result.other = value.place;
    result.is_sum = result.is_sum || Operation(opcode) != "selp";
  }
  if (result.kind != Value::Kind::kPlace) return result;
  for (const PtxToken& operand : operands.subspan(std::min(first_kept, operands.size()))) {
    Mark(operand, PtxUse::kNumber);
  }
  const bool is_moved = Operation(opcode) == "mov" || Operation(opcode) == "cvta";
  if (!is_moved) result.place.offset = Operation(opcode) == "add" ? OffsetPlus(result.place.offset, added) : kAnyOffset;
  return result;
}

// A piece that is widened or shifted is still one. Two that are put together are taken for an address.
PtxAddresses::Value PtxAddresses::PiecesOf(std::string_view opcode, Statement operands) const {
  constexpr std::array<std::string_view, 7> kOperations = {"mov", "cvt", "shl", "and", "or", "bfi", "prmt"};
  if (std::find(kOperations.begin(), kOperations.end(), Operation(opcode)) == kOperations.end()) return {};
  Value pieces;
  for (const PtxToken& operand : operands.subspan(std::min<size_t>(operands.size(), 1))) {
    const Value value = IsRegister(operand) ? ValueOf(operand) : Value{};
    if (value.kind != Value::Kind::kPiece && !value.is_joined) continue;
    const bool is_further = pieces.kind != Value::Kind::kOther && pieces.place == value.place;
    pieces = is_further ? Value{Value::Kind::kContents, value.place, {}, false, true} : value;
  }
  return pieces;
}

PtxAddresses::Value PtxAddresses::ValueOf(const PtxToken& token) const {
  if (IsName(token)) return {Value::Kind::kPlace, {token.text, 0}};
  const auto found = values_.find(token.text);
  return found == values_.end() ? Value{} : found->second;
}

void PtxAddresses::SetValue(std::string_view name, const Value& value) {
  if (value.kind == Value::Kind::kOther) {
    values_.erase(name);
  } else {
    values_[name] = value;
  }
}

}  // namespace halyard
