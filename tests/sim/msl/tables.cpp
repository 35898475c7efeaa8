// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/tables.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace halyard::msl_host {
namespace {

// What a kernel is told of its place, as fields of an Item or computed from those.
constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {
    {"thread_position_in_grid", "item.position"},
    {"threads_per_grid", "item.grid"},
    {"threadgroup_position_in_grid", "item.group"},
    {"threadgroups_per_grid", "item.groups"},
    {"thread_position_in_threadgroup", "item.local"},
    {"threads_per_threadgroup", "item.size"},
    {"dispatch_threads_per_threadgroup", "item.size"},
    {"thread_index_in_threadgroup", "{item.index}"},
    {"thread_index_in_simdgroup", "{item.index % hal_msl::abi::kSimdWidth}"},
    {"simdgroup_index_in_threadgroup", "{item.index / hal_msl::abi::kSimdWidth}"},
    {"threads_per_simdgroup", "{hal_msl::abi::kSimdWidth}"},
    {"thread_execution_width", "{hal_msl::abi::kSimdWidth}"},
    {"simdgroups_per_threadgroup",
     "{(hal_msl::threads(item) + hal_msl::abi::kSimdWidth - 1) / hal_msl::abi::kSimdWidth}"},
    {"dispatch_simdgroups_per_threadgroup",
     "{(hal_msl::threads(item) + hal_msl::abi::kSimdWidth - 1) / hal_msl::abi::kSimdWidth}"},
};

const auto* FindPlace(std::string_view attribute) {
  const auto* const place = std::ranges::find(kPlaces, attribute, [](const auto& pair) { return pair.first; });
  return place == std::end(kPlaces) ? nullptr : place;
}

bool IsArgument(const Parameter& parameter) {
  return parameter.attribute.name == "buffer" || parameter.attribute.name == "threadgroup";
}

class TableWriter {
 public:
  explicit TableWriter(const Outline& outline) : outline_(outline) {
    for (const FunctionDefinition& function : outline.functions) {
      if (function.is_kernel) kernels_.push_back(&function);
    }
  }

  std::string Write() {
    out_ << "\n#undef thread\n#undef device\n#undef constant\n#undef threadgroup\n#ifndef HALYARD_MSL_STRICT\n"
         << "# 1 \"tables\"\n";
    for (size_t i = 0; i < outline_.structs.size(); ++i) WriteMembers(i);
    for (size_t i = 0; i < kernels_.size(); ++i) {
      WriteCall(i);
      WriteArguments(i);
      WriteVariables(i);
    }
    WriteKernels();
    WriteConstants();
    WriteEntry();
    out_ << "#endif\n";
    return out_.str();
  }

 private:
  void WriteMembers(size_t index) {
    const StructDeclaration& declaration = outline_.structs[index];
    const std::string& name = declaration.name;
    if (name.empty() || declaration.members.empty()) return;
    out_ << "static const hal_msl::abi::MemberEntry hal_msl_members_" << index << "[] = {\n";
    for (const MemberDeclaration& member : declaration.members) {
      out_ << "    hal_msl::member<decltype(" << name << "::" << member.name << ")>(\"" << member.name << "\", "
           << member.id << ", __builtin_offsetof(" << name << ", " << member.name << ")),\n";
    }
    out_ << "};\ntemplate <>\ninline constexpr hal_msl::abi::Members hal_msl::members_of<" << name
         << "> = {hal_msl_members_" << index << ", " << declaration.members.size() << "};\n";
  }

  static std::string TypeOf(size_t kernel, size_t parameter) {
    return "hal_msl_parameters_" + std::to_string(kernel) + "::at<" + std::to_string(parameter) + ">";
  }

  void WriteCall(size_t kernel) {
    const FunctionDefinition& function = *kernels_[kernel];
    out_ << "typedef hal_msl::parameters<decltype(&" << function.scope << function.name << ")> hal_msl_parameters_"
         << kernel << ";\n"
         << "static void hal_msl_run_" << kernel << "(const hal_msl::abi::Item& item) {\n  "
         << function.scope + function.name << "(item";
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const Attribute& attribute = function.parameters[i].attribute;
      out_ << ",\n      hal_msl::";
      if (const auto* const place = FindPlace(attribute.name)) {
        out_ << "place<" << TypeOf(kernel, i) << ">(" << place->second << ")";
      } else {
        const char* const where = attribute.name == "buffer" ? "item.buffers[" : "item.threadgroup_arguments[";
        out_ << "passed<" << TypeOf(kernel, i) << ">(" << where << attribute.argument << "])";
      }
    }
    out_ << ");\n}\n";
  }

  void WriteArguments(size_t kernel) {
    const std::vector<Parameter>& parameters = kernels_[kernel]->parameters;
    out_ << "static const hal_msl::abi::ArgumentEntry hal_msl_arguments_" << kernel << "[] = {\n";
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!IsArgument(parameters[i])) continue;
      const AddressSpace space = parameters[i].space.value_or(AddressSpace::kDevice);
      out_ << "    hal_msl::argument<" << TypeOf(kernel, i) << ">(\"" << parameters[i].name << "\", "
           << static_cast<int>(space) << ", " << parameters[i].attribute.argument << "),\n";
    }
    out_ << "    {}};\n";
  }

  void WriteVariables(size_t kernel) {
    out_ << "static const unsigned long* const hal_msl_variables_" << kernel << "[] = {";
    for (size_t i = 0; i < CountVariables(*kernels_[kernel]); ++i) {
      out_ << "&hal_msl::variable_size<" << kernel << ", " << i << ">, ";
    }
    out_ << "nullptr};\n";
  }

  static size_t CountVariables(const FunctionDefinition& function) {
    size_t count = 0;
    for (const VariableStatement& statement : function.variables) count += statement.variables.size();
    return count;
  }

  void WriteKernels() {
    out_ << "static const hal_msl::abi::KernelEntry hal_msl_kernels[] = {\n";
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const FunctionDefinition& kernel = *kernels_[i];
      out_ << "    {\"" << kernel.scope << kernel.name << "\", hal_msl_run_" << i << ", hal_msl_arguments_" << i << ", "
           << std::ranges::count_if(kernel.parameters, IsArgument) << ", hal_msl_variables_" << i << ", "
           << CountVariables(kernel) << ", " << kernel.has_barriers << "},\n";
    }
    out_ << "    {}};\n";
  }

  void WriteConstants() {
    out_ << "static const hal_msl::abi::ConstantEntry hal_msl_constants[] = {\n";
    for (const ConstantDeclaration& constant : outline_.constants) {
      if (!constant.function_constant) continue;
      const std::string name = constant.scope + constant.name;
      out_ << "    {\"" << name << "\", " << *constant.function_constant << ", hal_msl::constant_type<decltype(" << name
           << ")>, &" << name << ", sizeof " << name << ", &" << constant.scope << "hal_msl_defined_" << constant.name
           << "},\n";
    }
    out_ << "    {}};\nstatic void hal_msl_initialise() {\n";
    for (const ConstantDeclaration& constant : outline_.constants) {
      if (constant.late) out_ << "  " << constant.scope << "hal_msl_initialise_" << constant.name << "();\n";
    }
    out_ << "}\n";
  }

  void WriteEntry() {
    const auto constants = std::ranges::count_if(
        outline_.constants, [](const ConstantDeclaration& constant) { return constant.function_constant.has_value(); });
    out_ << "static int hal_msl_state;\n"
         << "extern \"C\" __attribute__((visibility(\"default\"))) const hal_msl::abi::LibraryEntry* "
            "halyard_msl_library() {\n"
         << "  static constexpr hal_msl::abi::LibraryEntry entry = {hal_msl_kernels, " << kernels_.size()
         << ", hal_msl_constants, " << constants << ", hal_msl_initialise, &hal_msl::host, &hal_msl_state};\n"
         << "  return &entry;\n}\n";
  }

  const Outline& outline_;
  std::vector<const FunctionDefinition*> kernels_;
  std::ostringstream out_;
};

}  // namespace

bool IsKnownAttribute(const std::string& name) {
  return name == "buffer" || name == "threadgroup" || FindPlace(name) != nullptr;
}

std::string WriteTables(const Outline& outline) { return TableWriter(outline).Write(); }

}  // namespace halyard::msl_host
