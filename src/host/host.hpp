// The machine: what it is (Fingerprint) and what it does while something is measured (Telemetry).
//
// What it does not do: judge a run (it gives reasons for doubt, workload decides), store, print, or change
// any setting of the machine. A fact that cannot be read is empty and a quantity that cannot be read is
// "unavailable" with the reason; neither is ever 0.
// Threads: Telemetry owns one thread, "telemetry"; everything else runs in the caller's. Ownership: values.
// Cost: a fingerprint some milliseconds (with an NVIDIA driver also its start, up to a second); telemetry at
// 10 Hz well below 0.3 % of one core, measured by host_bench.
#pragma once

#include "host/counters.hpp"
#include "host/doubts.hpp"
#include "host/dstat/dstat.hpp"
#include "host/fingerprint.hpp"
#include "host/process_start.hpp"
#include "host/roof.hpp"
#include "host/telemetry.hpp"
