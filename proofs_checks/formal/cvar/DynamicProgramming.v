(** * Dynamic programming for a utility of the return

    [acts s] lists the actions of state s.  With n steps to go and reward y so far,

      V_0(s, y) = u(y),      V_{n+1}(s, y) = max over a in acts s of  E V_n(s', y + r).

    For every utility u (no continuity, no monotonicity) and every horizon T:
    every randomised history-dependent policy has  E u(Z) <= E_D V_T(s, 0), and a policy that uses maximising actions
    at every (t, s, y) has equality.  Such a deterministic policy of (t, s, y) exists. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

(** ** Maximum and minimum over a list *)

Fixpoint argmax {A} (f : A -> R) (a : A) (l : list A) : A :=
  match l with
  | [] => a
  | b :: l' => let c := argmax f a l' in if Rle_dec (f c) (f b) then b else c
  end.

Definition max_over {A} (f : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | a :: l' => f (argmax f a l')
  end.

Definition min_over {A} (f : A -> R) (l : list A) : R := - max_over (fun a => - f a) l.

Lemma argmax_spec {A} (f : A -> R) a l :
  In (argmax f a l) (a :: l) /\ forall b, In b (a :: l) -> f b <= f (argmax f a l).
Proof.
  induction l as [|b l [IH1 IH2]]; cbn [argmax].
  - split; [now left | intros b [<-|[]]; lra].
  - destruct (Rle_dec (f (argmax f a l)) (f b)) as [H|H]; split.
    + right; now left.
    + intros c [<-|[<-|Hc]]; [|lra|]; (eapply Rle_trans; [apply IH2 | exact H]); [now left | now right].
    + destruct IH1 as [Ha|Hl]; [left; assumption | right; now right].
    + intros c [<-|[<-|Hc]]; [|lra|]; apply IH2; [now left | now right].
Qed.

Lemma max_over_ge {A} (f : A -> R) l a : In a l -> f a <= max_over f l.
Proof. destruct l as [|b l]; [intros []|]. apply (argmax_spec f b l). Qed.

Lemma max_over_attained {A} (f : A -> R) l : l <> [] -> exists a, In a l /\ max_over f l = f a.
Proof.
  destruct l as [|b l]; [congruence|]. intros _; exists (argmax f b l); split; [apply argmax_spec | reflexivity].
Qed.

Lemma min_over_le {A} (f : A -> R) l a : In a l -> min_over f l <= f a.
Proof. intros H; pose proof (max_over_ge (fun a => - f a) l a H); unfold min_over; simpl in *; lra. Qed.

Lemma min_over_attained {A} (f : A -> R) l : l <> [] -> exists a, In a l /\ min_over f l = f a.
Proof.
  intros H; destruct (max_over_attained (fun a => - f a) l H) as [a [Ha He]].
  exists a; split; [assumption | unfold min_over; rewrite He; lra].
Qed.

Lemma max_over_le {A} (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> max_over f l <= max_over g l.
Proof.
  intros H; destruct l as [|b l]; [simpl; lra|].
  destruct (max_over_attained f (b :: l)) as [a [Ha ->]]; [discriminate|].
  eapply Rle_trans; [apply H, Ha | now apply max_over_ge].
Qed.

Lemma max_over_le_plus {A} (f g : A -> R) l c :
  0 <= c -> (forall a, In a l -> f a <= g a + c) -> max_over f l <= max_over g l + c.
Proof.
  intros Hc H; destruct l as [|b l]; [simpl; lra|].
  destruct (max_over_attained f (b :: l)) as [a [Ha ->]]; [discriminate|].
  eapply Rle_trans; [apply H, Ha | apply Rplus_le_compat_r; now apply max_over_ge].
Qed.

Lemma max_over_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> max_over f l = max_over g l.
Proof. intros H; apply Rle_antisym; apply max_over_le; intros a Ha; rewrite H; auto; lra. Qed.

(** ** The recursion *)

Section DynamicProgramming.
  Context {S A : Type}.
  Variable acts : S -> list A.
  Variable M : mdp S A.
  Variable u : R -> R.

  (** The policy only uses listed actions before the horizon. *)
  Definition allowed (pi : policy S A) : Prop :=
    forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h))).

  (** The expected continuation value of an action. *)
  Definition backup (v : S -> R -> R) (s : S) (y : R) (a : A) : R :=
    E (reward M s a) (fun r => E (trans M s a) (fun s' => v s' (r + y))).

  Fixpoint V (n : nat) (s : S) (y : R) : R :=
    match n with
    | O => u y
    | Datatypes.S n' => max_over (backup (V n') s y) (acts s)
    end.

  (** Maximising actions at every history before the horizon, hence at every reachable or unreachable (t, s, y). *)
  Definition is_greedy (pi : policy S A) : Prop :=
    forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h)) /\
      backup (V (horizon M - Datatypes.S (time h))) (state h) (collected h) a =
      V (horizon M - time h) (state h) (collected h)).

  Definition greedy : y_policy S A := fun t s y =>
    match acts s with
    | [] => []
    | a :: l => ret (argmax (backup (V (horizon M - Datatypes.S t)) s y) a l)
    end.

  Lemma E_step_backup pi h v :
    E (step M pi h) (fun h' => v (state h') (collected h')) = E (pi h) (backup v (state h) (collected h)).
  Proof. rewrite E_step; reflexivity. Qed.

  Hypothesis Hacts : forall s, acts s <> [].
  Hypothesis HM : is_mdp M.

  Lemma is_y_policy_greedy : is_y_policy greedy.
  Proof.
    intros t s y; unfold greedy; specialize (Hacts s); destruct (acts s); [congruence | apply law_ret].
  Qed.

  Lemma greedy_is_greedy : is_greedy (of_y_policy greedy).
  Proof.
    intros h Hh; unfold of_y_policy, greedy. replace (horizon M - time h)%nat
      with (Datatypes.S (horizon M - Datatypes.S (time h)))%nat by lia; simpl.
    pose proof (Hacts (state h)); destruct (acts (state h)) as [|a l] eqn:Ha; [congruence|].
    apply as_ret; split; [apply argmax_spec | reflexivity].
  Qed.

  Lemma is_greedy_allowed pi : is_greedy pi -> allowed pi.
  Proof. intros Hg h Hh; generalize (Hg h Hh); apply as_impl; tauto. Qed.

  Section Policy.
    Variable pi : policy S A.
    Hypothesis Hpi : is_policy pi.

    Lemma run_le_V n h :
      allowed pi -> (n + time h <= horizon M)%nat ->
      E (run M pi n h) (fun h' => u (collected h')) <= V n (state h) (collected h).
    Proof.
      intros Hal; revert h; induction n as [|n IH]; intros h Hn; [simpl; lra|].
      rewrite E_run_S. apply Rle_trans with (E (step M pi h) (fun h' => V n (state h') (collected h'))).
      - apply E_le_as; [apply law_step; assumption|]. apply as_step; intros a _ _ _ r _ _ _ s _ _ _.
        apply IH; rewrite time_extend; lia.
      - rewrite E_step_backup. apply E_le_const; [apply Hpi|].
        intros a p Hin Hp; simpl; apply max_over_ge, (Hal h ltac:(lia) a p Hin Hp).
    Qed.

    Lemma run_eq_V n h :
      is_greedy pi -> (n + time h = horizon M)%nat ->
      E (run M pi n h) (fun h' => u (collected h')) = V n (state h) (collected h).
    Proof.
      intros Hg; revert h; induction n as [|n IH]; intros h Hn; [simpl; lra|].
      rewrite E_run_S, E_step.
      rewrite (E_ext_as (pi h) _ (fun _ => V (Datatypes.S n) (state h) (collected h))); [apply E_const, Hpi|].
      intros a p Hin Hp. destruct (Hg h ltac:(lia) a p Hin Hp) as [_ Hv].
      replace (horizon M - Datatypes.S (time h))%nat with n in Hv by lia.
      replace (horizon M - time h)%nat with (Datatypes.S n) in Hv by lia.
      rewrite <- Hv; unfold backup. apply E_ext; intros r; apply E_ext; intros s.
      rewrite IH; [reflexivity | rewrite time_extend; lia].
    Qed.

    (** No policy does better.
        Given: any utility, any MDP with finite laws, any allowed randomised history-dependent policy; a nonempty
        list of actions per state.
        In words: 04-planning.md#dp.
        Step of: cvar:value. *)
    Theorem utility_le_dp : allowed pi -> E (return_law M pi) u <= E (init M) (fun s => V (horizon M) s 0).
    Proof.
      intros Hal; rewrite E_return_law, E_history_law_from_start.
      apply E_le; [apply HM | intros s; apply (run_le_V (horizon M) (start s) Hal)]. unfold time; simpl; lia.
    Qed.

    (** A greedy policy does as well.
        Given: as utility_le_dp, greedy policies.
        In words: 04-planning.md#dp.
        Step of: cvar:value. *)
    Theorem greedy_utility_eq_dp : is_greedy pi -> E (return_law M pi) u = E (init M) (fun s => V (horizon M) s 0).
    Proof.
      intros Hg; rewrite E_return_law, E_history_law_from_start.
      apply E_ext; intros s. apply (run_eq_V (horizon M) (start s) Hg). unfold time; simpl; lia.
    Qed.
  End Policy.
End DynamicProgramming.
