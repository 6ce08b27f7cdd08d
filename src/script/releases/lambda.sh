# title = "Lambda Cloud: terminates the instance"
# ends = "delete"
# sky = "lambda"
# variables = ["LAMBDA_API_KEY"]
# needs = "$LAMBDA_API_KEY, and python3, which its images have. An instance that is only switched off is still billed"
# read = [
#   "docs.lambda.ai/public-cloud/on-demand/creating-managing-instances",
#   "docs-api.lambda.ai/api/cloud: GET /api/v1/instances, POST /api/v1/instance-operations/terminate"]
# date = "2026-11-25"
release_machine() {
  know_lambda
  [ "$instance" ] || fail 'which instance this is was not found: set NEPH_INSTANCE to its number'
  request POST $api/instance-operations/terminate "{\"instance_ids\": [\"$instance\"]}" "$key" 'Content-Type: application/json'
}

can_release() {
  know_lambda
  [ "$instance" ]
}

know_lambda() {
  api=https://cloud.lambda.ai/api/v1
  key="Authorization: Bearer ${LAMBDA_API_KEY:-}"
  instance=${NEPH_INSTANCE:-$(request GET $api/instances '' "$key" | lambda_instance)}
}

lambda_instance() { # the one with an address or the name of this machine
  [ ! "$dry" ] || { cat && return; }
  python3 -c '
import json, sys
ours = set(" ".join(sys.argv[1:]).split())
try:
    instances = json.load(sys.stdin)["data"]
except (ValueError, KeyError, TypeError):
    sys.exit("Lambda did not say which instances there are")
for each in instances:
    address = each.get("ip") or "-"
    if ours & {address, address.replace(".", "-"), each.get("private_ip"), each.get("hostname")}:
        print(each["id"])
' "$(uname -n)" "$(hostname -I)"
}
