// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of random signatures, compiled by the installed MLIR tools, called in every convention. Each seed is
// printed; HALYARD_MEMREF_SEED sets the first one.
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>

#include "functions.h"
#include "generated_function.h"
#include "support/failure.h"
#include "support/program/command.h"
#include "support/program_command.h"

namespace halyard::testing {
namespace {

/// What functions of one module are called with.
class GeneratedModule {
 public:
  GeneratedModule(uint64_t seed, size_t count, const CaseOptions& options) : seed_(seed) {
    for (size_t i = 0; i < count; ++i) functions_.emplace_back(seed + i, options);
  }

  std::string Text(bool bare_pointers) const {
    std::string text = ModuleHead();
    for (size_t i = 0; i < functions_.size(); ++i) {
      const std::string name = "f" + std::to_string(seed_ + i);
      text += functions_[i].Text(name, "");
      if (!bare_pointers) text += functions_[i].Text(name + "_wrapped", "attributes {llvm.emit_c_interface}");
    }
    return text;
  }
  const std::vector<GeneratedFunction>& Functions() const { return functions_; }

 private:
  uint64_t seed_;
  std::vector<GeneratedFunction> functions_;
};

/// Memory for a memref argument, with its last element in place.
class ArgumentMemory {
 public:
  explicit ArgumentMemory(const MemrefCase& memref) {
    const ScalarType& type = *memref.element;
    const size_t element = type.size * type.parts;
    bytes_.resize((static_cast<size_t>(memref.LastIndex()) + 1) * element / sizeof(Block) + 1);
    char* const begin = reinterpret_cast<char*>(bytes_.data());
    memref.last.Store(type, ScalarValue::Form::kElement, begin + static_cast<size_t>(memref.LastIndex()) * element);
    value_.element_type = type.type;
    value_.rank = static_cast<uint32_t>(memref.sizes.size());
    value_.allocated = value_.aligned = bytes_.data();
    value_.offset = memref.offset;
    for (uint32_t i = 0; i < value_.rank; ++i) {
      hal_memref_sizes(&value_)[i] = memref.sizes[i];
      hal_memref_strides(&value_)[i] = memref.strides[i];
    }
  }
  hal_memref_t* get() { return &value_; }

 private:
  struct alignas(16) Block {
    uint64_t words[2];
  };
  std::vector<Block> bytes_;
  hal_memref_t value_ = {};
};

/// Memory for every scalar.
struct alignas(16) ScalarMemory {
  std::array<char, 32> bytes = {};
};

/// The scalar that lies in a memory, or is to be put there.
hal_value_t ScalarIn(const ScalarType& type, ScalarMemory* memory) {
  hal_value_t value = {};
  if (type.size * type.parts > sizeof(value)) {
    value.as.complex_wide = memory->bytes.data();
  } else {
    std::memcpy(&value, memory, sizeof(value));
  }
  return value;
}

/// Compares what means something of a type's bytes: not all of those of an f80, nor of an i24 in memory.
bool SameBits(const ScalarType& type, const ScalarValue& expected, ScalarValue::Form form, const void* actual) {
  ScalarMemory memory;
  expected.Store(type, form, &memory);
  const bool padded = form == ScalarValue::Form::kElement || type.IsFloat();
  const size_t used = padded ? type.UsedBytes() : type.size;
  for (size_t begin = 0; begin < type.parts * type.size; begin += type.size) {
    if (std::memcmp(memory.bytes.data() + begin, static_cast<const char*>(actual) + begin, used) != 0) return false;
  }
  return true;
}

/// Which version of MLIR compiles the modules: the newest that is installed, unless HALYARD_MLIR_VERSION says.
int MlirVersion() {
  const char* const text = std::getenv("HALYARD_MLIR_VERSION");
  return text ? std::atoi(text) : HALYARD_MLIR_VERSION;
}

class GeneratedTest : public FunctionTest {
 protected:
  static uint64_t FirstSeed() {
    const char* const text = std::getenv("HALYARD_MEMREF_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 1;
  }

  void LoadModule(const GeneratedModule& module, bool bare_pointers) {
    std::vector<std::string> command = ProgramCommand(
        HALYARD_PACK, {"--mlir=" + folder_.Write("m.mlir", module.Text(bare_pointers)),
                       "--output=" + (folder_ / "m.halx"), "--mlir-version=" + std::to_string(MlirVersion())});
    if (bare_pointers) command.push_back("--bare-pointers");
    try {
      tools::RunCommand(command, folder_);
    } catch (const tools::Failure& failure) {
      FAIL() << failure.what();
    }
    if (!device_) Open("local://sync");
    hal_executable_release(executable_);
    executable_ = nullptr;
    const std::string path = folder_ / "m.halx";
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = hal_string_view_t{path.data(), path.size()};
    ASSERT_EQ(hal_executable_create(device_, &params, &executable_), HAL_STATUS_OK) << hal_last_error_message();
  }

  void Call(const GeneratedFunction& generated, const std::string& name) {
    SCOPED_TRACE(name + ":\n" + generated.Text(name, ""));
    const hal_function_t* function = nullptr;
    ASSERT_EQ(hal_executable_find_function(executable_, hal_string_view(name.c_str()), &function), HAL_STATUS_OK)
        << hal_last_error_message();
    std::vector<std::unique_ptr<ArgumentMemory>> memories;
    std::vector<hal_value_t> arguments;
    std::deque<ScalarMemory> scalars;
    for (const ArgumentCase& argument : generated.Arguments()) {
      if (argument.scalar) {
        argument.value.Store(*argument.scalar, ScalarValue::Form::kValue, &scalars.emplace_back());
        arguments.push_back(ScalarIn(*argument.scalar, &scalars.back()));
      } else {
        memories.push_back(std::make_unique<ArgumentMemory>(argument.memref));
        arguments.push_back(hal_value_memref(memories.back()->get()));
      }
    }
    const std::vector<int64_t> expected = generated.Probe();
    ASSERT_LE(expected.size(), GeneratedFunction::kProbeSize);
    std::vector<int64_t> probe(GeneratedFunction::kProbeSize, -1);
    hal_memref_t probe_memref;
    const int64_t sizes[] = {static_cast<int64_t>(probe.size())};
    const hal_shape_t shape = {HAL_ELEMENT_TYPE_I64, 1, sizes, nullptr};
    ASSERT_EQ(hal_memref_initialize(&shape, probe.data(), probe.size() * 8, &probe_memref), HAL_STATUS_OK);
    arguments.push_back(hal_value_memref(&probe_memref));
    std::vector<hal_memref_t> memrefs(generated.Results().size());
    std::vector<hal_value_t> results;
    for (size_t i = 0; i < memrefs.size(); ++i) {
      const ScalarType* const scalar = generated.Results()[i].scalar;
      results.push_back(scalar ? ScalarIn(*scalar, &scalars.emplace_back()) : hal_value_memref(&memrefs[i]));
    }
    ASSERT_EQ(hal_function_call(function, arguments.size(), arguments.data(), results.size(), results.data()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    probe.resize(expected.size());
    EXPECT_EQ(probe, expected);
    for (size_t i = 0; i < results.size(); ++i) CheckResult(generated.Results()[i], results[i], arguments, i);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!generated.Results()[i].scalar) hal_memref_release(&memrefs[i]);
    }
  }

  static void CheckResult(const ResultCase& expected, const hal_value_t& result,
                          const std::vector<hal_value_t>& arguments, size_t index) {
    SCOPED_TRACE("result " + std::to_string(index));
    if (expected.scalar) {
      const bool is_elsewhere = expected.scalar->size * expected.scalar->parts > sizeof(result);
      const void* const bytes = is_elsewhere ? result.as.complex_wide : &result;
      EXPECT_TRUE(SameBits(*expected.scalar, expected.value, ScalarValue::Form::kValue, bytes));
      return;
    }
    hal_memref_t& memref = *result.as.memref;
    ASSERT_EQ(memref.rank, expected.memref.sizes.size());
    EXPECT_EQ(memref.element_type, expected.memref.element->type);
    int64_t last = memref.offset;
    for (uint32_t i = 0; i < memref.rank; ++i) {
      EXPECT_EQ(hal_memref_sizes(&memref)[i], expected.memref.sizes[i]);
      last += (hal_memref_sizes(&memref)[i] - 1) * hal_memref_strides(&memref)[i];
    }
    const ScalarType& type = *expected.memref.element;
    const char* const element =
        static_cast<const char*>(memref.aligned) + last * static_cast<int64_t>(type.size * type.parts);
    EXPECT_TRUE(SameBits(type, expected.memref.last, ScalarValue::Form::kElement, element));
    EXPECT_EQ(memref.owned, expected.source == ResultCase::Source::kAllocation ? 1u : 0u);
    if (expected.source == ResultCase::Source::kArgument) {
      const hal_memref_t& argument = *arguments[expected.argument].as.memref;
      EXPECT_EQ(
          element - (last - memref.offset) * static_cast<int64_t>(type.size * type.parts),
          static_cast<const char*>(argument.aligned) + argument.offset * static_cast<int64_t>(type.size * type.parts));
    }
  }

  void RunAll(size_t count, CaseOptions options) {
    options.mlir_version = MlirVersion();
    constexpr size_t kModule = 100;  // functions of one module
    for (size_t begin = 0; begin < count; begin += kModule) {
      const uint64_t seed = FirstSeed() + begin;
      std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(seed + kModule - 1));
      const GeneratedModule module(seed, kModule, options);
      LoadModule(module, options.bare_pointers);
      if (HasFatalFailure()) return;
      for (size_t i = 0; i < kModule; ++i) {
        const std::string name = "f" + std::to_string(seed + i);
        Call(module.Functions()[i], name);
        if (!options.bare_pointers) Call(module.Functions()[i], name + "_wrapped");
      }
    }
  }

  tools::WorkFolder folder_;
};

TEST_F(GeneratedTest, WrapperAndExpandedConvention) { RunAll(100, {}); }
TEST_F(GeneratedTest, BarePointers) { RunAll(100, {.bare_pointers = true}); }

TEST_F(GeneratedTest, SlowWrapperAndExpandedConvention) { RunAll(1000, {}); }
TEST_F(GeneratedTest, SlowBarePointers) { RunAll(1000, {.bare_pointers = true}); }

}  // namespace
}  // namespace halyard::testing
