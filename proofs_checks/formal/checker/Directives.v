(** * Extraction to OCaml with zarith: the directives (extract.sh runs the extraction)

    Integers and positive numbers become zarith's [Z.t]; comparisons, booleans, lists, options and pairs become
    OCaml's.  zarith's module is called [Integer] here (extracted/integer.ml), because the extracted code has a module Z
    of its own: definitions of Coq that are replaced and never run.  These directives are trusted: each must say what
    Coq's constant means. *)

Require Import ZArith Extraction.
Require Export ExtrOcamlBasic ExtrOcamlNativeString.

Extract Inductive positive => "Integer.t"
  [ "(fun p -> Integer.succ (Integer.shift_left p 1))" "(fun p -> Integer.shift_left p 1)" "Integer.one" ]
  "(fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)".
Extract Inductive Z => "Integer.t" [ "Integer.zero" "(fun p -> p)" "Integer.neg" ]
  "(fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))".
Extract Inductive comparison => "int" [ "0" "(-1)" "1" ]
  "(fun eq lt gt c -> if c = 0 then eq () else if c < 0 then lt () else gt ())".

Extract Inlined Constant Z.add => "Integer.add".
Extract Inlined Constant Z.sub => "Integer.sub".
Extract Inlined Constant Z.opp => "Integer.neg".
Extract Inlined Constant Z.mul => "Integer.mul".
Extract Inlined Constant Z.min => "Integer.min".
Extract Inlined Constant Z.max => "Integer.max".
Extract Inlined Constant Z.eqb => "Integer.equal".
Extract Inlined Constant Z.leb => "Integer.leq".
Extract Inlined Constant Z.ltb => "Integer.lt".
Extract Inlined Constant Z.compare => "Integer.compare".
Extract Inlined Constant Pos.eqb => "Integer.equal".
(* Coq's quotient rounds down and is 0 for the divisor 0. *)
Extract Inlined Constant Z.div =>
  "(fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)".
(* Coq's logarithm rounds down and is 0 for numbers that are not positive. *)
Extract Inlined Constant Z.log2 =>
  "(fun z -> if Integer.sign z <= 0 then Integer.zero else Integer.of_int (Integer.numbits z - 1))".
(* A unary number that long does not fit into memory. *)
Extract Inlined Constant Z.to_nat =>
  "(fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)".
