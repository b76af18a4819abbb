(** * Models that satisfy the paper's assumption      (paper: assump:quantile)

    The paper assumes F†(1) = T for the return of every policy; for finite laws, which have atoms, this says that the
    largest conceivable return is attained with positive probability.  It holds when rewards lie in [0, 1] and every
    reward law gives mass to 1.  Mixing a reward law with a little mass at 1 makes any model satisfy it; the
    counterexamples are mixed in this way. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity Mdp.
Import ListNotations.
Open Scope R_scope.

Definition satisfies_assumption {X A} (M : mdp X A) : Prop :=
  forall pi, is_policy pi -> quantile (cdf (return_law M pi)) 1 = Finite (INR (horizon M)).

(** (1 - e) d + e at 1. *)
Definition mixed (e : R) (d : dist R) : dist R := scale (1 - e) d ++ [(1, e)].

Lemma E_mixed e d f : E (mixed e d) f = (1 - e) * E d f + e * f 1.
Proof. unfold mixed. rewrite E_app, E_scale. simpl. ring. Qed.

Lemma law_mixed e d : 0 <= e <= 1 -> is_law d -> is_law (mixed e d).
Proof.
  intros He Hd. split.
  - intros x p Hin. apply in_app_or in Hin. destruct Hin as [Hin|[Heq|[]]].
    + apply (nonneg_scale (1 - e) d ltac:(lra) (proj1 Hd) x p Hin).
    + injection Heq as <- <-; lra.
  - rewrite E_mixed, (proj2 Hd). ring.
Qed.

Lemma mixed_within e d : almost_surely d (fun r => 0 <= r <= 1) -> almost_surely (mixed e d) (fun r => 0 <= r <= 1).
Proof.
  intros H x p Hin Hp. apply in_app_or in Hin. destruct Hin as [Hin|[Heq|[]]]; [|injection Heq as <- _; lra].
  apply in_map_iff in Hin; destruct Hin as [[y q] [Heq Hin]]. injection Heq as <- <-. apply (H y q); [assumption|].
  intros Hq; apply Hp; simpl; rewrite Hq; ring.
Qed.

Lemma mixed_at_1 e d : 0 <= e <= 1 -> nonneg d -> e <= prob (mixed e d) (fun r => Req_EM_T r 1).
Proof.
  intros He Hd. unfold prob. rewrite E_mixed, ind_yes by reflexivity.
  assert (0 <= E d (fun r => ind (Req_EM_T r 1))) by (apply E_nonneg; [assumption | intros; apply ind_range]). nra.
Qed.

Theorem rewards_at_1_satisfy_assumption {X A} (M : mdp X A) e :
  is_mdp M -> rewards_within 1 M -> 0 < e -> (forall s a, e <= prob (reward M s a) (fun r => Req_EM_T r 1)) ->
    satisfies_assumption M.
Proof.
  intros HM Hrew He H1 pi Hpi.
  (* all rewards so far were 1 with probability at least e^t *)
  assert (Hall : forall t, e ^ t <= E (history_law M pi t) (fun h => ind (Req_EM_T (collected h) (INR t)))).
  { induction t as [|t IH].
    - rewrite E_history_law_0. simpl pow. rewrite (E_ext _ _ (fun _ => 1)); [rewrite E_const by apply HM; lra|].
      intros s. apply ind_yes, collected_start.
    - rewrite E_history_law_S. change (e ^ S t) with (e * e ^ t). rewrite (Rmult_comm e).
      apply Rle_trans with (E (history_law M pi t) (fun h => ind (Req_EM_T (collected h) (INR t)) * e)).
      + rewrite E_scal_r. apply Rmult_le_compat_r; lra.
      + apply E_le; [now apply law_history | intros h]. rewrite E_step.
        destruct (Req_EM_T (collected h) (INR t)) as [Hc|Hc]; cbn [ind].
        * rewrite Rmult_1_l. apply E_ge_const; [apply Hpi | apply as_always; intros a].
          eapply Rle_trans; [apply (H1 (state h) a)|]. apply E_le; [now apply reward_law | intros r].
          apply E_ge_const; [now apply trans_law | apply as_always; intros s]. apply ind_le. intros ->.
          rewrite collected_extend, Hc. rewrite (S_INR t). ring.
        * rewrite Rmult_0_l. apply E_nonneg; [apply Hpi | intros a]. apply E_nonneg; [now apply reward_law | intros r].
          apply E_nonneg; [now apply trans_law | intros s; apply ind_range]. }
  specialize (Hall (horizon M)). pose proof (pow_lt e (horizon M) He) as Hpos.
  assert (Hl : is_law (return_law M pi)) by now apply law_return.
  pose proof (return_within M pi 1 Hrew) as Hw. rewrite Rmult_1_r in Hw.
  apply quantile_of_iff. intros x. split; intros Hx.
  - apply Rnot_lt_le; intros Hlt.
    assert (Hsum : cdf (return_law M pi) x + E (return_law M pi) (fun z => ind (Req_EM_T z (INR (horizon M)))) <= 1).
    { unfold cdf. rewrite <- E_plus. apply E_le_const; [assumption|]. apply as_always; intros z.
      destruct (Rle_dec z x), (Req_EM_T z (INR (horizon M))); simpl; lra. }
    rewrite E_return_law in Hsum. lra.
  - right; symmetry; apply cdf_above; [assumption|]. revert Hw; apply as_impl; intros z Hz; lra.
Qed.
