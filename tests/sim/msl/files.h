// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of the cache of compiled texts, which processes share.
#ifndef HALYARD_SIM_MSL_FILES_H_
#define HALYARD_SIM_MSL_FILES_H_

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace halyard::msl_host {

std::string ReadFile(const std::filesystem::path& path);
bool WriteFile(const std::filesystem::path& path, std::string_view text);

// A name for texts, of their XXH3-128.
std::string HashName(std::initializer_list<std::string_view> texts);

// The folder of compiled texts: HALYARD_SIM_MSL_CACHE, else one of this user's in the temporary directory. Empty, with
// a reason, if there is none that only this user can write.
std::filesystem::path CacheFolder(std::string* why);

// A folder in the cache's, removed with the object. What is ready is renamed out of it, so that others see it whole.
class WorkFolder {
 public:
  explicit WorkFolder(const std::filesystem::path& parent);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  // The path of a file in it.
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_FILES_H_
