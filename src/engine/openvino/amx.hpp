// A guard against a processor that promises AMX and does not describe it. Some hypervisors (Firecracker among
// them) pass on the AMX bits of CPUID leaf 7 and the tile state of XCR0, but answer leaf 0x1D, the tiles'
// palettes, with zero. oneDNN up to 3.12 then runs tile instructions under palette 0 and dies of SIGILL in
// the first bf16 or i8 convolution (uxlfoundation/oneDNN issue 5689, repaired in pull request 5801).
#pragma once

namespace neph::engine {

/// Whether this processor has AMX that oneDNN would trip over.
bool has_amx_without_palette();

/// On such a processor keeps oneDNN to AVX-512, unless ONEDNN_MAX_CPU_ISA is set already. To be called before
/// OpenVINO loads its CPU library, while the process has one thread: it changes the environment.
void avoid_amx_without_palette();

}  // namespace neph::engine
