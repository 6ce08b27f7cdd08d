# title = "Vast.ai: destroys the instance"
# ends = "delete"
# sky = "vast"
# needs = "nothing: an instance has its number and a key of its own in its first process. One that is only stopped pays for storage"
# read = [
#   "docs.vast.ai/api-reference/instances/destroy-instance",
#   "docs.vast.ai/guides/instances/docker-environment"]
# date = "2026-11-25"
release_machine() { # not by vastai, which ends with 0 whatever came of it
  know_vast
  answer=$(request DELETE "https://console.vast.ai/api/v0/instances/$instance/" '' "Authorization: Bearer $key") || return
  case $(echo "$answer" | tr -d ' ') in
    *'"success":true'* | ANSWER) ;;
    *) fail "not destroyed: $answer" ;;
  esac
}

can_release() {
  know_vast
  [ "$instance" ] && [ "$key" ]
}

know_vast() {
  instance=${CONTAINER_ID:-$(of_the_first_process CONTAINER_ID)}
  key=${VAST_API_KEY:-${CONTAINER_API_KEY:-$(of_the_first_process CONTAINER_API_KEY)}}
}
