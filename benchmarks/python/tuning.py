"""Time of a user's function, for the page that tunes kernels."""

import json
from statistics import median

from measurement import Measured

import py_tensor as pt
from py_tensor.runtime.executor import runtime

PROFILES = 5


def prepare(code, backend):
    """Prepare the function `run` of a text."""
    return Tuned(code, backend)


class Tuned(Measured):
    """A function that returns a tensor or a tree of tensors."""

    def __init__(self, code, backend):
        self.backend = backend
        self.choose()
        # Programs of the same graph may have other settings.
        runtime.plans.clear()
        names = {}
        exec(compile(code, "code", "exec"), names)
        run = names["run"]

        def step():
            leaves = pt.tree.leaves(run())
            pt.realize(*leaves)
            return leaves[-1]

        self.start(step, None)

    async def profile(self):
        """Return the timer and the kernels of a call as JSON; times are medians of profiles."""

        async def call():
            self.step()

        profiles = [await pt.profile(call) for _ in range(PROFILES)]
        # A run of another length, for example after a change of the plan, is no repetition.
        runs = [p.kernels for p in profiles if len(p.kernels) == len(profiles[-1].kernels)]
        kernels = [described(same) for same in zip(*runs, strict=True)]
        return json.dumps({"timer": profiles[-1].timer, "kernels": kernels})


def described(runs):
    """Describe one kernel by its runs in all profiles."""
    kernel = runs[-1]
    times = [run.ms for run in runs if run.ms is not None]
    return {
        "name": kernel.name,
        "line": kernel.line,
        "shape": kernel.output_shape,
        "ms": median(times) if times else None,
        "kilobytes": (kernel.nbytes + kernel.nbytes_read) / 1e3,
    }
