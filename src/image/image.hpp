// Pictures: image files → tensors as a network wants them.
//
// What it is: finds the usable pictures of a folder and says why the others are not (picture_set.hpp);
// decodes, resizes, crops and normalises them straight into a batch's memory (transform.hpp, decoder.hpp);
// hands out batches in order, filled by loader threads or ready in memory (batch_source.hpp); moves files
// into and out of the page cache (page_cache.hpp); brings a set to a network's size once (prepare.hpp); makes
// pictures with natural statistics for machines without any (synth.hpp). What it does not do: labels,
// augmentation, training's shuffling; run networks; print. Threads: a PictureSet and a Transform are values.
// A Decoder belongs to one thread at a time. A BatchSource is used from any number of threads; the loader
// owns its own, named "loader-0", "loader-1", ... Ownership: batch memory is the caller's and outlives the
// source that fills it. Cost: scanning reads only the headers (some 20 µs a file in the page cache); decoding
// a photograph of 500 x 375 takes about a millisecond of one core, most of it the JPEG's entropy code.
#pragma once

#include "image/batch_source.hpp"
#include "image/decoder.hpp"
#include "image/page_cache.hpp"
#include "image/picture_set.hpp"
#include "image/prepare.hpp"
#include "image/synth.hpp"
#include "image/transform.hpp"
