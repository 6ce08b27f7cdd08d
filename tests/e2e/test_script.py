"""What `neph script` writes is sound in every shell, says what was asked for, and is refused where that makes no sense."""

import json
import re
import shutil
import subprocess

import pytest
from paths import REPOSITORY
from script_runs import RELEASES, STUDY, block, need, script, spec_in

class TestWhatIsWritten:
    def checked(self, text, tmp_path):
        (tmp_path / "checked.sh").write_text(text)
        for shell in (["dash"], ["bash", "--posix"], ["busybox", "sh"]):
            if shutil.which(shell[0]):
                subprocess.run([*shell, "-n", tmp_path / "checked.sh"], check=True)
        done = subprocess.run(["shellcheck", "--shell=sh", tmp_path / "checked.sh"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout

    @pytest.mark.parametrize("provider", RELEASES)
    def test_no_provider_s_script_has_a_fault(self, study, tmp_path, provider):
        need("shellcheck")
        self.checked(script(study, offer=f"{provider}/x+V100:2@eu"), tmp_path)

    @pytest.mark.parametrize("options", [
        ["--install", "image", "--image", "registry.example/neph:1"],
        ["--install", "both", "--image", "https://example.org/neph.tar", "--bundle", "s3://bucket/neph.tar.gz"],
        ["--results", "scp://me@host:2222/srv/x"], ["--results", "rclone://mine/x"], ["--results", "a folder/it's here"],
        ["--budget", "5USD", "--price", "2.5USD/h", "--max-time", "3h"],
        ["--data", "pictures=gs://bucket/it's.tar.gz", "--data", "/srv/m/model=scp://host/~/model.onnx"],
        ["--release-command", "echo \"it's\" >$HOME/x; reboot"],
    ])  # fmt: skip
    def test_no_option_makes_a_fault(self, study, tmp_path, options):
        need("shellcheck")
        given = ["--offer", "gcp/n1+V100:1", *([] if "--results" in options else ["--results", "s3://b/x"]), *options]
        self.checked(study("script", "study.toml", *given).stdout, tmp_path)

    def test_a_training_brings_its_runtime_and_its_data(self, neph, tmp_path):
        need("shellcheck")
        (neph.folder / "train.toml").write_text('[train]\nmodel = "mnist-cnn"\ndata = "fashion-mnist"\nsteps = 30\n')
        text = neph("script", "train.toml", "--offer", "lambda/gpu_1x_a10", "--results", "s3://b/x").stdout
        self.checked(text, tmp_path)
        (torch,) = re.findall(r"^torch==.*$", (REPOSITORY / "tools/requirements-frameworks.txt").read_text(), re.MULTILINE)
        assert torch in text and "bring_dataset 'fashion-mnist'" in text

    def test_there_is_no_here_document(self, study):
        """Some shells need room in /tmp for one: what sees to the release must not. And text of others could end it."""
        assert "<<" not in script(study, offer="azure/x")

    def test_data_that_no_package_has_here_is_missed_before_it_learns(self):
        elsewhere = 'has() { false; }; fail() { echo "$*"; exit 1; }; dry=; . src/script/parts/data.sh; bring_dataset nothing'
        done = subprocess.run(["sh", "-c", elsewhere], cwd=REPOSITORY, capture_output=True, text=True)
        assert done.returncode == 1 and "--data" in done.stdout

    def test_the_same_question_has_the_same_answer(self, study):
        assert script(study) == script(study)
        (study.folder / "study.toml").write_text("seed = 7\n" + STUDY)
        assert "seed = 7" in script(study)

    def test_a_stored_experiment_is_the_one_that_was_measured(self, study):
        study("run", "study.toml")
        (stored,) = study.json("runs")
        text = study("script", 1, "--offer", "own/here", "--results", "/srv/results").stdout
        (study.folder / "again.toml").write_text(spec_in(text))
        study("run", "again.toml", "--store", "again.db")
        (again,) = study.json("runs", "--store", "again.db")
        assert [again[key] for key in ("spec", "factors", "repeat", "seed")] == [
            stored[key] for key in ("spec", "factors", "repeat", "seed")]


TRAINING = """repeat = 3
[train]
model = "mnist-cnn"
data = "synth"
steps = 5
epochs = 2
threads = [1, 2]
"""


class TestTheWholeOfATraining:
    GIVEN = ["--offer", "aws/m5", "--results", "s3://b/x"]

    @pytest.fixture
    def training(self, neph):
        (neph.folder / "train.toml").write_text(TRAINING)
        return neph

    @pytest.mark.parametrize("cell", ["1", "threads 2"])
    def test_is_one_configuration_to_its_end_and_saved(self, training, cell):
        text = training("script", "train.toml", "--cell", cell, "--whole", *self.GIVEN).stdout
        spec = spec_in(text).splitlines()
        assert {"repeat = 1", "steps = 0", "threads = 2", "epochs = 2", 'save = "trained.pt"'} <= set(spec)
        assert "save_file \"$home\"/work/'trained.pt'" in text
        assert re.search(r"^# Made by .* --cell .* --whole ", text, re.MULTILINE)

    def test_a_configuration_alone_is_measured_as_it_was(self, training):
        spec = spec_in(training("script", "train.toml", "--cell", 0, *self.GIVEN).stdout).splitlines()
        assert {"repeat = 3", "steps = 5", "threads = 1"} <= set(spec)

    def test_has_no_limit_of_the_measurement_and_no_idle_factor(self, training):
        command = ("train", "--timeout-s", 60, "--repeat", 1, "--", "true")
        training(*command)
        assert "timeout_s" in spec_in(training("script", 1, *self.GIVEN).stdout)
        assert "timeout_s" not in spec_in(training("script", 1, "--whole", *self.GIVEN).stdout)
        text = TRAINING.replace("threads = [1, 2]", 'optimizer = ["adam", "sgd"]\nmomentum = [0.5, 0.9]')
        (training.folder / "train.toml").write_text(text)
        spec = spec_in(training("script", "train.toml", "--cell", 0, "--whole", *self.GIVEN).stdout)
        assert 'optimizer = "adam"' in spec and "momentum" not in spec

    @pytest.mark.parametrize("options, said", [
        (["--whole"], "--cell 0 is threads 1"), (["--cell", "7"], "unknown configuration '7'"),
        (["--cell", "threads 3", "--whole"], "did you mean 'threads "),
    ])  # fmt: skip
    def test_says_which_configurations_there_are(self, training, options, said):
        done = training("script", "train.toml", *options, *self.GIVEN, code=None)
        assert done.returncode != 0 and said in done.stderr and done.stdout == ""

    def test_is_of_no_inference(self, study):
        assert "only a training has an end" in study("script", "study.toml", "--whole", *self.GIVEN, code=2).stderr


class TestWhatIsSaidWhenItIsMade:
    def said(self, neph, *options, experiment="study.toml"):
        return neph("script", experiment, *options).stderr

    def test_files_that_a_command_names_and_nobody_brings(self, neph):
        (neph.folder / "toy2.py").write_text("print(1)\n")
        (neph.folder / "set.npz").write_text("x")
        (neph.folder / "command.toml").write_text('[command]\ncommand = "python3 toy2.py --data=set.npz /usr/bin/env absent.py"\n')
        given = ["--offer", "aws/m5", "--results", "s3://b/x"]
        said = self.said(neph, *given, experiment="command.toml")
        assert "names it: toy2.py" in said and "--data toy2.py=ADDRESS" in said and "--data set.npz=ADDRESS" in said
        assert "/usr/bin/env" not in said and "absent.py" not in said
        said = self.said(neph, *given, "--data", "toy2.py=s3://b/toy2.py", experiment="command.toml")
        assert "toy2.py" not in said and "--data set.npz=ADDRESS" in said

    def test_what_a_release_command_needs(self, study):
        given = ["--offer", "hetzner/cx22", "--results", "s3://b/x", "--release-command"]
        assert "this needs the program hcloud" in self.said(study, *given, 'hcloud server delete "$(hostname)"')

    def test_results_that_may_go_with_the_machine(self, study):
        assert "a folder of this aws machine, and may go with it" in self.said(study, "--offer", "aws/m5", "--results", "/srv/x")
        assert "may go" not in self.said(study, "--offer", "own/desk", "--results", "/srv/x")

    def test_how_long_it_takes_beside_its_limit(self, study):
        study("run", "study.toml")
        given = ["--offer", "aws/m5", "--results", "s3://b/x"]
        said = self.said(study, *given, "--budget", "5USD", "--price", "1USD/h", experiment=1)
        assert "it takes about 5 min" in said and "released after 5 h 0 min at the latest" in said and "CAREFUL" not in said
        said = self.said(study, *given, "--max-time", "5min", experiment=1)
        assert "CAREFUL: that cannot be enough: work ends 46.0 s before the limit" in said
        assert "CAREFUL" not in self.said(study, *given, "--max-time", "8min", experiment=1)
        assert "it takes" not in self.said(study, *given), "nothing of a file's experiment is stored"


PRICES = """provider,instance,region,vcpus,memory_gib,gpu,gpus,price,currency,date
aws,m5.large,us-east-1,2,8,,,1,USD,2026-11-25
aws,m5.large,eu-west-1,2,8,,,2,USD,2026-11-25
"""


class TestBadInput:
    def test_a_list_tells_of_an_arm(self, study):
        (study.folder / "prices.csv").write_text("provider,instance,price,currency,arch\nown,box,1,USD,aarch64\n")
        given = ["--offers", "prices.csv", "--offer", "own/box", "--results", "/x"]
        assert "its CPU is an ARM" in self.refusal(study, "study.toml", *given)

    def refusal(self, neph, *options, code=2):
        done = neph("script", *options, code=code)
        assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    @pytest.mark.parametrize("options, said", [
        (["--offer", "hetzner/cx22", "--results", "/x"], "--release-command"),
        (["--offer", "asure/m5", "--results", "/x"], "did you mean 'azure'?"),
        (["--offer", "aws/m5"], "--results"),
        (["--results", "/x"], "--offer"),
        (["--offer", "m5.large", "--results", "/x"], "names no provider"),
        (["--offer", "gcp/n1+V100:12a", "--results", "/x"], "'12a' is no number of GPUs"),
        (["--offer", "gcp/n1+V100:0", "--results", "/x"], "'0' is no number of GPUs"),
        (["--offer", "aws/m5", "--results", "ftp://host/x"], "ftp://, which is not known"),
        (["--offer", "aws/m5", "--results", "s3://"], "no host or bucket"),
        (["--offer", "aws/m5", "--results", "host:path"], "could be a host's"),
        (["--offer", "aws/m5", "--results", "scp://host"], "has no path"),
        (["--offer", "aws/m5", "--results", "scp://host:x/y"], "no port 'x'"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "5USD"], "--price"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "0USD", "--price", "1USD/h"], "for nothing"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "nanUSD", "--price", "1USD/h"], "no sum of money"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "-5USD", "--price", "1USD/h"], "no sum of money"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "5USD/h", "--price", "1USD/h"], "not a price"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "5EUR", "--price", "1USD/h"], "one currency"),
        (["--offer", "aws/m5", "--results", "/x", "--budget", "5USD", "--price", "0USD/h"], "--max-time"),
        (["--offer", "selectel/x", "--results", "/x", "--budget", "50RUB", "--price", "100RUB/h"], "which is 100.00 RUB"),
        (["--offer", "aws/c7g.large", "--results", "/x"], "its CPU is an ARM"),
        (["--offer", "aws/m5", "--results", "/x", "--install", "image"], "--image"),
        (["--offer", "aws/m5", "--results", "/x", "--release-command", " "], "no command"),
        (["--offer", "aws/m5", "--results", "/x", "--release", "power-off"], "did you mean 'poweroff'?"),
        (["--offer", "aws/m5", "--results", "/x", "--format", "cloud-init"], "--bundle"),
        (["--offer", "selectel/x", "--results", "/x", "--format", "sky"], "SkyPilot"),
        (["--offer", "lambda/x", "--results", "/x", "--format", "cloud-init", "--bundle", "https://h/b"], "LAMBDA_API_KEY"),
        (["--offer", "scaleway/x", "--results", "/x", "--format", "cloud-init", "--bundle", "https://h/b"], "SCW_SECRET_KEY"),
    ])  # fmt: skip
    def test_is_refused_in_one_line(self, study, options, said):
        assert said in self.refusal(study, "study.toml", *options, code=None)

    def test_experiments_that_are_not_there(self, study):
        given = ["--offer", "own/here", "--results", "/x"]
        assert "nothing.toml" in self.refusal(study, "nothing.toml", *given, code=3)
        assert "neph.db" in self.refusal(study, 12, *given, code=3)
        study("run", "study.toml")
        assert "12" in self.refusal(study, 12, *given, code=3)

    def test_a_gpu_is_named_where_it_is_needed(self, study):
        (study.folder / "study.toml").write_text(STUDY + 'device = ["CPU", "cuda"]\n')
        given = ["--results", "s3://b/x", "--offer"]
        assert "names no GPU" in self.refusal(study, "study.toml", *given, "azure/Standard_NC6")
        assert "do_step driver install" in study("script", "study.toml", *given, "azure/Standard_NC6+K80:1").stdout

    def test_a_budget_at_several_prices_is_no_limit(self, study):
        (study.folder / "prices.csv").write_text(PRICES)
        given = ["--results", "s3://b/x", "--offers", "prices.csv", "--budget", "5USD", "--offer"]
        said = self.refusal(study, "study.toml", *given, "aws/m5.large")
        assert "aws/m5.large@us-east-1" in said and "aws/m5.large@eu-west-1" in said and "--price" in said
        assert "limit_s=9000" in study("script", "study.toml", *given, "aws/m5.large@eu-west-1").stdout

    def test_containers_need_an_image(self, study):
        (study.folder / "study.toml").write_text(STUDY + 'architecture = "local"\nserver_in = "docker"\n')
        assert "--install both" in self.refusal(study, "study.toml", "--offer", "aws/m5", "--results", "/x")


class TestMoney:
    @pytest.mark.parametrize("offer, budget, price, limit_s, clock_s", [
        ("aws/m5", "5USD", "2.5USD/h", 7200, 0),
        ("gcp/n1", "$1", "0.30USD/h", 12000, 0),
        ("lambda/a10", "1USD", "0.7USD/h", 5100, 0),  # whole minutes of 5142.9 s
        ("scaleway/cpu", "2.5EUR", "1EUR/h", 7200, 0),  # hours
        ("scaleway/gpu+L4:1", "2.5EUR", "1EUR/h", 9000, 0),  # minutes
        ("selectel/x", "350RUB", "100RUB/h", 10800, 3600),  # hours of the clock
        ("own/desk", "1EUR", "0.9EUR/h", 4000, 0),
    ])  # fmt: skip
    def test_lasts_as_long_as_the_rule_lets_it(self, study, offer, budget, price, limit_s, clock_s):
        text = script(study, "--budget", budget, "--price", price, offer=offer)
        assert re.search(r"^limit_s=(\d+)", text, re.MULTILINE)[1] == str(limit_s)
        assert re.search(r"^clock_s=(\d+)", text, re.MULTILINE)[1] == str(clock_s)


    @pytest.mark.parametrize("offer, options, most_s", [
        ("aws/m5", [], 86400), ("aws/m5", ["--max-time", "3h"], 10800), ("aws/m5", ["--budget", "5USD", "--price", "1USD/h"], 0),
        ("own/desk", [], 0), ("own/desk", ["--release-command", "reboot"], 86400),
    ])  # fmt: skip
    def test_a_rented_machine_has_a_limit_even_where_none_is_given(self, study, offer, options, most_s):
        text = script(study, *options, offer=offer)
        assert re.search(r"^most_s=(\d+)", text, re.MULTILINE)[1] == str(most_s)


class TestOtherFormats:
    def test_a_task_of_skypilot_has_the_script_in_it(self, study):
        text = script(study, "--format", "sky", offer="gcp/n1-standard-8+V100:2@us-central1")
        keys = re.findall(r"^(\w+):", text, re.MULTILINE)
        assert keys == ["name", "resources", "file_mounts", "setup", "run"]
        for line in ('  infra: "gcp/us-central1"', '  instance_type: "n1-standard-8"', '  accelerators: {"V100": 2}',
                     "  autostop: {idle_minutes: 5, down: true}", '  "~/neph-script/pictures": "pictures"'):
            assert line in text.splitlines()
        setup = block(text, "setup")
        plain = script(study, offer="gcp/n1-standard-8+V100:2@us-central1").splitlines()
        assert setup[1].endswith("<<'END_OF_SCRIPT'") and setup[-1] == "END_OF_SCRIPT"
        assert setup[5:-1] == plain[3:]  # the third line is the command that made it
        assert block(text, "run") == ["sh ~/neph-script/run.sh"]

    def test_skypilot_is_told_which_variables_the_release_needs(self, study):
        text = script(study, "--format", "sky", offer="lambda/gpu_1x_a10")
        assert "\nenvs:" in text and "\n  LAMBDA_API_KEY: null\n" in text

    def test_user_data_of_cloud_init_has_the_script_in_it(self, study, tmp_path):
        options = ["--bundle", "https://example.org/neph.tar.gz"]
        text = script(study, *options, "--format", "cloud-init", offer="azure/Standard_NC6")
        assert text.startswith("#cloud-config\n")
        start, again = text.split("  - path: ")[1:]
        assert block(start, "content")[3:] == script(study, *options, offer="azure/Standard_NC6").splitlines()[3:]
        assert again.startswith("/var/lib/cloud/scripts/per-boot/") and start.splitlines()[0] in again
        if shutil.which("cloud-init"):
            (tmp_path / "user-data").write_text(text)
            done = subprocess.run(["cloud-init", "schema", "--config-file", tmp_path / "user-data"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr

    def test_what_yaml_cannot_hold_is_written_by_its_bytes(self, study):
        text = script(study, "--format", "sky", "--release-command", "a\tb\nc\N{LINE SEPARATOR}", offer="aws/x")
        word = """'a'"$(byte 011)"'b'"$newline"'c'"$(byte 342)"''"$(byte 200)"''"$(byte 250)"''"""
        assert f"  act sh -c {word}" in block(text, "setup")

    @pytest.mark.parametrize("name", ["a$HOME", "it's", "a\nb", 'a"b', "a;b", "${LAMBDA_API_KEY}"])
    def test_skypilot_gets_no_names_of_files_that_shells_read(self, study, name):
        (study.folder / "study.toml").write_text(STUDY.replace('"pictures"', json.dumps(name)))
        given = ["--offer", "lambda/x", "--results", "s3://b/x", "--format", "sky"]
        assert "--data" in study("script", "study.toml", *given, code=8).stderr
        if "\n" not in name:
            assert "file_mounts" in study("script", "study.toml", *given, "--data", f"{name}=s3://b/x").stdout
