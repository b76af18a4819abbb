"""The claims in the text of the paper, with their statements or the reason why there is none.

``LABELS`` are the labels of claims in the LaTeX source; each is a label of a statement or a prefix of one, or occurs in
an entry below.  Entries cover the claims without a label, by line numbers of the source.  The source is not in this
repository; a test compares the two if it is available.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.severity import Severity

LABELS = (
    "eqn:phi",
    "assump:quantile",
    "assump:lipschitz",
    "thm:augmented",
    "thm:discretized",
    "alg:main",
    "thm:main",
    "lem:key",
    "lem:event",
    "lem:genbound",
    "lem:tildebound",
    "lem:hattildebound",
    "lem:fullbound",
    "lem:optimismhat",
    "fig:frozenlake",
    "lem:augmented:1",
    "lem:augmented:2",
    "lem:pihatcdfbound",
    "lem:quantileinverse",
    "lem:monotoneinversebound",
    "lem:pihatphibound",
    "lem:picdfbound",
    "lem:piphibound",
    "eqn:lem:optimismhat:proof:1",
    "eqn:lem:optimismhat:proof:2",
    "eqn:lem:optimismhat:proof:3",
)


@dataclass(frozen=True)
class Entry:
    """A claim in lines ``first`` to ``last`` of the source, one of which contains ``mark``, in our words.

    ``treated`` are labels of statements; if there are none, ``why`` gives the reason.  ``grade`` is the severity of a
    fault that has no statement.
    """

    first: int
    last: int
    mark: str
    claim: str
    treated: tuple[str, ...] = ()
    why: str = ""
    names: tuple[str, ...] = ()
    grade: Severity | None = None


ENTRIES = (
    Entry(
        *(79, 84, r"\label{eqn:phi}", "the class of objectives, first bounds for it"),
        treated=("assump:lipschitz/var", "assump:lipschitz/wang", "assump:lipschitz/cpw"),
        why="Line 84 calls F the quantile function where F† is meant; wording.",
        names=("eqn:phi",),
        grade=Severity.SLIP,
    ),
    Entry(89, 89, r"\tilde{O}", "the rate announced in the introduction", treated=("intro:bound",)),
    Entry(
        *(91, 91, r"\sqrt{K}", "the rate is optimal in K, because the mean is in the class"),
        why="A comparison with a lower bound of the literature; not checked here.",
    ),
    Entry(95, 97, "2T-", "the key identity in the introduction", treated=("intro:key", "lem:key")),
    Entry(
        *(99, 99, "non-Markov", "optimal policies may be non-Markov; the reward so far suffices; discretising works"),
        treated=("intro:nonmarkov", "thm:augmented", "thm:discretized"),
    ),
    Entry(
        *(104, 106, r"\beta", "the entropic risk: its limits and signs"),
        why="About earlier work, and used nowhere. Line 106 first takes beta > 0 and then discusses beta < 0; wording.",
        grade=Severity.SLIP,
    ),
    Entry(108, 108, "wide range", "bounds for the wide range of objectives of the form", ("assump:lipschitz/var",)),
    Entry(
        114, 114, "without loss of generality", "rewards in [0, 1] without loss of generality", treated=("def:rewards",)
    ),
    Entry(
        *(118, 131, r"\mathcal{Z}_t", "histories, their measure, episodes"),
        treated=("def:history", "def:history/episode"),
    ),
    Entry(134, 141, r"\sum_{\tau=t}", "the return and the Bellman equation", treated=("def:return", "def:bellman")),
    Entry(
        *(147, 149, r"\inf", "the quantile function, and that a strictly monotone CDF is invertible"),
        treated=("def:quantile/zero",),
        why="Invertible on its range, which is meant: line 392 asks that the inverse exists at tau.",
    ),
    Entry(
        *(151, 153, "VaR", "the objective and its instances: CVaR, mean, VaR, Wang, CPW"),
        treated=("def:objective/var", "def:objective/cvar", "def:objective/jumps"),
        why="CPW is named without a range for its parameter; it is a CDF for the usual ones, about 0.6.",
    ),
    Entry(
        *(154, 157, r"\arg\max", "an optimal policy exists"),
        treated=("def:augmented",),
        why="For finite models the maximum is attained; for general reward laws the paper assumes it at line 175.",
    ),
    Entry(
        *(164, 166, "nontrivial", "the assumption on the largest return, and that it is minor"),
        treated=("assump:quantile", "assump:quantile/empirical"),
    ),
    Entry(170, 172, "Lipschitz", "the assumption on G", treated=("assump:lipschitz", "def:objective/cvar")),
    Entry(
        *(175, 177, "algorithm for computing", "an optimal policy can be computed; for CVaR by known algorithms"),
        treated=("cvar:value", "cvar:rho", "production/plan"),
    ),
    Entry(
        *(179, 183, r"\mathbb{E}", "regret is an expectation; D is known without loss"),
        treated=("thm:main", "thm:main/expected"),
        why="Bounded in expectation and with probability, both are stated. That D can be learned is not used.",
    ),
    Entry(193, 204, r"\tilde\pi", "policies of state and reward so far suffice", treated=("thm:augmented",)),
    Entry(
        *(207, 227, r"\Pi_{\text{ind}}", "the augmented MDP is equivalent"),
        treated=("def:augmented",),
        why="Lines 218-219 give the law of no reward as the zero measure where delta_0 is meant: a slip.",
        grade=Severity.SLIP,
    ),
    Entry(
        *(230, 244, r"\phi", "the discretised MDP, its size and its loss"),
        treated=("def:pushforward", "def:grid/points", "def:grid/range", "thm:discretized"),
    ),
    Entry(
        *(252, 273, r"s_{\infty}", "the empirical and the optimistic model"),
        treated=("def:empirical", "def:optimistic/rows", "def:optimistic/rewards", "def:unvisited"),
    ),
    Entry(275, 284, r"\label{alg:main}", "the algorithm", treated=("corrected/run",), names=("alg:main",)),
    Entry(
        *(297, 299, "UCRL2", "comparisons with the rates of UCRL2 and UCBVI"),
        why="Comparisons with the literature. One is a slip of attribution: the reward radius carries no |S|, both "
        "extra factors come from the transitions.",
        grade=Severity.SLIP,
    ),
    Entry(
        306, 310, "three steps", "outline of the proof", treated=("lem:key", "lem:event/conditioning", "lem:fullbound")
    ),
    Entry(
        *(321, 415, "integration by parts", "the proof of the key lemma"),
        treated=("lem:key",),
        why="The proof is replaced, by Fubini; its gaps are in the notes of the statement.",
        grade=Severity.GAP,
    ),
    Entry(
        *(416, 429, r"\mathcal{E}", "the event and its probability"),
        treated=("lem:event/rewards", "lem:event/l1", "lem:event/sup-norm", "lem:event/conditioning"),
    ),
    Entry(
        *(469, 469, r"\sqrt{|\mc{S}|}", "2|S| times the reward radius is at most sqrt|S| times the transition radius"),
        treated=("def:optimistic/rows",),
        why="The two are equal, sqrt 2 |S| sqrt(l/N); that the rows are so close is part of the statement named.",
    ),
    Entry(
        *(500, 509, r"\label{fig:frozenlake}", "the experiment: levels, baselines, speed of convergence"),
        treated=("experiment:paths", "exp:forty", "exp:forty/information"),
        why="That the baselines do not converge, that the algorithm did within 40 episodes, and that smaller levels "
        "are slower, are observations on programs and seeds that are not given.",
        names=("fig:frozenlake",),
    ),
    Entry(
        *(513, 513, "recover", "the conclusion: the usual dependence on K"),
        treated=("thm:main",),
        why="It calls L_G the constant of the integral of the weighting; G itself is meant. Wording.",
        grade=Severity.SLIP,
    ),
    Entry(644, 656, r"\tilde\Xi", "the proof of the first lemma on augmentation", treated=("lem:augmented:1",)),
    Entry(
        668, 791, "induction", "the proofs of the second lemma and of the theorem", ("lem:augmented:2", "thm:augmented")
    ),
    Entry(
        *(796, 852, "backwards induction", "adapting a policy to unrounded rewards"),
        treated=("lem:pihatcdfbound/after", "lem:pihatcdfbound/before"),
        why="Line 798: M~ and M^ where M_(tau-1) and M_tau are meant, a slip. Line 804 writes a step by y', 830 by r.",
        grade=Severity.SLIP,
    ),
    Entry(
        *(866, 895, r"G^\dagger", "closeness of quantiles and of objectives"),
        treated=("lem:monotoneinversebound", "lem:pihatphibound"),
    ),
    Entry(
        *(903, 972, r"\rho", "adapting a policy to rounded rewards"),
        treated=("lem:picdfbound/after", "lem:picdfbound/before", "lem:piphibound"),
    ),
    Entry(
        *(973, 989, r"\pi_0^T", "the chain of T inequalities that ends the proof"),
        treated=("thm:discretized", "adaptation/pathwise"),
        why="A - 2 eta is lost at line 975, and pi_T^0 stands for pi_0^T at line 985; the next lines undo both.",
        grade=Severity.SLIP,
    ),
    Entry(
        *(997, 1011, "Hoeffding", "the inequalities behind the event"),
        treated=("lem:event/hoeffding", "lem:event/sup-norm"),
    ),
    Entry(
        *(1019, 1056, r"\|_\infty\le B(\pi)", "close CDFs of the return, then close objectives"),
        treated=("lem:genbound/cdf", "lem:genbound"),
        why="The bound of the middle term lost P(s'|s,a), a slip, and mixes the transitions of one model with the "
        "rewards of the other; unrolled, its expectation is under neither: a gap.",
        grade=Severity.GAP,
    ),
    Entry(
        *(1061, 1104, r"\label{eqn:lem:optimismhat:proof:3}", "optimism at the level of CDFs"),
        treated=("lem:optimismhat/cdf", "lem:optimismhat"),
        names=("eqn:lem:optimismhat:proof:1", "eqn:lem:optimismhat:proof:2", "eqn:lem:optimismhat:proof:3"),
    ),
    Entry(
        *(1112, 1121, "optimality of", "the regret is at most the conditional expectation of the summed radii"),
        treated=("thm:main/log", "thm:main/coefficient", "martingale"),
        why="A gap: the conditional expectation given the counts is not bounded by what is bounded path by path. A "
        "martingale step replaces it.",
        grade=Severity.GAP,
    ),
    Entry(
        *(1122, 1134, "fewer than", "counting visits, and the constant"),
        treated=(
            "thm:main/visits",
            "thm:main/unvisited",
            "thm:main/harmonic",
            "thm:main/factor",
            "thm:main/dropped",
            "thm:main/constant",
            "L3",
        ),
        why="The remaining step, N_t at most 2N once N exceeds T, is right; W_k, undefined, is episode k.",
        grade=Severity.SLIP,
    ),
    Entry(
        *(1141, 1166, r"\text{CVaR}", "the CVaR appendix: costs, the infimum, the objective J"),
        treated=("cvar:ru/costs", "cvar:ru", "cvar:min"),
        why="Line 1141 minimises costs and, in the next sentence, maximises CVaR; the formulas are those of costs.",
        grade=Severity.SLIP,
    ),
    Entry(
        *(1171, 1208, "value iteration", "the recursion and the choice of rho"),
        treated=("cvar:value", "cvar:rho"),
        why="Lines 1187 and 1193 have the excess (Z - rho)+ of a cost; of a return it is the shortfall (rho - Z)+.",
        grade=Severity.SLIP,
    ),
)
