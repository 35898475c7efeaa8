// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/suggestions.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace halyard {
namespace {

constexpr size_t kMaxNear = 3;
constexpr size_t kMaxListed = 24;
constexpr size_t kMaxCells = 1u << 23;  // of all tables of distances together: some 20 ms

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameLetter(char a, char b) { return LowerCase(a) == LowerCase(b); }

// How wrong a name may be: a third of its letters, but one slip is forgiven in short ones too.
size_t Tolerance(std::string_view wrong) { return std::max<size_t>(1, wrong.size() / 3); }

size_t LengthDifference(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table of distances between beginnings of `a` and of `b`.
  HostVector<size_t> before_last(b.size() + 1);
  HostVector<size_t> last(b.size() + 1);
  HostVector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (SameLetter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && SameLetter(a[i - 1], b[j - 2]) && SameLetter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

HostVector<std::string_view> SuggestNames(std::string_view wrong, std::span<const std::string_view> known) {
  HostVector<std::pair<size_t, std::string_view>> ranked;
  size_t cells_left = kMaxCells;
  for (const std::string_view name : known) {
    // The difference of the lengths is a cheap lower bound; it also keeps endless names away from the table.
    if (LengthDifference(wrong, name) > Tolerance(wrong)) continue;
    const size_t cells = (wrong.size() + 1) * (name.size() + 1);
    if (cells > cells_left) break;
    cells_left -= cells;
    const size_t distance = EditDistance(wrong, name);
    if (distance <= Tolerance(wrong) && distance < wrong.size()) ranked.emplace_back(distance, name);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<size_t, std::string_view>::first);
  if (ranked.size() > kMaxNear) ranked.resize(kMaxNear);
  HostVector<std::string_view> names;
  for (const auto& [distance, name] : ranked) names.push_back(name);
  return names;
}

HostString ListNames(std::span<const std::string_view> names) {
  HostString text;
  for (const std::string_view name : names.first(std::min(names.size(), kMaxListed))) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  if (names.size() > kMaxListed) {
    char more[48];
    std::snprintf(more, sizeof(more), " and %zu more", names.size() - kMaxListed);
    text += more;
  }
  return text;
}

HostString SuggestionText(std::string_view wrong, std::span<const std::string_view> known) {
  if (known.empty()) return "there are none";
  HostString text;
  for (const std::string_view name : SuggestNames(wrong, known)) {
    text += text.empty() ? "did you mean '" : " or '";
    text += name;
    text += "'";
  }
  if (!text.empty()) text += "? ";
  text += "known: ";
  text += ListNames(known);
  return text;
}

}  // namespace halyard
