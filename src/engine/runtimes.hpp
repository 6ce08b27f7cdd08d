// Where the libraries of an engine's runtime lie when they are not the system's: Python environments, which
// pip fills. The file NAME.pip beside an engine's plugin says which packages make its runtime, as pip names
// them: the one version that it needs, or of torch one that it was tried with.
//
// What it does not do: load anything (os/plugin.hpp), or choose by version: a library of another version has
// another file name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace neph::engine {

/// What --engine-path ($NEPH_ENGINE_PATH) names; empty: nothing.
std::filesystem::path asked_environment();

/// Python environments, or folders of `pip install --target`, the nearest to the user's word first:
/// --engine-path ($NEPH_ENGINE_PATH), the one that pip installed this program into, $VIRTUAL_ENV,
/// $CONDA_PREFIX, `python` and `.venv` in the folder around the program's. Some may not exist.
std::vector<std::filesystem::path> python_environments();

/// Those, then of a development tree `.venv-train` and `.venv-frameworks` in the folders around the program,
/// then that of the `python3` in PATH: as it is named, and where it lies. For what needs Python itself, or
/// its torch.
std::vector<std::filesystem::path> environments_with_python();

/// The environment, or folder of `pip install --target`, that pip installed a program of this folder into: it
/// lies there as tools/wheel says, in libexec/nephoscope/bin. Empty: it did not come by pip.
std::filesystem::path environment_of(const std::filesystem::path& program_folder);

/// Where packages lie in an environment: itself, which is so of `pip install --target`; site-packages of each
/// of its Pythons; dist-packages, which are Debian's.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& environment);

/// The folders with libraries of the package `runtime` in these: PACKAGE/libs, PACKAGE/lib and PACKAGE/capi
/// of each, where they exist; and a folder that was given by itself.
std::vector<std::filesystem::path> runtime_folders(std::string_view runtime,
                                                   const std::vector<std::filesystem::path>& environments);

/// The folders with libraries of NVIDIA's packages in these: nvidia/*/lib and tensorrt_libs; and a folder
/// that was given by itself.
std::vector<std::filesystem::path> nvidia_folders(const std::vector<std::filesystem::path>& environments);

/// The version of the package whose libraries lie in the folder, as pip wrote it down: "2026.4.1"; empty: it
/// did not.
std::string version_in(const std::filesystem::path& folder, std::string_view runtime);
/// "2026.4.1-21654-a1b2" is of "2026.4.1", "2.10" not of "2.1"; an unknown version, "", is any.
bool is_of_version(const std::string& used, const std::string& package);

/// The packages that the plugin needs, as pip takes them: "openvino==2026.4.1"; empty: none that pip has.
std::string packages_for(const std::filesystem::path& plugin);

/// How to get what the plugin needs, as a line of a shell; empty: it needs nothing that pip has. Of a program
/// that came by pip: into the same environment, by whatever made that one.
std::string line_to_get(const std::filesystem::path& plugin);

/// Packages into the environment, as the line of a shell, by pip, pipx or uv.
std::string line_to_install(const std::filesystem::path& environment, const std::string& packages);

}  // namespace neph::engine
