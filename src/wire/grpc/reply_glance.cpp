#include "wire/grpc/reply_glance.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <inference.pb.h>

#include "wire/grpc/codec.hpp"

namespace neph::wire {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// All of a message but its id and the bytes of its raw contents. False: not a message.
bool read_around(const grpc::ByteBuffer& reply, std::string& around) {
  using Reply = inference::ModelInferResponse;
  constexpr auto raw = WireFormatLite::MakeTag(Reply::kRawOutputContentsFieldNumber,
                                               WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  constexpr auto id =
      WireFormatLite::MakeTag(Reply::kIdFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  grpc::ByteBuffer buffer(reply);  // a reference: the reader wants one that is not const
  grpc::ProtoBufferReader reader(&buffer);
  CodedInputStream in(&reader);
  around.clear();
  google::protobuf::io::StringOutputStream text(&around);
  google::protobuf::io::CodedOutputStream out(&text);
  while (const auto tag = in.ReadTag()) {
    int bytes = 0;
    if (tag == id) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
    } else if (tag != raw) {
      if (!WireFormatLite::SkipField(&in, tag, &out)) return false;
    } else if (in.ReadVarintSizeAsInt(&bytes) && in.Skip(bytes)) {
      out.WriteVarint32(tag);
      out.WriteVarint32(static_cast<std::uint32_t>(bytes));
    } else {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

}  // namespace

Status ReplyGlance::check(const grpc::ByteBuffer& reply) {
  if (reply.Valid() && read_around(reply, around_) && around_ == right_ && !right_.empty()) return {};
  inference::ModelInferResponse message;
  if (grpc::ByteBuffer buffer(reply); reply.Valid()) {
    grpc::ProtoBufferReader reader(&buffer);
    if (!message.ParseFromZeroCopyStream(&reader))
      return fail(ErrorCode::corrupt, "the reply is not a ModelInferResponse");
  }
  InferReply read;
  NEPH_CHECK(read_message(message, read));
  NEPH_CHECK(check_outputs(read, ""));
  right_ = around_;
  return {};
}

}  // namespace neph::wire
