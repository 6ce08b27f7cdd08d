"""Scripts of `neph script` do the experiment for real, and ask for the machine's release whatever happens to them."""

import os
import shutil
import signal
import subprocess
import time

import pytest
from paths import BUILD
from script_runs import RELEASES, FileServer, RentedMachine, marks_in, need, script

STEPS = ["ready", "bundle", "data", "learn", "save", "marks"]
RELEASED = "fakecloud release it"


@pytest.fixture
def files(tmp_path_factory):
    server = FileServer(tmp_path_factory.mktemp("served"))
    yield server
    server.end()


@pytest.fixture
def machine(study, files, tmp_path):
    """A machine whose script brings its data from the server of files and saves there; the provider is fakecloud."""
    made = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
    shutil.copy(study.folder / "model.identity", files.server.folder)
    subprocess.run(["tar", "-czf", files.server.folder / "pictures.tar.gz", "-C", study.folder / "pictures", "."], check=True)

    def write(*options, results=f"{files.url}/results"):
        data = ["--data", f"model.identity={files.url}/model.identity", "--data", f"pictures={files.url}/pictures.tar.gz"]
        made.script.write_text(script(study, *data, "--release-command", "fakecloud release it", *options, results=results))
        return made

    made.write = write
    write()
    yield made
    made.clear()


class TestRun:
    def test_it_measures_saves_and_releases(self, machine, study, files):
        out = machine.run()
        assert "all steps have ended" in out
        assert machine.asked() == [RELEASED]
        saved = files.server.folder / "results"
        (experiment,) = study.json("runs", "--store", saved / "neph.db")
        runs = study.json("runs", experiment["id"], "--store", saved / "neph.db")
        assert [run["status"] for run in runs] == ["ok"]
        stages = [mark["stage"] for mark in marks_in(saved / "marks.jsonl")]
        assert [stage for stage in stages if stage != "boot"] == ["install", "install", "data_load", "learn", "save"]
        ends = [0.0]
        for mark in marks_in(saved / "marks.jsonl"):
            assert list(mark) == ["stage", "begin_s", "end_s", "step"]
            assert ends[-1] <= mark["begin_s"] <= mark["end_s"] <= time.time() + 1
            ends.append(mark["end_s"])
        assert "</html>" in (saved / "report.html").read_text()
        machine.wait_until(lambda: machine.processes() == [], "that nothing is left")

    @pytest.mark.parametrize("shell", [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"]])
    def test_any_shell_will_do(self, machine, shell):
        need(shell[0])
        machine.shell = shell
        if shell[0] == "busybox":  # and nothing else where it has a program of its own
            for name in ("sh", "sleep", "timeout", "setsid", "sed", "sort", "tail", "cp", "mv", "rm", "mkdir", "date", "tr", "id"):
                machine.add(name, f'#!/bin/sh\nexec busybox {name} "$@"\n')
        machine.run()
        assert machine.asked() == [RELEASED]

    def test_again_it_repeats_nothing_but_the_release(self, machine, files):
        machine.run()
        calls, requests = machine.called(), list(files.server.seen)
        machine.run()
        assert (machine.called(), files.server.seen) == (calls, requests)
        assert machine.asked() == [RELEASED] * 2

    def test_a_dry_run_prints_the_steps_and_does_none(self, machine):
        out = machine.run("--dry-run")
        assert [line for line in out.splitlines() if line in STEPS] == STEPS
        assert "fakecloud release it" in out and "curl" in out
        assert machine.asked() == [] and machine.called() == [] and list(machine.home.iterdir()) == []

    @pytest.mark.parametrize("provider", RELEASES)
    def test_a_dry_run_shows_how_each_provider_is_asked(self, study, tmp_path, provider):
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph", ["aws", "az", "gcloud", "scw", "yc", "openstack",
                                                                          "vastai", "runpodctl", "poweroff", "systemctl"])
        machine.script.write_text(script(study, offer=f"{provider}/x"))
        released = machine.run("--dry-run").rpartition("release: ")[2].splitlines()
        assert len(released) > 1 or provider == "own"
        assert machine.asked() == []

    def test_a_check_looks_for_the_program_of_the_release(self, machine):
        assert machine.run("--check") == ""
        (machine.bin / "fakecloud").unlink()
        out = machine.run("--check", code=1)
        assert out.startswith("CAREFUL") and "the program fakecloud" in out and out.count("\n") == 1
        assert machine.asked() == []

    def test_only_the_release_can_be_asked_for(self, machine):
        machine.run("--release")
        assert machine.asked() == [RELEASED] and machine.called() == []

    def test_an_own_machine_stays_on(self, study, tmp_path):
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
        for name in ("model.identity", "pictures"):
            (machine.folder / name).symlink_to(study.folder / name)
        machine.script.write_text(script(study, results=tmp_path / "saved"))
        machine.run()
        assert machine.asked() == [] and (tmp_path / "saved/neph.db").exists()
        machine.clear()

    def test_without_any_neph_it_says_where_to_put_it(self, machine):
        (machine.bin / "neph").unlink()
        assert "put the bundle beside this file" in machine.run(code=1)
        assert machine.asked() == [RELEASED]

    def test_what_is_not_there_is_named(self, study, tmp_path):
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
        machine.script.write_text(script(study, "--release-command", "fakecloud release it", results=tmp_path / "saved"))
        assert "model.identity: the experiment reads it" in machine.run(code=1)
        assert machine.asked() == [RELEASED]
        machine.clear()


class TestSecrets:
    def test_a_signed_address_is_not_in_the_log(self, machine, files):
        machine.write("--data", f"more={files.url}/missing?signature=secret")
        running = machine.start()
        machine.wait_until(lambda: "again in 2 s: bring" in machine.log(), "a second try")
        running.terminate()
        running.communicate(timeout=20)
        assert "secret" not in machine.log()
        assert machine.kept.stat().st_mode & 0o77 == 0

    def test_what_the_server_wants_to_see_is_in_no_list_of_processes(self, machine, files):
        files.server.held.add(("PUT", "results/begun.txt", 1))
        running = machine.start(NEPH_PUT_HEADER='Authorization: Basic "secret\\')
        machine.wait_until(lambda: ("PUT", "results/begun.txt") in files.server.seen, "an upload")
        assert any("curl" in command for _, command in machine.processes())
        assert not [command for _, command in machine.processes() if "secret" in command]
        files.server.held.clear()
        running.communicate(timeout=30)
        assert 'Basic "secret\\' in files.server.authorizations


class TestEnds:
    """Whatever ends the script, the release is asked for; and what had ended is not done again."""

    def hold(self, machine, files, step):
        """Keeps the step from ending; gives what lets it go on, and what is true while it waits."""
        if step in ("bundle", "learn"):
            verb = {"bundle": "--version", "learn": "run"}[step]
            waits = machine.folder / f"calls.{verb}.wait"
            waits.touch()
            return waits.unlink, lambda: f"neph {verb}" in machine.called()
        request = {"ready": ("PUT", "results/begun.txt", 1), "data": ("GET", "pictures.tar.gz", 1), "save": ("PUT", "results/neph.db", 1),
                   "marks": ("PUT", "results/marks.jsonl", 2)}[step]
        files.server.held.add(request)
        return files.server.held.clear, lambda: files.server.seen.count(request[:2]) >= request[2]

    @pytest.mark.parametrize("step, how", [*[(step, how) for step in STEPS for how in (signal.SIGTERM, signal.SIGKILL)],
                                           ("learn", signal.SIGINT), ("learn", signal.SIGHUP)],
                             ids=lambda value: getattr(value, "name", value))
    def test_killed_at_a_step_and_resumed(self, machine, files, step, how):
        go_on, waits = self.hold(machine, files, step)
        running = machine.start()
        machine.wait_until(waits, f"step {step}")
        ended = machine.ended()
        calls, requests = len(machine.called()), len(files.server.seen)
        running.send_signal(how)
        if step == "save":
            time.sleep(1)
            go_on()  # saving is tried once more before the release, and would wait again
        machine.wait_for_release()
        assert set(machine.asked()) == {RELEASED}
        running.communicate(timeout=20)
        assert running.returncode == (-9 if how == signal.SIGKILL else 128 + how)
        machine.wait_until(lambda: machine.processes() == [], "that nothing is left")
        assert machine.ended() == ended and f"{step}" not in ended

        go_on()
        first = len(machine.asked())
        calls, requests = machine.called(), list(files.server.seen)
        machine.run()
        assert len(machine.asked()) == first + 1
        again = machine.called()[len(calls):]
        assert ("neph --version" in again) == (step in ("ready", "bundle"))
        assert ("neph run" in again) == (step in ("ready", "bundle", "data", "learn"))
        fetched = [name for verb, name in files.server.seen[len(requests):] if verb == "GET"]
        assert ("pictures.tar.gz" in fetched) == (step in ("ready", "bundle", "data"))
        assert machine.ended() >= set(STEPS)

    def test_a_hangup_does_not_end_it_under_nohup(self, machine, files):
        go_on, waits = self.hold(machine, files, "learn")
        machine.shell = ["nohup", "sh"]
        running = machine.start()
        machine.wait_until(waits, "step learn")
        running.send_signal(signal.SIGHUP)
        go_on()
        assert running.wait(60) == 0
        assert machine.ended() >= set(STEPS) and machine.asked() == [RELEASED]

    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
    def test_killed_while_it_asks_for_the_release(self, machine, how):
        waits = machine.folder / "asked.wait"
        waits.touch()
        running = machine.start()
        machine.wait_for_release()
        running.send_signal(how)
        time.sleep(0.5)
        waits.unlink()
        running.communicate(timeout=20)
        machine.wait_until(lambda: machine.processes() == [], "that nothing is left")
        assert len(machine.asked()) == (1 if how == signal.SIGTERM else 2)  # the guard cannot know that the first was heard

    def test_killed_with_all_that_its_terminal_started(self, machine, files):
        """As a terminal that is closed, or `kill -9 -GROUP`, does: the guard has a session of its own."""
        _, waits = self.hold(machine, files, "learn")
        running = subprocess.Popen(["setsid", "sh", machine.script], env=machine.env, cwd=machine.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        machine.wait_until(waits, "learning")
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        machine.wait_for_release()

    def test_a_guard_that_is_told_to_end_asks_first(self, machine, files):
        _, waits = self.hold(machine, files, "learn")
        running = machine.start()
        machine.wait_until(waits, "learning")
        os.kill(int((machine.kept / "guard").read_text().split()[0]), signal.SIGTERM)
        machine.wait_for_release()
        running.kill()
        running.communicate()

    def test_a_killed_guard_is_started_again(self, machine, files):
        go_on, waits = self.hold(machine, files, "data")
        running = machine.start()
        machine.wait_until(waits, "data")
        first = int((machine.kept / "guard").read_text().split()[0])
        os.kill(first, signal.SIGKILL)
        self.hold(machine, files, "learn")
        go_on()
        machine.wait_until(lambda: "neph run" in machine.called(), "learning")
        running.kill()
        machine.wait_for_release()
        running.communicate()

    def test_a_step_that_fails_ends_it_with_its_code(self, machine):
        machine.add("neph", '#!/bin/sh\n[ "$1" != run ] || { echo the reason; exit 4; }\n')
        out = machine.run(code=4)
        assert "learn failed with exit code 4" in out and "the reason" in out
        assert machine.asked() == [RELEASED]

    def test_data_that_cannot_be_had(self, machine, files):
        (files.server.folder / "pictures.tar.gz").unlink()
        assert "data failed" in machine.run(code=22, NEPH_HURRY="1")
        assert machine.asked() == [RELEASED]

    def test_results_that_nobody_takes_are_not_measured(self, machine, files):
        files.server.refuses = True
        assert "ready failed" in machine.run(code=22, NEPH_HURRY="1")
        assert machine.asked() == [RELEASED] and machine.called() == []

    def test_results_that_nobody_takes_any_more(self, machine, files):
        go_on, waits = self.hold(machine, files, "learn")
        running = machine.start(NEPH_HURRY="1")
        machine.wait_until(waits, "learning")
        files.server.refuses = True
        go_on()
        assert "save failed" in running.communicate(timeout=30)[0] and running.returncode == 22
        assert machine.asked() == [RELEASED]
        files.server.refuses = False
        machine.run()
        assert (files.server.folder / "results/neph.db").exists() and machine.called().count("neph run") == 1

    def test_what_was_measured_is_saved_before_the_release(self, machine, files):
        """Its run has ended, and then the script is told to end."""
        machine.add("neph", f'#!/bin/sh\n"{BUILD}/bin/neph" "$@" || exit\n[ "$1" != run ] || sleep 60\n')
        running = machine.start()
        machine.wait_until(lambda: list(machine.home.glob("neph-*/neph.db")), "a store")
        time.sleep(3)
        running.terminate()
        machine.wait_for_release()
        running.communicate(timeout=20)
        assert (files.server.folder / "results/neph.db").exists()
        assert "learn" not in [mark["stage"] for mark in marks_in(files.server.folder / "results/marks.jsonl")]

    def test_a_transfer_that_stands_still_ends(self, machine, files):
        text = machine.script.read_text()
        assert text.count("--speed-time 120") == 2
        machine.script.write_text(text.replace("--speed-time 120", "--speed-time 2"))
        self.hold(machine, files, "data")
        assert "data failed" in machine.run(code=28, NEPH_HURRY="1")
        assert machine.asked() == [RELEASED]

    def test_a_process_that_has_a_step_s_number_after_a_restart_is_left_alone(self, machine):
        machine.run()
        other = subprocess.Popen(["setsid", "sleep", "60"])
        (machine.kept / "step").write_text(f"{other.pid} 1 before-the-restart:1\n")
        machine.run()
        assert other.poll() is None
        other.kill()
        other.wait()

    def test_a_folder_that_was_copied_in_part_is_copied_again(self, study, tmp_path):
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
        for name in ("model.identity", "pictures"):
            (machine.folder / name).symlink_to(study.folder / name)
        machine.script.write_text(script(study, "--data", f"pictures={study.folder}/pictures", results=tmp_path / "saved"))
        pictures = sorted(file.name for file in (study.folder / "pictures").iterdir())
        machine.add("cp", '#!/bin/sh\ncase $* in *pictures*) mkdir -p "$3" && /usr/bin/cp "$2/%s" "$3" && kill -KILL "$PPID" ;; esac\n'
                          'exec /usr/bin/cp "$@"\n' % pictures[0])  # fmt: skip
        machine.run(code=137)
        (machine.bin / "cp").unlink()
        machine.run()
        assert sorted(file.name for file in (machine.kept / "work/pictures").iterdir()) == pictures
        machine.clear()

    def test_a_place_that_it_cannot_write_in(self, machine):
        machine.home.rmdir()
        machine.home.write_text("a file")
        assert "cannot write" in machine.run(code=1)
        assert machine.asked() == [RELEASED]

    @pytest.mark.parametrize("kib", [4, 24, 40, 64])
    def test_a_disk_that_is_full(self, machine, kib):
        if os.geteuid() != 0:
            pytest.skip("only root may mount a small disk")
        mount = f"mount -t tmpfs -o size={kib}k none {machine.home} && exec sh {machine.script}"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", mount], env=machine.env | {"NEPH_HURRY": "1"}, cwd=machine.folder,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode != 0
        machine.wait_for_release()

    def test_a_release_that_fails_is_asked_for_until_it_is_taken(self, machine):
        (machine.folder / "asked.failures").write_text("1\n")
        out = machine.run()
        assert "not taken, again in 5 s" in out
        assert machine.asked() == [RELEASED] * 2

    def test_the_same_machine_is_not_used_twice_at_once(self, machine, files):
        go_on, waits = self.hold(machine, files, "learn")
        first = machine.start()
        machine.wait_until(waits, "learning")
        second = subprocess.run(["sh", machine.script], env=machine.env, cwd=machine.folder, capture_output=True, text=True)
        assert second.returncode == 1 and f"process {first.pid}" in second.stderr
        assert machine.asked() == []
        go_on()
        first.communicate(timeout=30)
        assert machine.asked() == [RELEASED]


class TestGuard:
    def test_money_that_is_up_ends_it(self, machine, files):
        machine.write("--budget", "0.01USD", "--price", "3.6USD/h", "--rule", "per-second")  # 10 s
        (machine.folder / "calls.run.wait").touch()
        begin = time.monotonic()
        out = machine.run(code=-9)
        assert 5 < time.monotonic() - begin < 15
        machine.wait_for_release()
        assert "time or money is up" in machine.log() and "released after 10 s at the latest" in out
        machine.wait_until(lambda: machine.processes() == [], "that nothing is left")

    def test_a_shell_that_stands_still_is_ended_too(self, machine, files):
        machine.write("--max-time", "6s")
        (machine.folder / "calls.run.wait").touch()
        running = machine.start()
        machine.wait_until(lambda: "neph run" in machine.called(), "learning")
        running.send_signal(signal.SIGSTOP)
        machine.wait_for_release()
        running.communicate(timeout=10)

    def test_what_was_paid_before_counts_when_it_is_resumed(self, machine, files):
        machine.write("--max-time", "12s")
        (machine.folder / "calls.run.wait").touch()
        running = machine.start()
        machine.wait_until(lambda: "neph run" in machine.called(), "learning")
        time.sleep(5)
        running.kill()
        machine.wait_for_release()
        running.communicate()
        begin = time.monotonic()
        machine.run(code=-9)
        machine.wait_for_release(2)
        assert time.monotonic() - begin < 8
