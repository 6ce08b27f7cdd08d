"""What tests read of results (`neph ... --json`), and the network that the identity engine trains."""

TRAINED = """
[[inputs]]
name = "x"
shape = [-1, 1, 8, 8]
[[outputs]]
name = "y"
shape = [-1, 10]
"""


def only_cell(document):
    (cell,) = document["cells"]
    return cell


def value(cell, figure):
    return cell["figures"][figure]["value"]


def codes(cell):
    return {warning["code"] for warning in cell["warnings"]}
