// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"

namespace halyard::testing {
namespace {

constexpr size_t kSize = 700'000;  // bytes of each, about

const std::string kHead = ".version 8.0\n.target sm_70\n.address_size 64\n";

/// `piece` for one number after the other.
template <class Piece>
std::string Repeated(size_t count, Piece&& piece) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece(i);
  return text;
}

template <class Piece>
std::string Filled(Piece&& piece) {
  std::string text;
  for (size_t i = 0; text.size() < kSize; ++i) text += piece(i);
  return text;
}

std::string CallsOfAll(size_t functions, size_t kernels) {
  const std::string calls = Repeated(functions, [](size_t i) { return ShortName(i) + ","; });
  return Repeated(functions, [](size_t i) { return ".func " + ShortName(i) + ";"; }) +
         Repeated(kernels, [&](size_t i) { return ".entry k" + ShortName(i) + "{" + calls + ";}"; });
}

// Each kernel reaches all functions, each of which mentions what it declares.
std::string ReachesAll(size_t functions, size_t kernels) {
  return Repeated(functions,
                  [](size_t i) {
                    const std::string name = ShortName(i);
                    const std::string call = i == 0 ? "" : "call " + ShortName(i - 1) + ";";
                    return ".func " + name + "{.shared .b8 s" + name + ";" + call + "}";
                  }) +
         Repeated(kernels, [&](size_t i) { return ".entry k" + ShortName(i) + "{" + ShortName(functions - 1) + ";}"; });
}

std::string LongObstacle(size_t name_size, size_t kernels) {
  const std::string name(name_size, 'n');
  return ".func " + name + ";.func g{call " + name + ";}" +
         Repeated(kernels, [](size_t i) { return ".entry " + ShortName(i) + "{g;}"; });
}

std::string ManyParameters(size_t parameters, size_t kernels) {
  const std::string list = Repeated(parameters, [](size_t i) { return (i == 0 ? ".param.u64 a" : ",.param.u64 a"); });
  return Repeated(kernels, [&](size_t i) { return ".entry " + ShortName(i) + "(" + list + "){ret;}"; });
}

std::string LongRegisters() {
  const std::string stem(2000, 'r');
  return ".entry k(.param.u64 a){" +
         Filled([&](size_t i) { return "ld.param.u64 %" + stem + ShortName(i) + ",[a];"; }) + "}";
}

/// Kernels whose long mangled names have a head, and then a piece very often.
std::string MangledNames(const std::string& head, const std::string& piece) {
  return Repeated(12, [&](size_t i) {
    std::string name = "_Z4k" + ShortName(i) + head;
    while (name.size() + piece.size() < 60'000) name += piece;
    return ".entry " + name + "(.param.u64 a){ret;}";
  });
}

}  // namespace

std::vector<Bomb> PtxBombs() {
  std::vector<Bomb> bombs;
  const auto add = [&](const char* name, const std::string& body) { bombs.push_back({name, "ptx", kHead + body}); };
  add("ptx: kernels of few letters", Filled([](size_t i) { return ".entry " + ShortName(i) + "{}"; }));
  add("ptx: functions of few letters", Filled([](size_t i) { return ".func " + ShortName(i) + "{}"; }));
  add("ptx: declarations", Filled([](size_t i) { return ".func " + ShortName(i) + ";"; }));
  add("ptx: shared variables", Filled([](size_t i) { return ".shared.b8 " + ShortName(i) + ";"; }));
  add("ptx: one statement of commas", ".entry k{a" + std::string(kSize, ',') + ";}");
  add("ptx: statements of two letters", ".entry k{" + Filled([](size_t) { return "a;"; }) + "}");
  add("ptx: kernels of many parameters", ManyParameters(4096, 12));
  add("ptx: kernels that mention all", CallsOfAll(1000, 150));
  add("ptx: kernels that reach all", ReachesAll(8000, 12000));
  add("ptx: a long name that many call", LongObstacle(200'000, 20'000));
  add("ptx: long registers", LongRegisters());
  add("ptx: moves",
      ".entry k(.param.u64 a){" + Filled([](size_t i) { return "ld.param %" + ShortName(i) + ",[a];"; }) + "}");
  add("ptx: mangled names of pointers", MangledNames("", "P"));
  add("ptx: mangled names of templates in templates", MangledNames("", "1AI"));
  add("ptx: mangled names of templates of all before", MangledNames("1AIiE", "S_IS_S_E"));
  add("ptx: mangled names of functions of functions", MangledNames("", "PFv"));
  add("ptx: mangled names of lengths", MangledNames("", "9"));
  add("ptx: comments", Filled([](size_t) { return "/**/"; }));
  add("ptx: comments without an end", ".entry k{}" + Filled([](size_t) { return "/*"; }));
  add("ptx: slashes", Filled([](size_t) { return "/ "; }));
  add("ptx: braces", ".entry k" + std::string(kSize / 2, '{') + std::string(kSize / 2, '}'));
  add("ptx: module braces", std::string(kSize / 2, '{') + std::string(kSize / 2, '}'));
  add("ptx: quotes", Filled([](size_t) { return "\"\""; }));
  return bombs;
}

}  // namespace halyard::testing
