# title = "Yandex Compute Cloud: deletes the instance, or powers it off"
# ends = "poweroff"
# sky = ""
# needs = "nothing: powered off, an instance costs its disks only. Where its service account may delete instances (role compute.editor), it is deleted"
# read = [
#   "yandex.cloud/en/docs/compute/api-ref/Instance/delete",
#   "yandex.cloud/en/docs/compute/cli-ref/instance",
#   "yandex.cloud/en/docs/compute/operations/vm-info/get-info"]
# date = "2026-11-25"
release_machine() {
  about=http://169.254.169.254/computeMetadata/v1/instance
  instance=${NEPH_INSTANCE:-$(request GET $about/id '' 'Metadata-Flavor: Google')}
  if has yc; then
    act yc compute instance delete "${instance:-$(uname -n)}" --async && return
  fi
  token=$(request GET $about/service-accounts/default/token '' 'Metadata-Flavor: Google' | field access_token)
  if [ "$token" ]; then
    request DELETE "https://compute.api.cloud.yandex.net/compute/v1/instances/$instance" '' "Authorization: Bearer $token" && return
  fi
  power_off
}

can_release() { as_root true; } # at least it can be switched off
