# title = "Vast.ai: destroys the instance"
# ends = "delete"
# sky = "vast"
# needs = "nothing: an instance has its number and a key of its own in its first process. One that is only stopped pays for storage"
# read = [
#   "docs.vast.ai/cli/reference/destroy-instance",
#   "docs.vast.ai/api-reference/instances/destroy-instance",
#   "docs.vast.ai/guides/instances/docker-environment"]
# date = "2026-11-25"
release_machine() {
  instance=${CONTAINER_ID:-$(of_the_first_process CONTAINER_ID)}
  key=${VAST_API_KEY:-${CONTAINER_API_KEY:-$(of_the_first_process CONTAINER_API_KEY)}}
  if has vastai; then
    export VAST_API_KEY="$key" # not as an option, where all could read it
    act vastai destroy instance "$instance" </dev/null && return
  fi
  request DELETE "https://console.vast.ai/api/v0/instances/$instance/" '' "Authorization: Bearer $key"
}
