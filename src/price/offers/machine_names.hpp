// What a machine's name tells: its provider, that it has GPUs, that its CPU is an ARM. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <string>
#include <string_view>

namespace neph::price {

/// "aws" of p3.8xlarge, "azure" of Standard_NC6; empty: its name does not say.
std::string provider_of_machine(std::string_view instance);

/// Whether the provider's machines of that name have GPUs: p3.8xlarge, Standard_NC6, gpu_8x_v100. Not those
/// of Google, whose catalogue has the GPUs in rows of their own.
bool is_named_for_gpus(std::string_view provider, std::string_view instance);

/// "arm64" where the provider's own names say so: a1.xlarge, c7g.large, t2a-standard-4, Standard_D4ps_v5, and
/// any machine with NVIDIA's Grace; empty: its name does not say.
std::string arch_of_machine(std::string_view provider, std::string_view instance, std::string_view gpu = {});

/// One name for each architecture, however it is spelled: arm64 of aarch64 and ARM64, x86_64 of amd64 and
/// x86-64; others in small letters.
std::string arch_name(std::string_view spelled);

}  // namespace neph::price
