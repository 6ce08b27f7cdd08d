"""`neph price list` and `lint`: offers of price lists in each format, and what is wrong in them."""

import os
import shutil
import subprocess
import time

import pytest
from paths import REPOSITORY
from price_lists import aws_like

LISTS = REPOSITORY / "tests/golden/prices"
INVALID, NOT_FOUND, CORRUPT = 2, 3, 7
FOUND = 1
DAY = 24 * 3600


@pytest.fixture
def catalogs(neph):
    """SkyPilot's folder of price lists, fresh, as a home has it."""
    folder = neph.folder / "home/.sky/catalogs"
    shutil.copytree(LISTS / "v8", folder / "v8")
    shutil.copytree(LISTS / "v6", folder / "v6")
    return folder


def names(listing):
    return [offer["name"] for offer in listing["offers"]]


def refused(neph, *arguments, code, says, **options):
    """Wants the exit code and one line on stderr that says all of `says`."""
    done = neph("price", *arguments, code=code, **options)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("neph: "), done.stderr
    for words in says:
        assert words in lines[0], f"{words!r} is not in {lines[0]!r}"


def at_home(catalogs):
    return {"env": os.environ | {"HOME": str(catalogs.parent.parent)}}


# ---- list


def test_list_takes_the_newest_catalogues_of_the_home(neph, catalogs):
    listing = neph.json("price", "list", "--gpu", "V100", "--limit", 0, **at_home(catalogs))
    assert [name for name in names(listing) if not name.startswith("slurm/")] == [
        "gcp/n1-standard-8+v100:1@us-central1", "lambda/gpu_8x_v100@us-east-1", "aws/p3.8xlarge@us-east-1",
        "aws/p3.8xlarge@eu-west-1"]  # fmt: skip
    slurm = neph.json("price", "list", "--machine", "8CPU--32GB--V100", "--limit", 0, **at_home(catalogs))
    assert slurm["offers"][0]["per_hour"] == {"amount": "1.236", "currency": "USD"}, "8 x 0.03 + 32 x 0.003 + 0.9"


def test_list_asks_by_region_cores_and_memory(neph, catalogs):
    listing = neph.json("price", "list", "--offers", catalogs / "v8", "--region", "eu", "--cores", "4..16")
    assert {offer["region"] for offer in listing["offers"]} == {"eu-west-1", "eu-central-1", "europe-west4", "europe-central-1"}
    assert all(4 <= offer["vcpus"] <= 16 for offer in listing["offers"])
    prices = [float(offer["per_hour"]["amount"]) for offer in listing["offers"]]
    assert prices == sorted(prices)
    large = neph.json("price", "list", "--offers", catalogs / "v8", "--memory", "244..", "--gpu", "any")
    assert names(large) == [
        "runpod/3x_A100-80GB_SECURE@CZ", "lambda/gpu_8x_v100@us-east-1", "slurm/64CPU--256GB--V100:8@cluster1",
        "aws/p3.8xlarge@us-east-1", "slurm/64CPU--256GB--V100:8@cluster1", "aws/p3.8xlarge@eu-west-1"]  # fmt: skip


def test_list_says_what_it_leaves_out(neph):
    aws = LISTS / "v8/aws/vms.csv"
    done = neph("price", "list", "--offers", aws)
    assert "rows without a price: 1" in done.stdout and "prices of 0: 1" in done.stdout
    (listed,) = neph.json("price", "list", "--offers", aws)["lists"]
    left_out = {"no-price": 1, "zero-price": 1, "negative-price": 1, "bad-price": 1, "repeated": 1}
    assert listed["rows"] == 14 and listed["left_out"] == left_out


def test_list_names_the_rule_or_the_assumption(neph, catalogs):
    rows = neph.json("price", "list", "--offers", catalogs / "v8", "--limit", 0)["offers"]
    assert {offer["provider"]: offer["rule"] for offer in rows} == {
        "aws": "aws-ec2", "gcp": "gcp", "lambda": "lambda", "runpod": "runpod", "vast": "vast", "slurm": None}  # fmt: skip
    assert "so it is billed per second" in neph("price", "list", "--offers", LISTS / "v8/slurm/pricing.csv").stdout


def test_list_by_spot_and_by_core(neph):
    aws = LISTS / "v8/aws/vms.csv"
    spot = neph.json("price", "list", "--offers", aws, "--spot")
    assert names(spot)[0] == "aws/a1.2xlarge@us-east-2" and spot["without_price"] == 2
    by_core = neph.json("price", "list", "--offers", aws, "--sort", "price-per-core", "--limit", 1)
    assert names(by_core) == ["aws/a1.2xlarge@us-east-2"] and by_core["found"] > 1


def test_currencies_are_compared_by_a_rate_only(neph):
    own = LISTS / "own.toml"
    refused(neph, "list", "--offers", own, code=INVALID, says=["EUR", "RUB", "--rate"])
    listing = neph.json("price", "list", "--offers", own, "--rate", "RUB=0.01EUR")
    assert [offer["per_hour"] for offer in listing["offers"]] == [
        {"amount": amount, "currency": "EUR"} for amount in ("0.12", "0.2137", "1.00")]  # fmt: skip
    assert [offer["rule"] for offer in listing["offers"]] == ["exact", "selectel", "selectel"]
    refused(neph, "list", "--offers", own, "--rate", "RUB:0.01EUR", code=INVALID, says=["give it as EUR=1.08USD"])


def test_without_a_catalogue_there_are_examples(neph):
    done = neph("price", "list", "--gpu", "V100", "--region", "eu", env=os.environ | {"HOME": str(neph.folder)})
    assert "verda/1V100.6V@FIN-01" in done.stdout and "a few example prices of 2026" in done.stdout


def test_money_needs_no_data_of_time_zones(neph):
    """As on a system without tzdata; only a bill on another clock than UTC needs them."""
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
    hidden = "mount -t tmpfs none /usr/share/zoneinfo && "
    if subprocess.run([*alone, hidden + "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("a mount namespace is not allowed here")
    bill = "bill --price 1USD/h --phase learn=1h --rule"
    for command in ("price rules", f"price list {LISTS / 'own.toml'} --rate RUB=0.01EUR", f"{bill} aws-ec2"):
        done = subprocess.run([*alone, hidden + f"{neph.program} {command}"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([*alone, hidden + f"{neph.program} {bill} selectel"], capture_output=True, text=True, check=False)
    assert done.returncode == NOT_FOUND and "no time zone 'Europe/Moscow' on this machine" in done.stderr


def test_provider_says_whose_a_file_is_that_is_named_alone(neph):
    (neph.folder / "lambda").mkdir()
    (neph.folder / "lambda/prices.csv").write_text("InstanceType,Price\nm5.large,0.1\n")
    assert names(neph.json("price", "list", "lambda/prices.csv", "--provider", "aws")) == ["aws/m5.large"]
    refused(neph, "list", "lambda", "--provider", "aws", code=NOT_FOUND, says=["known: lambda"])


def test_list_says_which_regions_it_cannot_place(neph):
    (neph.folder / "own.csv").write_text("instance,region,price\na,GRA11,1\nb,eu-west-1,1\n")
    listing = neph.json("price", "list", "own.csv", "--region", "eu")
    assert names(listing) == ["own/b@eu-west-1"] and listing["without_place"] == 1
    done = neph("price", "list", "own.csv", "--region", "eu")
    assert "1 offer more: the region's name does not say whether it is in eu" in done.stdout


def test_several_lists_and_a_folder(neph):
    both = neph.json("price", "list", "--offers", f"{LISTS}/v8/aws/vms.csv,{LISTS}/gpuhunt/aws.csv")
    assert {offer["catalogue"] for offer in both["offers"]} == {f"{LISTS}/v8/aws/vms.csv", f"{LISTS}/gpuhunt/aws.csv"}
    folder = neph.json("price", "list", LISTS, "--provider", "aws")
    assert {offer["provider"] for offer in folder["offers"]} == {"aws"} and len(folder["lists"]) == 9


@pytest.mark.parametrize("asked, says", [
    (("--gpu", "V10"), ["unknown GPU 'V10'", "did you mean 'V100'?"]),
    (("--region", "mars"), ["no offer is in region 'mars'"]),
    (("--provider", "azur"), ["unknown provider 'azur'", "known: aws"]),
    (("--cores", "1000.."), ["none of", "ask for less"]),
])  # fmt: skip
def test_list_says_why_nothing_fits(neph, asked, says):
    refused(neph, "list", "--offers", LISTS / "v8/aws/vms.csv", *asked, code=NOT_FOUND, says=says)


def test_a_country_is_no_state_of_another(neph):
    (neph.folder / "v8/runpod").mkdir(parents=True)
    (neph.folder / "v8/runpod/vms.csv").write_text(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Region,Price\n"
        + "".join(f"1x_H100,H100,1,16,80,{region},2.39\n" for region in ("US-DE-1", "US-IL-1", "EU-FR-1", "DE-FRA-1"))
    )
    regions = lambda asked: {offer["region"] for offer in neph.json("price", "list", "v8", "--region", asked)["offers"]}
    assert regions("de") == {"DE-FRA-1"} and regions("us-de") == {"US-DE-1"} and regions("fr") == {"EU-FR-1"}
    refused(neph, "list", "v8", "--region", "il", code=NOT_FOUND, says=["no offer is in region 'il'", "us-tx"])


def test_the_provider_of_the_folder_lets_what_others_own(neph):
    (neph.folder / "v8/spheron").mkdir(parents=True)
    (neph.folder / "v8/spheron/vms.csv").write_text(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,Provider\n"
        "H100_dallas-usa-1,H100_PCIE_BAREMETAL,1,16,192,2.6,dallas-usa-1,sesterce\n"
        "1H100.80S.32V,H100_SXM5,1,32,185,2.9,FIN-03,data-crunch\n"
        "A100x1,A100_80G_SXM4,1,16,192,1.6,dallas-usa-1,sesterce\n"
    )
    for offers in (("v8",), ("v8/spheron/vms.csv",), ("v8/spheron/vms.csv", "--provider", "spheron")):
        listing = neph.json("price", "list", *offers, "--gpu", "H100")
        assert {offer["provider"] for offer in listing["offers"]} == {"spheron"} and len(listing["offers"]) == 2
    assert listing["passed_over"] == ["A100_80G_SXM4"]
    assert "Passed over by --gpu: A100_80G_SXM4." in neph("price", "list", "v8", "--gpu", "H100").stdout
    assert names(neph.json("price", "list", "v8", "--gpu", "A100-80GB")) == ["spheron/A100x1@dallas-usa-1"]


# ---- lint


def lint(neph, name, *options, code=FOUND):
    return neph.json("price", "lint", LISTS / name, *options, code=code)


def test_lint_tells_line_and_remedy(neph):
    found = lint(neph, "v8/aws/vms.csv")
    by_code = {finding["finding"]: finding for finding in found["findings"]}
    assert by_code["no-price"]["line"] == 12 and "empty price is not 0" in by_code["no-price"]["do"]
    assert by_code["price-outlier"]["line"] == 7 and by_code["price-outlier"]["what"].startswith("aws/m7a.2xlarge@eu-central-1: 5.10")
    assert by_code["spot-not-less"]["gravity"] == "warning" and not by_code["spot-not-less"]["left_out"]
    assert found["counts"] == {code: sum(f["finding"] == code for f in found["findings"]) for code in found["counts"]}


def test_lint_finds_what_is_known_to_be_wrong_elsewhere(neph):
    assert {"gpu-count", "gpu-missing", "us-only"} <= set(lint(neph, "v6/azure/vms.csv")["counts"])
    assert lint(neph, "v8/gcp/vms.csv")["counts"]["placeholder-price"] == 2
    assert lint(neph, "v8/runpod/vms.csv")["counts"]["gpu-memory-unit"] == 2
    assert {"gpu-memory-total", "gpu-memory-wrong"} <= set(lint(neph, "v8/lambda/vms.csv")["counts"])


def test_lint_groups_and_counts(neph):
    text = neph("price", "lint", LISTS / "v8/aws/vms.csv", "--lines", 0, code=FOUND).stdout
    assert text.splitlines()[0].endswith("skypilot, 14 rows, 9 offers, 8 findings")
    assert "error: rows without a price: 1, left out" in text and "line 12" not in text


def test_exit_code_is_what_fail_on_says(neph):
    good = neph.folder / "aws.csv"
    good.write_text("instance,region,vcpus,memory_gib,price,currency\nm5.large,eu-west-1,2,8,0.107,USD\n")
    assert neph.json("price", "lint", good)["findings"] == []
    old = time.time() - 60 * DAY
    os.utime(good, (old, old))
    assert neph.json("price", "lint", good, code=FOUND)["counts"] == {"stale": 1}
    for level, code in (("error", 0), ("warning", FOUND), ("note", FOUND), ("nothing", 0)):
        neph("price", "lint", good, "--fail-on", level, code=code)


def test_lint_takes_several_lists(neph):
    documents = neph.json("price", "lint", LISTS / "v8/aws/vms.csv", LISTS / "v6", code=FOUND)
    assert [document["file"].split("/")[-2] for document in documents] == ["aws", "azure"]


# ---- bad input


@pytest.mark.parametrize("content, code, says", [
    (b"", CORRUPT, ["it is empty"]),
    (b"\x00\x01\x02PK" * 100, CORRUPT, ["it is no text"]),
    (b"name,time\na,1\n", INVALID, ["no price list that is known: name, time"]),
    (b"InstanceType,Price\n", CORRUPT, ["a heading and no rows"]),
    (b"InstanceType,Price\nm5.large,\nm5.xlarge,nan\n", INVALID, ["no price that can be used in 2 rows", "price lint"]),
    (b"InstanceType,AcceleratorName,AcceleratorCount,Price\np5.48xlarge,H100,12,98.32\n", INVALID,
     ["numbers of GPUs that no machine has: 1"]),
    (b"InstanceType,Price,Region\nm5.large,1,us\nm5.lar", CORRUPT, ["line 3 ends in the middle", "cut short"]),
])  # fmt: skip
def test_bad_list_is_told_in_one_line(neph, content, code, says):
    (neph.folder / "prices.csv").write_bytes(content)
    refused(neph, "list", "--offers", "prices.csv", code=code, says=["prices.csv", *says])


def test_no_such_list_and_folder_without_lists(neph):
    refused(neph, "list", "--offers", "absent.csv", code=NOT_FOUND, says=["absent.csv"])
    (neph.folder / "empty").mkdir()
    refused(neph, "list", "--offers", "empty", code=NOT_FOUND, says=["empty: there is no price list in it"])
    refused(neph, "lint", "empty", code=NOT_FOUND, says=["there is no price list in it"])
    refused(neph, "lint", code=INVALID, says=["which price list?"])


def test_a_large_list_that_was_cut_short(neph):
    text = aws_like(50_000) * 11
    assert len(text) > 50e6
    (neph.folder / "vms.csv").write_text(text[:-40])
    refused(neph, "lint", "vms.csv", code=CORRUPT, says=["ends in the middle", "the file is cut short; fetch it again"])


def test_findings_of_a_large_list_are_counted(neph):
    (neph.folder / "aws.csv").write_text(aws_like(20_000))
    found = neph.json("price", "lint", "aws.csv", code=FOUND)
    text = (neph.folder / "aws.csv").read_text()
    without_price = text.count(",,,us-") + text.count(",,,eu-") + text.count(",,,ap-")
    assert found["rows"] == 20_000 and without_price > 0
    assert found["counts"] == {"no-price": without_price} and found["offers"] == 20_000 - without_price
