# title = "Scaleway: terminates the instance with its volumes and its address"
# ends = "delete"
# sky = ""
# variables = ["SCW_SECRET_KEY"]
# needs = "the scw program, configured, or $SCW_SECRET_KEY. An instance in standby is still billed"
# read = [
#   "github.com/scaleway/scaleway-cli, docs/commands/instance.md: scw instance server terminate",
#   "www.scaleway.com/en/developers/api/instance: POST /servers/{server_id}/action",
#   "http://169.254.42.42/conf, as talos and scw's own images read it"]
# date = "2026-11-25"
release_machine() {
  know_scaleway
  if has scw; then
    act scw instance server terminate "$instance" ${zone:+"zone=$zone"} with-ip=true && return
  fi
  request POST "https://api.scaleway.com/instance/v1/zones/$zone/servers/$instance/action" '{"action": "terminate"}' \
    "X-Auth-Token: ${SCW_SECRET_KEY:-}" 'Content-Type: application/json'
}

can_release() {
  know_scaleway
  if has scw; then scw instance server get "$instance" ${zone:+"zone=$zone"} >/dev/null && return; fi
  request GET "https://api.scaleway.com/instance/v1/zones/$zone/servers/$instance" '' "X-Auth-Token: ${SCW_SECRET_KEY:-}" >/dev/null
}

know_scaleway() {
  about=$(request GET http://169.254.42.42/conf '')
  instance=${NEPH_INSTANCE:-$(echo "$about" | sed -n 's/^ID=//p')}
  zone=$(echo "$about" | sed -n 's/^ZONE=//p')
}
