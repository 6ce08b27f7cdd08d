"""How each provider is asked for the release: what a script says to its programs, its metadata and its interface, by a curl
that answers as these are documented to."""

import platform
import re
import shutil

import pytest
from paths import BUILD
from script_runs import RentedMachine, script

NODE = platform.node()
CURL = """#!/bin/sh
echo "curl $*" >>"{record}"
cat >>"{record}.headers"
for url in "$@"; do :; done
case $url in
{answers}
  *) exit {otherwise} ;;
esac
"""
GOOGLE = "http://metadata.google.internal/computeMetadata/v1"
AMAZON = "http://169.254.169.254/latest"
AZURE = "http://169.254.169.254/metadata"
YANDEX = "http://169.254.169.254/computeMetadata/v1/instance"
VM = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm1"
ANSWERS = {
    f"{AMAZON}/api/token": "secret", f"{AMAZON}/meta-data/instance-id": "i-1", f"{AMAZON}/meta-data/placement/region": "eu-1",
    f"{GOOGLE}/instance/name": "vm1", f"{GOOGLE}/instance/zone": "projects/9/zones/eu-a", f"{GOOGLE}/project/project-id": "p",
    f"{GOOGLE}/instance/service-accounts/default/token": '{"access_token":"secret","expires_in":3599,"token_type":"Bearer"}',
    f"{AZURE}/instance/compute/resourceId*": VM,
    f"{AZURE}/identity/oauth2/token*": '{"access_token":"secret","token_type":"Bearer"}',
    "https://cloud.lambda.ai/api/v1/instances": '{"data": [{"id": "other", "ip": "10.9.9.9", "hostname": "other"}, {"id": "l-1", '
                                                f'"ip": "10.9.9.8", "hostname": "{NODE}"}}]}}',
    "https://console.vast.ai/api/v0/instances/77/": '{"success": true}',
    "http://169.254.42.42/conf": "NAME=vm1\nID=sw-1\nZONE=fr-par-1",
    f"{YANDEX}/id": "ya1", f"{YANDEX}/service-accounts/default/token": '{"access_token":"secret"}',
    "http://169.254.169.254/openstack/latest/meta_data.json": '{"random_seed": "x", "uuid": "os-1", "name": "vm1"}',
}  # fmt: skip
SWITCHED_OFF = "systemctl poweroff"
KEYS = {"LAMBDA_API_KEY": "secret", "RUNPOD_POD_ID": "pod1", "RUNPOD_API_KEY": "secret", "CONTAINER_ID": "77", "CONTAINER_API_KEY": "secret",
        "SCW_SECRET_KEY": "secret"}  # fmt: skip


def machine(study, tmp_path, provider, programs=(), answers=ANSWERS, otherwise=0):
    made = RentedMachine(tmp_path / "machine", BUILD / "bin/neph", ["systemctl", "poweroff", "shutdown", *programs])
    for name in {"aws", "az", "gcloud", "openstack", "runpodctl", "scw", "vastai", "yc"} - set(programs):
        made.add(name, "#!/bin/sh\nexit 1\n")  # whatever this machine has of them
    cases = "\n".join(f"  {url}) cat <<'END'\n{answer}\nEND\n;;" for url, answer in answers.items())
    made.add("curl", CURL.replace("{record}", str(made.record)).replace("{answers}", cases).replace("{otherwise}", str(otherwise)))
    made.script.write_text(script(study, offer=f"{provider}/x"))
    return made


def first_words(rented, last, **env):
    """What it says until that, at which it is ended."""
    running = rented.start("--release", **env)
    said = ""
    while last not in said:
        line = running.stdout.readline()
        assert line, f"it has given up: {said}"
        said += line
    running.kill()
    running.communicate()
    rented.clear()
    return said


@pytest.mark.parametrize("provider, programs, last", [
    ("aws", ["aws"], "aws ec2 terminate-instances --instance-ids i-1 --region eu-1"),
    ("aws", [], SWITCHED_OFF),
    ("gcp", ["gcloud"], "gcloud --quiet compute instances delete vm1 --zone eu-a"),
    ("gcp", [], "DELETE * https://compute.googleapis.com/compute/v1/projects/p/zones/eu-a/instances/vm1"),
    ("azure", ["az"], f"POST * https://management.azure.com{VM}/deallocate?api-version=2024-07-01"),
    ("lambda", [], 'POST * {"instance_ids": ["l-1"]} https://cloud.lambda.ai/api/v1/instance-operations/terminate'),
    ("runpod", ["runpodctl"], "runpodctl remove pod pod1"),
    ("runpod", [], "DELETE * https://rest.runpod.io/v1/pods/pod1"),
    ("vast", ["vastai"], "DELETE * https://console.vast.ai/api/v0/instances/77/"),
    ("scaleway", ["scw"], "scw instance server terminate sw-1 zone=fr-par-1 with-ip=true"),
    ("scaleway", [], 'POST * {"action": "terminate"} https://api.scaleway.com/instance/v1/zones/fr-par-1/servers/sw-1/action'),
    ("yandex", ["yc"], "yc compute instance delete ya1 --async"),
    ("yandex", [], "DELETE * https://compute.api.cloud.yandex.net/compute/v1/instances/ya1"),
    ("selectel", ["openstack"], "openstack server delete os-1"),
    ("servercore", ["openstack"], "openstack server delete os-1"),
    ("vk", ["openstack"], "openstack server delete os-1"),
    ("vk", [], SWITCHED_OFF),
])  # fmt: skip
def test_it_is_asked_as_its_documents_say(study, tmp_path, provider, programs, last):
    rented = machine(study, tmp_path, provider, programs)
    out = rented.run("--release", **KEYS)
    assert "secret" not in out
    asked = rented.asked()[-1]
    position = -1
    for part in last.split("*"):  # options of curl stand between
        position = asked.find(part.strip(), position + 1)
        assert position >= 0, f"{part} in {rented.asked()}"
    assert not any("secret" in asked for asked in rented.asked())  # all processes can read what a program is called with
    if last.startswith(("POST", "DELETE")):
        headers = (rented.folder / "asked.headers").read_text().splitlines()
        assert {'header = "Authorization: Bearer secret"', 'header = "X-Auth-Token: secret"'} & set(headers)


@pytest.mark.parametrize("provider", ["azure", "lambda", "runpod", "vast", "scaleway", "selectel"])
def test_whether_it_can_be_asked_is_looked_at_before_anything_is_done(study, tmp_path, provider):
    rented = machine(study, tmp_path / "known", provider, ["openstack"])
    rented.run("--check", **KEYS)
    assert not [asked for asked in rented.asked() if re.search("POST|DELETE|delete|deallocate", asked)]
    rented = machine(study, tmp_path / "unknown", provider, answers={"nothing": ""}, otherwise=7)
    for program in ("az", "runpodctl"):
        (rented.bin / program).unlink()
        if shutil.which(program):
            pytest.skip(f"{program} is here")
    out, _ = rented.start("--check").communicate(timeout=60)
    assert rented.running.returncode != 0 and out.startswith("CAREFUL") and out.count("\n") == 1, out


def test_a_deletion_that_did_not_succeed_is_asked_for_again(study, tmp_path):
    refused = {"https://console.vast.ai/api/v0/instances/77/": '{"success": false, "msg": "no such instance"}'}
    rented = machine(study, tmp_path, "vast", ["vastai"], answers=refused)
    assert "again in 5 s" in first_words(rented, "again in 5 s", **KEYS)
    assert "vastai" not in " ".join(rented.asked())


def test_a_token_of_azure_goes_to_no_address_that_a_name_makes(study, tmp_path):
    rented = machine(study, tmp_path, "azure", ["az"])
    rented.run("--release", NEPH_INSTANCE="myvm")
    assert rented.asked()[-1] == "az vm deallocate --no-wait --name myvm"
    assert not [asked for asked in rented.asked() if "management.azure.commyvm" in asked]


@pytest.mark.parametrize("provider", ["aws", "gcp", "yandex", "vk"])
def test_where_nobody_answers_it_is_switched_off(study, tmp_path, provider):
    rented = machine(study, tmp_path, provider, answers={"nothing": ""}, otherwise=7)
    rented.run("--release")
    assert rented.asked()[-1] == SWITCHED_OFF


@pytest.mark.parametrize("provider", ["azure", "lambda", "runpod", "vast", "scaleway", "selectel"])
def test_a_machine_that_would_cost_on_is_never_only_switched_off(study, tmp_path, provider):
    rented = machine(study, tmp_path, provider, answers={"nothing": ""}, otherwise=7)
    first_words(rented, "again in 5 s")
    assert not [asked for asked in rented.asked() if "poweroff" in asked or "shutdown" in asked]
