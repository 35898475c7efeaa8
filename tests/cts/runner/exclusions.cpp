// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/runner/exclusions.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace halyard::cts {
namespace {

bool Matches(const char* pattern, const char* text) {
  switch (*pattern) {
    case '\0':
      return *text == '\0';
    case '*':
      return Matches(pattern + 1, text) || (*text != '\0' && Matches(pattern, text + 1));
    case '?':
      return *text != '\0' && Matches(pattern + 1, text + 1);
    default:
      return *pattern == *text && Matches(pattern + 1, text + 1);
  }
}

std::string FullName(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

/// Catches the failures of excluded tests, and reports those that have none.
class ExclusionListener : public testing::EmptyTestEventListener {
 public:
  explicit ExclusionListener(std::vector<Exclusion> exclusions) : exclusions_(std::move(exclusions)) {}

  void OnTestStart(const testing::TestInfo& test) override {
    current_ = Find(FullName(test));
    if (!current_) return;
    results_ = std::make_unique<testing::TestPartResultArray>();
    interceptor_ = std::make_unique<testing::ScopedFakeTestPartResultReporter>(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, results_.get());
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    if (!current_) return;
    interceptor_.reset();
    if (HasFailure()) {
      std::printf("[ EXCLUDED ] %s failed as expected: %s\n", FullName(test).c_str(), current_->reason.c_str());
    } else {
      ADD_FAILURE() << "an excluded test passes; remove '" << current_->pattern
                    << "' from the exclusions, or narrow it. It was excluded because: " << current_->reason;
    }
    current_ = nullptr;
  }

 private:
  const Exclusion* Find(const std::string& test) const {
    for (const Exclusion& exclusion : exclusions_) {
      if (Matches(exclusion.pattern.c_str(), test.c_str())) return &exclusion;
    }
    return nullptr;
  }

  bool HasFailure() const {
    for (int i = 0; i < results_->size(); ++i) {
      if (results_->GetTestPartResult(i).failed()) return true;
    }
    return false;
  }

  std::vector<Exclusion> exclusions_;
  const Exclusion* current_ = nullptr;
  std::unique_ptr<testing::TestPartResultArray> results_;
  std::unique_ptr<testing::ScopedFakeTestPartResultReporter> interceptor_;
};

/// Takes tests out of the run altogether.
void FilterOut(const std::string& pattern) {
  std::string filter = GTEST_FLAG_GET(filter);
  filter += filter.find('-') == std::string::npos ? "-" : ":";
  GTEST_FLAG_SET(filter, filter + pattern);
}

}  // namespace

std::vector<Exclusion> ReadExclusions(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read the exclusions file " + path);
  std::vector<Exclusion> exclusions;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string mode;
    if (!(words >> mode) || mode[0] == '#') continue;
    Exclusion exclusion;
    words >> exclusion.pattern >> std::ws;
    std::getline(words, exclusion.reason);
    if ((mode != "fail" && mode != "skip") || exclusion.reason.empty()) {
      throw std::runtime_error(path + ":" + std::to_string(number) +
                               ": expected 'fail <pattern> <reason>' or 'skip <pattern> <reason>'");
    }
    exclusion.skip = mode == "skip";
    exclusions.push_back(std::move(exclusion));
  }
  return exclusions;
}

size_t CountMatches(const std::string& pattern) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  size_t count = 0;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      if (Matches(pattern.c_str(), FullName(*suite.GetTestInfo(j)).c_str())) ++count;
    }
  }
  return count;
}

void InstallExclusions(std::vector<Exclusion> exclusions) {
  for (const Exclusion& exclusion : exclusions) {
    if (CountMatches(exclusion.pattern) == 0) {
      throw std::runtime_error("the exclusion '" + exclusion.pattern + "' names no test");
    }
    if (exclusion.skip) FilterOut(exclusion.pattern);
  }
  // At the end of a test the last listener is asked first, so this one finds out before the printer prints.
  testing::UnitTest::GetInstance()->listeners().Append(new ExclusionListener(std::move(exclusions)));
}

}  // namespace halyard::cts
