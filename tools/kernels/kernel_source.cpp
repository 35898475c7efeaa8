// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "source_scanner.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// Sizes, offsets and counts beyond are slips of the pen, and would not fit the arithmetic here. Executable files have
// the same limits for what a kernel takes in all.
constexpr uint32_t kMostNumber = 1U << 20;
constexpr uint32_t kMostConstants = 1U << 20;    // bytes
constexpr uint32_t kMostLocalMemory = 1U << 30;  // bytes
constexpr size_t kMostParameters = 1U << 12;
constexpr uint32_t kLocalAlignment = 16;

struct ElementType {
  std::string_view name;
  uint32_t size;
};
constexpr std::array kTypes = {
    ElementType{"int8_t", 1},  ElementType{"int16_t", 2},  ElementType{"int32_t", 4},  ElementType{"int64_t", 8},
    ElementType{"uint8_t", 1}, ElementType{"uint16_t", 2}, ElementType{"uint32_t", 4}, ElementType{"uint64_t", 8},
    ElementType{"float", 4},   ElementType{"double", 8},
};

// Where the source does not say where a constant lies, it is aligned to the largest power of two that divides its size,
// 16 at most: what reads the sizes of parameters from an image comes to the same places.
uint32_t AlignmentOf(const KernelParameter& constant) {
  constexpr uint32_t kMost = 16;
  const uint32_t size = SizeOf(constant);
  return std::min(kMost, size & (~size + 1));
}

constexpr std::array<std::string_view, 5> kRoles = {"read", "write", "readwrite", "constant", "local"};

class Parser {
 public:
  Parser(std::string path, std::string_view text) : text_(text), source_{std::move(path), std::string(text), {}} {}

  KernelSource Parse() {
    for (Token token = scanner_.Next(); !token.text.empty(); token = scanner_.Next()) {
      if (token.text == "{") PassBlock(token);
      if (token.text != "kernel") continue;
      ReadKernel(token);
    }
    if (source_.kernels.empty()) Fail(ExitCode::kInput, "'", source_.path, "' has no kernel");
    return std::move(source_);
  }

 private:
  // Moves behind the brace that closes the block whose first brace was just read.
  void PassBlock(const Token& begin) {
    for (size_t depth = 1; depth > 0;) {
      const Token token = scanner_.Next();
      if (token.text.empty()) scanner_.Fail(begin, "this brace is not closed");
      if (token.text == "{") ++depth;
      if (token.text == "}") --depth;
    }
  }

  void Expect(std::string_view mark) {
    const Token token = scanner_.Next();
    if (token.text != mark) scanner_.Fail(token, "expected '", mark, "', found ", Quoted(token));
  }
  bool Accept(std::string_view mark) {
    if (scanner_.Peek().text != mark) return false;
    scanner_.Next();
    return true;
  }
  static std::string Quoted(const Token& token) {
    return token.text.empty() ? "the end of the file" : Concat("'", token.text, "'");
  }

  std::string ReadName(std::string_view what) {
    const Token token = scanner_.Next();
    if (!token.IsWord()) scanner_.Fail(token, "expected the name of a ", what, ", found ", Quoted(token));
    return std::string(token.text);
  }
  uint32_t ReadNumber(std::string_view what, uint32_t least) {
    const Token token = scanner_.Next();
    const auto number = token.IsNumber() ? ParseUint(token.text) : std::nullopt;
    if (!number || *number < least || *number > kMostNumber) {
      scanner_.Fail(token, "expected ", what, ", a number from ", least, " to ", kMostNumber, ", found ",
                    Quoted(token));
    }
    return static_cast<uint32_t>(*number);
  }

  // kernel name(x, y, z) declarations { body }
  void ReadKernel(const Token& begin) {
    Kernel kernel;
    const Token name = scanner_.Peek();
    kernel.name = ReadName("kernel");
    const auto same = [&](const Kernel& other) { return other.name == kernel.name; };
    if (std::ranges::any_of(source_.kernels, same)) scanner_.Fail(name, "there is a kernel '", name.text, "' already");
    kernel.workgroup_size = ReadWorkgroupSize();
    while (scanner_.Peek().text != "{") ReadDeclaration(&kernel);
    ReadBody(&kernel);
    CheckPlaces(kernel, name);
    Blank(begin.begin, scanner_.position());
    source_.kernels.push_back(std::move(kernel));
  }

  hal_dim3_t ReadWorkgroupSize() {
    Expect("(");
    if (Accept(")")) return {0, 0, 0};
    hal_dim3_t size = {ReadNumber("a workgroup size", 1), 1, 1};
    if (Accept(",")) size.y = ReadNumber("a workgroup size", 1);
    if (Accept(",")) size.z = ReadNumber("a workgroup size", 1);
    Expect(")");
    return size;
  }

  // read uint32_t source[], other[] @ 1.0;
  void ReadDeclaration(Kernel* kernel) {
    const Token role = scanner_.Next();
    if (std::ranges::find(kRoles, role.text) == kRoles.end()) {
      scanner_.Fail(role, "expected read, write, readwrite, constant, local or '{', found ", Quoted(role));
    }
    const Token type = scanner_.Next();
    if (SizeOfType(type.text) == 0) scanner_.Fail(type, Quoted(type), " is no type of kernels' memory");
    do {
      if (role.text == "local") {
        ReadLocal(kernel, type);
      } else if (role.text == "constant") {
        ReadConstant(kernel, type);
      } else {
        ReadBinding(kernel, role, type);
      }
    } while (Accept(","));
    Expect(";");
  }

  void ReadLocal(Kernel* kernel, const Token& type) {
    LocalArray array = {std::string(type.text), ReadName("local array"), 0, type.line};
    Expect("[");
    if (!Accept("]")) {
      array.count = ReadNumber("a number of elements", 1);
      Expect("]");
    }
    kernel->locals.push_back(std::move(array));
    if (kernel->locals.size() > kMostParameters) FailForNumber(type, *kernel, "local arrays");
    const uint32_t bytes = LocalOffset(*kernel, kernel->locals.size());
    if (bytes > kMostLocalMemory) FailForSize(type, *kernel, "local arrays", kMostLocalMemory);
  }

  void ReadConstant(Kernel* kernel, const Token& type) {
    KernelParameter parameter;
    parameter.kind = HAL_PARAMETER_KIND_CONSTANT;
    parameter.type = type.text;
    parameter.line = type.line;
    parameter.name = ReadName("constant");
    if (Accept("[")) {
      parameter.count = ReadNumber("a number of elements", 1);
      Expect("]");
    }
    const uint32_t size = SizeOfType(type.text);
    const uint32_t alignment = AlignmentOf(parameter);
    parameter.place = (ConstantsSize(*kernel) + alignment - 1) / alignment * alignment;
    if (Accept("@")) {
      const Token offset = scanner_.Peek();
      parameter.place = ReadNumber("an offset in bytes", 0);
      if (parameter.place % size != 0) scanner_.Fail(offset, "the offset is no multiple of ", size);
    }
    AddParameter(kernel, std::move(parameter), type);
    if (ConstantsSize(*kernel) > kMostConstants) FailForSize(type, *kernel, "constants", kMostConstants);
  }

  void ReadBinding(Kernel* kernel, const Token& role, const Token& type) {
    KernelParameter parameter;
    parameter.access = role.text == "read"    ? HAL_BINDING_ACCESS_READ
                       : role.text == "write" ? HAL_BINDING_ACCESS_WRITE
                                              : HAL_BINDING_ACCESS_READ_WRITE;
    parameter.type = type.text;
    parameter.line = type.line;
    parameter.name = ReadName("binding");
    Expect("[");
    Expect("]");
    parameter.place = NextBinding(*kernel);
    if (Accept("@")) {
      parameter.place = ReadNumber("a binding", 0);
      if (Accept(":")) {
        parameter.set = parameter.place;
        parameter.place = ReadNumber("a binding", 0);
      }
    }
    AddParameter(kernel, std::move(parameter), type);
  }

  void AddParameter(Kernel* kernel, KernelParameter parameter, const Token& at) const {
    kernel->parameters.push_back(std::move(parameter));
    if (kernel->parameters.size() > kMostParameters) FailForNumber(at, *kernel, "parameters");
  }

  [[noreturn]] void FailForNumber(const Token& at, const Kernel& kernel, std::string_view what) const {
    scanner_.Fail(at, "'", kernel.name, "' has more than ", kMostParameters, " ", what);
  }
  [[noreturn]] void FailForSize(const Token& at, const Kernel& kernel, std::string_view what, uint32_t most) const {
    scanner_.Fail(at, "'", kernel.name, "' has more than ", BytesText(most), " of ", what);
  }

  static uint32_t NextBinding(const Kernel& kernel) {
    uint32_t next = 0;
    for (const KernelParameter& parameter : kernel.parameters) {
      if (parameter.kind == HAL_PARAMETER_KIND_BINDING && parameter.set == 0)
        next = std::max(next, parameter.place + 1);
    }
    return next;
  }

  void ReadBody(Kernel* kernel) {
    const Token begin = scanner_.Next();
    SourceScanner words = scanner_;
    PassBlock(begin);
    kernel->body_line = begin.line;
    kernel->body = text_.substr(begin.begin, scanner_.position() - begin.begin);
    CheckFlow(words, kernel);
  }

  // A host runs the work-items of an each_item block one after the other. So they can only meet between the blocks, and
  // none can leave the kernel alone.
  void CheckFlow(SourceScanner words, Kernel* kernel) const {
    std::optional<Token> barrier;
    std::optional<Token> way_out;
    while (words.position() < scanner_.position()) {
      const Token token = words.Next();
      if (token.text == "each_item") kernel->has_item_blocks = true;
      if (token.text == "barrier") barrier = token;
      if (token.text == "return") way_out = token;
    }
    if (barrier && !kernel->has_item_blocks) {
      scanner_.Fail(*barrier, "a barrier stands between each_item blocks, of which '", kernel->name, "' has none");
    }
    if (way_out && kernel->has_item_blocks) {
      scanner_.Fail(*way_out, "'", kernel->name, "' has each_item blocks, which all work-items go through: no return");
    }
  }

  // No two parameters in one place, no two things of one name, one array for what the dispatch adds.
  void CheckPlaces(const Kernel& kernel, const Token& at) const {
    std::vector<std::string> names;
    for (const KernelParameter& parameter : kernel.parameters) names.push_back(parameter.name);
    for (const LocalArray& array : kernel.locals) names.push_back(array.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) scanner_.Fail(at, "'", kernel.name, "' has two things named '", *twice, "'");
    for (const KernelParameter& one : kernel.parameters) {
      for (const KernelParameter& other : kernel.parameters) {
        if (&one < &other && Overlap(one, other)) {
          scanner_.Fail(at, "'", kernel.name, "' has '", one.name, "' and '", other.name, "' in one place");
        }
      }
    }
    const auto dynamic = [](const LocalArray& array) { return array.count == 0; };
    if (std::ranges::count_if(kernel.locals, dynamic) > 1) {
      scanner_.Fail(at, "'", kernel.name, "' has two local arrays without a size; there is one memory for such");
    }
  }

  static bool Overlap(const KernelParameter& one, const KernelParameter& other) {
    if (one.kind != other.kind) return false;
    if (one.kind == HAL_PARAMETER_KIND_BINDING) return one.set == other.set && one.place == other.place;
    return one.place < other.place + SizeOf(other) && other.place < one.place + SizeOf(one);
  }

  void Blank(size_t begin, size_t end) {
    std::replace_if(
        source_.shared.begin() + static_cast<ptrdiff_t>(begin), source_.shared.begin() + static_cast<ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
  }

  std::string_view text_;
  KernelSource source_;
  SourceScanner scanner_{source_.path, text_};
};

}  // namespace

KernelSource ParseKernelSource(std::string path, std::string_view text) {
  return Parser(std::move(path), text).Parse();
}

uint32_t SizeOfType(std::string_view type) {
  const auto* found = std::ranges::find(kTypes, type, &ElementType::name);
  return found == kTypes.end() ? 0 : found->size;
}

uint32_t SizeOf(const KernelParameter& constant) {
  return SizeOfType(constant.type) * std::max<uint32_t>(constant.count, 1);
}

uint32_t ConstantsSize(const Kernel& kernel) {
  uint32_t size = 0;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) size = std::max(size, parameter.place + SizeOf(parameter));
  }
  return size;
}

uint32_t LocalOffset(const Kernel& kernel, size_t ordinal) {
  uint32_t offset = 0;
  for (size_t i = 0; i < kernel.locals.size(); ++i) {
    const LocalArray& array = kernel.locals[i];
    if (i >= ordinal) break;
    offset += (array.count * SizeOfType(array.type) + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  }
  return offset;
}

uint32_t DispatchOrdinal(const Kernel& kernel, const KernelParameter& binding) {
  const auto is_before = [&](const KernelParameter& other) {
    return other.kind == HAL_PARAMETER_KIND_BINDING &&
           std::pair(other.set, other.place) < std::pair(binding.set, binding.place);
  };
  return static_cast<uint32_t>(std::ranges::count_if(kernel.parameters, is_before));
}

}  // namespace halyard::tools
