# title = "VK Cloud: deletes the server, or powers it off"
# ends = "poweroff"
# sky = ""
# needs = "nothing: powered off, a server costs its disks only. With the openstack program and its variables, OS_AUTH_URL and others, it is deleted"
# read = [
#   "cloud.vk.com, tariffication",
#   "docs.openstack.org/python-openstackclient/latest/cli/command-objects/server.html#server-delete",
#   "docs.openstack.org/nova/latest/user/metadata.html: meta_data.json, uuid"]
# date = "2026-11-25"
release_machine() {
  if has openstack; then
    server=${NEPH_INSTANCE:-$(request GET http://169.254.169.254/openstack/latest/meta_data.json '' | field uuid)}
    act openstack server delete "${server:-$(uname -n)}" && return
  fi
  power_off
}

can_release() { as_root true; } # at least it can be switched off
