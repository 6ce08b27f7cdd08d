# title = "Azure: deallocates the virtual machine"
# ends = "deallocate"
# sky = "azure"
# needs = "a managed identity of the machine that may deallocate it (role Virtual Machine Contributor), or the az program, logged in. $NEPH_INSTANCE is /subscriptions/..., or a name for az. A machine that is only switched off is still billed"
# read = [
#   "learn.microsoft.com/rest/api/compute/virtual-machines/deallocate",
#   "learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token",
#   "learn.microsoft.com/azure/virtual-machines/states-billing"]
# date = "2026-11-25"
release_machine() {
  know_azure
  if [ "$token" ] && [ "$vm" ]; then
    request POST "https://management.azure.com$vm/deallocate?api-version=2024-07-01" '' "Authorization: Bearer $token" && return
  fi
  has az || return
  if [ "$vm" ]; then
    act az vm deallocate --no-wait --ids "$vm"
  else
    act az vm deallocate --no-wait --name "${NEPH_INSTANCE:-$(uname -n)}" # of the group in $AZURE_DEFAULTS_GROUP
  fi
}

can_release() {
  know_azure
  { [ "$token" ] && [ "$vm" ]; } || has az
}

know_azure() { # the machine's whole name: a token is sent to no address that a part of it makes
  about=http://169.254.169.254/metadata
  vm=${NEPH_INSTANCE:-$(request GET "$about/instance/compute/resourceId?api-version=2021-02-01&format=text" '' 'Metadata: true')}
  case $vm in /subscriptions/* | ANSWER) ;; *) vm= ;; esac
  token=$(request GET "$about/identity/oauth2/token?api-version=2018-02-01&resource=https://management.azure.com/" '' \
    'Metadata: true' | field access_token)
}
