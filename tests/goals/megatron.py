"""What an iteration of Megatron-style training is made of, as `neph fit` takes it: --term, --latency-term.

From the literature: activations per element (Korthikanti et al. 2022), operations per element and the pipeline's bubble
(Narayanan et al. 2021), rates of an A100's data sheet. Which of them to take was decided with both tables in sight, so errors
with these terms say how well such terms can do, and not how well terms do that somebody wrote down beforehand.
"""

MICRO_BATCHES = '("global batch"/("micro batch"*"data parallelism")+"pipeline parallelism"-1)'  # with the bubble
ELEMENTS = '"micro batch"*"# layers"*"sequence length"*"hidden size"/"pipeline parallelism"'  # of one of them, in a stage
BYTES = '(10+(24+5*"attention heads"*"sequence length"/"hidden size")/"tensor parallelism")'  # of an element
OPERATIONS = '(6*"hidden size"+"sequence length")/"tensor parallelism"'  # of an element, twelve at a time

ROOFLINE = f"{MICRO_BATCHES}*{ELEMENTS}*({OPERATIONS}/26+1.5*{BYTES})"  # 12 operations at 312e12/s, 3 passes at 2e12 bytes/s
MEMORY = f"{MICRO_BATCHES}*{ELEMENTS}*{BYTES}"
LAUNCHES = f'{MICRO_BATCHES}*"# layers"/"pipeline parallelism"'

LATENCIES = [
    f'{LAUNCHES}*("tensor parallelism"-1)',  # steps of a ring
    f'{MICRO_BATCHES}*{ELEMENTS}*("tensor parallelism"-1)/"tensor parallelism"',  # all-reduce within a node
    f'{MICRO_BATCHES}*{ELEMENTS}*min(1,ceil("tensor parallelism"/8)-1)',  # and between nodes of eight
    f'{LAUNCHES}*min(1,"tensor parallelism"-1)',  # launches of all-reduces
    '"global batch"*"sequence length"*"hidden size"/("data parallelism"*"tensor parallelism")',  # logits
    '"global batch"/("micro batch"*"data parallelism")',
    f'{MICRO_BATCHES}*"micro batch"*"sequence length"*"hidden size"*min(1,"pipeline parallelism"-1)',  # between stages
    '"# layers"*"hidden size"^2*("data parallelism"-1)/("data parallelism"*"tensor parallelism"*"pipeline parallelism")',  # gradients
    '"# layers"*"hidden size"^2/("tensor parallelism"*"pipeline parallelism")',  # the optimiser
]


def options(terms, latencies):
    return [word for term in terms for word in ("--term", term)] + [word for term in latencies for word in ("--latency-term", term)]


WITHIN_A_NODE = options([ROOFLINE, MEMORY, LAUNCHES], LATENCIES)
ACROSS_NODES = options([ROOFLINE, LAUNCHES], [MEMORY, *LATENCIES])
