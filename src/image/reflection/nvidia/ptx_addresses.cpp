// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_addresses.h"

#include <algorithm>
#include <array>

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

// A variable of the module; where its address is, no parameter is one.
constexpr std::string_view kVariable = ".";

bool IsRegister(const PtxToken& token) { return token.kind == PtxTokenKind::kWord && token.text.starts_with('%'); }

}  // namespace

void PtxAddresses::Watch(std::string_view parameter) { uses_.try_emplace(parameter, PtxUse::kNone); }

PtxUse PtxAddresses::UseOf(std::string_view parameter) const {
  const auto found = uses_.find(parameter);
  return found == uses_.end() ? PtxUse::kNone : found->second;
}

void PtxAddresses::Mark(std::string_view name, PtxUse use) {
  const auto origin = parameters_.find(name);
  if (origin == parameters_.end() || origin->second == kVariable) return;
  PtxUse& known = uses_.find(origin->second)->second;
  known = std::max(known, use);
}

void PtxAddresses::Take(Statement statement) {
  if (statement.size() > 2 && statement[0].Is("@")) {  // a predicate: "@%p1 bra", "@!%p1 bra"
    statement = statement.subspan(statement[1].Is("!") ? 3 : 2);
  }
  if (statement.size() < 2 || statement[0].kind != PtxTokenKind::kWord) return;
  const std::string_view opcode = statement[0].text;
  if (opcode.starts_with('.')) return;  // a declaration
  if (opcode.starts_with("ld.param")) return TakeLoad(statement.subspan(1));
  TakeOther(opcode, statement.subspan(1));
}

// "%rd1 , [ name ]" or "%rd1 , [ name + 0 ]".
void PtxAddresses::TakeLoad(Statement operands) {
  if (operands.size() < 5 || !IsRegister(operands[0]) || !operands[1].Is(",") || !operands[2].Is("[")) return;
  const std::string_view parameter = operands[3].text;
  SetOrigin(operands[0].text, uses_.find(parameter) == uses_.end() ? std::string_view() : parameter);
}

void PtxAddresses::TakeOther(std::string_view opcode, Statement operands) {
  if (TakesHandle(opcode)) TakeHandles(operands);
  const size_t first_kept = FirstKept(opcode, operands.size());
  const bool is_call = Operation(opcode) == "call" || opcode.starts_with("st.param");
  const bool is_conversion = opcode.starts_with("cvta.to.");
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsRegister(operands[i]) || (i == 0 && operands.size() > 1)) continue;
    const bool is_address = i > 0 && (operands[i - 1].Is("[") || is_conversion);
    if (is_address) Mark(operands[i].text, UseAsAddress(opcode));
    if (!is_address && !is_call && i < first_kept) Mark(operands[i].text, PtxUse::kNumber);
  }
  const std::string_view origin = OriginOfResult(operands, first_kept);
  if (IsRegister(operands[0])) SetOrigin(operands[0].text, origin);
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
      Mark(operand.text, PtxUse::kHandle);
    }
  }
}

// Of the operands from the first one on that the result may be an address for: the first that comes from a parameter,
// unless another is a variable's address.
std::string_view PtxAddresses::OriginOfResult(Statement operands, size_t first_kept) {
  std::string_view origin;
  for (size_t i = first_kept; i < operands.size(); ++i) {
    const bool is_variable = operands[i].kind == PtxTokenKind::kWord && !IsRegister(operands[i]);
    if (is_variable || OriginOf(operands[i].text) == kVariable) origin = kVariable;
    if (IsRegister(operands[i]) && origin.empty()) origin = OriginOf(operands[i].text);
  }
  if (origin != kVariable) return origin;
  for (const PtxToken& operand : operands.subspan(std::min(first_kept, operands.size()))) {
    Mark(operand.text, PtxUse::kNumber);
  }
  return origin;
}

std::string_view PtxAddresses::OriginOf(std::string_view name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? std::string_view() : found->second;
}

void PtxAddresses::SetOrigin(std::string_view name, std::string_view parameter) {
  if (parameter.empty()) {
    parameters_.erase(name);
  } else {
    parameters_[name] = parameter;
  }
}

}  // namespace halyard
