// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_instance.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.h"
#include "vulkan/native/vulkan_errors.h"

namespace halyard::vulkan {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kPortability = "VK_KHR_portability_enumeration";  // needed to see MoltenVK

template <class Properties, class Function, class... Arguments>
Status ListProperties(const char* call, HostVector<Properties>* out, Function function, Arguments... arguments) {
  uint32_t count = 0;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // the list may have grown in between
    HAL_TRY(CheckCall(call, function(arguments..., &count, nullptr)));
    out->resize(count);
    result = function(arguments..., &count, out->data());
  }
  out->resize(count);
  return CheckCall(call, result);
}

bool Has(const HostVector<VkExtensionProperties>& list, const char* name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const VkExtensionProperties& one) { return std::strcmp(one.extensionName, name) == 0; });
}

// The layers call from inside a call of the driver, whatever lock that holds.
VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  const bool is_error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  HostString text("Vulkan: ");
  text += data->pMessage ? data->pMessage : "(no text)";
  LogLater(is_error ? HAL_LOG_LEVEL_ERROR : HAL_LOG_LEVEL_WARNING, text);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT MessengerInfo() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = OnMessage;
  return info;
}

Status CheckVersion(const GlobalFunctions& vk) {
  uint32_t version = VK_API_VERSION_1_0;
  HAL_TRY(HAL_VK(vk, EnumerateInstanceVersion, &version));
  if (version >= VK_API_VERSION_1_3) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "the Vulkan loader is of version %u.%u; 1.3 is needed",
              VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
}

Status CheckLayer(const GlobalFunctions& vk) {
  HostVector<VkLayerProperties> layers;
  HAL_TRY(ListProperties("vkEnumerateInstanceLayerProperties", &layers, vk.EnumerateInstanceLayerProperties));
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, kLayer) == 0) return kOk;
  }
  return Fail(HAL_STATUS_UNAVAILABLE, "validation: there is no layer %s (Debian: vulkan-validationlayers)", kLayer);
}

}  // namespace

Status VulkanInstance::Create(const VulkanLibrary& library, Validation validation,
                              std::shared_ptr<const VulkanInstance>* out_instance) {
  const std::shared_ptr<VulkanInstance> instance(new VulkanInstance);
  HAL_TRY(instance->Open(library, validation));
  *out_instance = instance;
  return kOk;
}

Status VulkanInstance::Wrap(PFN_vkGetInstanceProcAddr get_proc_address, VkInstance handle,
                            std::shared_ptr<const VulkanInstance>* out_instance) {
  const std::shared_ptr<VulkanInstance> instance(new VulkanInstance);
  instance->handle_ = handle;
  instance->is_wrapped_ = true;
  instance->get_proc_address_ = get_proc_address;
  HAL_TRY(FindFunctions(get_proc_address, handle, &instance->vk_));
  *out_instance = instance;
  return kOk;
}

Status VulkanInstance::Open(const VulkanLibrary& library, Validation validation) {
  const GlobalFunctions& global = library.vk();
  HAL_TRY(CheckVersion(global));
  if (validation != Validation::kOff) HAL_TRY(CheckLayer(global));
  HostVector<VkExtensionProperties> known;
  HAL_TRY(ListProperties("vkEnumerateInstanceExtensionProperties", &known, global.EnumerateInstanceExtensionProperties,
                         static_cast<const char*>(nullptr)));
  HostVector<const char*> extensions;
  const bool has_debug_utils = Has(known, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  const bool has_portability = Has(known, kPortability);
  if (has_debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (has_portability) extensions.push_back(kPortability);

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "Halyard";
  application.apiVersion = VK_API_VERSION_1_3;
  constexpr VkValidationFeatureEnableEXT kSynchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &kSynchronization;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = validation == Validation::kSync ? &features : nullptr;
  info.flags = has_portability ? VkInstanceCreateFlags{VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR} : 0;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validation == Validation::kOff ? 0 : 1;
  info.ppEnabledLayerNames = &kLayer;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult result = global.CreateInstance(&info, nullptr, &handle_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return FailWith(HAL_STATUS_UNAVAILABLE,
                    "vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER: the loader finds no driver of Vulkan");
  }
  HAL_TRY(CheckCall("vkCreateInstance", result));
  get_proc_address_ = library.get_proc_address();
  HAL_TRY(FindFunctions(get_proc_address_, handle_, &vk_));
  return validation == Validation::kOff ? kOk : Listen();
}

Status VulkanInstance::Listen() {
  if (!vk_.CreateDebugUtilsMessengerEXT) {
    return Fail(HAL_STATUS_UNAVAILABLE, "validation: there is no %s", VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  const VkDebugUtilsMessengerCreateInfoEXT info = MessengerInfo();
  return HAL_VK(vk_, CreateDebugUtilsMessengerEXT, handle_, &info, nullptr, &messenger_);
}

VulkanInstance::~VulkanInstance() {
  if (messenger_) vk_.DestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_ && !is_wrapped_ && vk_.DestroyInstance) vk_.DestroyInstance(handle_, nullptr);
}

Status VulkanInstance::ListPhysicalDevices(HostVector<VkPhysicalDevice>* out_devices) const {
  return ListProperties("vkEnumeratePhysicalDevices", out_devices, vk_.EnumeratePhysicalDevices, handle_);
}

}  // namespace halyard::vulkan
