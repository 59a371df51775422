"""The recurrent highway layer of Zilly et al. 2016 as plain loops, for one sentence in one direction."""

import math


def sigm(x):
    return 1.0 / (1.0 + math.exp(-x))


def run_layer(x, w, r, b, output_gate):
    """Returns the outputs, [T][H]. x: [T][D]; w: {gate: [D][H]}; r: {gate: [H][H]} and b: {gate: [H]} for each step l.

    Gates are h and t, and o in the first highway step if there is an output gate.
    """
    n = len(b[0]["h"])
    y, outputs = [0.0] * n, []
    for row in x:
        s, o = list(y), None
        for level in range(len(r)):
            z = {}
            for gate in r[level]:
                z[gate] = [b[level][gate][j] + sum(s[k] * r[level][gate][k][j] for k in range(n)) for j in range(n)]
                if level == 0:
                    z[gate] = [z[gate][j] + sum(row[k] * w[gate][k][j] for k in range(len(row))) for j in range(n)]
            if level == 0 and output_gate:
                o = [sigm(value) for value in z["o"]]
            t = [sigm(value) for value in z["t"]]
            s = [math.tanh(z["h"][j]) * t[j] + s[j] * (1 - t[j]) for j in range(n)]
        y = [o[j] * math.tanh(s[j]) for j in range(n)] if output_gate else s
        outputs.append(y)
    return outputs
