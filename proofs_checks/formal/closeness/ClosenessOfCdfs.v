(** * Closeness of the distribution functions of the return      (paper: lem:genbound, its first half)

    For any policy and two models with equal initial laws,

      |F_{Z'}(x) - F_Z(x)|  <=  E [ sum over t <= T of TV(R, R') + sum over t < T of TV(P, P') ] ,

    with the expectation in M or in M'.  The printed form has the Kolmogorov distance of the rewards. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Rcomplements.
From VerifiedRisk Require Import FiniteLaw Objective Mdp LawDistances Telescoping ClosenessTotalVariation.
Import ListNotations.
Open Scope R_scope.

Section Cdfs.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/TwoModels".
  Variable pi : policy S A.
  Hypothesis Hpi : is_policy pi.

  Definition difference_met (n : nat) (s : S) (a : A) : R :=
    tv_reward M M' s a + match n with O => 0 | _ => tv_trans state_dec M M' s a end.

  Section Function.
    Variable f : R -> R.
    Hypothesis Hf : forall z, 0 <= f z <= 1.

    Let later (n : nat) (h : history S A) : R := E (run M' pi n h) (fun h' => f (collected h')).

    Lemma later_range n h : 0 <= later n h <= 1.
    Proof.
      pose proof (law_run M' pi n h HM' Hpi) as Hl. split; [apply E_nonneg; [apply Hl | intros; apply Hf]|].
      apply E_le_const; [assumption | apply as_always; intros; apply Hf].
    Qed.

    Lemma one_action n h a :
      Rabs (E (reward M' (state h) a) (fun r => E (trans M' (state h) a) (fun s' => later n (extend h a r s'))) -
            E (reward M (state h) a) (fun r => E (trans M (state h) a) (fun s' => later n (extend h a r s')))) <=
              difference_met n (state h) a.
    Proof.
      set (s := state h). pose proof (reward_law M HM s a) as HR. pose proof (reward_law M' HM' s a) as HR'.
      pose proof (trans_law M HM s a) as HP. pose proof (trans_law M' HM' s a) as HP'.
      pose proof (tv_le_tv Req_EM_T (reward M' s a) (reward M s a) HR' HR) as HtR. fold (tv_reward M M' s a) in HtR.
      pose proof (tv_le_tv state_dec (trans M' s a) (trans M s a) HP' HP) as HtP.
      fold (tv_trans state_dec M M' s a) in HtP.
      destruct n as [|n]; unfold difference_met.
      - (* the last step: the next state does not matter *)
        assert (Hlast : forall N, is_law (trans N s a) -> forall r,
          E (trans N s a) (fun s' => later 0 (extend h a r s')) = f (r + collected h)).
        { intros N HN r. rewrite (E_ext _ _ (fun _ => f (r + collected h))); [now apply E_const|]. intros s'.
          unfold later; simpl run. now rewrite E_ret. }
        rewrite (E_ext (reward M' s a) _ (fun r => f (r + collected h))) by (intros; now apply Hlast).
        rewrite (E_ext (reward M s a) _ (fun r => f (r + collected h))) by (intros; now apply Hlast).
        eapply Rle_trans; [apply (tv_le_spread_abs _ _ (tv_reward M M' s a) (fun r => f (r + collected h)) 0 1); auto;
          try lra;
          apply as_always; intros; apply Hf | lra].
      - set (g := fun rs : R * S => later (Datatypes.S n) (extend h a (fst rs) (snd rs))).
        change (Rabs (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => g (r, s'))) -
                      E (reward M s a) (fun r => E (trans M s a) (fun s' => g (r, s')))) <=
                        tv_reward M M' s a + tv_trans state_dec M M' s a).
        rewrite <- !E_both.
        pose proof (tv_le_both (reward M s a) (reward M' s a) (trans M s a) (trans M' s a) _ _ HR HR' HP HP' HtR HtP)
          as Hboth.
        pose proof (Rmin_r 1 (tv_reward M M' s a + tv_trans state_dec M M' s a)).
        eapply Rle_trans; [apply (tv_le_spread_abs _ _ _ g 0 1 (law_both _ _ HR' HP') (law_both _ _ HR HP) Hboth);
          try lra;
          apply as_always; intros; apply later_range | lra].
    Qed.

    Lemma one_step_apart n h :
      Rabs (E (step M' pi h) (later n) - E (step M pi h) (later n)) <= E (pi h) (difference_met n (state h)).
    Proof.
      rewrite !E_step, <- E_minus. eapply Rle_trans; [apply Rabs_E_le, Hpi|].
      apply E_le; [apply Hpi | intros a; apply one_action].
    Qed.

    Lemma expectations_close : Rabs (E (return_law M' pi) f - E (return_law M pi) f) <=
      expected_cost M pi difference_met.
    Proof.
      assert (H1 : E (return_law M' pi) f = E (init M) (fun s => later (horizon M) (start s)))
        by (now rewrite E_return_law, E_history_law_from_start, Hinit, Hhor).
      assert (H0 : E (return_law M pi) f = E (history_law M pi (horizon M)) (later 0))
        by (rewrite E_return_law; apply E_ext; intros h; unfold later; simpl; ring).
      rewrite H1, H0. apply Rabs_le; split.
      - assert (H : E (init M) (fun s => -1 * later (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (fun h => -1 * later 0 h) + expected_cost M pi difference_met).
        { apply (telescope M pi HM Hpi (fun n h => -1 * later n h)). intros n h _.
          unfold later at 1; rewrite E_run_S; fold (later n).
          rewrite E_scal. pose proof (one_step_apart n h) as Hd. apply Rabs_le_between in Hd. unfold later in *. lra. }
        rewrite !E_scal in H; lra.
      - assert (H : E (init M) (fun s => later (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (later 0) + expected_cost M pi difference_met).
        { apply (telescope M pi HM Hpi later). intros n h _. unfold later at 1; rewrite E_run_S.
          pose proof (one_step_apart n h) as Hd. apply Rabs_le_between in Hd. unfold later in *. lra. }
        lra.
    Qed.
  End Function.

  Lemma cdfs_close_in_M x : Rabs (cdf (return_law M' pi) x - cdf (return_law M pi) x) <=
    expected_cost M pi difference_met.
  Proof. apply expectations_close. intros z; apply ind_range. Qed.
End Cdfs.

(** Given: any policy, equal initial laws; expectation under M or M'.
    Differs: finite laws; rewards any reals. *)
Theorem cdfs_close {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (M M' : mdp S A) pi :
  is_mdp M -> is_mdp M' -> is_policy pi -> init M' = init M -> horizon M' = horizon M ->
  forall x, Rabs (cdf (return_law M' pi) x - cdf (return_law M pi) x) <=
    expected_cost M pi (difference_met state_dec M M') /\
            Rabs (cdf (return_law M' pi) x - cdf (return_law M pi) x) <=
              expected_cost M' pi (difference_met state_dec M M').
Proof.
  intros HM HM' Hpi Hi Hh x. split; [now apply cdfs_close_in_M|]. rewrite Rabs_minus_sym.
  eapply Rle_trans; [apply (cdfs_close_in_M state_dec M' M HM' HM (eq_sym Hi) (eq_sym Hh) pi Hpi)|].
  apply expected_cost_le; try assumption. intros n s a _. unfold difference_met, tv_reward, tv_trans.
  rewrite (tv_sym Req_EM_T (reward M s a)), (tv_sym state_dec (trans M s a)). apply Rle_refl.
Qed.
