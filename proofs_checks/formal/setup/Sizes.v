(** The numbers of states, actions, episodes and steps, and the printed logarithm with |S| = S0 + 1. *)
Variables S0 A0 K T delta : R.
Hypothesis HS : 1 <= S0.
Hypothesis HA : 1 <= A0.
Hypothesis HK : 1 <= K.
Hypothesis HT : 1 <= T.
Hypothesis Hd : 0 < delta <= 1.
Let S1 : R := S0 + 1.
Let lam : R := ln (4 * S1 * A0 * K / delta).
