# title = "RunPod: removes the pod"
# ends = "delete"
# sky = "runpod"
# needs = "nothing in a pod, which has runpodctl and its own key; elsewhere $RUNPOD_POD_ID and $RUNPOD_API_KEY. A pod that is only stopped pays for its volume"
# read = [
#   "docs.runpod.io/runpodctl/reference/runpodctl-remove-pod",
#   "docs.runpod.io/api-reference/pods/DELETE/pods/podId",
#   "docs.runpod.io/pods/templates/environment-variables"]
# date = "2026-11-25"
release_machine() {
  know_runpod
  if has runpodctl; then
    act runpodctl remove pod "$pod" && return
  fi
  request DELETE "https://rest.runpod.io/v1/pods/$pod" '' "Authorization: Bearer $key"
}

can_release() {
  know_runpod
  [ "$pod" ] && { [ "$key" ] || has runpodctl; }
}

know_runpod() {
  pod=${RUNPOD_POD_ID:-$(of_the_first_process RUNPOD_POD_ID)}
  key=${RUNPOD_API_KEY:-$(of_the_first_process RUNPOD_API_KEY)}
}
