"""Price lists that tests and benches make, in the shape of SkyPilot's catalogue of AWS; the prices are invented."""

import random

HEADING = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch"
REGIONS = [f"{place}-{n}" for place in ("us-east", "us-west", "eu-west", "eu-north", "ap-south", "ap-northeast") for n in (1, 2)]
GPUS = {"p3": ("V100", 16384), "g5": ("A10G", 22888), "p4d": ("A100", 40960), "g4dn": ("T4", 15360)}
SIZES = [("large", 2), ("xlarge", 4), ("2xlarge", 8), ("4xlarge", 16), ("8xlarge", 32), ("16xlarge", 64)]


def gpu_info(name, count, mib):
    gpu = {"Name": name, "Manufacturer": "NVIDIA", "Count": count, "LogicalGpuCount": count, "GpuPartitionSize": 1.0,
           "Workloads": ["ml-ai"], "MemoryInfo": {"SizeInMiB": mib}}  # fmt: skip
    return f'"{ {"Gpus": [gpu], "TotalGpuMemoryInMiB": count * mib} }"'


def aws_like(rows, seed=1):
    """So many rows: machines of many families in zones of twelve regions, one in ten with GPUs, some without a price."""
    draw, lines = random.Random(seed), [HEADING]
    family = 0
    while len(lines) <= rows:
        family += 1
        kind = draw.choice(list(GPUS)) if draw.random() < 0.1 else ""
        name = f"{kind}{family}" if kind else f"m{family}a"
        rate = draw.uniform(0.03, 0.06) * (5 if kind else 1)
        for size, cpus in SIZES:
            gpu, mib = GPUS.get(kind, ("", 0))
            count = max(1, cpus // 8)
            info = f"{gpu},{float(count)}" if gpu else ","
            for region in REGIONS:
                is_priced = draw.random() > 0.01
                price = f"{rate * cpus * (1 + 0.02 * REGIONS.index(region)):.6f}" if is_priced else ""
                for zone in "abc":
                    spot = f"{rate * cpus * draw.uniform(0.2, 0.7):.6f}" if is_priced else ""
                    lines.append(
                        f"{name}.{size},{info},{float(cpus)},{4.0 * cpus},{gpu_info(gpu, count, mib) if gpu else ''},"
                        f"{price},{spot},{region},{region}{zone},x86_64"
                    )
    return "\n".join(lines[: rows + 1]) + "\n"
