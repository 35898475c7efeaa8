// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/files.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace halyard::msl_host {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool WriteFile(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

std::string HashName(std::initializer_list<std::string_view> texts) {
  std::string whole;
  // With their lengths, so that no two lists of texts make one.
  for (const std::string_view text : texts) whole.append(std::to_string(text.size())).append(":").append(text);
  const XXH128_hash_t hash = XXH3_128bits(whole.data(), whole.size());
  char name[33];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return name;
}

std::filesystem::path CacheFolder(std::string* why) {
  const char* const chosen = std::getenv("HALYARD_SIM_MSL_CACHE");
  std::error_code error;
  std::filesystem::path folder = chosen != nullptr && *chosen != '\0' ? std::filesystem::absolute(chosen, error)
                                                                      : std::filesystem::temp_directory_path(error) /
                                                                            ("halyard-msl-" + std::to_string(getuid()));
  std::filesystem::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), 0700);
  struct stat status = {};
  // Code is loaded from there.
  if (stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid() &&
      (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return folder;
  }
  *why = "error: '" + folder.string() + "' has to be a folder that only this user can write (HALYARD_SIM_MSL_CACHE)\n";
  return {};
}

WorkFolder::WorkFolder(const std::filesystem::path& parent) {
  std::string path = (parent / "work-XXXXXX").string();
  // Where that fails, nothing can be written to the path, which the compiler then says.
  const char* const made = mkdtemp(path.data());
  path_ = made ? made : path;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace halyard::msl_host
