(** * Policies with a private memory are policies

    The conditional law of the action, given the history, reproduces the law of the history of a mixture of machines. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check LawCheck Meaning ModelFacts
  TablesAbove.
Import ListNotations.
Open Scope R_scope.

Lemma E_filter {X} (P : X -> bool) (d : dist X) f :
  E (filter (fun x => P (fst x)) d) f = E d (fun x => if P x then f x else 0).
Proof.
  induction d as [|[x p] d IH]; cbn [filter E fst]; [reflexivity|]. destruct (P x); cbn [E]; rewrite IH; ring.
Qed.

Lemma E_null {X} (d : dist X) f : nonneg d -> E d (fun _ => 1) = 0 -> E d f = 0.
Proof.
  intros Hd H. rewrite <- (E_zero d). apply E_ext_as. intros x p Hin Hp. exfalso.
  pose proof (prob_pos d (fun _ : X => left I : {True} + {~ True}) x p Hd Hin Hp I) as Hpos. unfold prob in Hpos.
  cbn in Hpos. lra.
Qed.

Lemma move_for_range rule label : good_rule rule = true -> (0 <= snd (move_for rule label) <= coin_den rule)%Z /\
  (0 < coin_den rule)%Z.
Proof.
  unfold good_rule. intros H. apply andb_true_iff in H. destruct H as [Hd H]. apply Z.ltb_lt in Hd.
  split; [|assumption].
  unfold move_for. destruct (find (fun x => (fst x =? label)%Z) (moves rule)) as [[l sc]|] eqn:E; [|cbn; lia].
  apply find_some in E. destruct E as [Hin _]. rewrite forallb_forall in H. specialize (H _ Hin). cbn [snd] in H.
  apply andb_true_iff in H. rewrite !Z.leb_le in H. lia.
Qed.

Lemma law_memories rule label mem : is_law (memories rule label mem).
Proof.
  unfold memories. destruct (good_rule rule) eqn:Eg; [|apply law_ret].
  destruct (move_for_range rule label Eg) as [[H1 H2] H3].
  apply IZR_le in H1, H2. apply IZR_lt in H3. split.
  - intros x p [Heq|[Heq|[]]]; injection Heq as _ <-; apply Rmult_le_pos; try (left; now apply Rinv_0_lt_compat);
      rewrite ?minus_IZR; lra.
  - cbn [E]. rewrite minus_IZR. field. lra.
Qed.

Section Mixture.
  Variables (m : model) (mix_den : Z) (parts : list (Z * machine)).
  Hypothesis Hparts : good_parts mix_den parts = true.
  Let M := meaning m.
  Let pi := mixture_policy m mix_den parts.
  Let B := belief m mix_den parts.

  Lemma parts_facts : (0 < mix_den)%Z /\ forallb (fun x : Z * machine => 0 <=? fst x)%Z parts = true /\
    zsum fst parts = mix_den.
  Proof.
    unfold good_parts in Hparts. repeat rewrite andb_true_iff in Hparts. rewrite Z.ltb_lt, Z.eqb_eq in Hparts. tauto.
  Qed.

  Lemma law_belief_nil : is_law (B []).
  Proof.
    destruct parts_facts as [H1 [H2 H3]].
    apply (law_weights parts fst (fun wc => (snd wc, mem_0 (snd wc)))); assumption.
  Qed.

  Lemma nonneg_belief l : nonneg (B l).
  Proof.
    induction l as [|[[s a] label] l IH]; [apply law_belief_nil|]. cbn. apply nonneg_bind.
    - intros x p Hin. apply filter_In in Hin. destruct Hin as [Hin _]. now apply (IH x p).
    - intros cm. apply nonneg_image, law_memories.
  Qed.

  Theorem is_jpolicy_mixture : is_jpolicy pi.
  Proof.
    intros h. unfold pi, mixture_policy. fold (B (fst h)).
    destruct (Req_EM_T (E (B (fst h)) (fun _ => 1)) 0) as [H0|H0]; [apply law_ret|].
    assert (Hpos : 0 <= E (B (fst h)) (fun _ => 1)) by (apply E_nonneg; [apply nonneg_belief | intros; lra]). split.
    - apply nonneg_scale; [left; apply Rinv_0_lt_compat; lra|]. apply nonneg_image, nonneg_belief.
    - rewrite E_scale, E_image. now apply Rinv_l.
  Qed.

  Theorem plays_allowed_mixture : plays_allowed M pi.
  Proof.
    intros h _. unfold pi, mixture_policy. fold (B (fst h)). destruct (Req_EM_T (E (B (fst h)) (fun _ => 1)) 0).
    - apply as_ret. cbn. destruct (actions_at m (jtime h) (jstate h)) as [|a l]; [now left | right; now exists a].
    - intros i p Hin _. apply in_map_iff in Hin. destruct Hin as [[i' p'] [Heq Hin]]. injection Heq as <- _.
      apply in_map_iff in Hin. destruct Hin as [[cm p''] [Heq Hin]]. injection Heq as <- _. apply allowed_valid.
  Qed.

  (** What a machine does from a history on. *)
  Fixpoint prun (n : nat) (cm : machine * Z) (h : jhistory positive Z Z) : dist (jhistory positive Z Z) :=
    match n with
    | O => ret h
    | S n' =>
        let a := machine_choice m (jtime h) (jstate h) cm in
        bind (kernel M (jtime h) (jstate h) a) (fun os =>
        bind (memories (rule_for (fst cm) (jtime h)) (fst os) (snd cm))
          (fun mem => prun n' (fst cm, mem) (jextend h a os)))
    end.

  Theorem mixture_is_machines n : forall h f,
    E (B (fst h)) (fun _ => 1) * E (jrun M pi n h) f = E (B (fst h)) (fun cm => E (prun n cm h) f).
  Proof.
    induction n as [|n IH]; intros h f.
    - cbn [jrun prun]. rewrite E_ret, <- E_scal_r. apply E_ext. intros. ring.
    - set (b := B (fst h)). set (t := jtime h). set (s := jstate h). set (act := machine_choice m t s).
      assert (Hb : nonneg b) by apply nonneg_belief.
      destruct (Req_EM_T (E b (fun _ => 1)) 0) as [H0|H0]; [rewrite H0, (E_null b) by assumption; ring|].
      set (Gam := fun cm a => E (kernel M t s a)
        (fun os => E (memories (rule_for (fst cm) t) (fst os) (snd cm))
        (fun mem => E (prun n (fst cm, mem) (jextend h a os)) f))).
      assert (HR : E b (fun cm => E (prun (S n) cm h) f) = E b (fun cm => Gam cm (act cm))).
      { apply E_ext. intros cm. cbn [prun]. rewrite E_bind. apply E_ext. intros os. apply E_bind. }
      rewrite HR. rewrite E_jrun_S, E_jstep. unfold pi at 1, mixture_policy. fold (B (fst h)). fold b.
      destruct (Req_EM_T (E b (fun _ => 1)) 0) as [Hx|_]; [contradiction|].
      rewrite E_scale, E_image, <- Rmult_assoc, Rinv_r, Rmult_1_l by assumption.
      fold t s. fold act.
      assert (dec : forall (y : Z) (x : machine * Z), {act x = y} + {act x <> y}) by (intros y x; apply Z.eq_dec).
      rewrite <- (tower b act dec Gam Hb). apply E_ext_as. intros cm p Hin Hp.
      pose proof (prob_pos b (dec (act cm)) cm p Hb Hin Hp eq_refl) as Hpos.
      rewrite E_given. set (a := act cm) in *.
      (* one continuation *)
      assert (Hone : forall os, E (jrun M pi n (jextend h a os)) f = / prob b (dec a) *
        E b (fun x => ind (dec a x) * E (memories (rule_for (fst x) t) (fst os) (snd x))
          (fun mem => E (prun n (fst x, mem) (jextend h a os)) f))).
      { intros os. specialize (IH (jextend h a os) f).
        assert (Hbel : forall g, E (B (fst (jextend h a os))) g =
          E b (fun x => ind (dec a x) * E (memories (rule_for (fst x) t) (fst os) (snd x))
            (fun mem => g (fst x, mem)))).
        { intros g. unfold jextend; cbn [fst]. unfold B. cbn [belief]. rewrite E_bind.
          rewrite (E_filter (fun x => machine_choice m (length (fst h)) (jstate h) x =? a)%Z). fold (B (fst h)). fold b.
          apply E_ext. intros x.
          rewrite E_image. change (length (fst h)) with t. change (machine_choice m t (jstate h) x) with (act x).
          destruct (Z.eqb_spec (act x) a) as [He|He]; [rewrite (ind_yes (dec a x) He) | rewrite (ind_no (dec a x) He)];
            ring. }
        rewrite !Hbel in IH. rewrite (E_ext b (fun x => ind (dec a x) * E _ (fun _ => 1)) (fun x => ind (dec a x)))
          in IH
          by (intros x; rewrite (proj2 (law_memories _ _ _)); ring).
        fold (prob b (dec a)) in IH. rewrite <- IH. field. lra. }
      rewrite (E_ext (kernel M t s a) _ _ Hone), E_scal. f_equal. rewrite E_swap. apply E_ext. intros x.
      now rewrite E_scal.
  Qed.

  Corollary E_mixture n s f : E (jrun M pi n ([], s)) f = E (B []) (fun cm => E (prun n cm ([], s)) f).
  Proof.
    pose proof (mixture_is_machines n ([], s) f) as H. cbn [fst] in H. rewrite (proj2 law_belief_nil), Rmult_1_l in H.
    exact H.
  Qed.
End Mixture.
