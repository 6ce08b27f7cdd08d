# title = "Selectel: deletes the server"
# ends = "freeze"
# also = ["servercore"]
# sky = ""
# needs = "the openstack program (pip: python-openstackclient) and its variables, OS_AUTH_URL and others. A server that is switched off is still billed; that freezing is 'openstack server shelve' was not confirmed, so it is deleted"
# read = [
#   "docs.selectel.ru/en/cloud-servers/about/payment",
#   "docs.openstack.org/python-openstackclient/latest/cli/command-objects/server.html#server-delete",
#   "docs.openstack.org/nova/latest/user/metadata.html: meta_data.json, uuid"]
# date = "2026-11-25"
# variables = ["OS_AUTH_URL"]
# program = "openstack"
# package = "python3-openstackclient"
release_machine() {
  act openstack server delete "$(selectel_server)"
}

can_release() { has openstack && openstack server show -f value -c id "$(selectel_server)"; }

selectel_server() {
  server=${NEPH_INSTANCE:-$(request GET http://169.254.169.254/openstack/latest/meta_data.json '' | field uuid)}
  echo "${server:-$(uname -n)}"
}
