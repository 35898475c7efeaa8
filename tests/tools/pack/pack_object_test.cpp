// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with objects of the host as C and C++ compilers make them: what is no shared object, what is incomplete,
// what nothing describes, and functions that throw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCalls = "void missing(float*); void f(float* x) { missing(x); }\n";
constexpr const char* kDescription = R"({"exports": [{"name": "f", "convention": "c", "arguments": ["f32*"]}]})";

class PackObjectTest : public testing::Test {
 protected:
  /// Compiles a source of C, or of C++ if its name ends so, to a file; its path.
  std::string Compile(const std::string& name, const std::string& text, const std::string& file,
                      const std::string& flags) const {
    const char* const compiler = name.ends_with(".cpp") ? HALYARD_TOOL_TEST_CXX_COMPILER : HALYARD_TOOL_TEST_COMPILER;
    const std::string path = folder_ / file;
    const std::string command = std::string(compiler) + " -I '" HALYARD_TOOL_TEST_INCLUDES "' -fPIC '" +
                                folder_.Write(name, text) + "' -o '" + path + "' " + flags;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c,concurrency-mt-unsafe): a test's own
    return path;
  }
  ToolResult Pack(const std::string& object, const std::string& description = "") const {
    std::vector<std::string> arguments = {"--local=" + object, "--output=" + halx_, "--force"};
    if (!description.empty()) arguments.push_back("--exports=" + folder_.Write("exports.json", description));
    return RunProgram("halyard-pack", arguments);
  }
  ToolResult Run(const std::string& function) const {
    return RunProgram("halyard-run", {"--device=local", "--executable=" + halx_, "--function=" + function,
                                      "--workgroups=1", "--input=f32[4]=1", "--output=-"});
  }

  const TemporaryFolder folder_;
  const std::string halx_ = folder_ / "k.halx";
};

TEST_F(PackObjectTest, RefusesWhatCallsWhatNothingProvides) {
  const std::string object = Compile("f.c", kCalls, "f.so", "-shared");
  ExpectRefused(
      Pack(object, kDescription), ExitCode::kInput,
      {"f.so' calls 'missing', which nothing provides", "link it with the objects or libraries", "-lLIBRARY"});
  ExpectSuccess(Pack(Compile("g.c", std::string(kCalls) + "void missing(float* x) { x[0] = 2; }\n", "g.so", "-shared"),
                     kDescription));
  ExpectSuccess(Run("f"));
  // A weak symbol may stay undefined.
  ExpectSuccess(Pack(Compile("w.c",
                             "__attribute__((weak)) void missing(float*);\n"
                             "void f(float* x) { if (missing) missing(x); }\n",
                             "w.so", "-shared"),
                     kDescription));
}

TEST_F(PackObjectTest, LibrariesThatThisMachineLacksAreANote) {
  const std::string library = Compile("l.c", "void missing(float* x) { x[0] = 2; }\n", "liblacked.so", "-shared");
  const std::string object = Compile("f.c", kCalls, "f.so", "-shared '" + library + "' -Wl,-soname,f.so");
  std::remove(library.c_str());
  const ToolResult packed = Pack(object, kDescription);
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("liblacked.so', which cannot be loaded here; each machine that runs it"));
}

TEST_F(PackObjectTest, RefusesObjectsThatAreNotLinkedAndPrograms) {
  const std::string object = Compile("f.c", "void f(float* x) { x[0] = 1; }\n", "f.o", "-c");
  for (const char* const description : {"", kDescription}) {
    ExpectRefused(Pack(object, description), ExitCode::kInput,
                  {"f.o' is a relocatable object, which no device loads; link it: cc -shared "});
  }
  const std::string program = "void f(float* x) { x[0] = 1; }\nint main(void) { return 0; }\n";
  for (const char* const flags : {"-pie -rdynamic", "-no-pie -rdynamic"}) {
    ExpectRefused(Pack(Compile("p.c", program, "p", flags), kDescription), ExitCode::kInput,
                  {"p' is a program, which no device loads"});
  }
}

TEST_F(PackObjectTest, SaysHowToDescribePlainFunctions) {
  const std::string object =
      Compile("f.c", "void scale(float* x) { x[0] *= 2; }\nvoid add(float* x) { ++x[0]; }\n", "f.so", "-shared");
  const ToolResult packed = Pack(object);
  ExpectRefused(packed, ExitCode::kInput,
                {"f.so' does not tell what it exports: it has ", "'scale'", "'add'", "\"convention\": \"c\""});
  EXPECT_THAT(packed.error, Not(HasSubstr("_init")));
  ExpectRefused(Pack(HALYARD_TOOL_TEST_KERNELS), ExitCode::kInput,
                {"'divide'", "a kernel: {\"exports\": [{\"name\": \"", "\"parameters\""});
}

#ifdef __x86_64__

// Halide's object describes its functions: the same as the description that is written by hand.
TEST_F(PackObjectTest, HalideDescribesItsFunctions) {
  const std::string blur = HALYARD_CORPUS "/images/halide21/blur";
  ExpectSuccess(Pack(blur + ".x86_64.so", ReadText(blur + ".json")));
  const ToolResult described = RunProgram("halyard-pack", {"--dump=" + halx_, "--json"});
  ExpectSuccess(Pack(blur + ".x86_64.so"));
  EXPECT_EQ(RunProgram("halyard-pack", {"--dump=" + halx_, "--json"}).out, described.out);
}

// Every kind of argument, in the layout of HalideRuntime.h. What is not as Halide makes it describes nothing.
TEST_F(PackObjectTest, ReadsEveryKindOfArgumentOfHalide) {
  constexpr const char* kSource = R"(
#include <stdint.h>
struct type { uint8_t code, bits; uint16_t lanes; };
struct argument { const char* name; int32_t kind, dimensions; struct type type; const void* more[5]; };
struct metadata { int32_t version, count; const struct argument* arguments; const char *target, *name; };
static const struct argument arguments[] = {
    {"__user_context", 0, 0, {3, 64, 1}}, {"address", 0, 0, {3, 64, 1}}, {"flag", 0, 0, {1, 1, 1}},
    {"count", 0, 0, {0, 32, 1}}, {"byte", 0, 0, {1, 8, 1}}, {"in", 1, 3, {1, 16, 1}}, {"half", 1, 0, {2, 16, 1}},
    {"brain", 1, 1, {4, 16, 1}}, {"out", 2, 2, {2, 64, 1}}};
static const struct metadata metadata = {1, 9, arguments, "x86-64-linux", "f"};
int f(void) { return 0; }
const struct metadata* f_metadata(void) { return &metadata; }
static const struct metadata future = {7, 1, arguments, "", "g"};
int g(void) { return 0; }
const struct metadata* g_metadata(void) { return &future; }
int h(void) { return 0; }
int h_metadata(int x) { return x + 1; }
int i_metadata = 3, i = 4;
)";
  ExpectSuccess(Pack(Compile("h.c", kSource, "h.so", "-shared -O2")));
  const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + halx_});
  ExpectSuccess(dumped);
  EXPECT_THAT(dumped.out, HasSubstr("(null, void*, i1, i32, ui8, const halide_buffer<?x?x?xui16>, "
                                    "const halide_buffer<f16>, const halide_buffer<?xbf16>, halide_buffer<?x?xf64>) -> "
                                    "(status)"));
  EXPECT_THAT(dumped.out, HasSubstr(": 1 export, "));
}

#endif  // __x86_64__

// What the work throws fails the work: no exception ends the process.
TEST_F(PackObjectTest, WhatKernelsAndFunctionsThrowFailsTheirDispatch) {
  constexpr const char* kSource = R"(
#include <stdexcept>
#include "halyard/local_kernel.h"
HAL_LOCAL_KERNEL(kernel) { throw std::runtime_error("no paper left"); }
HAL_LOCAL_KERNEL(number) { throw 7; }
extern "C" void f(float*) { throw std::runtime_error("no ink left"); }
)";
  const std::string object = Compile("t.cpp", kSource, "t.so", "-shared");
  constexpr const char* kBinding = R"("parameters": [{"kind": "binding", "binding": 0}]})";
  ExpectSuccess(Pack(object, std::string(R"({"exports": [{"name": "kernel", )") + kBinding +
                                 R"(, {"name": "number", )" + kBinding +
                                 R"(, {"name": "f", "convention": "c", "arguments": ["f32*"]}]})"));
  ExpectRefused(Run("kernel"), ExitCode::kRun, {"the kernel threw an exception: no paper left", "ABORTED"});
  ExpectRefused(Run("number"), ExitCode::kRun, {"the kernel threw an exception", "ABORTED"});
#ifdef __x86_64__
  ExpectRefused(Run("f"), ExitCode::kRun, {"'f': it threw an exception: no ink left", "ABORTED"});
#endif
}

}  // namespace
}  // namespace halyard::tools
