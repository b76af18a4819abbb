(** * Mean, CVaR and their mixtures by interpolation: the test is sound *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck LawCheck Meaning ModelFacts RatFacts
  TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute Interpolation.
Import ListNotations.
Open Scope R_scope.

Section Route.
  Variables (m : model) (w alpha : rat).
  Hypothesis Hm : good_model m = true.
  Hypothesis Htail : good_tail w alpha = true.
  Let M := meaning m.
  Let W := real_of w.
  Let A := real_of alpha.
  Let c := cost_of W A.

  Theorem tail_by_interpolation_correct V g bound pi : ok bound -> tail_by_interpolation m V g w alpha bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi (tail_weight W A) (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hbound H Hpi Hal. unfold tail_by_interpolation in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    destruct (best_mean m V) as [mean|] eqn:Emean; [|discriminate].
    set (u := unit_size g) in *.
    set (bottom := if (num w =? 0)%Z then 0%Z else cost_below V w alpha (rmult u (of_Z lo'))) in *.
    set (terminal := terminal_row (cost_below V w alpha) u (of_Z 0) lo' hi') in *.
    set (kappa := rplus w (tail_slope w alpha)) in *.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[[[[[HV Hg] Hs1] Hs2] Hlohi] Hlohi'] Hnb] Hleft] Hright] Hinside].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hlohi, Hlohi'. apply Z.eqb_eq in Hs1, Hs2.
    destruct (tail_facts w alpha Htail) as [Hokw [_ [_ [HW HA]]]]. destruct (ok_slope w alpha Htail) as [Hoks Hs].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as G4'.
    destruct (grid_positive g Hg) as [Hu1 [Hu2 _]]. assert (Hoku : ok u) by exact Hu2.
    assert (Hu : 0 < real_of u) by now apply real_of_sign.
    assert (Hmean : E (jreturn_law M pi) (fun z => z) <= real_of mean) by now apply (mean_le_best_mean m V Hm HV).
    assert (Hokmean : ok mean).
    { unfold best_mean in Emean. destruct (start_sum _ _); [|discriminate]. injection Emean as <-. unfold ok; cbn [den]. now apply Z.mul_pos_pos. }
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    assert (Hokk : ok kappa) by (unfold kappa; now apply ok_rplus).
    assert (Hk : real_of kappa = W + slope_of W A) by (unfold kappa; rewrite real_rplus, Hs by assumption; reflexivity).
    set (v := table_between m g (rate_0 m g) bottom terminal (windows g) (steps m)) in *.
    set (L := fun b => zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z (initial m)).
    rewrite zeros_along, start_row_along in Hinside. pose proof (all_at_most_along _ _ _ _ Hinside) as Hrow. clear Hinside.
    rewrite zlen_counter in Hrow.
    assert (Hat : forall b, (lo <= b <= hi)%Z -> real_of u * IZR b - IZR (L b) / (IZR V * IZR (initial_den m)) <= real_of bound).
    { intros b Hb. specialize (Hrow b ltac:(lia)). rewrite Z.add_0_l in Hrow. fold (L b) in Hrow.
      assert (HokL : ok (Rat (L b) (V * initial_den m))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
      assert (Hokb : ok (rmult u (of_Z b))) by auto using ok_rmult, ok_of_Z.
      apply rat_le_correct in Hrow; [|now apply ok_rminus | assumption].
      rewrite real_rminus, real_rmult, real_of_Z in Hrow by auto using ok_of_Z. unfold real_of at 2 in Hrow. cbn [num den] in Hrow.
      rewrite mult_IZR in Hrow. exact Hrow. }
    destruct (Phi_attained W A HW HA _ Hlaw) as [rho ->].
    destruct (Rle_dec rho (real_of u * IZR lo)) as [H1|H1].
    { eapply Rle_trans; [apply (J_left W A HW HA _ rho _ _ Hlaw Hmean H1)|].
      apply rat_le_correct in Hleft; [|auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rplus, !real_rmult, real_rminus, !real_of_Z in Hleft by auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z. exact Hleft. }
    destruct (Rle_dec (real_of u * IZR hi) rho) as [H2|H2].
    { eapply Rle_trans; [apply (J_right W A HW HA _ rho _ _ Hlaw Hmean H2)|].
      apply rat_le_correct in Hright; [|auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rminus, !real_rmult, real_rminus, !real_of_Z, Hk in Hright by auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z. exact Hright. }
    apply Rnot_le_lt in H1, H2.
    destruct (floor_exists (rho / real_of u)) as [b [Hb1 Hb2]]. set (theta := rho / real_of u - IZR b).
    assert (Htheta : 0 <= theta <= 1) by (unfold theta; lra).
    assert (Hrho : rho = real_of u * (IZR b + theta)) by (unfold theta; field; lra).
    assert (Hlob : (lo <= b)%Z).
    { apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR. apply Rmult_lt_reg_l with (real_of u); [assumption|].
      apply Rlt_le_trans with rho; [assumption|]. rewrite Hrho. apply Rmult_le_compat_l; lra. }
    assert (Hbhi : (b < hi)%Z).
    { apply lt_IZR. apply Rmult_lt_reg_l with (real_of u); [assumption|]. apply Rle_lt_trans with rho; [|assumption]. rewrite Hrho at 1. apply Rmult_le_compat_l; lra. }
    set (Fc := fun x => Rmax (IZR bottom) (IZR V * c x)).
    assert (Hfirst : nth_error (windows g) 0 = Some (lo, hi)) by now rewrite Ew.
    assert (Hws0 : window_start g 0 = lo) by (unfold window_start; now rewrite Hfirst).
    assert (Hwe0 : window_end g 0 = hi) by (unfold window_end; now rewrite Hfirst).
    assert (HwsT : window_start g (length (steps m)) = lo') by (unfold window_start; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (HweT : window_end g (length (steps m)) = hi') by (unfold window_end; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (Hterminal : forall b theta, (window_start g (length (steps m)) <= b)%Z -> (b + 1 <= window_end g (length (steps m)))%Z -> 0 <= theta <= 1 ->
      (1 - theta) * IZR (look bottom (window_start g (length (steps m))) terminal b) + theta * IZR (look bottom (window_start g (length (steps m))) terminal (b + 1)) <=
      Fc (real_of (unit_size g) * (IZR b + theta))).
    { rewrite HwsT, HweT. clear - Hoku Hu Hm Htail HV'. intros b theta Hlo Hhi Htheta. unfold terminal. rewrite !look_terminal by lia.
      assert (Hx : forall z, IZR (cost_below V w alpha (rplus (rmult u (of_Z z)) (of_Z 0))) <= IZR V * c (real_of u * IZR z)).
      { intros z. eapply Rle_trans; [apply (cost_below_correct w alpha Htail); auto using ok_rplus, ok_rmult, ok_of_Z|].
        assert (Hr : real_of (rplus (rmult u (of_Z z)) (of_Z 0)) = real_of u * IZR z)
          by (rewrite real_rplus, real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z; ring).
        rewrite Hr. right. reflexivity. }
      pose proof (Hx b) as Hxb. pose proof (Hx (b + 1)%Z) as Hxb'. rewrite plus_IZR in Hxb'.
      eapply Rle_trans; [|apply Rmax_r]. fold u.
      pose proof (cost_linear W A (real_of u) b 0 theta Hu Htheta) as Hlin. rewrite Rmult_0_r, !Rminus_0_r in Hlin. fold c in Hlin. rewrite Hlin.
      pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Hxb). pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hxb'). lra. }
    assert (Hlength : (zlen terminal = Z.max 0 (window_end g (length (steps m)) - window_start g (length (steps m)) + 1))%Z).
    { rewrite HwsT, HweT. unfold terminal, terminal_row. now rewrite zlen_along, zlen_counter. }
    destruct (table_between_le m g bottom terminal rho Fc Hm Hg (conj Hs1 Hs2) (fun x => Rmax_l _ _) Hterminal Hlength pi Hpi Hal
      (steps m) 0 (windows g) eq_refl eq_refl eq_refl) as [_ Htable]. cbn [rate_at] in Htable. fold v in Htable. rewrite Hws0, Hwe0 in Htable.
    set (H := full_history_law M pi).
    assert (Hsum : (1 - theta) * IZR (L b) + theta * IZR (L (b + 1)%Z) <= IZR (initial_den m) * E H (fun h => Fc (rho - earned M (fst h)))).
    { unfold H. rewrite (E_H m pi).
      apply Rle_trans with (IZR (initial_den m) * E (jinit M) (fun s => (1 - theta) * IZR (look bottom lo (row_at v s) b) + theta * IZR (look bottom lo (row_at v s) (b + 1)))).
      - right. rewrite E_plus, !E_scal. unfold M. rewrite !(E_init m). unfold L. rewrite !IZR_zsum.
        rewrite (sum_ext (initial m) (fun sw => IZR (snd sw * look bottom lo (row_at v (fst sw)) b)) (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) b))) by (intros; apply mult_IZR).
        rewrite (sum_ext (initial m) (fun sw => IZR (snd sw * look bottom lo (row_at v (fst sw)) (b + 1))) (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) (b + 1)))) by (intros; apply mult_IZR).
        field. lra.
      - apply Rmult_le_compat_l; [lra|]. apply E_le; [now apply is_jmdp_meaning|]. intros s.
        apply (Htable ([], s) b theta eq_refl Htheta); [cbn [fst earned]; rewrite Hrho at 1; unfold u; ring | assumption | lia]. }
    assert (Hcost : E H (fun h => Fc (rho - earned M (fst h))) = IZR V * E (jreturn_law M pi) (fun z => c (rho - z))).
    { rewrite <- E_scal. unfold jreturn_law. rewrite E_image. fold H. apply E_ext_as. apply orb_true_iff in Hnb.
      assert (Has : almost_surely H (fun h => IZR bottom <= IZR V * c (rho - earned M (fst h)))).
      { unfold bottom. destruct (Z.eqb_spec (num w) 0) as [E0|E0].
        - apply as_always. intros h. apply Rmult_le_pos; [lra|]. unfold c. eapply Rle_trans; [|apply (cost_ge_left W A HW HA)].
          unfold W, real_of. rewrite E0. unfold Rdiv. lra.
        - destruct Hnb as [Hnb|Hnb]; [discriminate|]. apply as_H. intros s.
          pose proof (index_never_below m g b Hg pi ([], s) (length (steps m)) eq_refl Hnb) as Hi. cbn [fst index_after jtime length] in Hi. rewrite Hws0 in Hi.
          specialize (Hi Hlob). rewrite HwsT in Hi.
          revert Hi. apply as_impl. intros h Hh.
          eapply Rle_trans; [apply (cost_below_correct w alpha Htail); auto using ok_rmult, ok_of_Z|]. rewrite real_rmult, real_of_Z by auto using ok_of_Z.
          apply Rmult_le_compat_l; [lra|]. apply (c_mono w alpha Htail).
          pose proof (index_le_budget m g b Hm Hg (fst h)) as Hle. rewrite (unit_constant g Hg (conj Hs1 Hs2)) in Hle. fold u in Hle. fold M in Hle.
          apply IZR_le in Hh. pose proof (Rmult_le_compat_l (real_of u) _ _ ltac:(lra) Hh). pose proof (Rmult_le_pos (real_of u) theta ltac:(lra) ltac:(lra)).
          rewrite Hrho. lra. }
      revert Has. apply as_impl. intros h Hh. unfold Fc. now apply Rmax_right. }
    rewrite Hcost in Hsum. pose proof (Hat b ltac:(lia)) as Ha0. pose proof (Hat (b + 1)%Z ltac:(lia)) as Ha1. rewrite plus_IZR in Ha1.
    unfold J. fold c. set (e := E (jreturn_law M pi) (fun z => c (rho - z))) in *.
    assert (He : (1 - theta) * (IZR (L b) / (IZR V * IZR (initial_den m))) + theta * (IZR (L (b + 1)%Z) / (IZR V * IZR (initial_den m))) <= e).
    { apply Rmult_le_reg_l with (IZR V * IZR (initial_den m)); [now apply Rmult_lt_0_compat|].
      replace (IZR V * IZR (initial_den m) * ((1 - theta) * (IZR (L b) / (IZR V * IZR (initial_den m))) + theta * (IZR (L (b + 1)%Z) / (IZR V * IZR (initial_den m)))))
        with ((1 - theta) * IZR (L b) + theta * IZR (L (b + 1)%Z)) by (field; lra). lra. }
    pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha0). pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Ha1).
    rewrite Hrho at 1. lra.
  Qed.
End Route.
