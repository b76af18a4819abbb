(** * The budget recursion plans CVaR exactly      (paper: appendix on CVaR, corrected)

    With n steps to go and budget b,

      W_0(s, b) = b^+,      W_{n+1}(s, b) = min over a in acts s of  E W_n(s', b - r),
      J(rho) = rho - (1/alpha) E_D W_T(s, rho).

    For every finite MDP, horizon and level alpha in (0, 1]:
    - E_D W_T(s, rho) is the least E (rho - Z)^+ over all randomised history-dependent policies;
    - every policy that is greedy in (t, s, rho - y) attains it;
    - the largest CVaR over all policies is max J, attained at an attainable return rho, and the policies greedy for a
      maximiser of J are optimal. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev
  DynamicProgramming.
Import ListNotations.
Open Scope R_scope.

Section Planner.
  Load "setup/Choices".

  Definition spend (w : S -> R -> R) (s : S) (b : R) (a : A) : R :=
    E (reward M s a) (fun r => E (trans M s a) (fun s' => w s' (b - r))).

  Fixpoint W (n : nat) (s : S) (b : R) : R :=
    match n with
    | O => Rmax 0 b
    | Datatypes.S n' => min_over (spend (W n') s b) (acts s)
    end.

  Definition J (alpha rho : R) : R := rho - E (init M) (fun s => W (horizon M) s rho) / alpha.

  (** Minimising actions at every (t, s, b) with b = rho - y. *)
  Definition budget_greedy (rho : R) (pi : policy S A) : Prop :=
    forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h)) /\
      spend (W (horizon M - Datatypes.S (time h))) (state h) (rho - collected h) a =
      W (horizon M - time h) (state h) (rho - collected h)).

  (** The budget recursion is dynamic programming for the utility -(rho - y)^+. *)
  Definition loss (rho y : R) : R := - Rmax 0 (rho - y).

  Lemma V_loss_eq_W rho n s y : V acts M (loss rho) n s y = - W n s (rho - y).
  Proof.
    revert s y; induction n as [|n IH]; intros s y; cbn [V W]; [reflexivity|].
    unfold min_over; rewrite Ropp_involutive; apply max_over_ext; intros a _. unfold backup, spend.
    replace (- E (reward M s a) (fun r => E (trans M s a) (fun s' => W n s' (rho - y - r))))
      with ((-1) * E (reward M s a) (fun r => E (trans M s a) (fun s' => W n s' (rho - y - r)))) by ring.
    rewrite <- E_scal; apply E_ext; intros r. rewrite <- E_scal; apply E_ext; intros s'.
    rewrite IH. replace (rho - (r + y)) with (rho - y - r) by ring. ring.
  Qed.

  Lemma backup_loss_eq_spend rho n s y a : backup M (V acts M (loss rho) n) s y a = - spend (W n) s (rho - y) a.
  Proof.
    unfold backup, spend.
    replace (- E (reward M s a) (fun r => E (trans M s a) (fun s' => W n s' (rho - y - r))))
      with ((-1) * E (reward M s a) (fun r => E (trans M s a) (fun s' => W n s' (rho - y - r)))) by ring.
    rewrite <- E_scal; apply E_ext; intros r. rewrite <- E_scal; apply E_ext; intros s'.
    rewrite V_loss_eq_W. replace (rho - (r + y)) with (rho - y - r) by ring. ring.
  Qed.

  Lemma budget_greedy_iff rho pi : budget_greedy rho pi <-> is_greedy acts M (loss rho) pi.
  Proof.
    split; intros H h Hh; generalize (H h Hh); apply as_impl; intros a [Ha Hv]; split; try assumption;
      rewrite backup_loss_eq_spend, V_loss_eq_W in *; lra.
  Qed.

  Lemma E_loss d rho : E d (loss rho) = - shortfall d rho.
  Proof.
    unfold loss, shortfall. replace (- E d (fun z => Rmax 0 (rho - z))) with ((-1) * E d (fun z => Rmax 0 (rho - z)))
      by ring.
    rewrite <- E_scal; apply E_ext; intros; ring.
  Qed.

  Lemma E_init_V rho : E (init M) (fun s => V acts M (loss rho) (horizon M) s 0) =
    - E (init M) (fun s => W (horizon M) s rho).
  Proof.
    replace (- E (init M) (fun s => W (horizon M) s rho)) with ((-1) * E (init M) (fun s => W (horizon M) s rho))
      by ring.
    rewrite <- E_scal; apply E_ext; intros s. rewrite V_loss_eq_W, Rminus_0_r; ring.
  Qed.

  (** Given: any MDP with finite laws, any allowed randomised history-dependent policy; a nonempty list of actions
      per state.
      Differs: no policy is below the recursion. *)
  Theorem budget_le_shortfall rho pi :
    is_policy pi -> allowed acts M pi -> E (init M) (fun s => W (horizon M) s rho) <= shortfall (return_law M pi) rho.
  Proof.
    intros Hpi Hal. pose proof (utility_le_dp acts M (loss rho) HM pi Hpi Hal) as H.
    rewrite E_loss, E_init_V in H; lra.
  Qed.

  (** Given: as budget_le_shortfall, policies greedy in the budget left.
      Differs: greedy policies attain it. *)
  Theorem budget_greedy_attains rho pi :
    is_policy pi -> budget_greedy rho pi -> shortfall (return_law M pi) rho = E (init M) (fun s => W (horizon M) s rho).
  Proof.
    intros Hpi Hg. apply budget_greedy_iff in Hg.
    pose proof (greedy_utility_eq_dp acts M (loss rho) pi Hpi Hg) as H. rewrite E_loss, E_init_V in H; lra.
  Qed.

  Lemma budget_greedy_exists rho :
    exists pi : y_policy S A, is_y_policy pi /\ budget_greedy rho (of_y_policy pi) /\ allowed acts M (of_y_policy pi).
  Proof.
    exists (greedy acts M (loss rho)); split; [|split].
    - now apply is_y_policy_greedy.
    - now apply budget_greedy_iff, greedy_is_greedy.
    - eapply is_greedy_allowed, greedy_is_greedy; assumption.
  Qed.

  (** ** Attainable returns *)

  Fixpoint attainable (n : nat) (s : S) : list R :=
    match n with
    | O => [0]
    | Datatypes.S n' =>
        flat_map (fun a => flat_map (fun rp => flat_map (fun sq => map (Rplus (fst rp)) (attainable n' (fst sq)))
          (trans M s a)) (reward M s a)) (acts s)
    end.

  Definition candidates : list R := flat_map (fun sp => attainable (horizon M) (fst sp)) (init M).

  Lemma run_attainable pi n h :
    allowed acts M pi -> (n + time h <= horizon M)%nat ->
    almost_surely (run M pi n h) (fun h' => exists z, In z (attainable n (state h)) /\ collected h' = z + collected h).
  Proof.
    intros Hal; revert h; induction n as [|n IH]; intros h Hn.
    - apply as_ret; exists 0; split; [now left | ring].
    - apply as_bind, as_step; intros a pa Ha Hpa r pr Hr Hpr s ps Hs Hps.
      generalize (IH (extend h a r s) ltac:(rewrite time_extend; lia)); apply as_impl; intros h' [z [Hz He]].
      exists (r + z); split.
      + cbn [attainable]. apply in_flat_map; exists a; split; [now apply (Hal h ltac:(lia) a pa)|].
        apply in_flat_map; exists (r, pr); split; [assumption|].
        apply in_flat_map; exists (s, ps); split; [assumption|]. now apply in_map.
      + rewrite He, collected_extend; ring.
  Qed.

  Lemma return_is_candidate pi z p :
    is_policy pi -> allowed acts M pi -> In (z, p) (return_law M pi) -> 0 < p -> In z candidates.
  Proof.
    intros Hpi Hal Hin Hp.
    destruct (in_dec Req_EM_T z candidates) as [|Hno]; [assumption | exfalso].
    pose (dec := fun x => match in_dec Req_EM_T x candidates with left H => right (fun f => f H) | right H => left H end
                 : {~ In x candidates} + {~ ~ In x candidates}).
    pose proof (prob_pos (return_law M pi) dec z p (proj1 (law_return M pi HM Hpi)) Hin ltac:(lra) Hno) as Hpos.
    assert (Hz : prob (return_law M pi) dec = 0); [|lra].
    unfold prob; rewrite E_return_law, E_history_law_from_start, <- (E_zero (init M)).
    apply E_ext_as; intros s q Hs _. rewrite <- (E_zero (run M pi (horizon M) (start s))). apply E_ext_as.
    generalize (run_attainable pi (horizon M) (start s) Hal ltac:(unfold time; simpl; lia)); apply as_impl.
    intros h' [w [Hw He]]. apply ind_no; intros Hc; apply Hc.
    rewrite He, collected_start, Rplus_0_r. apply in_flat_map; exists (s, q); split; assumption.
  Qed.

  (** ** The largest CVaR *)

  Section Level.
    Variable alpha : R.
    Hypothesis Halpha : 0 < alpha <= 1.

    Let CVaR (pi : policy S A) : R := value (cvar_weight alpha) M pi.

    (** Planning for any [rho] guarantees J(rho). *)
    Theorem J_le_cvar_of_greedy rho pi : is_policy pi -> budget_greedy rho pi -> J alpha rho <= CVaR pi.
    Proof.
      intros Hpi Hg; unfold J; rewrite <- (budget_greedy_attains rho pi Hpi Hg).
      apply ru_le_cvar; [assumption | now apply law_return].
    Qed.

    (** No policy exceeds J at the quantile of its own return. *)
    Lemma cvar_le_J_at_candidate pi :
      is_policy pi -> allowed acts M pi -> exists rho, In rho candidates /\ CVaR pi <= J alpha rho.
    Proof.
      intros Hpi Hal.
      destruct (rockafellar_uryasev (return_law M pi) alpha (law_return M pi HM Hpi) Halpha)
        as [_ [rho [p [Hin [Hp [_ He]]]]]].
      exists rho; split; [now apply (return_is_candidate pi rho p)|].
      unfold CVaR, value; rewrite <- He; unfold ru, J.
      pose proof (div_le_div _ _ alpha (proj1 Halpha) (budget_le_shortfall rho pi Hpi Hal)); lra.
    Qed.

    (** Given: as budget_le_shortfall, 0 < alpha <= 1.
        Differs: some attainable rho maximises J, and all its greedy policies are optimal.
        In words: 04-planning.md#budget. *)
    Theorem cvar_planner_correct :
      exists rho, In rho candidates /\ (forall rho', J alpha rho' <= J alpha rho) /\
        (forall pi, is_policy pi -> allowed acts M pi -> CVaR pi <= J alpha rho) /\
        (forall pi, is_policy pi -> budget_greedy rho pi -> CVaR pi = J alpha rho).
    Proof.
      assert (Hne : candidates <> []).
      { destruct (budget_greedy_exists 0) as [pi [Hpi [_ Hal]]].
        destruct (cvar_le_J_at_candidate _ (is_policy_of_y_policy pi Hpi) Hal) as [rho [Hr _]].
        intros Hnil; rewrite Hnil in Hr; contradiction. }
      destruct (list_argmin (fun rho => - J alpha rho) candidates Hne) as [rho [Hrho Hmax]].
      assert (Hle : forall pi, is_policy pi -> allowed acts M pi -> CVaR pi <= J alpha rho).
      { intros pi Hpi Hal; destruct (cvar_le_J_at_candidate pi Hpi Hal) as [rho' [Hr Hc]].
        specialize (Hmax rho' Hr); lra. }
      exists rho; repeat split; [assumption | | assumption |].
      - intros rho'; destruct (budget_greedy_exists rho') as [pi [Hpi [Hg Hal]]].
        apply Rle_trans with (CVaR (of_y_policy pi)).
        + apply J_le_cvar_of_greedy; [now apply is_policy_of_y_policy | assumption].
        + apply Hle; [now apply is_policy_of_y_policy | assumption].
      - intros pi Hpi Hg; apply Rle_antisym; [|now apply J_le_cvar_of_greedy].
        apply Hle; [assumption|]. apply (is_greedy_allowed acts M (loss rho)), budget_greedy_iff, Hg.
    Qed.
  End Level.
End Planner.
