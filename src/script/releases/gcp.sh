# title = "Google Compute Engine: deletes the instance, or powers it off"
# ends = "poweroff"
# sky = "gcp"
# needs = "nothing: powered off, an instance costs its disks and addresses only. Where its service account may delete instances (scope compute-rw), it is deleted"
# read = [
#   "cloud.google.com/compute/docs/instances/deleting-instance",
#   "cloud.google.com/compute/docs/reference/rest/v1/instances/delete",
#   "cloud.google.com/compute/docs/metadata/querying-metadata",
#   "github.com/GoogleCloudPlatform/community, archived/create-a-self-deleting-virtual-machine.md"]
# date = "2026-11-25"
release_machine() {
  about=http://metadata.google.internal/computeMetadata/v1
  google='Metadata-Flavor: Google'
  instance=$(request GET $about/instance/name '' "$google") && zone=$(request GET $about/instance/zone '' "$google") &&
    zone=${zone##*/} && project=$(request GET $about/project/project-id '' "$google")
  if has gcloud; then
    act gcloud --quiet compute instances delete "${instance:-$(uname -n)}" ${zone:+--zone "$zone"} && return
  fi
  if [ "${project:-}" ]; then
    token=$(request GET $about/instance/service-accounts/default/token '' "$google" | field access_token)
    request DELETE "https://compute.googleapis.com/compute/v1/projects/$project/zones/$zone/instances/$instance" '' \
      "Authorization: Bearer $token" && return
  fi
  power_off
}

can_release() { as_root true; } # at least it can be switched off
