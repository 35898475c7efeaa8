// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tests/corpus/mlir: functions of every kind that halyard-pack lowers by itself, against the same in C++. One module
// and one file for all of them. corpus_data_test.cpp compares them with NumPy.
#include "corpus.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numeric>

#include "dispatch.h"
#include "import_module.h"

namespace halyard::testing {
namespace {

using Complex = std::complex<float>;
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no alias

class CorpusTest : public DispatchTest {
 protected:
  static void SetUpTestSuite() {
    s_folder = std::make_unique<tools::WorkFolder>();
    s_text = CorpusModule("functions.mlir");
    s_path = PackMlir(*s_folder, s_text, CorpusOptions());
  }
  // Whether the module has a function with the tools that compiled it.
  static bool Has(const std::string& name) { return s_text.find("@" + name + "(") != std::string::npos; }

  static void TearDownTestSuite() { s_folder.reset(); }
  void SetUp() override {
    Open("local://task");
    ASSERT_EQ(LoadPacked(device_, s_path, {Import("callback", CallBack)}, &executable_), HAL_STATUS_OK)
        << hal_last_error_message();
  }

  // Describes numbers of any type as a memref.
  template <class T>
  hal_value_t Argument(hal_element_type_t type, std::vector<T>& values, std::vector<int64_t> sizes) {
    hal_memref_t& memref = *memrefs_.emplace_back(std::make_unique<hal_memref_t>());
    const hal_shape_t shape = {type, static_cast<uint32_t>(sizes.size()), sizes.data(), nullptr};
    EXPECT_EQ(hal_memref_initialize(&shape, values.data(), values.size() * sizeof(T), &memref), HAL_STATUS_OK)
        << hal_last_error_message();
    return hal_value_memref(&memref);
  }
  template <class T>
  hal_value_t Argument(hal_element_type_t type, std::vector<T>& values) {
    return Argument(type, values, {static_cast<int64_t>(values.size())});
  }
  hal_value_t Floats(std::vector<float>& values, std::vector<int64_t> sizes) {
    return Argument(HAL_ELEMENT_TYPE_F32, values, std::move(sizes));
  }
  hal_value_t Floats(std::vector<float>& values) { return Argument(HAL_ELEMENT_TYPE_F32, values); }

  void Call(const std::string& name, const std::vector<hal_value_t>& arguments, std::vector<hal_value_t>* results) {
    const hal_function_t* function = nullptr;
    ASSERT_EQ(hal_executable_find_function(executable_, hal_string_view(name.c_str()), &function), HAL_STATUS_OK)
        << hal_last_error_message();
    ASSERT_EQ(hal_function_call(function, arguments.size(), arguments.data(), results->size(), results->data()),
              HAL_STATUS_OK)
        << hal_last_error_message();
  }
  void Call(const std::string& name, const std::vector<hal_value_t>& arguments) {
    std::vector<hal_value_t> none;
    Call(name, arguments, &none);
  }

  uint32_t Ordinal(const char* name) const {
    uint32_t ordinal = UINT32_MAX;
    EXPECT_EQ(hal_executable_find_export(executable_, hal_string_view(name), &ordinal), HAL_STATUS_OK);
    return ordinal;
  }

  static std::unique_ptr<tools::WorkFolder> s_folder;
  static std::string s_path;
  static std::string s_text;
  std::vector<std::unique_ptr<hal_memref_t>> memrefs_;
};
std::unique_ptr<tools::WorkFolder> CorpusTest::s_folder;
std::string CorpusTest::s_path;
std::string CorpusTest::s_text;

void ExpectNear(const std::vector<float>& got, const std::vector<float>& expected, float tolerance = 2e-6F) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
    }
  }
}

std::vector<float> Counting(size_t count, float begin = 1) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), begin);
  return values;
}

struct Unary {
  const char* name;
  std::function<double(double)> function;
};

TEST_F(CorpusTest, MathOfFloats) {
  const std::vector<Unary> functions = {
      {"exp", [](double x) { return std::exp(x); }},        {"exp2", [](double x) { return std::exp2(x); }},
      {"expm1", [](double x) { return std::expm1(x); }},    {"log", [](double x) { return std::log(x); }},
      {"log2", [](double x) { return std::log2(x); }},      {"log10", [](double x) { return std::log10(x); }},
      {"log1p", [](double x) { return std::log1p(x); }},    {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},        {"tan", [](double x) { return std::tan(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }}, {"erf", [](double x) { return std::erf(x); }},
      {"floor", [](double x) { return std::floor(x); }},    {"ceil", [](double x) { return std::ceil(x); }},
      {"round", [](double x) { return std::round(x); }},    {"roundeven", [](double x) { return std::nearbyint(x); }},
      {"trunc", [](double x) { return std::trunc(x); }},    {"absf", [](double x) { return std::abs(x); }},
      {"atan", [](double x) { return std::atan(x); }},      {"cbrt", [](double x) { return std::cbrt(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},      {"cosh", [](double x) { return std::cosh(x); }},
      {"asin", [](double x) { return std::asin(x); }},      {"acos", [](double x) { return std::acos(x); }}};
  for (const Unary& one : functions) {
    SCOPED_TRACE(one.name);
    if (!Has(std::string("f32_") + one.name)) continue;
    std::vector<float> x = {0.125F, 0.25F, 0.5F, 0.75F, 1, 1.5F, 2.5F, 7, -0.5F, -2.5F};
    std::vector<float> y(x.size(), -77);
    std::vector<float> expected(x.size());
    std::transform(x.begin(), x.end(), expected.begin(),
                   [&](float value) { return static_cast<float>(one.function(value)); });
    Call(std::string("f32_") + one.name, {Floats(x), Floats(y)});
    ExpectNear(y, expected, 1e-5F);
  }
}

int32_t Power(int32_t base, int32_t exponent) {
  uint32_t result = 1;
  for (int32_t i = 0; i < exponent; ++i) result *= static_cast<uint32_t>(base);
  return static_cast<int32_t>(result);
}

TEST_F(CorpusTest, Integers) {
  using Function = std::function<int32_t(int32_t, int32_t)>;
  const auto u = [](int32_t value) { return static_cast<uint32_t>(value); };
  const auto floor_div = [](int32_t a, int32_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); };
  const std::vector<std::pair<const char*, Function>> functions = {
      {"divsi", [](int32_t a, int32_t b) { return a / b; }},
      {"remsi", [](int32_t a, int32_t b) { return a % b; }},
      {"ceildivsi", [&](int32_t a, int32_t b) { return -floor_div(-a, b); }},
      {"floordivsi", floor_div},
      {"divui", [&](int32_t a, int32_t b) { return static_cast<int32_t>(u(a) / u(b)); }},
      {"ceildivui", [&](int32_t a, int32_t b) { return static_cast<int32_t>(u(a) / u(b) + (u(a) % u(b) != 0)); }},
      {"maxsi", [](int32_t a, int32_t b) { return std::max(a, b); }},
      {"minui", [&](int32_t a, int32_t b) { return static_cast<int32_t>(std::min(u(a), u(b))); }},
      {"muli", [](int32_t a, int32_t b) { return a * b; }},
      {"xori", [](int32_t a, int32_t b) { return a ^ b; }},
      {"ipowi", [](int32_t a, int32_t b) { return b < 0 ? (std::abs(a) == 1 ? (b % 2 ? a : 1) : 0) : Power(a, b); }}};
  for (const auto& [name, function] : functions) {
    SCOPED_TRACE(name);
    if (!Has(std::string("i32_") + name)) continue;
    std::vector<int32_t> a = {7, -7, 7, -7, 100, -100, 3, -1, 6};
    std::vector<int32_t> b = {2, 2, -2, -2, 7, 7, 5, -3, 3};
    std::vector<int32_t> y(a.size(), -77);
    std::vector<int32_t> expected;
    for (size_t i = 0; i < a.size(); ++i) expected.push_back(function(a[i], b[i]));
    Call(std::string("i32_") + name,
         {Argument(HAL_ELEMENT_TYPE_I32, a), Argument(HAL_ELEMENT_TYPE_I32, b), Argument(HAL_ELEMENT_TYPE_I32, y)});
    EXPECT_EQ(y, expected);
  }
}

TEST_F(CorpusTest, ComplexNumbers) {
  using Function = std::function<Complex(Complex, Complex)>;
  const std::vector<std::pair<const char*, Function>> functions = {
      {"exp", [](Complex x, Complex) { return std::exp(x); }},
      {"log", [](Complex x, Complex) { return std::log(x); }},
      {"sqrt", [](Complex x, Complex) { return std::sqrt(x); }},
      {"sin", [](Complex x, Complex) { return std::sin(x); }},
      {"cos", [](Complex x, Complex) { return std::cos(x); }},
      {"tan", [](Complex x, Complex) { return std::tan(x); }},
      {"tanh", [](Complex x, Complex) { return std::tanh(x); }},
      {"conj", [](Complex x, Complex) { return std::conj(x); }},
      {"neg", [](Complex x, Complex) { return -x; }},
      {"sign", [](Complex x, Complex) { return x / std::abs(x); }},
      {"expm1", [](Complex x, Complex) { return std::exp(x) - 1.0F; }},
      {"log1p", [](Complex x, Complex) { return std::log(x + 1.0F); }},
      {"rsqrt", [](Complex x, Complex) { return 1.0F / std::sqrt(x); }},
      {"add", [](Complex x, Complex y) { return x + y; }},
      {"sub", [](Complex x, Complex y) { return x - y; }},
      {"mul", [](Complex x, Complex y) { return x * y; }},
      {"div", [](Complex x, Complex y) { return x / y; }},
      {"pow", [](Complex x, Complex y) { return std::pow(x, y); }}};
  for (const auto& [name, function] : functions) {
    SCOPED_TRACE(name);
    std::vector<Complex> x = {{1, 0.5F}, {0.25F, -1}, {-1.5F, 0.75F}, {2, 0.125F}};
    std::vector<Complex> y = {{0.5F, 1}, {1, 0.25F}, {0.75F, -0.5F}, {-1, 1}};
    std::vector<Complex> expected;
    for (size_t i = 0; i < x.size(); ++i) expected.push_back(function(x[i], y[i]));
    Call(std::string("c32_") + name,
         {Argument(HAL_ELEMENT_TYPE_COMPLEX_F32, x), Argument(HAL_ELEMENT_TYPE_COMPLEX_F32, y)});
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(y[i].real(), expected[i].real(), 2e-5F * (1 + std::abs(expected[i]))) << i;
      EXPECT_NEAR(y[i].imag(), expected[i].imag(), 2e-5F * (1 + std::abs(expected[i]))) << i;
    }
  }
}

// To the nearest bf16, ties to even, of the bits of a float.
float ToBfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000);
}

// The compiler's builtins: what the processor has no instruction for.
TEST_F(CorpusTest, ConversionsAndWideIntegers) {
  std::vector<float> x;
  for (uint32_t i = 0; i < 65536; ++i) {
    for (const uint32_t low : {0U, 0x7FFFU, 0x8000U, 0x8001U}) x.push_back(std::bit_cast<float>(i << 16 | low));
  }
  std::vector<float> y(x.size());
  Call("through_bf16", {Floats(x), Floats(y)});
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      ASSERT_TRUE(std::isnan(y[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(ToBfloat(x[i]))) << i;
    }
  }
  // A double that lies just above the middle between two bf16; rounding it to f32 first would lose that.
  std::vector<double> wide = {1.00390625, 1.00390625 + 0x1p-50, 1.00390625 - 0x1p-50, -1.01171875, 1e300, 0x1p-140};
  std::vector<float> narrow(wide.size());
  Call("f64_to_bf16", {Argument(HAL_ELEMENT_TYPE_F64, wide), Floats(narrow)});
  EXPECT_EQ(narrow, (std::vector<float>{1, 1.0078125F, 1, -1.015625F, INFINITY, 0}));
  std::vector<float> a = {1, 1.00048828125F, 1.0014648F, 65504, 65520, 6e-8F, -2.5F};
  std::vector<float> b(a.size());
  Call("through_f16", {Floats(a), Floats(b)});
  EXPECT_EQ(b, (std::vector<float>{1, 1, 1.001953125F, 65504, INFINITY, 0x1p-24F, -2.5F}));
  std::vector<int64_t> n = {3, -1000003, 4000000000000000001, INT64_MIN};
  std::vector<int64_t> q(n.size());
  Call("i128_divide", {Argument(HAL_ELEMENT_TYPE_I64, n), Argument(HAL_ELEMENT_TYPE_I64, q)});
  for (size_t i = 0; i < n.size(); ++i) {
    EXPECT_EQ(q[i], static_cast<int64_t>(static_cast<Wide>(n[i]) * n[i] / 1000003)) << i;
  }
  if (!Has("f8_bits")) return;
  std::vector<uint8_t> f8 = {0x3C, 0xBC, 0, 0x7C};
  std::vector<int32_t> bits(f8.size());
  Call("f8_bits", {Argument(HAL_ELEMENT_TYPE_F8E5M2, f8), Argument(HAL_ELEMENT_TYPE_I32, bits)});
  EXPECT_EQ(bits, (std::vector<int32_t>{0x3C, 0xBC, 0, 0x7C}));
}

TEST_F(CorpusTest, Products) {
  std::vector<float> a = Counting(6);     // 2 x 3
  std::vector<float> b = Counting(6, 2);  // 3 x 2, or 2 x 3
  std::vector<float> c(4, 1);
  Call("matmul", {Floats(a, {2, 3}), Floats(b, {3, 2}), Floats(c, {2, 2})});
  EXPECT_EQ(c, (std::vector<float>{29, 35, 65, 80}));
  if (Has("matmul_transpose")) {
    c.assign(4, 0);
    Call("matmul_transpose", {Floats(a, {2, 3}), Floats(b, {2, 3}), Floats(c, {2, 2})});
    EXPECT_EQ(c, (std::vector<float>{20, 38, 47, 92}));
  }
  std::vector<float> e = Counting(12);
  std::vector<float> f = Counting(12, 2);
  std::vector<float> g(8);
  Call("batch_matmul", {Floats(e, {2, 2, 3}), Floats(f, {2, 3, 2}), Floats(g, {2, 2, 2})});
  EXPECT_EQ(g, (std::vector<float>{28, 34, 64, 79, 244, 268, 334, 367}));
  std::vector<float> v = {1, 0, -1};
  std::vector<float> w(2);
  Call("matvec", {Floats(a, {2, 3}), Floats(v), Floats(w)});
  EXPECT_EQ(w, (std::vector<float>{-2, -2}));
}

TEST_F(CorpusTest, ConvolutionsAndPooling) {
  std::vector<float> x = Counting(5);
  std::vector<float> k = {1, 0, -1};
  std::vector<float> y(3);
  Call("conv1d", {Floats(x), Floats(k), Floats(y)});
  EXPECT_EQ(y, (std::vector<float>{-2, -2, -2}));
  std::vector<float> x2 = Counting(9);
  std::vector<float> k2 = {1, 2, 3, 4};
  std::vector<float> y2(4);
  Call("conv2d", {Floats(x2, {3, 3}), Floats(k2, {2, 2}), Floats(y2, {2, 2})});
  EXPECT_EQ(y2, (std::vector<float>{37, 47, 67, 77}));
  std::vector<float> x3 = Counting(12);
  std::vector<float> k3(8, 1);
  std::vector<float> y3(2);
  Call("conv3d", {Floats(x3, {3, 2, 2}), Floats(k3, {2, 2, 2}), Floats(y3, {2, 1, 1})});
  EXPECT_EQ(y3, (std::vector<float>{36, 68}));
  std::vector<float> image = Counting(16);
  std::vector<float> pooled(4, -1);
  Call("pool_max", {Floats(image, {1, 4, 4, 1}), Floats(pooled, {1, 2, 2, 1})});
  EXPECT_EQ(pooled, (std::vector<float>{6, 8, 14, 16}));
  pooled.assign(4, 0);
  Call("pool_sum", {Floats(image, {1, 4, 4, 1}), Floats(pooled, {1, 2, 2, 1})});
  EXPECT_EQ(pooled, (std::vector<float>{14, 22, 46, 54}));
}

TEST_F(CorpusTest, ReductionsGathersAndSorts) {
  std::vector<float> x = Counting(6);
  std::vector<float> y(6);
  Call("transpose", {Floats(x, {2, 3}), Floats(y, {3, 2})});
  EXPECT_EQ(y, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  std::vector<float> sums(2);
  Call("row_sums", {Floats(x, {2, 3}), Floats(sums)});
  EXPECT_EQ(sums, (std::vector<float>{6, 15}));
  std::vector<int32_t> at = {5, 0, 3, 3};
  std::vector<float> gathered(4);
  Call("gather", {Floats(x), Argument(HAL_ELEMENT_TYPE_I32, at), Floats(gathered)});
  EXPECT_EQ(gathered, (std::vector<float>{6, 1, 4, 4}));
  std::vector<float> mixed = {3, -1, 2, 2, 9, 0, -5};
  Call("sort", {Floats(mixed)});
  EXPECT_TRUE(std::is_sorted(mixed.begin(), mixed.end()));
  EXPECT_EQ(mixed[0], -5);
}

TEST_F(CorpusTest, Softmax) {
  if (!Has("softmax")) GTEST_SKIP() << "arith.maximumf";
  std::vector<float> x = Counting(6);
  std::vector<float> soft(6);
  Call("softmax", {Floats(x), Floats(soft)});
  std::vector<float> expected(x.size());
  double total = 0;
  for (const float value : x) total += std::exp(value);
  std::transform(x.begin(), x.end(), expected.begin(),
                 [&](float value) { return static_cast<float>(std::exp(value) / total); });
  ExpectNear(soft, expected);
}

TEST_F(CorpusTest, Vectors) {
  if (!Has("vector_transpose")) GTEST_SKIP() << "vector.multi_reduction";
  std::vector<float> x = Counting(32);
  std::vector<float> y(32);
  std::vector<float> sum(1);
  Call("vector_transpose", {Floats(x, {4, 8}), Floats(y, {8, 4}), Floats(sum, {})});
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(y[i % 8 * 4 + i / 8], x[i]);
  EXPECT_EQ(sum[0], 32 * 33 / 2);
}

TEST_F(CorpusTest, MemoryAndCallbacks) {
  std::vector<float> x = Counting(32);
  std::vector<float> grown(48, -1);
  Call("regrown", {Floats(x), Floats(grown)});
  EXPECT_TRUE(std::equal(x.begin(), x.end(), grown.begin()));
  EXPECT_EQ(grown[32], -1);
  std::vector<float> one(1);
  Call("calls_back", {Floats(x), Floats(one)});
  EXPECT_EQ(one[0], 1056);
}

TEST_F(CorpusTest, ForallAtomicsAndPoison) {
  if (!Has("forall")) GTEST_SKIP() << "scf.forall, maximumf, ub";
  std::vector<float> x = Counting(32);
  std::vector<float> counted(8, -1);
  Call("forall", {Floats(counted)});
  EXPECT_EQ(counted, Counting(8, 0));
  std::vector<float> atomic(2);
  Call("atomics", {Floats(x), Floats(atomic)});
  EXPECT_EQ(atomic, (std::vector<float>{528, 32}));
  std::vector<float> one(1);
  Call("poison", {Floats(one)});
  EXPECT_EQ(one[0], 1);
}

TEST_F(CorpusTest, SeveralResults) {
  hal_memref_t a;
  hal_memref_t b;
  hal_memref_t c;
  std::vector<hal_value_t> results = {hal_value_memref(&a), {}, hal_value_memref(&b), hal_value_memref(&c)};
  Call("several", {hal_value_index(3)}, &results);
  EXPECT_EQ(hal_memref_sizes(&a)[0], 3);
  EXPECT_EQ(static_cast<float*>(a.aligned)[2], 1.5F);
  EXPECT_EQ(results[1].as.f32, 1.5F);
  EXPECT_EQ(hal_memref_sizes(&b)[1], 3);
  EXPECT_EQ(static_cast<int32_t*>(b.aligned)[5], 2);
  EXPECT_EQ(c.rank, 0U);
  EXPECT_EQ(*static_cast<float*>(c.aligned), 1.5F);
  for (hal_memref_t* const memref : {&a, &b, &c}) hal_memref_release(memref);
}

TEST_F(CorpusTest, NegativeStridesOfTheHost) {
  std::vector<float> x = Counting(5);
  const int64_t sizes[] = {5};
  const int64_t strides[] = {-1};
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 1, sizes, strides};
  hal_memref_t memref;
  ASSERT_EQ(hal_memref_initialize(&shape, x.data(), 20, &memref), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(memref.aligned, &x[4]);
  EXPECT_EQ(hal_memref_initialize(&shape, x.data(), 19, &memref), HAL_STATUS_OUT_OF_RANGE);
  std::vector<float> sum(1);
  Call("weigh", {hal_value_memref(&memref), Floats(sum)});
  EXPECT_EQ(sum[0], 4 * 1 + 3 * 2 + 2 * 3 + 1 * 4);
}

TEST_F(CorpusTest, NegativeStridesOfBindings) {
  Bind(Counting(5), {5}, {-1});
  Bind({0}, {1});
  ASSERT_EQ(Run(Params(true), Ordinal("weigh")), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(1)[0], 20);
}

TEST_F(CorpusTest, NegativeStridesStayInsideTheirBinding) {
  Bind(Counting(5), {6}, {-1});
  Bind({0}, {1});
  EXPECT_EQ(Submit(Params(true), Ordinal("weigh")), HAL_STATUS_OUT_OF_RANGE);
}

// A result that is a view of the argument is stored into the argument's own memory.
TEST_F(CorpusTest, ResultsMayLieInTheMemoryOfArguments) {
  Bind(Counting(7));
  BindAgain(0);
  ASSERT_EQ(Run(Params(false), Ordinal("reversed")), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{7, 6, 5, 4, 3, 2, 1}));
}

// Storing the first result overwrites the argument, of which the second is a view.
TEST_F(CorpusTest, ResultsDoNotOverwriteEachOthersSources) {
  Bind(Counting(4));
  BindAgain(0);
  Bind(std::vector<float>(4));
  ASSERT_EQ(Run(Params(false), Ordinal("both_ways")), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{4, 3, 2, 1}));
  EXPECT_EQ(Read(2), Counting(4));
}

// 8 MiB on the stack of a thread of the pool.
TEST_F(CorpusTest, ThreadsHaveRoomForLargeArraysOnTheStack) {
  if (!Has("large_stack")) GTEST_SKIP() << "MLIR 16 allocates four times as much";
  Bind({0});
  ASSERT_EQ(Run(Params(false), Ordinal("large_stack")), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0)[0], 4096);
}

TEST(StackParameter, IsCheckedAndUsed) {
  const auto open = [](const char* uri) {
    hal_device_t* device = nullptr;
    const hal_status_t status = hal_device_create(hal_string_view(uri), &device);
    hal_device_release(device);
    return status;
  };
  EXPECT_EQ(open("local://task?threads=1&stack=32MiB"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(open("local://task?stack=100KiB"), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("stack is 102400 bytes; it must be 256KiB to 1TiB"));
  EXPECT_EQ(open("local://sync?stack=32MiB"), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard::testing
