// Load: requests to a server that speaks the Open Inference Protocol, and what became of them.
//
// What it is: WHEN (schedule.hpp), WHAT (payload.hpp), HOW (sender.hpp, one loop per worker over a
// wire::Client), UNTIL (drive.hpp: count, time, or an interval that is narrow enough), and what the samples
// say (findings.hpp); the search for the highest rate that keeps a promise (rate_search.hpp); and the same
// results in the words of two other tools (formats.hpp).
// What it does not do: know which server answers, or start one; read the command line; store; print.
// Threads: drive() makes and joins its workers; everything else is pure or belongs to one thread. Ownership:
// values; a Payload outlives the drives that send it. Cost: per request what wire's client costs and some
// 0.1 µs; 72 bytes a sample.
#pragma once

#include "load/ask_once.hpp"
#include "load/drive.hpp"
#include "load/findings.hpp"
#include "load/formats.hpp"
#include "load/payload.hpp"
#include "load/rate_search.hpp"
#include "load/sample.hpp"
#include "load/schedule.hpp"
