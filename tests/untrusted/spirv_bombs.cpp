// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "image/reflection/spirv/spirv_opcodes.h"
#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"

namespace halyard::testing {
namespace {

using Words = std::vector<uint32_t>;

/// Puts a module together; ids are given out in order.
class Module {
 public:
  explicit Module(uint32_t minor_version) : version_(0x10000 | minor_version << 8) {
    Add(17, {1});     // OpCapability Shader
    Add(14, {0, 1});  // OpMemoryModel Logical GLSL450
  }

  uint32_t NewId() { return bound_++; }
  void SetBound(uint32_t bound) { bound_ = bound; }

  void Add(uint32_t opcode, const Words& operands) {
    words_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  void AddEntryPoint(uint32_t function, const std::string& name, const Words& interface) {
    Words operands = {5, function};
    AppendText(name, &operands);
    operands.insert(operands.end(), interface.begin(), interface.end());
    Add(15, operands);
    sized_.push_back(function);
  }
  void AddSizes() {
    for (const uint32_t function : sized_) Add(16, {function, 17, 1, 1, 1});  // OpExecutionMode LocalSize
  }
  void AddName(uint32_t id, const std::string& name) {
    Words operands = {id};
    AppendText(name, &operands);
    Add(5, operands);
  }
  void AddMemberName(uint32_t id, uint32_t member, const std::string& name) {
    Words operands = {id, member};
    AppendText(name, &operands);
    Add(6, operands);
  }
  void Decorate(uint32_t id, const Words& decoration) {
    Words operands = {id};
    operands.insert(operands.end(), decoration.begin(), decoration.end());
    Add(71, operands);
  }
  void DecorateMember(uint32_t id, uint32_t member, const Words& decoration) {
    Words operands = {id, member};
    operands.insert(operands.end(), decoration.begin(), decoration.end());
    Add(72, operands);
  }
  void AddFunction(uint32_t void_type, uint32_t type, uint32_t id, const std::vector<uint32_t>& calls = {}) {
    Add(54, {void_type, id, 0, type});
    Add(248, {NewId()});
    for (const uint32_t callee : calls) Add(57, {void_type, NewId(), callee});
    Add(253, {});
    Add(56, {});
  }

  std::string Bytes() const {
    std::string bytes;
    for (const uint32_t word : {0x07230203u, version_, 0u, bound_, 0u}) Append(&bytes, word);
    for (const uint32_t word : words_) Append(&bytes, word);
    return bytes;
  }

 private:
  static void AppendText(const std::string& text, Words* out) {
    Words words(text.size() / 4 + 1);
    std::memcpy(words.data(), text.data(), text.size());
    out->insert(out->end(), words.begin(), words.end());
  }

  uint32_t version_;
  uint32_t bound_ = 1;
  Words words_;
  Words sized_;
};

struct Shape {
  uint32_t kernels = 1;
  uint32_t variables = 1;
  uint32_t members = 1;
  bool push_constants = false;  // else storage buffers, whose members are all decorated
  uint32_t name_size = 0;       // of the block, or of each member of the push constants
  bool shares_function = false;
};

// Kernels that all have the same variables, which are all of one struct.
std::string OneStruct(const Shape& shape) {
  Module module(4);
  const uint32_t nothing = module.NewId(), function = module.NewId(), number = module.NewId();
  const uint32_t block = module.NewId(), pointer = module.NewId();
  Words variables;
  for (uint32_t i = 0; i < shape.variables; ++i) variables.push_back(module.NewId());
  Words kernels;
  for (uint32_t i = 0; i < shape.kernels; ++i) {
    kernels.push_back(i > 0 && shape.shares_function ? kernels[0] : module.NewId());
    module.AddEntryPoint(kernels[i], ShortName(i), variables);
  }
  if (shape.shares_function) {
    module.Add(16, {kernels[0], 17, 1, 1, 1});
  } else {
    module.AddSizes();
  }
  if (shape.name_size > 0 && !shape.push_constants) module.AddName(block, std::string(shape.name_size, 'n'));
  module.Decorate(block, {2});
  for (uint32_t i = 0; i < shape.members; ++i) {
    module.DecorateMember(block, i, {35, shape.push_constants ? i * 4 : 0});
    if (!shape.push_constants) {
      module.DecorateMember(block, i, {25});  // NonReadable
      module.DecorateMember(block, i, {24});  // NonWritable
    } else if (shape.name_size > 0) {
      module.AddMemberName(block, i, std::string(shape.name_size, 'n'));
    }
  }
  for (uint32_t i = 0; i < shape.variables && !shape.push_constants; ++i) {
    module.Decorate(variables[i], {34, 0});
    module.Decorate(variables[i], {33, i});
  }
  const uint32_t storage = shape.push_constants ? 9 : 12;
  module.Add(19, {nothing});
  module.Add(33, {function, nothing});
  module.Add(21, {number, 32, 0});
  Words members(shape.members, number);
  members.insert(members.begin(), block);
  module.Add(30, members);
  module.Add(32, {pointer, storage, block});
  for (const uint32_t variable : variables) module.Add(59, {pointer, variable, storage});
  for (size_t i = 0; i < (shape.shares_function ? 1 : kernels.size()); ++i) {
    module.AddFunction(nothing, function, kernels[i]);
  }
  return module.Bytes();
}

// Before 1.4 a kernel has what the functions mention that it calls.
std::string Calls(uint32_t kernels, uint32_t functions) {
  Module module(0);
  const uint32_t nothing = module.NewId(), type = module.NewId();
  Words called, entry_points;
  for (uint32_t i = 0; i < functions; ++i) called.push_back(module.NewId());
  for (uint32_t i = 0; i < kernels; ++i) {
    entry_points.push_back(module.NewId());
    module.AddEntryPoint(entry_points[i], ShortName(i), {});
  }
  module.AddSizes();
  module.Add(19, {nothing});
  module.Add(33, {type, nothing});
  for (uint32_t i = 0; i < functions; ++i) {
    module.AddFunction(nothing, type, called[i], i == 0 ? Words() : Words{called[i - 1]});
  }
  for (const uint32_t kernel : entry_points) module.AddFunction(nothing, type, kernel, {called.back()});
  return module.Bytes();
}

// Kernels whose functions have declarations of all kinds in common.
std::string CommonDeclarations(uint32_t kernels, uint32_t types) {
  Module module(4);
  const uint32_t nothing = module.NewId(), type = module.NewId(), block = module.NewId();
  Words entry_points;
  for (uint32_t i = 0; i < kernels; ++i) {
    entry_points.push_back(module.NewId());
    module.AddEntryPoint(entry_points[i], ShortName(i), {});
  }
  module.AddSizes();
  Words members = {block};
  for (uint32_t i = 0; i < types; ++i) members.push_back(module.NewId());
  for (uint32_t i = 1; i <= types; ++i) module.AddName(members[i], ShortName(i));
  module.Add(19, {nothing});
  module.Add(33, {type, nothing});
  for (uint32_t i = 1; i <= types; ++i) module.Add(30, {members[i]});
  module.Add(30, members);
  for (const uint32_t kernel : entry_points) {
    module.Add(54, {nothing, kernel, 0, type});
    module.Add(248, {module.NewId()});
    module.Add(1, {block, module.NewId()});  // OpUndef of the struct that has them all
    module.Add(253, {});
    module.Add(56, {});
  }
  return module.Bytes();
}

// Few ids of many possible ones, or many definitions of the shortest kind.
std::string Types(uint32_t count, uint32_t distance) {
  Module module(4);
  const uint32_t nothing = module.NewId(), type = module.NewId(), kernel = module.NewId();
  module.AddEntryPoint(kernel, "k", {});
  module.AddSizes();
  module.Add(19, {nothing});
  module.Add(33, {type, nothing});
  for (uint32_t i = 1; i <= count; ++i) module.Add(30, {8 + i * distance});
  module.AddFunction(nothing, type, kernel);
  module.SetBound(0x3FFFFF);
  return module.Bytes();
}

}  // namespace

std::vector<Bomb> SpirvBombs() {
  std::vector<Bomb> bombs;
  const auto add = [&](const char* name, const std::string& bytes) { bombs.push_back({name, "spirv", bytes}); };
  add("spirv: push constants of one struct", OneStruct({1, 3000, 30000, true}));
  add("spirv: kernels of the same push constants", OneStruct({8000, 1, 4000, true}));
  add("spirv: long names of push constants", OneStruct({8000, 1, 8, true, 60'000}));
  add("spirv: decorated members", OneStruct({4, 4000, 20000}));
  add("spirv: kernels of the same buffers", OneStruct({200, 1000, 4}));
  add("spirv: a long name of all buffers", OneStruct({4, 4000, 1, false, 60'000}));
  add("spirv: kernels of one function", OneStruct({60'000, 0, 1, false, 0, true}));
  add("spirv: kernels", OneStruct({9'000, 0, 1}));
  add("spirv: kernels that call the same", Calls(3000, 3000));
  add("spirv: functions that no kernel calls", Calls(1, 20'000));
  add("spirv: kernels with all declarations", CommonDeclarations(1500, 20'000));
  add("spirv: few ids of many", Types(10, 400'000));
  add("spirv: definitions far apart", Types(100'000, 41));
  add("spirv: definitions", Types(100'000, 1));
  return bombs;
}

}  // namespace halyard::testing
