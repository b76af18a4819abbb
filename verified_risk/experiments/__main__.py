"""``python -m verified_risk.experiments lake --out DIR``: the same as ``verified-risk experiment``."""

if __name__ == "__main__":
    from ..cli.experiment import experiment

    experiment(prog_name="python -m verified_risk.experiments")
