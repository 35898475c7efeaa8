// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tests/corpus/mlir: every function of every module against what NumPy computes (expected.txt, which make_expected.py
// describes).
#include <malloc.h>
#include <pthread.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

#include "corpus.h"
#include "dispatch.h"
#include "import_module.h"

namespace halyard::testing {
namespace {

/// Wide enough for every type of the corpus.
using Number = long double;

/// An argument or a result as expected.txt has it.
struct Line {
  std::string role;  ///< "in", "out", "index", "result" or "value"
  std::string type;
  std::vector<int64_t> sizes;
  std::vector<std::string> values;  ///< before the call
  std::vector<Number> expected;     ///< after it
};

struct Case {
  std::string module;
  std::string function;
  double tolerance = 0;
  std::vector<Line> lines;
};

std::vector<int64_t> Sizes(const std::string& shape) {
  std::vector<int64_t> sizes;
  if (shape == "scalar") return sizes;
  std::istringstream stream(shape);
  for (std::string size; std::getline(stream, size, 'x');) sizes.push_back(std::stoll(size));
  return sizes;
}

Line ReadLine(const std::string& text) {
  Line line;
  std::istringstream words(text);
  words >> line.role;
  if (line.role != "index") words >> line.type;
  std::string shape = "scalar";
  if (line.role != "index" && line.role != "value") words >> shape;
  line.sizes = Sizes(shape);
  bool is_expected = line.role == "result" || line.role == "value";
  std::string word;
  words >> word;  // the first ":"
  while (words >> word) {
    if (word == ":") {
      is_expected = true;
    } else if (is_expected) {
      const bool is_single = line.type == "f32" || line.type == "complex<f32>";
      line.expected.push_back(is_single ? std::strtof(word.c_str(), nullptr) : std::strtold(word.c_str(), nullptr));
    } else {
      line.values.push_back(word);
    }
  }
  return line;
}

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  std::istringstream text(CorpusFile("expected.txt"));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("#")) continue;
    if (!line.starts_with("call ")) {
      cases.back().lines.push_back(ReadLine(line));
      continue;
    }
    Case& added = cases.emplace_back();
    std::istringstream words(line.substr(5));
    words >> added.module >> added.function >> added.tolerance;
  }
  return cases;
}

/// Numbers of one type in memory, and as text.
struct KnownType {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  size_t size = 0;   ///< bytes of a number
  size_t parts = 1;  ///< numbers in an element
  void (*write)(const std::string& text, void* memory) = nullptr;
  Number (*read)(const void* memory) = nullptr;
};

template <class T>
KnownType TypeOf(hal_element_type_t type, size_t parts = 1) {
  KnownType known = {type, sizeof(T), parts, nullptr, nullptr};
  known.write = [](const std::string& text, void* memory) {
    if constexpr (std::is_integral_v<T>) {
      *static_cast<T*>(memory) = static_cast<T>(std::stoll(text));
    } else {
      *static_cast<T*>(memory) = static_cast<T>(std::strtod(text.c_str(), nullptr));
    }
  };
  known.read = [](const void* memory) { return static_cast<Number>(*static_cast<const T*>(memory)); };
  return known;
}

KnownType TypeNamed(const std::string& name) {
  static const std::map<std::string, KnownType> kTypes = {
      {"f32", TypeOf<float>(HAL_ELEMENT_TYPE_F32)},
      {"f64", TypeOf<double>(HAL_ELEMENT_TYPE_F64)},
      {"i32", TypeOf<int32_t>(HAL_ELEMENT_TYPE_I32)},
      {"i64", TypeOf<int64_t>(HAL_ELEMENT_TYPE_I64)},
      {"f8E5M2", TypeOf<uint8_t>(HAL_ELEMENT_TYPE_F8E5M2)},
      {"complex<f32>", TypeOf<float>(HAL_ELEMENT_TYPE_COMPLEX_F32, 2)}};
  return kTypes.at(name);
}

/// What one line of a call lies in.
struct Argument {
  std::vector<double> memory;  ///< of doubles, so that it is aligned for every type
  hal_memref_t memref = {};
};

// The numbers of a memref in the order of its indices.
std::vector<Number> Numbers(const KnownType& type, hal_memref_t& memref) {
  std::vector<Number> numbers;
  const int64_t* const sizes = hal_memref_sizes(&memref);
  const int64_t* const strides = hal_memref_strides(&memref);
  int64_t count = 1;
  for (uint32_t i = 0; i < memref.rank; ++i) count *= sizes[i];
  for (int64_t n = 0; n < count; ++n) {
    int64_t at = memref.offset;
    int64_t rest = n;
    for (uint32_t i = memref.rank; i-- > 0; rest /= sizes[i]) at += rest % sizes[i] * strides[i];
    const auto* const element = static_cast<const char*>(memref.aligned) + at * int64_t(type.size * type.parts);
    for (size_t part = 0; part < type.parts; ++part) numbers.push_back(type.read(element + part * type.size));
  }
  return numbers;
}

void ExpectNumbers(const std::vector<Number>& got, const std::vector<Number>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else if (std::isinf(expected[i]) || tolerance == 0) {
      EXPECT_EQ(got[i], expected[i]) << i;
    } else {
      EXPECT_LE(std::abs(got[i] - expected[i]), tolerance * (1 + std::abs(expected[i]))) << i << ": " << got[i];
    }
  }
}

void* RunFunction(void* function) {
  (*static_cast<std::function<void()>*>(function))();
  return nullptr;
}

class CorpusDataTest : public FunctionTest {
 protected:
  void SetUp() override { Open("local://sync"); }
  ~CorpusDataTest() override {
    for (const auto& [name, executable] : executables_) hal_executable_release(executable);
  }

  // The executable of a module; NULL if the version has none of its functions.
  hal_executable_t* Load(const std::string& module, const std::string& text) {
    const auto [found, is_new] = executables_.emplace(module, nullptr);
    if (!is_new || text.empty()) return found->second;
    const std::string path = PackMlir(folder_, text, CorpusOptions());
    std::vector<hal_function_import_t> imports;
    if (text.find("@callback(") != std::string::npos) imports.push_back(Import("callback", CallBack));
    EXPECT_EQ(LoadPacked(device_, path, imports, &found->second), HAL_STATUS_OK) << hal_last_error_message();
    return found->second;
  }

  void Fill(const Line& line, Argument* place) {
    const KnownType type = TypeNamed(line.type);
    place->memory.resize(line.values.size() * type.size / sizeof(double) + 1);
    auto* const bytes = reinterpret_cast<char*>(place->memory.data());
    for (size_t i = 0; i < line.values.size(); ++i) type.write(line.values[i], bytes + i * type.size);
    const hal_shape_t shape = {type.type, static_cast<uint32_t>(line.sizes.size()), line.sizes.data(), nullptr};
    ASSERT_EQ(hal_memref_initialize(&shape, bytes, line.values.size() * type.size, &place->memref), HAL_STATUS_OK)
        << hal_last_error_message();
  }

  void Check(const Case& tested, const Line& line, const hal_value_t& value) {
    if (line.role == "value") return ExpectNumbers({value.as.f32}, line.expected, tested.tolerance);
    hal_memref_t& memref = *value.as.memref;
    ASSERT_EQ(memref.rank, line.sizes.size());
    for (uint32_t i = 0; i < memref.rank; ++i) EXPECT_EQ(hal_memref_sizes(&memref)[i], line.sizes[i]);
    ExpectNumbers(Numbers(TypeNamed(line.type), memref), line.expected, tested.tolerance);
  }

  void Run(const Case& tested, hal_executable_t* executable) {
    std::vector<Argument> places(tested.lines.size());
    std::vector<hal_value_t> arguments;
    std::vector<hal_value_t> results;
    for (size_t i = 0; i < places.size(); ++i) {
      const Line& line = tested.lines[i];
      if (line.role == "index") {
        arguments.push_back(hal_value_index(std::stoll(line.values[0])));
      } else if (line.role == "in" || line.role == "out") {
        Fill(line, &places[i]);
        arguments.push_back(hal_value_memref(&places[i].memref));
      } else {
        results.push_back(line.role == "value" ? hal_value_t{} : hal_value_memref(&places[i].memref));
      }
    }
    const hal_function_t* function = nullptr;
    ASSERT_EQ(hal_executable_find_function(executable, hal_string_view(tested.function.c_str()), &function),
              HAL_STATUS_OK)
        << hal_last_error_message();
    ASSERT_EQ(hal_function_call(function, arguments.size(), arguments.data(), results.size(), results.data()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    size_t result = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      SCOPED_TRACE("line " + std::to_string(i + 1));
      const Line& line = tested.lines[i];
      if (line.role == "out") Check(tested, line, hal_value_memref(&places[i].memref));
      if (line.role != "result" && line.role != "value") continue;
      Check(tested, line, results[result++]);
      if (line.role == "result") hal_memref_release(&places[i].memref);
    }
  }

  // One function has 8 MiB on its caller's stack, and four times as much with MLIR 16.
  void RunOnLargeStack(const Case& tested, hal_executable_t* executable) {
    std::function<void()> run = [&] { Run(tested, executable); };
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, size_t{64} << 20), 0);
    ASSERT_EQ(pthread_create(&thread, &attributes, RunFunction, &run), 0);
    EXPECT_EQ(pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
  }

  const tools::WorkFolder folder_;
  std::map<std::string, hal_executable_t*> executables_;
};

TEST_F(CorpusDataTest, EveryFunctionComputesWhatNumPyComputes) {
  std::map<std::string, std::string> modules;
  size_t called = 0;
  size_t left_out = 0;
  for (const Case& tested : ReadCases()) {
    SCOPED_TRACE(tested.module + ": " + tested.function);
    const auto [module, is_new] = modules.emplace(tested.module, "");
    if (is_new) module->second = CorpusModule(tested.module);
    hal_executable_t* const executable = Load(tested.module, module->second);
    if (module->second.find("@" + tested.function + "(") == std::string::npos) {
      ++left_out;
      continue;
    }
    ++called;
    ASSERT_NE(executable, nullptr);
    if (tested.function == "large_stack") {
      RunOnLargeStack(tested, executable);
    } else {
      Run(tested, executable);
    }
  }
  EXPECT_EQ(called + left_out, 90U);
  EXPECT_GE(called, 75U);
  RecordProperty("functions", static_cast<int>(called));
  std::printf("%zu functions were called, %zu are not of this version\n", called, left_out);
}

// What lies between a tensor and a memref beside it, 1 MiB and more in each call, is not there after it.
TEST_F(CorpusDataTest, MemoryBetweenTensorsAndMemrefsIsFreed) {
  hal_executable_t* const executable = Load("tensors.mlir", CorpusModule("tensors.mlir"));
  ASSERT_NE(executable, nullptr);
  const hal_function_t* function = nullptr;
  ASSERT_EQ(hal_executable_find_function(executable, hal_string_view("tensor_to_memref"), &function), HAL_STATUS_OK);
  std::vector<float> x(1 << 18, 3);
  std::vector<float> y(1 << 18);
  hal_memref_t from = MemrefOf(x, {1 << 18});
  hal_memref_t to = MemrefOf(y, {1 << 18});
  const hal_value_t arguments[] = {hal_value_memref(&from), hal_value_memref(&to)};
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  ASSERT_EQ(hal_function_call(function, 2, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  const size_t before = used();
  for (int i = 0; i < 8; ++i) ASSERT_EQ(hal_function_call(function, 2, arguments, 0, nullptr), HAL_STATUS_OK);
  EXPECT_LT(used(), before + (1 << 20));
  EXPECT_EQ(y, std::vector<float>(1 << 18, 18));
}

}  // namespace
}  // namespace halyard::testing
