
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)



module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n m =
   match n with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

(** val mul : nat -> nat -> nat **)

let rec mul n m =
  match n with
  | O -> O
  | S p -> add m (mul p m)

module Nat =
 struct
  (** val iter : nat -> ('a1 -> 'a1) -> 'a1 -> 'a1 **)

  let rec iter n f x =
    match n with
    | O -> x
    | S n0 -> f (iter n0 f x)
 end

module Pos =
 struct
  (** val succ : Integer.t -> Integer.t **)

  let rec succ x =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p -> (fun p -> Integer.shift_left p 1) (succ p))
      (fun p -> (fun p -> Integer.succ (Integer.shift_left p 1)) p)
      (fun _ -> (fun p -> Integer.shift_left p 1) Integer.one)
      x

  (** val add : Integer.t -> Integer.t -> Integer.t **)

  let rec add x y =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        (add p q))
        (fun _ -> (fun p -> Integer.shift_left p 1) (succ p))
        y)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        (add p q))
        (fun q -> (fun p -> Integer.shift_left p 1) (add p q))
        (fun _ -> (fun p -> Integer.succ (Integer.shift_left p 1)) p)
        y)
      (fun _ ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.shift_left p 1) (succ q))
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        q)
        (fun _ -> (fun p -> Integer.shift_left p 1) Integer.one)
        y)
      x

  (** val add_carry : Integer.t -> Integer.t -> Integer.t **)

  and add_carry x y =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        (add_carry p q))
        (fun q -> (fun p -> Integer.shift_left p 1) (add_carry p q))
        (fun _ -> (fun p -> Integer.succ (Integer.shift_left p 1)) (succ p))
        y)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        (add p q))
        (fun _ -> (fun p -> Integer.shift_left p 1) (succ p))
        y)
      (fun _ ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> (fun p -> Integer.succ (Integer.shift_left p 1))
        (succ q))
        (fun q -> (fun p -> Integer.shift_left p 1) (succ q))
        (fun _ -> (fun p -> Integer.succ (Integer.shift_left p 1))
        Integer.one)
        y)
      x

  (** val pred_double : Integer.t -> Integer.t **)

  let rec pred_double x =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p -> (fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) p))
      (fun p -> (fun p -> Integer.succ (Integer.shift_left p 1))
      (pred_double p))
      (fun _ -> Integer.one)
      x

  (** val mul : Integer.t -> Integer.t -> Integer.t **)

  let rec mul x y =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p -> add y ((fun p -> Integer.shift_left p 1) (mul p y)))
      (fun p -> (fun p -> Integer.shift_left p 1) (mul p y))
      (fun _ -> y)
      x

  (** val iter : ('a1 -> 'a1) -> 'a1 -> Integer.t -> 'a1 **)

  let rec iter f x n =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun n' -> f (iter f (iter f x n') n'))
      (fun n' -> iter f (iter f x n') n')
      (fun _ -> f x)
      n

  (** val size : Integer.t -> Integer.t **)

  let rec size p =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p0 -> succ (size p0))
      (fun p0 -> succ (size p0))
      (fun _ -> Integer.one)
      p

  (** val compare_cont : int -> Integer.t -> Integer.t -> int **)

  let rec compare_cont r x y =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont 1 p q)
        (fun _ -> 1)
        y)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> compare_cont (-1) p q)
        (fun q -> compare_cont r p q)
        (fun _ -> 1)
        y)
      (fun _ ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun _ -> (-1))
        (fun _ -> (-1))
        (fun _ -> r)
        y)
      x

  (** val compare : Integer.t -> Integer.t -> int **)

  let compare =
    compare_cont 0

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Integer.t -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Integer.t -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)
 end

module Z =
 struct
  (** val double : Integer.t -> Integer.t **)

  let double x =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> Integer.zero)
      (fun p -> (fun p -> p) ((fun p -> Integer.shift_left p 1) p))
      (fun p -> Integer.neg ((fun p -> Integer.shift_left p 1) p))
      x

  (** val succ_double : Integer.t -> Integer.t **)

  let succ_double x =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> (fun p -> p) Integer.one)
      (fun p -> (fun p -> p)
      ((fun p -> Integer.succ (Integer.shift_left p 1)) p))
      (fun p -> Integer.neg (Pos.pred_double p))
      x

  (** val pred_double : Integer.t -> Integer.t **)

  let pred_double x =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> Integer.neg Integer.one)
      (fun p -> (fun p -> p) (Pos.pred_double p))
      (fun p -> Integer.neg ((fun p -> Integer.succ (Integer.shift_left p 1))
      p))
      x

  (** val pos_sub : Integer.t -> Integer.t -> Integer.t **)

  let rec pos_sub x y =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> double (pos_sub p q))
        (fun q -> succ_double (pos_sub p q))
        (fun _ -> (fun p -> p) ((fun p -> Integer.shift_left p 1) p))
        y)
      (fun p ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> pred_double (pos_sub p q))
        (fun q -> double (pos_sub p q))
        (fun _ -> (fun p -> p) (Pos.pred_double p))
        y)
      (fun _ ->
      (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
        (fun q -> Integer.neg ((fun p -> Integer.shift_left p 1) q))
        (fun q -> Integer.neg (Pos.pred_double q))
        (fun _ -> Integer.zero)
        y)
      x

  (** val pow_pos : Integer.t -> Integer.t -> Integer.t **)

  let pow_pos z0 =
    Pos.iter (Integer.mul z0) ((fun p -> p) Integer.one)

  (** val pow : Integer.t -> Integer.t -> Integer.t **)

  let pow x y =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> (fun p -> p) Integer.one)
      (fun p -> pow_pos x p)
      (fun _ -> Integer.zero)
      y

  (** val abs : Integer.t -> Integer.t **)

  let abs z0 =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> Integer.zero)
      (fun p -> (fun p -> p) p)
      (fun p -> (fun p -> p) p)
      z0

  (** val to_pos : Integer.t -> Integer.t **)

  let to_pos z0 =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> Integer.one)
      (fun p -> p)
      (fun _ -> Integer.one)
      z0

  (** val iter : Integer.t -> ('a1 -> 'a1) -> 'a1 -> 'a1 **)

  let iter n f x =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> x)
      (fun p -> Pos.iter f x p)
      (fun _ -> x)
      n

  (** val pos_div_eucl : Integer.t -> Integer.t -> Integer.t * Integer.t **)

  let rec pos_div_eucl a b =
    (fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Integer.add
          (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            Integer.one)) r) ((fun p -> p) Integer.one)
      in
      if Integer.lt r' b
      then ((Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
              Integer.one)) q), r')
      else ((Integer.add
              (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                Integer.one)) q) ((fun p -> p) Integer.one)),
             (Integer.sub r' b)))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
          Integer.one)) r
      in
      if Integer.lt r' b
      then ((Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
              Integer.one)) q), r')
      else ((Integer.add
              (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                Integer.one)) q) ((fun p -> p) Integer.one)),
             (Integer.sub r' b)))
      (fun _ ->
      if Integer.leq ((fun p -> p) ((fun p -> Integer.shift_left p 1)
           Integer.one)) b
      then (Integer.zero, ((fun p -> p) Integer.one))
      else (((fun p -> p) Integer.one), Integer.zero))
      a

  (** val div_eucl : Integer.t -> Integer.t -> Integer.t * Integer.t **)

  let div_eucl a b =
    (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
      (fun _ -> (Integer.zero, Integer.zero))
      (fun a' ->
      (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
        (fun _ -> (Integer.zero, a))
        (fun _ -> pos_div_eucl a' b)
        (fun b' ->
        let (q, r) = pos_div_eucl a' ((fun p -> p) b') in
        ((fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
           (fun _ -> ((Integer.neg q), Integer.zero))
           (fun _ ->
           ((Integer.neg (Integer.add q ((fun p -> p) Integer.one))),
           (Integer.add b r)))
           (fun _ ->
           ((Integer.neg (Integer.add q ((fun p -> p) Integer.one))),
           (Integer.add b r)))
           r))
        b)
      (fun a' ->
      (fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
        (fun _ -> (Integer.zero, a))
        (fun _ ->
        let (q, r) = pos_div_eucl a' b in
        ((fun zero pos neg z -> let sign = Integer.sign z in
     if sign = 0 then zero () else if sign > 0 then pos z else neg (Integer.neg z))
           (fun _ -> ((Integer.neg q), Integer.zero))
           (fun _ ->
           ((Integer.neg (Integer.add q ((fun p -> p) Integer.one))),
           (Integer.sub b r)))
           (fun _ ->
           ((Integer.neg (Integer.add q ((fun p -> p) Integer.one))),
           (Integer.sub b r)))
           r))
        (fun b' ->
        let (q, r) = pos_div_eucl a' ((fun p -> p) b') in (q, (Integer.neg r)))
        b)
      a
 end

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val last : 'a1 list -> 'a1 -> 'a1 **)

let rec last l d =
  match l with
  | [] -> d
  | a :: l0 -> (match l0 with
                | [] -> a
                | _ :: _ -> last l0 d)

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val rev' : 'a1 list -> 'a1 list **)

let rev' l =
  rev_append l []

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl0 -> if f x then Some x else find f tl0

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl0 ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl0 tl'))

(** val repeat : 'a1 -> nat -> 'a1 list **)

let rec repeat x = function
| O -> []
| S k -> x :: (repeat x k)

type 'x tree =
| Leaf
| Node of 'x tree * 'x option * 'x tree

(** val get : Integer.t -> 'a1 tree -> 'a1 option **)

let rec get p = function
| Leaf -> None
| Node (l, x, r) ->
  ((fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
     (fun q -> get q r)
     (fun q -> get q l)
     (fun _ -> x)
     p)

(** val set : Integer.t -> 'a1 -> 'a1 tree -> 'a1 tree **)

let rec set p x = function
| Leaf ->
  let p0 = (Leaf, None) in
  let r = Leaf in
  let (l, y) = p0 in
  ((fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
     (fun q -> Node (l, y, (set q x r)))
     (fun q -> Node ((set q x l), y, r))
     (fun _ -> Node (l, (Some x), r))
     p)
| Node (l, y, r) ->
  let p0 = (l, y) in
  let (l0, y0) = p0 in
  ((fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
     (fun q -> Node (l0, y0, (set q x r)))
     (fun q -> Node ((set q x l0), y0, r))
     (fun _ -> Node (l0, (Some x), r))
     p)

(** val tmap : ('a1 -> 'a2) -> 'a1 tree -> 'a2 tree **)

let rec tmap f = function
| Leaf -> Leaf
| Node (l, x, r) -> Node ((tmap f l), (option_map f x), (tmap f r))

(** val tzip :
    ('a2 option -> 'a1 -> 'a3) -> 'a2 tree -> 'a1 tree -> 'a3 tree **)

let rec tzip f c = function
| Leaf -> Leaf
| Node (l, x, r) ->
  (match c with
   | Leaf -> Node ((tzip f Leaf l), (option_map (f None) x), (tzip f Leaf r))
   | Node (cl, y, cr) ->
     Node ((tzip f cl l), (option_map (f y) x), (tzip f cr r)))

(** val tall : ('a1 -> bool) -> 'a1 tree -> bool **)

let rec tall f = function
| Leaf -> true
| Node (l, x, r) ->
  (&&) ((&&) (tall f l) (match x with
                         | Some y -> f y
                         | None -> true)) (tall f r)

(** val tlargest : ('a1 -> Integer.t) -> 'a1 tree -> Integer.t **)

let rec tlargest f = function
| Leaf -> Integer.zero
| Node (l, x, r) ->
  Integer.max (tlargest f l)
    (Integer.max (match x with
                  | Some y -> f y
                  | None -> Integer.zero) (tlargest f r))

(** val znth : 'a1 list -> Integer.t -> 'a1 option **)

let rec znth l i =
  match l with
  | [] -> None
  | x :: l' ->
    if Integer.equal i Integer.zero
    then Some x
    else znth l' (Integer.sub i ((fun p -> p) Integer.one))

(** val zskip : Integer.t -> 'a1 list -> 'a1 list **)

let rec zskip n l =
  if Integer.leq n Integer.zero
  then l
  else (match l with
        | [] -> []
        | _ :: l' -> zskip (Integer.sub n ((fun p -> p) Integer.one)) l')

(** val zlen : 'a1 list -> Integer.t **)

let rec zlen = function
| [] -> Integer.zero
| _ :: l' -> Integer.add ((fun p -> p) Integer.one) (zlen l')

(** val zsum : ('a1 -> Integer.t) -> 'a1 list -> Integer.t **)

let rec zsum f = function
| [] -> Integer.zero
| x :: l' -> Integer.add (f x) (zsum f l')

(** val look :
    Integer.t -> Integer.t -> Integer.t list -> Integer.t -> Integer.t **)

let look d lo row b =
  if Integer.lt b lo
  then d
  else (match znth row (Integer.sub b lo) with
        | Some v -> v
        | None -> d)

(** val add_rows :
    Integer.t -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t
    list **)

let rec add_rows e w row = function
| [] -> []
| a :: acc' ->
  (match row with
   | [] -> let x = Integer.add a e in x :: (add_rows e w [] acc')
   | v :: row' ->
     let x = Integer.add a (Integer.mul w v) in x :: (add_rows e w row' acc'))

(** val add_from :
    Integer.t -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list
    -> Integer.t list **)

let rec add_from d w k row acc = match acc with
| [] -> []
| a :: acc' ->
  if Integer.lt k Integer.zero
  then let x = Integer.add a (Integer.mul w d) in
       x :: (add_from d w (Integer.add k ((fun p -> p) Integer.one)) row acc')
  else add_rows (Integer.mul w d) w row acc

(** val add_shifted :
    Integer.t -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list
    -> Integer.t list **)

let add_shifted d w k row acc =
  add_from d w (Integer.min k Integer.zero) (zskip k row) acc

(** val add_stretched :
    Integer.t -> Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    Integer.t -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t
    list **)

let rec add_stretched d w stretch0 shrink0 base0 x pos row = function
| [] -> []
| a :: acc' ->
  let i =
    Integer.sub
      ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
        x shrink0) base0
  in
  if Integer.lt i Integer.zero
  then let y = Integer.add a (Integer.mul w d) in
       y :: (add_stretched d w stretch0 shrink0 base0
              (Integer.add x stretch0) pos row acc')
  else let row' = zskip (Integer.sub i pos) row in
       (match row' with
        | [] ->
          let y = Integer.add a (Integer.mul w d) in
          y :: (add_stretched d w stretch0 shrink0 base0
                 (Integer.add x stretch0) i row' acc')
        | v :: _ ->
          let y = Integer.add a (Integer.mul w v) in
          y :: (add_stretched d w stretch0 shrink0 base0
                 (Integer.add x stretch0) i row' acc'))

(** val take_then : Integer.t -> 'a1 list -> 'a1 list -> 'a1 list **)

let rec take_then c l rest =
  if Integer.leq c Integer.zero
  then rest
  else (match l with
        | [] -> []
        | x :: l' ->
          x :: (take_then (Integer.sub c ((fun p -> p) Integer.one)) l' rest))

(** val zmap2 :
    (Integer.t -> Integer.t -> Integer.t) -> Integer.t list -> Integer.t list
    -> Integer.t list **)

let rec zmap2 f l m =
  match l with
  | [] -> []
  | x :: l' ->
    (match m with
     | [] -> []
     | y :: m' -> let z0 = f x y in z0 :: (zmap2 f l' m'))

(** val counter : Integer.t -> Integer.t -> unit list **)

let counter lo hi =
  repeat ()
    ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
      (Integer.add (Integer.sub hi lo) ((fun p -> p) Integer.one)))

(** val cdiv : Integer.t -> Integer.t -> Integer.t **)

let cdiv a b =
  Integer.neg
    ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      (Integer.neg a) b)

(** val along : (Integer.t -> 'a2) -> Integer.t -> 'a1 list -> 'a2 list **)

let rec along f b = function
| [] -> []
| _ :: l' -> (f b) :: (along f (Integer.add b ((fun p -> p) Integer.one)) l')

(** val add_differences :
    Integer.t -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t
    list -> Integer.t list **)

let rec add_differences d w row base0 acc = match acc with
| [] -> []
| a :: acc' ->
  (match row with
   | [] ->
     (match base0 with
      | [] -> acc
      | z0 :: base' ->
        let x = Integer.add a (Integer.mul w (Integer.sub d z0)) in
        x :: (add_differences d w [] base' acc'))
   | v :: row' ->
     (match base0 with
      | [] ->
        let x = Integer.add a (Integer.mul w (Integer.sub v d)) in
        x :: (add_differences d w row' [] acc')
      | z0 :: base' ->
        let x = Integer.add a (Integer.mul w (Integer.sub v z0)) in
        x :: (add_differences d w row' base' acc')))

(** val add_quotients :
    (Integer.t -> Integer.t -> Integer.t) -> Integer.t -> Integer.t ->
    Integer.t list -> Integer.t list -> Integer.t list **)

let rec add_quotients div n d base0 = function
| [] -> []
| a :: acc' ->
  (match base0 with
   | [] ->
     let x = Integer.add d (div a n) in x :: (add_quotients div n d [] acc')
   | z0 :: base' ->
     let x = Integer.add z0 (div a n) in
     x :: (add_quotients div n d base' acc'))

(** val sum_differences :
    Integer.t -> Integer.t list -> (Integer.t * Integer.t list) list ->
    Integer.t list -> Integer.t list **)

let rec sum_differences d base0 rows0 acc =
  match rows0 with
  | [] -> acc
  | p :: rows' ->
    let (w, row) = p in
    sum_differences d base0 rows' (add_differences d w row base0 acc)

(** val average_rows :
    (Integer.t -> Integer.t -> Integer.t) -> Integer.t -> Integer.t ->
    (Integer.t * Integer.t list) list -> Integer.t list -> Integer.t list **)

let average_rows div n d rows0 room =
  match rows0 with
  | [] -> room
  | p :: rows' ->
    let (_, base0) = p in
    add_quotients div n d base0 (sum_differences d base0 rows' room)

(** val before_row : Integer.t -> nat -> Integer.t list -> Integer.t list **)

let rec before_row d n row =
  match n with
  | O -> row
  | S n' -> d :: (before_row d n' row)

(** val row_from :
    Integer.t -> Integer.t -> Integer.t list -> Integer.t list **)

let row_from d k row =
  if Integer.lt k Integer.zero
  then before_row d
         ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
           (Integer.neg k)) row
  else zskip k row

(** val two_stages :
    (Integer.t -> Integer.t -> Integer.t) -> Integer.t ->
    (Integer.t * Integer.t list) list -> (Integer.t * Integer.t) list ->
    Integer.t list -> Integer.t list -> Integer.t list **)

let two_stages div d qs ps room' room =
  let row = average_rows div (zsum fst qs) d qs room' in
  average_rows div (zsum fst ps) d
    (map (fun pk -> ((fst pk), (row_from d (snd pk) row))) ps) room

type rat = { num : Integer.t; den : Integer.t }

(** val positive_den : rat -> bool **)

let positive_den q =
  Integer.lt Integer.zero q.den

(** val rat_le : rat -> rat -> bool **)

let rat_le p q =
  Integer.leq (Integer.mul p.num q.den) (Integer.mul q.num p.den)

type outcome = { weight : Integer.t; gain : Integer.t; next : Integer.t }

type action = { total : Integer.t; outcomes : outcome list }

type step = action list tree

type model = { discount_rate : rat; reward_den : Integer.t;
               initial_den : Integer.t;
               initial : (Integer.t * Integer.t) list; steps : step list }

type objective =
| Tail of rat * rat
| Quantile of rat * bool
| Polygon of (rat * rat) list

type claim = { lower : rat; upper : rat }

type grid = { unit_size : rat; stretch : Integer.t; shrink : Integer.t;
              windows : (Integer.t * Integer.t) list }

type cells = { cell_unit : rat; base : Integer.t; halvings : Integer.t list;
               cell_windows : (Integer.t * Integer.t) list }

type budget_rows = (Integer.t * Integer.t) list tree

type memory_rule = { factor : Integer.t; coin_den : Integer.t;
                     moves : (Integer.t * (Integer.t * Integer.t)) list }

type memory_row = { first : Integer.t; before : Integer.t;
                    row_runs : (Integer.t * Integer.t) list }

type machine = { mem_0 : Integer.t; mem_rules : memory_rule list;
                 mem_tables : memory_row tree list }

type lower_proof =
| ByMarkov of Integer.t * Integer.t tree list
| ByBudget of Integer.t * grid * Integer.t * budget_rows list
| ByCells of Integer.t * cells * Integer.t * budget_rows list
| ByLines of Integer.t * cells * Integer.t * Integer.t list * budget_rows list
| ByLaw of Integer.t * Integer.t * (Integer.t * machine) list

type cover =
| Dual of Integer.t list
| Cut of Integer.t * rat * cover * cover
| Passed of Integer.t * Integer.t * rat * cover
| Contract of Integer.t * Integer.t list * cover

type upper_proof =
| ByMean of Integer.t
| ByBudgets of Integer.t * grid
| ByAllCells of Integer.t * cells
| ByThreshold of Integer.t * grid * Integer.t
| ByCover of Integer.t * grid * Integer.t * cover
| ByCellCover of Integer.t * cells * Integer.t * cover
| ByReturns of Integer.t * Integer.t list * cover
| ByContraction of Integer.t * grid * Integer.t * cover

type certificate = { low : lower_proof; up : upper_proof }

(** val good_outcome : outcome -> bool **)

let good_outcome o =
  Integer.leq Integer.zero o.weight

(** val good_action : action -> bool **)

let good_action a =
  (&&)
    ((&&) (Integer.lt Integer.zero a.total) (forallb good_outcome a.outcomes))
    (Integer.equal (zsum (fun o -> o.weight) a.outcomes) a.total)

(** val good_step : step -> bool **)

let good_step st =
  tall (fun acts ->
    (&&) (negb (match acts with
                | [] -> true
                | _ :: _ -> false)) (forallb good_action acts)) st

(** val good_model : model -> bool **)

let good_model m =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) (Integer.lt Integer.zero m.discount_rate.num)
              (Integer.lt Integer.zero m.discount_rate.den))
            (Integer.lt Integer.zero m.reward_den))
          (Integer.lt Integer.zero m.initial_den))
        (forallb (fun sw -> Integer.leq Integer.zero (snd sw)) m.initial))
      (Integer.equal (zsum snd m.initial) m.initial_den))
    (forallb good_step m.steps)

(** val join : 'a1 option option -> 'a1 option **)

let join = function
| Some o0 -> o0
| None -> None

type 'x values =
| Everywhere of 'x
| At of 'x option tree

(** val value_at : 'a1 values -> Integer.t -> 'a1 option **)

let value_at v s =
  match v with
  | Everywhere x -> Some x
  | At table -> join (get s table)

(** val mean_sum :
    model -> Integer.t -> Integer.t values -> outcome list -> Integer.t option **)

let rec mean_sum m v v0 = function
| [] -> Some Integer.zero
| o :: l' ->
  (match value_at v0 o.next with
   | Some x ->
     (match mean_sum m v v0 l' with
      | Some y ->
        Some
          (Integer.add
            (Integer.mul o.weight
              (Integer.add
                (Integer.mul (Integer.mul o.gain v) m.discount_rate.den)
                (Integer.mul (Integer.mul m.discount_rate.num m.reward_den) x)))
            y)
      | None -> None)
   | None -> None)

(** val mean_unit : model -> action -> Integer.t **)

let mean_unit m a =
  Integer.mul (Integer.mul a.total m.reward_den) m.discount_rate.den

(** val most : Integer.t option list -> Integer.t option **)

let rec most = function
| [] -> None
| x :: l' ->
  (match l' with
   | [] -> x
   | _ :: _ ->
     (match x with
      | Some y ->
        (match most l' with
         | Some z0 -> Some (Integer.max y z0)
         | None -> None)
      | None -> None))

(** val best_mean_of :
    model -> Integer.t -> Integer.t values -> action list -> Integer.t option **)

let best_mean_of m v v0 acts =
  most
    (map (fun a ->
      match mean_sum m v v0 a.outcomes with
      | Some x -> Some (cdiv x (mean_unit m a))
      | None -> None) acts)

(** val best_means : model -> Integer.t -> step list -> Integer.t values **)

let rec best_means m v = function
| [] -> Everywhere Integer.zero
| st :: rest -> At (tmap (best_mean_of m v (best_means m v rest)) st)

(** val chosen_mean_of :
    model -> Integer.t -> Integer.t values -> Integer.t option -> action list
    -> Integer.t option **)

let chosen_mean_of m v v0 choice acts =
  match choice with
  | Some i ->
    (match znth acts i with
     | Some a ->
       (match mean_sum m v v0 a.outcomes with
        | Some x ->
          Some
            ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
              x (mean_unit m a))
        | None -> None)
     | None -> None)
  | None -> None

(** val chosen_means :
    model -> Integer.t -> step list -> Integer.t tree list -> Integer.t values **)

let rec chosen_means m v sts choices =
  match sts with
  | [] -> Everywhere Integer.zero
  | st :: rest ->
    (match choices with
     | [] -> At Leaf
     | c :: choices' ->
       At (tzip (chosen_mean_of m v (chosen_means m v rest choices')) c st))

(** val start_sum :
    (Integer.t -> Integer.t option) -> (Integer.t * Integer.t) list ->
    Integer.t option **)

let rec start_sum f = function
| [] -> Some Integer.zero
| p :: l' ->
  let (s, w) = p in
  (match f s with
   | Some x ->
     (match start_sum f l' with
      | Some y -> Some (Integer.add (Integer.mul w x) y)
      | None -> None)
   | None -> None)

(** val block_of : Integer.t -> outcome list -> outcome list **)

let rec block_of s = function
| [] -> []
| o :: l' -> if Integer.equal o.next s then o :: (block_of s l') else []

(** val heads : Integer.t -> outcome list -> outcome list -> outcome list **)

let rec heads size0 l left =
  match l with
  | [] -> []
  | _ :: l' ->
    (match left with
     | [] -> []
     | o :: _ -> o :: (heads size0 l' (zskip size0 left)))

(** val enough : nat **)

let enough =
  (fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
    ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one))))))))

(** val common_divisor : nat -> Integer.t -> Integer.t -> Integer.t **)

let rec common_divisor n a b =
  match n with
  | O -> (fun p -> p) Integer.one
  | S n' ->
    if Integer.equal b Integer.zero
    then a
    else common_divisor n' b
           (Integer.sub a
             (Integer.mul b
               ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
                 a b)))

(** val reduced : (Integer.t * 'a1) list -> (Integer.t * 'a1) list **)

let reduced l =
  let d = fold_right (fun wx -> common_divisor enough (fst wx)) Integer.zero l
  in
  map (fun wx ->
    (((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
       (fst wx) d), (snd wx))) l

(** val is_block :
    Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    (Integer.t * Integer.t) list -> outcome list -> outcome list option **)

let rec is_block all tot q s ps l =
  match ps with
  | [] -> Some l
  | p0 :: ps' ->
    let (p, z0) = p0 in
    (match l with
     | [] -> None
     | o :: l' ->
       if (&&) ((&&) (Integer.equal o.next s) (Integer.equal o.gain z0))
            (Integer.equal (Integer.mul o.weight all)
              (Integer.mul tot (Integer.mul q p)))
       then is_block all tot q s ps' l'
       else None)

(** val are_blocks :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) list ->
    (Integer.t * Integer.t) list -> outcome list -> bool **)

let rec are_blocks all tot qs ps l =
  match qs with
  | [] -> (match l with
           | [] -> true
           | _ :: _ -> false)
  | p :: qs' ->
    let (q, s) = p in
    (match is_block all tot q s ps l with
     | Some l' -> are_blocks all tot qs' ps l'
     | None -> false)

(** val is_product :
    action -> (Integer.t * Integer.t) list -> (Integer.t * Integer.t) list ->
    bool **)

let is_product a qs ps =
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integer.lt Integer.zero (zsum fst qs))
          (Integer.lt Integer.zero (zsum fst ps)))
        (forallb (fun pz -> Integer.leq Integer.zero (fst pz)) ps))
      (forallb (fun qs0 -> Integer.leq Integer.zero (fst qs0)) qs))
    (are_blocks (Integer.mul (zsum fst ps) (zsum fst qs)) a.total qs ps
      a.outcomes)

(** val factors :
    action -> ((Integer.t * Integer.t) list * (Integer.t * Integer.t) list)
    option **)

let factors a =
  match a.outcomes with
  | [] -> None
  | o :: _ ->
    let block = block_of o.next a.outcomes in
    (match block with
     | [] -> None
     | _ :: l ->
       (match l with
        | [] -> None
        | _ :: _ ->
          let ps = reduced (map (fun o0 -> (o0.weight, o0.gain)) block) in
          let qs =
            reduced
              (map (fun o0 -> (o0.weight, o0.next))
                (heads (zlen block) a.outcomes a.outcomes))
          in
          (match qs with
           | [] -> None
           | _ :: l0 ->
             (match l0 with
              | [] -> None
              | _ :: _ -> if is_product a qs ps then Some (qs, ps) else None))))

(** val rate_0 : model -> grid -> rat **)

let rate_0 m g =
  { num = (Integer.mul g.unit_size.den g.stretch); den =
    (Integer.mul m.reward_den g.unit_size.num) }

(** val rate_next : model -> grid -> rat -> rat **)

let rate_next m g r =
  { num = (Integer.mul (Integer.mul r.num m.discount_rate.num) g.stretch);
    den = (Integer.mul (Integer.mul r.den m.discount_rate.den) g.shrink) }

(** val charge : rat -> outcome -> Integer.t **)

let charge r o =
  cdiv (Integer.mul o.gain r.num) r.den

(** val move : grid -> rat -> outcome -> Integer.t -> Integer.t **)

let move g r o b =
  (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
    (Integer.sub (Integer.mul g.stretch b) (charge r o)) g.shrink

(** val add_outcome :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> outcome ->
    Integer.t list -> Integer.t list -> Integer.t list **)

let add_outcome g r d lo lo' o row acc =
  if (&&) (Integer.equal g.stretch ((fun p -> p) Integer.one))
       (Integer.equal g.shrink ((fun p -> p) Integer.one))
  then add_shifted d o.weight (Integer.sub (Integer.sub lo (charge r o)) lo')
         row acc
  else add_stretched d o.weight g.stretch g.shrink lo'
         (Integer.sub (Integer.mul g.stretch lo) (charge r o)) Integer.zero
         row acc

(** val next_row : Integer.t list values -> Integer.t -> Integer.t list **)

let next_row v s =
  match value_at v s with
  | Some row -> row
  | None -> []

(** val backup :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list
    values -> outcome list -> Integer.t list -> Integer.t list **)

let rec backup g r d lo lo' v l acc =
  match l with
  | [] -> acc
  | o :: l' ->
    backup g r d lo lo' v l'
      (add_outcome g r d lo lo' o (next_row v o.next) acc)

(** val zeros : Integer.t -> Integer.t -> Integer.t list **)

let zeros lo hi =
  map (fun _ -> Integer.zero) (counter lo hi)

(** val is_shift : grid -> bool **)

let is_shift g =
  (&&) (Integer.equal g.stretch ((fun p -> p) Integer.one))
    (Integer.equal g.shrink ((fun p -> p) Integer.one))

(** val rows_fit : Integer.t -> Integer.t list values -> bool **)

let rows_fit width = function
| Everywhere row -> Integer.leq (zlen row) width
| At table ->
  tall (fun x ->
    match x with
    | Some row -> Integer.leq (zlen row) width
    | None -> true) table

(** val stage_rows :
    Integer.t list values -> (Integer.t * Integer.t) list ->
    (Integer.t * Integer.t list) list **)

let stage_rows v qs =
  map (fun qs0 -> ((fst qs0), (next_row v (snd qs0)))) qs

(** val stage_shifts :
    rat -> Integer.t -> Integer.t -> (Integer.t * Integer.t) list ->
    (Integer.t * Integer.t) list **)

let stage_shifts r lo lo' ps =
  map (fun pg -> ((fst pg),
    (Integer.sub
      (Integer.sub lo
        (charge r { weight = Integer.zero; gain = (snd pg); next =
          Integer.one })) lo'))) ps

(** val outcome_rows :
    rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list values ->
    outcome list -> (Integer.t * Integer.t list) list **)

let outcome_rows r d lo lo' v l =
  map (fun o -> (o.weight,
    (row_from d (Integer.sub (Integer.sub lo (charge r o)) lo')
      (next_row v o.next)))) l

(** val action_average :
    (Integer.t -> Integer.t -> Integer.t) -> grid -> rat -> Integer.t -> bool
    -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list ->
    Integer.t list values -> action -> Integer.t list **)

let action_average div g r d fit lo lo' room room' v a =
  if is_shift g
  then (match if fit then factors a else None with
        | Some p ->
          let (qs, ps) = p in
          two_stages div d (stage_rows v qs) (stage_shifts r lo lo' ps) room'
            room
        | None ->
          average_rows div a.total d (outcome_rows r d lo lo' v a.outcomes)
            room)
  else map (fun x -> div x a.total) (backup g r d lo lo' v a.outcomes room)

(** val least : Integer.t list list -> Integer.t list **)

let rec least = function
| [] -> []
| row :: l' ->
  (match l' with
   | [] -> row
   | _ :: _ -> zmap2 Integer.min row (least l'))

(** val state_below :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    list -> Integer.t list -> Integer.t list values -> action list ->
    Integer.t list **)

let state_below g r bottom fit lo lo' room room' v acts =
  least
    (map
      (action_average
        (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
        g r bottom fit lo lo' room room' v) acts)

(** val table_below :
    model -> grid -> rat -> Integer.t -> Integer.t list ->
    (Integer.t * Integer.t) list -> step list -> Integer.t list values **)

let rec table_below m g r bottom terminal ws = function
| [] -> Everywhere terminal
| st :: rest ->
  (match ws with
   | [] -> At Leaf
   | p :: l ->
     let (lo, hi) = p in
     (match l with
      | [] -> At Leaf
      | p0 :: _ ->
        let (lo', hi') = p0 in
        let v = table_below m g (rate_next m g r) bottom terminal (tl ws) rest
        in
        let fit =
          rows_fit
            (Integer.add (Integer.sub hi' lo') ((fun p -> p) Integer.one)) v
        in
        let room = zeros lo hi in
        let room' = zeros lo' hi' in
        At
        (tmap (fun acts -> Some
          (state_below g r bottom fit lo lo' room room' v acts)) st)))

(** val stays :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    outcome -> bool **)

let stays g r lo hi lo' hi' o =
  (&&) (Integer.leq (move g r o hi) hi')
    (Integer.lt (move g r o (Integer.sub lo ((fun p -> p) Integer.one))) lo')

(** val is_sound :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    Integer.t list values -> outcome -> bool **)

let is_sound g r lo hi lo' hi' v o =
  match value_at v o.next with
  | Some _ -> stays g r lo hi lo' hi' o
  | None -> false

(** val action_above :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> action -> Integer.t list option **)

let action_above g r under fit lo hi lo' hi' room room' v a =
  if forallb (is_sound g r lo hi lo' hi' v) a.outcomes
  then Some (action_average cdiv g r under fit lo lo' room room' v a)
  else None

(** val run_at : (Integer.t * Integer.t) list -> Integer.t -> Integer.t **)

let rec run_at runs i =
  match runs with
  | [] -> Integer.zero
  | p :: runs' ->
    let (c, a) = p in
    if Integer.lt i (Integer.max c Integer.zero)
    then a
    else run_at runs' (Integer.sub i (Integer.max c Integer.zero))

(** val is_used : (Integer.t * Integer.t) list -> Integer.t -> bool **)

let is_used runs i =
  existsb (fun ca -> Integer.equal (snd ca) i) runs

(** val used_above :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> (Integer.t * Integer.t) list -> Integer.t -> action list -> Integer.t
    list option list **)

let rec used_above g r under fit lo hi lo' hi' room room' v runs i = function
| [] -> []
| a :: acts' ->
  (if is_used runs i
   then action_above g r under fit lo hi lo' hi' room room' v a
   else None) :: (used_above g r under fit lo hi lo' hi' room room' v runs
                   (Integer.add i ((fun p -> p) Integer.one)) acts')

(** val skip_all :
    Integer.t -> Integer.t list option list -> Integer.t list option list **)

let skip_all c l =
  map (fun x -> match x with
                | Some row -> Some (zskip c row)
                | None -> None) l

(** val pick :
    (Integer.t * Integer.t) list -> Integer.t list option list -> Integer.t
    list **)

let rec pick runs rows0 =
  match runs with
  | [] -> []
  | p :: runs' ->
    let (c, a) = p in
    (match znth rows0 a with
     | Some o ->
       (match o with
        | Some row -> take_then c row (pick runs' (skip_all c rows0))
        | None -> [])
     | None -> [])

(** val state_above :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> (Integer.t * Integer.t) list option -> action list -> Integer.t list
    option **)

let state_above g r under fit lo hi lo' hi' room room' v choice acts =
  match choice with
  | Some runs ->
    let row =
      pick runs
        (used_above g r under fit lo hi lo' hi' room room' v runs
          Integer.zero acts)
    in
    if (&&)
         (Integer.equal (zlen row)
           (Integer.add (Integer.sub hi lo) ((fun p -> p) Integer.one)))
         (Integer.leq lo hi)
    then Some row
    else None
  | None -> None

(** val table_above :
    model -> grid -> rat -> Integer.t -> Integer.t list ->
    (Integer.t * Integer.t) list -> step list -> budget_rows list ->
    Integer.t list values **)

let rec table_above m g r under terminal ws sts choices =
  match sts with
  | [] -> Everywhere terminal
  | st :: rest ->
    (match ws with
     | [] -> At Leaf
     | p :: l ->
       let (lo, hi) = p in
       (match l with
        | [] -> At Leaf
        | p0 :: _ ->
          let (lo', hi') = p0 in
          (match choices with
           | [] -> At Leaf
           | c :: choices' ->
             let v =
               table_above m g (rate_next m g r) under terminal (tl ws) rest
                 choices'
             in
             let fit =
               rows_fit
                 (Integer.add (Integer.sub hi' lo') ((fun p -> p)
                   Integer.one)) v
             in
             let room = zeros lo hi in
             let room' = zeros lo' hi' in
             At
             (tzip (state_above g r under fit lo hi lo' hi' room room' v) c
               st))))

(** val of_Z : Integer.t -> rat **)

let of_Z z0 =
  { num = z0; den = ((fun p -> p) Integer.one) }

(** val rplus : rat -> rat -> rat **)

let rplus p q =
  if Integer.equal q.num Integer.zero
  then p
  else if Integer.equal p.den q.den
       then { num = (Integer.add p.num q.num); den = p.den }
       else { num =
              (Integer.add (Integer.mul p.num q.den)
                (Integer.mul q.num p.den)); den = (Integer.mul p.den q.den) }

(** val rmult : rat -> rat -> rat **)

let rmult p q =
  { num = (Integer.mul p.num q.num); den = (Integer.mul p.den q.den) }

(** val ropp : rat -> rat **)

let ropp p =
  { num = (Integer.neg p.num); den = p.den }

(** val rminus : rat -> rat -> rat **)

let rminus p q =
  rplus p (ropp q)

(** val rinv : rat -> rat **)

let rinv p =
  { num = p.den; den = p.num }

(** val rfloor : rat -> Integer.t **)

let rfloor p =
  (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
    p.num p.den

(** val rceil : rat -> Integer.t **)

let rceil p =
  cdiv p.num p.den

(** val good_grid : grid -> bool **)

let good_grid g =
  (&&)
    ((&&)
      ((&&) (Integer.lt Integer.zero g.unit_size.num)
        (Integer.lt Integer.zero g.unit_size.den))
      (Integer.lt Integer.zero g.stretch)) (Integer.lt Integer.zero g.shrink)

(** val unit_next : grid -> rat -> rat **)

let unit_next g u =
  { num = (Integer.mul u.num g.shrink); den = (Integer.mul u.den g.stretch) }

(** val unit_after : grid -> rat -> step list -> rat **)

let rec unit_after g u = function
| [] -> u
| _ :: rest -> unit_after g (unit_next g u) rest

(** val window_after :
    (Integer.t * Integer.t) list -> step list -> (Integer.t * Integer.t)
    option **)

let rec window_after ws = function
| [] -> (match ws with
         | [] -> None
         | w :: _ -> Some w)
| _ :: rest -> (match ws with
                | [] -> None
                | _ :: ws' -> window_after ws' rest)

(** val excess : rat -> outcome -> Integer.t **)

let excess r o =
  Integer.sub (Integer.mul (charge r o) r.den) (Integer.mul o.gain r.num)

(** val largest : ('a1 -> Integer.t) -> 'a1 list -> Integer.t **)

let rec largest f = function
| [] -> Integer.zero
| x :: l' -> Integer.max (f x) (largest f l')

(** val step_excess : rat -> step -> Integer.t **)

let step_excess r st =
  tlargest (largest (fun a -> largest (excess r) a.outcomes)) st

(** val step_loss : grid -> rat -> rat -> step -> rat **)

let step_loss g r u' st =
  rmult u' { num =
    (Integer.add (step_excess r st)
      (Integer.mul (Integer.sub g.shrink ((fun p -> p) Integer.one)) r.den));
    den = (Integer.mul g.shrink r.den) }

(** val loss_after : model -> grid -> rat -> rat -> step list -> rat **)

let rec loss_after m g r u = function
| [] -> of_Z Integer.zero
| st :: rest ->
  rplus (loss_after m g (rate_next m g r) (unit_next g u) rest)
    (step_loss g r (unit_next g u) st)

(** val never_below :
    grid -> rat -> Integer.t -> Integer.t -> step -> bool **)

let never_below g r lo lo' st =
  (&&)
    (Integer.leq lo'
      (move g r { weight = Integer.zero; gain = Integer.zero; next =
        Integer.one } lo))
    (tall
      (forallb (fun a ->
        forallb (fun o -> Integer.leq lo' (move g r o lo)) a.outcomes)) st)

(** val all_never_below :
    model -> grid -> rat -> (Integer.t * Integer.t) list -> step list -> bool **)

let rec all_never_below m g r ws = function
| [] -> true
| st :: rest ->
  (match ws with
   | [] -> false
   | p :: l ->
     let (lo, _) = p in
     (match l with
      | [] -> false
      | p0 :: _ ->
        let (lo', _) = p0 in
        (&&) (never_below g r lo lo' st)
          (all_never_below m g (rate_next m g r) (tl ws) rest)))

(** val good_tail : rat -> rat -> bool **)

let good_tail w alpha =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) (Integer.lt Integer.zero w.den)
            (Integer.lt Integer.zero alpha.den))
          (Integer.leq Integer.zero w.num)) (Integer.leq w.num w.den))
      (Integer.lt Integer.zero alpha.num)) (Integer.leq alpha.num alpha.den)

(** val tail_slope : rat -> rat -> rat **)

let tail_slope w alpha =
  rmult (rminus (of_Z ((fun p -> p) Integer.one)) w) (rinv alpha)

(** val tail_cost : rat -> rat -> rat -> rat **)

let tail_cost w alpha x =
  if Integer.lt Integer.zero x.num
  then rmult (rplus w (tail_slope w alpha)) x
  else rmult w x

(** val terminal_row :
    (rat -> Integer.t) -> rat -> rat -> Integer.t -> Integer.t -> Integer.t
    list **)

let terminal_row f u e lo hi =
  along (fun b -> f (rplus (rmult u (of_Z b)) e)) lo (counter lo hi)

(** val cost_below : Integer.t -> rat -> rat -> rat -> Integer.t **)

let cost_below v w alpha x =
  rfloor (rmult (of_Z v) (tail_cost w alpha x))

(** val cost_above : Integer.t -> rat -> rat -> rat -> Integer.t **)

let cost_above v w alpha x =
  rceil (rmult (of_Z v) (tail_cost w alpha x))

(** val best_mean : model -> Integer.t -> rat option **)

let best_mean m v =
  match start_sum (value_at (best_means m v m.steps)) m.initial with
  | Some x -> Some { num = x; den = (Integer.mul v m.initial_den) }
  | None -> None

(** val tail_by_mean : model -> Integer.t -> rat -> bool **)

let tail_by_mean m v bound =
  (&&) (Integer.lt Integer.zero v)
    (match best_mean m v with
     | Some x -> rat_le x bound
     | None -> false)

(** val start_row :
    Integer.t -> Integer.t list values -> (Integer.t * Integer.t) list ->
    Integer.t list -> Integer.t list **)

let rec start_row d v l acc =
  match l with
  | [] -> acc
  | p :: l' ->
    let (s, w) = p in
    start_row d v l'
      (add_shifted d w Integer.zero
        (match value_at v s with
         | Some row -> row
         | None -> []) acc)

(** val cell_end : grid -> Integer.t -> Integer.t **)

let cell_end g b =
  if (&&) (Integer.equal g.stretch ((fun p -> p) Integer.one))
       (Integer.equal g.shrink ((fun p -> p) Integer.one))
  then b
  else Integer.add b ((fun p -> p) Integer.one)

(** val all_at_most :
    (Integer.t -> Integer.t -> bool) -> Integer.t -> Integer.t list -> bool **)

let rec all_at_most f b = function
| [] -> true
| x :: row' ->
  (&&) (f b x) (all_at_most f (Integer.add b ((fun p -> p) Integer.one)) row')

(** val tail_by_budgets :
    model -> Integer.t -> grid -> rat -> rat -> rat -> bool **)

let tail_by_budgets m v g w alpha bound =
  match g.windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       (match best_mean m v with
        | Some mean ->
          let u = g.unit_size in
          let u' = unit_after g u m.steps in
          let bottom =
            if Integer.equal w.num Integer.zero
            then Integer.zero
            else cost_below v w alpha (rmult u' (of_Z lo'))
          in
          let terminal =
            terminal_row (cost_below v w alpha) u' (of_Z Integer.zero) lo' hi'
          in
          let kappa = rplus w (tail_slope w alpha) in
          (&&)
            ((&&)
              ((&&)
                ((&&)
                  ((&&)
                    ((&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
                      (Integer.leq lo hi))
                    (forallb (fun x -> Integer.leq bottom x) terminal))
                  ((||) (Integer.equal w.num Integer.zero)
                    (all_never_below m g (rate_0 m g) g.windows m.steps)))
                (rat_le
                  (rplus
                    (rmult (rminus (of_Z ((fun p -> p) Integer.one)) w)
                      (rmult u (of_Z lo))) (rmult w mean)) bound))
              (rat_le
                (rminus (rmult kappa mean)
                  (rmult (rminus kappa (of_Z ((fun p -> p) Integer.one)))
                    (rmult u (of_Z hi)))) bound))
            (let row =
               start_row bottom
                 (table_below m g (rate_0 m g) bottom terminal g.windows
                   m.steps) m.initial (zeros lo hi)
             in
             all_at_most (fun b x ->
               rat_le
                 (rminus (rmult u (of_Z (cell_end g b))) { num = x; den =
                   (Integer.mul v m.initial_den) }) bound) lo row)
        | None -> false)
     | None -> false)

(** val markov_mean :
    model -> Integer.t -> Integer.t tree list -> rat -> bool **)

let markov_mean m v choices bound =
  (&&) (Integer.lt Integer.zero v)
    (match start_sum (value_at (chosen_means m v m.steps choices)) m.initial with
     | Some x -> rat_le bound { num = x; den = (Integer.mul v m.initial_den) }
     | None -> false)

(** val policy_cost :
    model -> grid -> Integer.t -> budget_rows list -> (rat -> Integer.t) ->
    rat -> Integer.t option **)

let policy_cost m g start choices cost0 shift =
  match g.windows with
  | [] -> None
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let e = rplus (loss_after m g (rate_0 m g) g.unit_size m.steps) shift
       in
       let under =
         cost0
           (rplus
             (rmult u' (of_Z (Integer.sub lo' ((fun p -> p) Integer.one)))) e)
       in
       let v =
         table_above m g (rate_0 m g) under (terminal_row cost0 u' e lo' hi')
           g.windows m.steps choices
       in
       if (&&) (Integer.leq start hi) (good_grid g)
       then start_sum (fun s ->
              match value_at v s with
              | Some row -> Some (look under lo row start)
              | None -> None) m.initial
       else None
     | None -> None)

(** val tail_at :
    model -> Integer.t -> grid -> Integer.t -> budget_rows list -> rat -> rat
    -> rat -> rat -> bool **)

let tail_at m v g start choices w alpha bound shift =
  match policy_cost m g start choices (cost_above v w alpha) shift with
  | Some x ->
    rat_le bound
      (rminus (rplus (rmult g.unit_size (of_Z start)) shift) { num = x; den =
        (Integer.mul v m.initial_den) })
  | None -> false

(** val tail_by_policy :
    model -> Integer.t -> grid -> Integer.t -> budget_rows list -> rat -> rat
    -> rat -> bool **)

let tail_by_policy m v g start choices w alpha bound =
  (&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
    ((||) (tail_at m v g start choices w alpha bound (of_Z Integer.zero))
      (tail_at m v g start choices w alpha bound
        (ropp (loss_after m g (rate_0 m g) g.unit_size m.steps))))

(** val good_quantile : rat -> bool -> bool **)

let good_quantile alpha is_upper =
  (&&) (Integer.lt Integer.zero alpha.den)
    (if is_upper
     then (&&) (Integer.leq Integer.zero alpha.num)
            (Integer.lt alpha.num alpha.den)
     else (&&) (Integer.lt Integer.zero alpha.num)
            (Integer.leq alpha.num alpha.den))

(** val threshold_cost : Integer.t -> bool -> rat -> Integer.t **)

let threshold_cost v strict x =
  if if strict
     then Integer.lt Integer.zero x.num
     else Integer.leq Integer.zero x.num
  then v
  else Integer.zero

(** val quantile_by_policy :
    model -> Integer.t -> grid -> Integer.t -> budget_rows list -> rat ->
    bool -> rat -> bool **)

let quantile_by_policy m v g start choices alpha is_upper bound =
  (&&) (Integer.lt Integer.zero v)
    (match policy_cost m g start choices (threshold_cost v true)
             (rminus bound (rmult g.unit_size (of_Z start))) with
     | Some x ->
       let p = { num = x; den = (Integer.mul v m.initial_den) } in
       if is_upper then rat_le p alpha else negb (rat_le alpha p)
     | None -> false)

(** val start_look :
    model -> Integer.t -> Integer.t -> Integer.t list values -> Integer.t ->
    Integer.t **)

let start_look m d lo v b =
  zsum (fun sw ->
    Integer.mul (snd sw)
      (look d lo
        (match value_at v (fst sw) with
         | Some row -> row
         | None -> []) b)) m.initial

(** val quantile_by_threshold :
    model -> Integer.t -> grid -> Integer.t -> rat -> bool -> rat -> bool **)

let quantile_by_threshold m v g start alpha is_upper bound =
  match g.windows with
  | [] -> false
  | p :: _ ->
    let (lo, _) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let terminal =
         terminal_row (threshold_cost v false) u' (of_Z Integer.zero) lo' hi'
       in
       (&&)
         ((&&)
           ((&&)
             ((&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
               (Integer.leq lo start))
             (forallb (fun x -> Integer.leq Integer.zero x) terminal))
           (rat_le (rmult g.unit_size (of_Z start)) bound))
         (let v0 =
            table_below m g (rate_0 m g) Integer.zero terminal g.windows
              m.steps
          in
          let p1 = { num = (start_look m Integer.zero lo v0 start); den =
            (Integer.mul v m.initial_den) }
          in
          if is_upper then negb (rat_le p1 alpha) else rat_le alpha p1)
     | None -> false)

(** val whole : rat -> outcome -> Integer.t **)

let whole r o =
  (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
    (Integer.mul o.gain r.num) r.den

(** val part : rat -> outcome -> Integer.t **)

let part r o =
  Integer.sub (Integer.mul o.gain r.num) (Integer.mul (whole r o) r.den)

(** val bends :
    Integer.t -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list **)

let bends bottom lo hi row =
  map (Integer.max Integer.zero)
    (add_shifted bottom ((fun p -> p) Integer.one) (Integer.neg
      ((fun p -> Integer.shift_left p 1) Integer.one)) row
      (add_shifted bottom (Integer.neg ((fun p -> Integer.shift_left p 1)
        Integer.one)) (Integer.neg Integer.one) row
        (add_shifted bottom ((fun p -> p) Integer.one) Integer.zero row
          (zeros (Integer.sub lo ((fun p -> p) Integer.one))
            (Integer.add hi ((fun p -> p) Integer.one))))))

(** val averages :
    rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list values ->
    outcome list -> Integer.t list -> Integer.t list **)

let rec averages r bottom lo lo' v l acc =
  match l with
  | [] -> acc
  | o :: l' ->
    let row = match value_at v o.next with
              | Some row -> row
              | None -> [] in
    let k = Integer.sub (Integer.sub lo (whole r o)) lo' in
    averages r bottom lo lo' v l'
      (add_shifted bottom (Integer.mul o.weight (part r o))
        (Integer.sub k ((fun p -> p) Integer.one)) row
        (add_shifted bottom
          (Integer.mul o.weight (Integer.sub r.den (part r o))) k row acc))

(** val taken :
    rat -> Integer.t -> Integer.t -> Integer.t list values -> outcome list ->
    Integer.t list -> Integer.t list **)

let rec taken r lo lo' bent l acc =
  match l with
  | [] -> acc
  | o :: l' ->
    let row = match value_at bent o.next with
              | Some row -> row
              | None -> [] in
    taken r lo lo' bent l'
      (add_shifted Integer.zero
        (Integer.mul o.weight
          (Integer.mul (part r o) (Integer.sub r.den (part r o))))
        (Integer.sub (Integer.sub lo (whole r o)) lo') row acc)

(** val lowered : Integer.t list -> Integer.t list -> Integer.t list **)

let rec lowered nodes cells0 =
  match nodes with
  | [] -> []
  | x :: nodes' ->
    (match cells0 with
     | [] -> []
     | d :: cells' ->
       (match cells' with
        | [] -> []
        | d' :: _ ->
          let y = Integer.sub x (Integer.max d d') in
          y :: (lowered nodes' cells')))

(** val cap_last : Integer.t -> Integer.t list -> Integer.t list **)

let rec cap_last bottom = function
| [] -> []
| x :: row' ->
  (match row' with
   | [] -> (Integer.min bottom x) :: []
   | _ :: _ -> x :: (cap_last bottom row'))

(** val cap_ends : Integer.t -> Integer.t list -> Integer.t list **)

let cap_ends bottom row =
  match cap_last bottom row with
  | [] -> []
  | x :: row' -> (Integer.min bottom x) :: row'

(** val on_rows :
    (Integer.t list -> Integer.t list) -> Integer.t list values -> Integer.t
    list values **)

let on_rows f = function
| Everywhere row -> Everywhere (f row)
| At table -> At (tmap (option_map f) table)

(** val shift_outcome : Integer.t -> outcome -> outcome **)

let shift_outcome b o =
  { weight = o.weight; gain = (Integer.sub o.gain b); next = o.next }

(** val shift_action : Integer.t -> action -> action **)

let shift_action b a =
  { total = a.total; outcomes = (map (shift_outcome b) a.outcomes) }

(** val doubled : nat -> Integer.t -> Integer.t **)

let rec doubled n z0 =
  match n with
  | O -> z0
  | S n' ->
    doubled n'
      (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        Integer.one)) z0)

(** val half_nodes : Integer.t list -> Integer.t list **)

let rec half_nodes row = match row with
| [] -> row
| x :: l -> (match l with
             | [] -> row
             | _ :: row' -> x :: (half_nodes row'))

(** val half_excess : Integer.t list -> Integer.t list **)

let rec half_excess = function
| [] -> Integer.zero :: []
| x :: l ->
  (match l with
   | [] -> Integer.zero :: []
   | y :: row' ->
     (match row' with
      | [] -> Integer.zero :: []
      | z0 :: _ ->
        let e =
          Integer.max Integer.zero
            (cdiv
              (Integer.sub (Integer.add x z0)
                (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                  Integer.one)) y)) ((fun p -> p)
              ((fun p -> Integer.shift_left p 1) Integer.one)))
        in
        e :: (half_excess row')))

(** val halved : Integer.t list -> Integer.t list **)

let halved row =
  lowered (half_nodes row) (Integer.zero :: (half_excess row))

(** val coarsened : nat -> Integer.t list -> Integer.t list **)

let rec coarsened n row =
  match n with
  | O -> row
  | S n' -> halved (coarsened n' row)

(** val cell_rate_0 : model -> cells -> rat **)

let cell_rate_0 m c =
  { num = c.cell_unit.den; den = (Integer.mul m.reward_den c.cell_unit.num) }

(** val fine_rate : nat -> rat -> rat **)

let fine_rate n r =
  { num = (doubled n r.num); den = r.den }

(** val cell_rate_next : model -> rat -> rat **)

let cell_rate_next m r =
  { num = (Integer.mul r.num m.discount_rate.num); den =
    (Integer.mul r.den m.discount_rate.den) }

(** val cell_nodes :
    rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t -> Integer.t list
    values -> action -> Integer.t list **)

let cell_nodes r bottom lo hi lo' v a =
  map (fun x ->
    (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      x (Integer.mul a.total r.den))
    (averages r bottom lo lo' v a.outcomes (zeros lo hi))

(** val cell_excess :
    rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list values ->
    action -> Integer.t list **)

let cell_excess r lo hi lo' bent a =
  map (fun x -> cdiv x (Integer.mul (Integer.mul a.total r.den) r.den))
    (taken r lo lo' bent a.outcomes
      (zeros (Integer.sub lo ((fun p -> p) Integer.one)) hi))

(** val sum_rows :
    Integer.t -> (Integer.t * Integer.t list) list -> Integer.t list ->
    Integer.t list **)

let rec sum_rows d l acc =
  match l with
  | [] -> acc
  | p :: l' ->
    let (w, row) = p in sum_rows d l' (add_shifted d w Integer.zero row acc)

(** val merged :
    bool -> Integer.t -> Integer.t -> Integer.t -> Integer.t list values ->
    Integer.t list values -> action -> ((Integer.t * Integer.t list
    values) * Integer.t list values) * action **)

let merged fit bottom lo' hi' v bent a =
  match if fit then factors a else None with
  | Some p ->
    let (qs, ps) = p in
    let row = sum_rows bottom (stage_rows v qs) (zeros lo' hi') in
    let b = Integer.mul (zsum fst qs) bottom in
    (((b, (Everywhere row)), (Everywhere (bends b lo' hi' row))), { total =
    (Integer.mul (zsum fst ps) (zsum fst qs)); outcomes =
    (map (fun pz -> { weight = (fst pz); gain = (snd pz); next =
      Integer.one }) ps) })
  | None -> (((bottom, v), bent), a)

(** val action_rows :
    bool -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    Integer.t -> Integer.t list values -> Integer.t list values -> action ->
    Integer.t list * Integer.t list **)

let action_rows fit r bottom lo hi lo' hi' v bent a =
  let (p, a') = merged fit bottom lo' hi' v bent a in
  let (p0, bent') = p in
  let (b, v') = p0 in
  ((cell_nodes r b lo hi lo' v' a'), (cell_excess r lo hi lo' bent' a'))

(** val used_rows :
    (action -> 'a1) -> (Integer.t * Integer.t) list -> Integer.t -> action
    list -> 'a1 option list **)

let rec used_rows f runs i = function
| [] -> []
| a :: acts' ->
  (if is_used runs i then Some (f a) else None) :: (used_rows f runs
                                                     (Integer.add i
                                                       ((fun p -> p)
                                                       Integer.one)) acts')

(** val left_ends : (Integer.t list * Integer.t list) -> Integer.t list **)

let left_ends rows0 =
  zmap2 Integer.sub (fst rows0) (tl (snd rows0))

(** val right_ends : (Integer.t list * Integer.t list) -> Integer.t list **)

let right_ends rows0 =
  tl (zmap2 Integer.sub (fst rows0) (snd rows0))

(** val join_ends : Integer.t list -> Integer.t list -> Integer.t list **)

let join_ends lefts rights =
  match lefts with
  | [] -> []
  | x :: lefts' -> x :: (zmap2 Integer.min lefts' rights)

(** val played_row :
    (action -> Integer.t list * Integer.t list) -> Integer.t ->
    (Integer.t * Integer.t) list -> action list -> Integer.t list **)

let played_row rows0 bottom runs acts =
  let used = used_rows rows0 runs Integer.zero acts in
  cap_ends bottom
    (join_ends (pick runs (map (option_map left_ends) used))
      (pick runs (map (option_map right_ends) used)))

(** val fine_row :
    bool -> (action -> Integer.t list * Integer.t list) -> Integer.t ->
    (Integer.t * Integer.t) list option -> action list -> Integer.t list **)

let fine_row all rows0 bottom choice acts =
  if all
  then least
         (map (fun a ->
           let (nodes, excess0) = rows0 a in lowered nodes excess0) acts)
  else (match choice with
        | Some runs -> played_row rows0 bottom runs acts
        | None -> [])

(** val state_cells :
    bool -> bool -> nat -> rat -> Integer.t -> Integer.t -> Integer.t ->
    Integer.t -> Integer.t -> Integer.t -> Integer.t list values -> Integer.t
    list values -> (Integer.t * Integer.t) list option -> action list ->
    Integer.t list option **)

let state_cells all fit n r bottom b lo hi lo' hi' v bent choice acts =
  let rows0 =
    action_rows fit r bottom (doubled n lo) (doubled n hi) lo' hi' v bent
  in
  let row = fine_row all rows0 bottom choice (map (shift_action b) acts) in
  if (&&)
       (Integer.equal (zlen row)
         (Integer.add (Integer.sub (doubled n hi) (doubled n lo))
           ((fun p -> p) Integer.one))) (Integer.leq lo hi)
  then Some (coarsened n row)
  else None

(** val first_tree : 'a1 tree list -> 'a1 tree **)

let first_tree = function
| [] -> Leaf
| t :: _ -> t

(** val cells_table :
    model -> bool -> Integer.t -> Integer.t -> Integer.t list -> rat ->
    (Integer.t * Integer.t) list -> Integer.t list -> step list ->
    budget_rows list -> Integer.t list values **)

let rec cells_table m all b bottom terminal r ws hs sts choices =
  match sts with
  | [] -> Everywhere terminal
  | st :: rest ->
    (match ws with
     | [] -> At Leaf
     | p :: l ->
       let (lo, hi) = p in
       (match l with
        | [] -> At Leaf
        | p0 :: _ ->
          let (lo', hi') = p0 in
          (match hs with
           | [] -> At Leaf
           | h :: hs' ->
             let n =
               (fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
                 h
             in
             let r' = fine_rate n r in
             let v =
               on_rows (cap_ends bottom)
                 (cells_table m all b bottom terminal (cell_rate_next m r')
                   (tl ws) hs' rest (tl choices))
             in
             let bent = on_rows (bends bottom lo' hi') v in
             let fit =
               rows_fit
                 (Integer.add (Integer.sub hi' lo') ((fun p -> p)
                   Integer.one)) v
             in
             At
             (tzip (state_cells all fit n r' bottom b lo hi lo' hi' v bent)
               (first_tree choices) st))))

(** val discount_weights : model -> step list -> rat **)

let rec discount_weights m = function
| [] -> of_Z Integer.zero
| _ :: rest ->
  let w = discount_weights m rest in
  { num =
  (Integer.add (Integer.mul m.discount_rate.den w.den)
    (Integer.mul m.discount_rate.num w.num)); den =
  (Integer.mul m.discount_rate.den w.den) }

(** val last_cell_unit : rat -> Integer.t list -> step list -> rat **)

let rec last_cell_unit u hs = function
| [] -> u
| _ :: rest ->
  (match hs with
   | [] -> u
   | h :: hs' ->
     last_cell_unit { num = u.num; den =
       (doubled
         ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
           h) u.den) } hs' rest)

(** val good_cells : model -> cells -> bool **)

let good_cells m c =
  (&&)
    ((&&) (Integer.lt Integer.zero c.cell_unit.num)
      (Integer.lt Integer.zero c.cell_unit.den))
    (Integer.equal (zlen c.halvings) (zlen m.steps))

(** val most_of : (Integer.t -> Integer.t) -> model -> Integer.t **)

let most_of f m =
  Integer.max (f Integer.zero)
    (largest
      (tlargest (largest (fun a -> largest (fun o -> f o.gain) a.outcomes)))
      m.steps)

(** val most_above : model -> Integer.t -> Integer.t **)

let most_above m b =
  most_of (fun z0 -> Integer.max Integer.zero (Integer.sub z0 b)) m

(** val most_below : model -> Integer.t -> Integer.t **)

let most_below m b =
  most_of (fun z0 -> Integer.max Integer.zero (Integer.sub b z0)) m

(** val tail_by_all_cells :
    model -> Integer.t -> cells -> rat -> rat -> rat -> bool **)

let tail_by_all_cells m v c w alpha bound =
  match c.cell_windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after c.cell_windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       (match best_mean m v with
        | Some mean ->
          let u = c.cell_unit in
          let u' = last_cell_unit u c.halvings m.steps in
          let sum = discount_weights m m.steps in
          let shift = rmult sum { num = c.base; den = m.reward_den } in
          let deepest =
            rminus (rmult u (of_Z lo))
              (rmult sum { num = (most_above m c.base); den = m.reward_den })
          in
          let bottom =
            if Integer.equal w.num Integer.zero
            then Integer.zero
            else cost_below v w alpha deepest
          in
          let terminal =
            terminal_row (cost_below v w alpha) u' (of_Z Integer.zero) lo' hi'
          in
          let kappa = rplus w (tail_slope w alpha) in
          (&&)
            ((&&)
              ((&&)
                ((&&)
                  ((&&) ((&&) (Integer.lt Integer.zero v) (good_cells m c))
                    (Integer.leq lo hi)) (Integer.leq lo' hi'))
                (rat_le
                  (rplus
                    (rmult (rminus (of_Z ((fun p -> p) Integer.one)) w)
                      (rplus (rmult u (of_Z lo)) shift)) (rmult w mean))
                  bound))
              (rat_le
                (rminus (rmult kappa mean)
                  (rmult (rminus kappa (of_Z ((fun p -> p) Integer.one)))
                    (rplus (rmult u (of_Z hi)) shift))) bound))
            (let v0 =
               cells_table m true c.base bottom terminal (cell_rate_0 m c)
                 c.cell_windows c.halvings m.steps []
             in
             let room = rminus bound shift in
             all_at_most (fun b x ->
               rat_le
                 (rminus (rmult u (of_Z b)) { num = x; den =
                   (Integer.mul v m.initial_den) }) room) lo
               (start_row bottom v0 m.initial (zeros lo hi)))
        | None -> false)
     | None -> false)

(** val tail_by_cells :
    model -> Integer.t -> cells -> Integer.t -> budget_rows list -> rat ->
    rat -> rat -> bool **)

let tail_by_cells m v c start choices w alpha bound =
  match c.cell_windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after c.cell_windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u = c.cell_unit in
       let u' = last_cell_unit u c.halvings m.steps in
       let sum = discount_weights m m.steps in
       let shift = rmult sum { num = c.base; den = m.reward_den } in
       let highest =
         rplus (rmult u (of_Z start))
           (rmult sum { num = (most_below m c.base); den = m.reward_den })
       in
       let bottom = Integer.neg (cost_above v w alpha highest) in
       let terminal =
         terminal_row (fun x -> Integer.neg (cost_above v w alpha x)) u'
           (of_Z Integer.zero) lo' hi'
       in
       (&&)
         ((&&)
           ((&&)
             ((&&) ((&&) (Integer.lt Integer.zero v) (good_cells m c))
               (Integer.leq lo start)) (Integer.lt start hi))
           (Integer.leq lo' hi'))
         (let v0 =
            cells_table m false c.base bottom terminal (cell_rate_0 m c)
              c.cell_windows c.halvings m.steps choices
          in
          rat_le bound
            (rplus (rplus (rmult u (of_Z start)) shift) { num =
              (start_look m bottom lo v0 start); den =
              (Integer.mul v m.initial_den) }))
     | None -> false)

(** val rat_lt : rat -> rat -> bool **)

let rat_lt p q =
  negb (rat_le q p)

(** val rmax : rat -> rat -> rat **)

let rmax p q =
  if rat_le p q then q else p

(** val rmin : rat -> rat -> rat **)

let rmin p q =
  if rat_le p q then p else q

(** val good_corners : rat -> rat -> (rat * rat) list -> bool **)

let rec good_corners x g = function
| [] -> (&&) (Integer.equal x.num x.den) (Integer.equal g.num g.den)
| p :: l' ->
  let (x', g') = p in
  (&&)
    ((&&)
      ((&&)
        ((&&) (Integer.lt Integer.zero x'.den)
          (Integer.lt Integer.zero g'.den)) (rat_lt x x')) (rat_le g g'))
    (good_corners x' g' l')

(** val corners_to_1 : rat -> (rat * rat) list -> bool **)

let rec corners_to_1 x = function
| [] -> Integer.equal x.num x.den
| p :: l' ->
  let (x', g') = p in
  (&&)
    ((&&)
      ((&&) (Integer.lt Integer.zero x'.den) (Integer.lt Integer.zero g'.den))
      (rat_lt x x')) (corners_to_1 x' l')

(** val segment : rat -> rat -> rat -> rat -> rat -> rat **)

let segment x g x' g' tau =
  rplus g (rmult (rmult (rminus tau x) (rminus g' g)) (rinv (rminus x' x)))

(** val polygon_at : rat -> rat -> (rat * rat) list -> rat -> rat **)

let rec polygon_at x g l tau =
  match l with
  | [] -> g
  | p :: l' ->
    let (x', g') = p in
    if rat_le tau x' then segment x g x' g' tau else polygon_at x' g' l' tau

(** val tilted : Integer.t -> Integer.t -> rat -> rat -> Integer.t **)

let tilted v c value y =
  rfloor (rminus (rmult (of_Z v) value) (rmult (of_Z c) y))

(** val lesser : Integer.t -> Integer.t option -> Integer.t option **)

let lesser a = function
| Some y -> Some (Integer.min a y)
| None -> Some a

(** val least_on :
    Integer.t -> Integer.t -> rat -> rat -> (rat * rat) list -> rat -> rat ->
    Integer.t option **)

let rec least_on v c x g l p q =
  match l with
  | [] -> None
  | p0 :: l' ->
    let (x', g') = p0 in
    if rat_lt x' p
    then least_on v c x' g' l' p q
    else let rest = if rat_lt x' q then least_on v c x' g' l' p q else None in
         let a = rmax x p in
         let b = rmin x' q in
         if rat_le a b
         then lesser (tilted v c (segment x g x' g' a) a)
                (lesser (tilted v c (segment x g x' g' b) b) rest)
         else rest

(** val never_above :
    grid -> rat -> Integer.t -> Integer.t -> step -> bool **)

let never_above g r hi hi' st =
  (&&)
    (Integer.leq
      (move g r { weight = Integer.zero; gain = Integer.zero; next =
        Integer.one } hi) hi')
    (tall
      (forallb (fun a ->
        forallb (fun o -> Integer.leq (move g r o hi) hi') a.outcomes)) st)

(** val all_never_above :
    model -> grid -> rat -> (Integer.t * Integer.t) list -> step list -> bool **)

let rec all_never_above m g r ws = function
| [] -> true
| st :: rest ->
  (match ws with
   | [] -> false
   | p :: l ->
     let (_, hi) = p in
     (match l with
      | [] -> false
      | p0 :: _ ->
        let (_, hi') = p0 in
        (&&) (never_above g r hi hi' st)
          (all_never_above m g (rate_next m g r) (tl ws) rest)))

(** val level_row :
    Integer.t -> Integer.t -> Integer.t -> Integer.t -> Integer.t list **)

let level_row v j lo hi =
  along (fun b -> if Integer.leq j b then v else Integer.zero) lo
    (counter lo hi)

(** val level_cost :
    model -> Integer.t -> grid -> Integer.t -> budget_rows list -> Integer.t
    -> Integer.t -> Integer.t -> Integer.t -> Integer.t option **)

let level_cost m v g start choices lo lo' hi' j =
  let v0 =
    table_above m g (rate_0 m g) Integer.zero (level_row v j lo' hi')
      g.windows m.steps choices
  in
  start_sum (fun s ->
    match value_at v0 s with
    | Some row -> Some (look Integer.zero lo row start)
    | None -> None) m.initial

(** val level_sum :
    (Integer.t -> Integer.t option) -> Integer.t -> Integer.t -> (rat * rat)
    list -> Integer.t list -> Integer.t option **)

let rec level_sum f v d corners = function
| [] -> Some Integer.zero
| j :: levels' ->
  (match f j with
   | Some x ->
     (match level_sum f v d corners levels' with
      | Some y ->
        Some
          (Integer.add
            (rceil
              (rmult (of_Z v)
                (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners
                  (rmin (of_Z ((fun p -> p) Integer.one)) { num = x; den =
                    (Integer.mul v d) })))) y)
      | None -> None)
   | None -> None)

(** val polygon_by_policy :
    model -> Integer.t -> grid -> Integer.t -> budget_rows list ->
    (rat * rat) list -> rat -> bool **)

let polygon_by_policy m v g start choices corners bound =
  match g.windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let e = loss_after m g (rate_0 m g) g.unit_size m.steps in
       let top =
         rminus (rminus (rmult g.unit_size (of_Z start)) e)
           (rmult u' (of_Z (Integer.sub lo' ((fun p -> p) Integer.one))))
       in
       (&&)
         ((&&)
           ((&&)
             ((&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
               (Integer.leq start hi)) (Integer.leq lo' hi'))
           (all_never_above m g (rate_0 m g) g.windows m.steps))
         (match level_sum (level_cost m v g start choices lo lo' hi') v
                  m.initial_den corners
                  (along (fun j -> j) lo' (counter lo' hi')) with
          | Some x ->
            rat_le bound (rminus top (rmult u' { num = x; den = v }))
          | None -> false)
     | None -> false)

(** val partial_sums : Integer.t -> Integer.t list -> Integer.t list **)

let rec partial_sums acc costs =
  acc :: (match costs with
          | [] -> []
          | c :: costs' -> partial_sums (Integer.add acc c) costs')

(** val smallest : Integer.t -> Integer.t list -> Integer.t **)

let rec smallest x = function
| [] -> x
| y :: l' -> smallest (Integer.min x y) l'

type box = (rat * rat) list

(** val tilted_sum :
    Integer.t -> (rat -> (rat * rat) list) -> Integer.t list -> box ->
    Integer.t option **)

let rec tilted_sum v corners costs b =
  match costs with
  | [] -> (match b with
           | [] -> Some Integer.zero
           | _ :: _ -> None)
  | c :: costs' ->
    (match b with
     | [] -> None
     | p0 :: b' ->
       let (p, q) = p0 in
       (match least_on v c (of_Z Integer.zero) (of_Z Integer.zero)
                (corners p) p q with
        | Some x ->
          (match tilted_sum v corners costs' b' with
           | Some y -> Some (Integer.add x y)
           | None -> None)
        | None -> None))

(** val cap : Integer.t -> rat -> box -> box **)

let rec cap k p = function
| [] -> []
| p0 :: b' ->
  let (l, u) = p0 in
  (l,
  (if Integer.leq k Integer.zero then rmin u p else u)) :: (cap
                                                             (Integer.sub k
                                                               ((fun p -> p)
                                                               Integer.one))
                                                             p b')

(** val raise : Integer.t -> rat -> box -> box **)

let rec raise k p = function
| [] -> []
| p0 :: b' ->
  let (l, u) = p0 in
  ((if Integer.leq Integer.zero k then rmax l p else l),
  u) :: (raise (Integer.sub k ((fun p -> p) Integer.one)) p b')

(** val dual_test :
    model -> Integer.t -> grid -> Integer.t -> Integer.t -> (rat ->
    (rat * rat) list) -> rat -> Integer.t list -> box -> bool **)

let dual_test m v g start lo corners need costs b =
  let terminal = partial_sums Integer.zero costs in
  let bottom = smallest Integer.zero terminal in
  (match tilted_sum v corners costs b with
   | Some x ->
     let v0 = table_below m g (rate_0 m g) bottom terminal g.windows m.steps
     in
     (&&) (forallb (fun y -> Integer.leq bottom y) terminal)
       (rat_le need
         (rplus { num = (start_look m bottom lo v0 start); den =
           (Integer.mul v m.initial_den) } { num = x; den = v }))
   | None -> false)

(** val unit_costs :
    Integer.t -> Integer.t -> Integer.t -> Integer.t -> Integer.t list **)

let unit_costs v k lo hi =
  along (fun j -> if Integer.equal j k then v else Integer.zero) Integer.zero
    (counter (Integer.add lo ((fun p -> p) Integer.one)) hi)

(** val passed_test :
    model -> grid -> Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    Integer.t -> Integer.t -> rat -> bool **)

let passed_test m g start lo lo' hi' v k p =
  let terminal = partial_sums Integer.zero (unit_costs v k lo' hi') in
  let v0 =
    table_below m g (rate_0 m g) Integer.zero terminal g.windows m.steps
  in
  (&&)
    ((&&) (Integer.lt Integer.zero v)
      (forallb (fun y -> Integer.leq Integer.zero y) terminal))
    (rat_le p { num = (start_look m Integer.zero lo v0 start); den =
      (Integer.mul v m.initial_den) })

(** val covered :
    Integer.t -> (Integer.t list -> box -> bool) -> (Integer.t -> Integer.t
    -> rat -> bool) -> cover -> box -> bool **)

let rec covered reach leaf passed c b =
  match c with
  | Dual costs -> leaf costs b
  | Cut (k, p, below, above) ->
    (&&)
      ((&&) (positive_den p) (covered reach leaf passed below (cap k p b)))
      (covered reach leaf passed above (raise (Integer.sub k reach) p b))
  | Passed (v, k, p, rest) ->
    (&&) ((&&) (positive_den p) (passed v k p))
      (covered reach leaf passed rest (raise (Integer.sub k reach) p b))
  | Contract (_, _, _) -> false

(** val polygon_by_cover :
    model -> Integer.t -> grid -> Integer.t -> cover -> (rat -> (rat * rat)
    list) -> rat -> bool **)

let polygon_by_cover m v g start c corners bound =
  match g.windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let top = rminus (rmult g.unit_size (of_Z start)) (rmult u' (of_Z lo'))
       in
       let need = rmult (rminus top bound) (rinv u') in
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
                   (Integer.leq lo start)) (Integer.leq start hi))
               (Integer.leq lo' hi'))
             (all_never_below m g (rate_0 m g) g.windows m.steps))
           (all_never_above m g (rate_0 m g) g.windows m.steps))
         (covered Integer.zero (dual_test m v g start lo corners need)
           (passed_test m g start lo lo' hi') c
           (along (fun _ -> ((of_Z Integer.zero),
             (of_Z ((fun p -> p) Integer.one)))) lo'
             (counter (Integer.add lo' ((fun p -> p) Integer.one)) hi')))
     | None -> false)

(** val cells_dual_test :
    model -> Integer.t -> cells -> Integer.t -> Integer.t -> (rat ->
    (rat * rat) list) -> rat -> Integer.t list -> box -> bool **)

let cells_dual_test m v c start lo corners need costs b =
  let terminal = partial_sums Integer.zero costs in
  let bottom = smallest Integer.zero terminal in
  (match tilted_sum v corners costs b with
   | Some x ->
     let v0 =
       cells_table m true c.base bottom terminal (cell_rate_0 m c)
         c.cell_windows c.halvings m.steps []
     in
     (&&) (forallb (fun y -> Integer.leq bottom y) terminal)
       (rat_le need
         (rplus { num = (start_look m bottom lo v0 start); den =
           (Integer.mul v m.initial_den) } { num = x; den = v }))
   | None -> false)

(** val ends_inside :
    model -> cells -> rat -> rat -> rat -> Integer.t -> Integer.t -> bool **)

let ends_inside m c budget u' sum lo' hi' =
  (&&)
    (rat_le (rmult u' (of_Z lo'))
      (rminus budget
        (rmult sum { num = (most_above m c.base); den = m.reward_den })))
    (rat_le
      (rplus budget
        (rmult sum { num = (most_below m c.base); den = m.reward_den }))
      (rmult u' (of_Z hi')))

(** val polygon_by_cell_cover :
    model -> Integer.t -> cells -> Integer.t -> cover -> (rat -> (rat * rat)
    list) -> rat -> bool **)

let polygon_by_cell_cover m v c start boxes corners bound =
  match c.cell_windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after c.cell_windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = last_cell_unit c.cell_unit c.halvings m.steps in
       let sum = discount_weights m m.steps in
       let budget = rmult c.cell_unit (of_Z start) in
       let top =
         rminus
           (rplus budget (rmult sum { num = c.base; den = m.reward_den }))
           (rmult u' (of_Z lo'))
       in
       let need = rmult (rminus top bound) (rinv u') in
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&) ((&&) (Integer.lt Integer.zero v) (good_cells m c))
                 (Integer.leq lo start)) (Integer.lt start hi))
             (Integer.leq lo' hi')) (ends_inside m c budget u' sum lo' hi'))
         (covered ((fun p -> p) Integer.one)
           (cells_dual_test m v c start lo corners need) (fun _ _ _ -> false)
           boxes
           (along (fun _ -> ((of_Z Integer.zero),
             (of_Z ((fun p -> p) Integer.one)))) lo'
             (counter (Integer.add lo' ((fun p -> p) Integer.one)) hi')))
     | None -> false)

(** val tilted_up : Integer.t -> Integer.t -> rat -> rat -> Integer.t **)

let tilted_up v c value y =
  rceil (rminus (rmult (of_Z v) value) (rmult (of_Z c) y))

(** val most_on :
    Integer.t -> Integer.t -> rat -> rat -> (rat * rat) list -> Integer.t **)

let rec most_on v c x g = function
| [] -> tilted_up v c g x
| p :: l' ->
  let (x', g') = p in Integer.max (tilted_up v c g x) (most_on v c x' g' l')

(** val polygon_by_lines :
    model -> Integer.t -> cells -> Integer.t -> Integer.t list -> budget_rows
    list -> (rat * rat) list -> rat -> bool **)

let polygon_by_lines m v c start costs choices corners bound =
  match c.cell_windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after c.cell_windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = last_cell_unit c.cell_unit c.halvings m.steps in
       let sum = discount_weights m m.steps in
       let budget = rmult c.cell_unit (of_Z start) in
       let top =
         rminus
           (rplus budget (rmult sum { num = c.base; den = m.reward_den }))
           (rmult u' (of_Z lo'))
       in
       let terminal = partial_sums Integer.zero (map Integer.neg costs) in
       let bottom = smallest Integer.zero terminal in
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&)
                   ((&&) ((&&) (Integer.lt Integer.zero v) (good_cells m c))
                     (Integer.leq lo start)) (Integer.lt start hi))
                 (Integer.leq lo' hi'))
               (ends_inside m c budget u' sum lo' hi'))
             (Integer.equal (zlen costs) (Integer.sub hi' lo')))
           (forallb (fun y -> Integer.leq bottom y) terminal))
         (let v0 =
            cells_table m false c.base bottom terminal (cell_rate_0 m c)
              c.cell_windows c.halvings m.steps choices
          in
          let most0 =
            zsum (fun c0 ->
              most_on v c0 (of_Z Integer.zero) (of_Z Integer.zero) corners)
              costs
          in
          rat_le bound
            (rminus top
              (rmult u' { num =
                (Integer.sub (Integer.mul most0 m.initial_den)
                  (start_look m bottom lo v0 start)); den =
                (Integer.mul v m.initial_den) })))
     | None -> false)

(** val rest_power : Integer.t -> step list -> Integer.t **)

let rec rest_power q = function
| [] -> (fun p -> p) Integer.one
| _ :: rest -> Integer.mul q (rest_power q rest)

(** val merged_sums : Integer.t list -> Integer.t list -> Integer.t list **)

let rec merged_sums l = match l with
| [] -> (fun k -> k)
| x :: l' ->
  let rec inner0 k = match k with
  | [] -> l
  | y :: k' ->
    if Integer.lt x y
    then x :: (merged_sums l' k)
    else if Integer.lt y x then y :: (inner0 k') else x :: (merged_sums l' k')
  in inner0

(** val tfold : ('a1 -> 'a2 -> 'a2) -> 'a1 tree -> 'a2 -> 'a2 **)

let rec tfold f t y =
  match t with
  | Leaf -> y
  | Node (l, x, r) ->
    tfold f r
      (match x with
       | Some z0 -> f z0 (tfold f l y)
       | None -> tfold f l y)

(** val with_sums :
    Integer.t -> Integer.t list -> Integer.t -> Integer.t list tree ->
    Integer.t list tree **)

let with_sums most0 ys s t =
  let all = match get s t with
            | Some old -> merged_sums ys old
            | None -> ys in
  set s (take_then most0 all []) t

(** val state_sums :
    Integer.t -> Integer.t -> (Integer.t list option * action list) ->
    Integer.t list tree -> Integer.t list tree **)

let state_sums most0 weight0 x t =
  match fst x with
  | Some ys ->
    fold_left (fun t0 a ->
      fold_left (fun t1 o ->
        with_sums most0
          (map (fun y -> Integer.add y (Integer.mul weight0 o.gain)) ys)
          o.next t1) a.outcomes t0) (snd x) t
  | None -> t

(** val all_sums :
    Integer.t -> Integer.t -> Integer.t -> Integer.t -> Integer.t list tree
    -> step list -> Integer.t list tree list **)

let rec all_sums most0 p q power sums sts =
  sums :: (match sts with
           | [] -> []
           | st :: rest ->
             all_sums most0 p q (Integer.mul power p)
               (tfold
                 (state_sums most0 (Integer.mul power (rest_power q sts)))
                 (tzip (fun x x0 -> (x, x0)) sums st) Leaf) rest)

(** val drop_below :
    Integer.t -> (Integer.t * Integer.t) list -> (Integer.t * Integer.t) list **)

let rec drop_below y row = match row with
| [] -> []
| yx :: row' -> if Integer.lt (fst yx) y then drop_below y row' else row

(** val cost_at :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) list -> Integer.t **)

let cost_at bottom y = function
| [] -> bottom
| yx :: _ -> if Integer.equal (fst yx) y then snd yx else bottom

(** val add_at :
    Integer.t -> Integer.t -> Integer.t -> (Integer.t * Integer.t) list ->
    Integer.t list -> Integer.t list -> Integer.t list **)

let rec add_at bottom w d row ys acc =
  match ys with
  | [] -> []
  | y :: ys' ->
    (match acc with
     | [] -> []
     | x :: acc' ->
       let row' = drop_below (Integer.add y d) row in
       (Integer.add x (Integer.mul w (cost_at bottom (Integer.add y d) row'))) :: 
       (add_at bottom w d row' ys' acc'))

(** val pairs_at :
    (Integer.t * Integer.t) list values -> Integer.t ->
    (Integer.t * Integer.t) list **)

let pairs_at v s =
  match value_at v s with
  | Some row -> row
  | None -> []

(** val outcomes_at :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) list values ->
    Integer.t list -> outcome list -> Integer.t list -> Integer.t list **)

let rec outcomes_at bottom weight_of v ys l acc =
  match l with
  | [] -> acc
  | o :: l' ->
    outcomes_at bottom weight_of v ys l'
      (add_at bottom o.weight (Integer.mul weight_of o.gain)
        (pairs_at v o.next) ys acc)

(** val action_at :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) list values ->
    Integer.t list -> action -> Integer.t list **)

let action_at bottom weight_of v ys a =
  map (fun x ->
    (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      x a.total)
    (outcomes_at bottom weight_of v ys a.outcomes
      (map (fun _ -> Integer.zero) ys))

(** val state_at :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) list values ->
    Integer.t list option -> action list -> (Integer.t * Integer.t) list
    option **)

let state_at bottom weight_of v sums acts =
  match sums with
  | Some ys ->
    Some (combine ys (least (map (action_at bottom weight_of v ys) acts)))
  | None -> None

(** val returns_table :
    Integer.t -> Integer.t -> Integer.t -> (Integer.t * Integer.t) list ->
    Integer.t -> Integer.t list tree list -> step list ->
    (Integer.t * Integer.t) list values **)

let rec returns_table p q bottom terminal power sums sts = match sts with
| [] -> Everywhere terminal
| st :: rest ->
  let v =
    returns_table p q bottom terminal (Integer.mul power p) (tl sums) rest
  in
  At
  (tzip (state_at bottom (Integer.mul power (rest_power q sts)) v)
    (first_tree sums) st)

(** val at_start :
    model -> Integer.t -> (Integer.t * Integer.t) list values -> Integer.t **)

let at_start m bottom v =
  zsum (fun sw ->
    Integer.mul (snd sw)
      (cost_at bottom Integer.zero
        (drop_below Integer.zero (pairs_at v (fst sw))))) m.initial

(** val decreasing : Integer.t -> Integer.t list -> bool **)

let rec decreasing z0 = function
| [] -> true
| y :: l' -> (&&) (Integer.lt y z0) (decreasing y l')

(** val widths : Integer.t -> Integer.t list -> Integer.t list **)

let rec widths z0 = function
| [] -> []
| y :: l' -> (Integer.sub z0 y) :: (widths y l')

(** val wide_sum :
    Integer.t -> (rat -> (rat * rat) list) -> Integer.t list -> Integer.t
    list -> box -> Integer.t option **)

let rec wide_sum v corners costs ws b =
  match costs with
  | [] ->
    (match ws with
     | [] -> (match b with
              | [] -> Some Integer.zero
              | _ :: _ -> None)
     | _ :: _ -> None)
  | c :: costs' ->
    (match ws with
     | [] -> None
     | w :: ws' ->
       (match b with
        | [] -> None
        | p0 :: b' ->
          let (p, q) = p0 in
          (match least_on v c (of_Z Integer.zero) (of_Z Integer.zero)
                   (corners p) p q with
           | Some x ->
             (match wide_sum v corners costs' ws' b' with
              | Some y -> Some (Integer.add (Integer.mul w x) y)
              | None -> None)
           | None -> None)))

(** val returns_dual_test :
    model -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list tree
    list -> (rat -> (rat * rat) list) -> rat -> Integer.t list -> box -> bool **)

let returns_dual_test m v z0 l sums corners need costs b =
  let ws = widths z0 l in
  let terminal = partial_sums Integer.zero (zmap2 Integer.mul costs ws) in
  let bottom = smallest Integer.zero terminal in
  (match wide_sum v corners costs ws b with
   | Some x ->
     let v0 =
       returns_table m.discount_rate.num m.discount_rate.den bottom
         (rev' (combine (z0 :: l) terminal)) ((fun p -> p) Integer.one) sums
         m.steps
     in
     (&&) (forallb (fun y -> Integer.leq bottom y) terminal)
       (rat_le need
         (rplus { num = (at_start m bottom v0); den =
           (Integer.mul v m.initial_den) } { num = x; den = v }))
   | None -> false)

(** val weights_of :
    Integer.t -> Integer.t -> Integer.t -> step list -> Integer.t **)

let rec weights_of p q power sts = match sts with
| [] -> Integer.zero
| _ :: rest ->
  Integer.add (Integer.mul power (rest_power q sts))
    (weights_of p q (Integer.mul power p) rest)

(** val largest_sum : model -> Integer.t **)

let largest_sum m =
  Integer.mul (most_of (fun z0 -> z0) m)
    (weights_of m.discount_rate.num m.discount_rate.den ((fun p -> p)
      Integer.one) m.steps)

(** val start_sums : model -> Integer.t list tree **)

let start_sums m =
  fold_left (fun t sw -> set (fst sw) (Integer.zero :: []) t) m.initial Leaf

(** val polygon_by_returns :
    model -> Integer.t -> Integer.t list -> cover -> (rat -> (rat * rat)
    list) -> rat -> bool **)

let polygon_by_returns m v returns boxes corners bound =
  match returns with
  | [] -> false
  | z0 :: l ->
    let p = m.discount_rate.num in
    let q = m.discount_rate.den in
    let sums =
      all_sums (zlen returns) p q ((fun p -> p) Integer.one) (start_sums m)
        m.steps
    in
    let need =
      rminus (of_Z z0)
        (rmult bound (of_Z (Integer.mul m.reward_den (rest_power q m.steps))))
    in
    (&&)
      ((&&) ((&&) (Integer.lt Integer.zero v) (decreasing z0 l))
        (Integer.leq (largest_sum m) z0))
      (covered Integer.zero (returns_dual_test m v z0 l sums corners need)
        (fun _ _ _ -> false) boxes
        (along (fun _ -> ((of_Z Integer.zero),
          (of_Z ((fun p -> p) Integer.one)))) Integer.zero l))

type span = Integer.t * bool list

type kept = span list tree list

(** val least_where :
    Integer.t -> bool list -> Integer.t list -> Integer.t list -> Integer.t
    list **)

let rec least_where gap flags row acc = match acc with
| [] -> []
| x :: acc' ->
  if Integer.lt Integer.zero gap
  then x :: (least_where (Integer.sub gap ((fun p -> p) Integer.one)) flags
              row acc')
  else (match flags with
        | [] -> acc
        | f :: flags' ->
          (match row with
           | [] -> acc
           | y :: row' ->
             (if f then Integer.min x y else x) :: (least_where Integer.zero
                                                     flags' row' acc')))

(** val greatest : Integer.t -> Integer.t list -> Integer.t **)

let rec greatest x = function
| [] -> x
| y :: l' -> greatest (Integer.max x y) l'

(** val stages_at :
    Integer.t -> (Integer.t * Integer.t list) list -> (Integer.t * Integer.t)
    list -> Integer.t -> Integer.t list **)

let stages_at d qs ps n =
  let ks = map snd ps in
  let k0 = smallest (hd Integer.zero ks) ks in
  let k1 = greatest k0 ks in
  two_stages
    (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
    d (map (fun wr -> ((fst wr), (row_from d k0 (snd wr)))) qs)
    (map (fun pk -> ((fst pk), (Integer.sub (snd pk) k0))) ps)
    (zeros ((fun p -> p) Integer.one) (Integer.add (Integer.sub k1 k0) n))
    (zeros ((fun p -> p) Integer.one) n)

(** val average_at :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list
    values -> Integer.t -> action -> Integer.t list **)

let average_at g r d lo lo' v n a =
  match if is_shift g then factors a else None with
  | Some p ->
    let (qs, ps) = p in
    stages_at d (stage_rows v qs) (stage_shifts r lo lo' ps) n
  | None ->
    action_average
      (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      g r d false lo lo'
      (zeros lo (Integer.sub (Integer.add lo n) ((fun p -> p) Integer.one)))
      [] v a

(** val least_kept :
    grid -> rat -> Integer.t -> Integer.t -> Integer.t -> Integer.t list
    values -> action list -> span list -> Integer.t list -> Integer.t list **)

let rec least_kept g r bottom lo lo' v acts spans acc =
  match acts with
  | [] -> acc
  | a :: acts' ->
    (match spans with
     | [] -> acc
     | s :: spans' ->
       let (p, flags) = s in
       let rest = least_kept g r bottom lo lo' v acts' spans' acc in
       (match flags with
        | [] -> rest
        | _ :: _ ->
          least_where p flags
            (average_at g r bottom (Integer.add lo p) lo' v (zlen flags) a)
            rest))

(** val state_kept :
    grid -> rat -> Integer.t -> Integer.t -> bool -> Integer.t -> Integer.t
    -> Integer.t list -> Integer.t list -> Integer.t list values -> span list
    option -> action list -> Integer.t list **)

let state_kept g r bottom huge fit lo lo' room room' v k acts =
  match k with
  | Some spans ->
    least_kept g r bottom lo lo' v acts spans (map (fun _ -> huge) room)
  | None -> state_below g r bottom fit lo lo' room room' v acts

(** val table_kept :
    model -> grid -> rat -> Integer.t -> Integer.t -> Integer.t list -> kept
    -> (Integer.t * Integer.t) list -> step list -> Integer.t list values **)

let rec table_kept m g r bottom huge terminal keep ws = function
| [] -> Everywhere terminal
| st :: rest ->
  (match ws with
   | [] -> At Leaf
   | p :: l ->
     let (lo, hi) = p in
     (match l with
      | [] -> At Leaf
      | p0 :: _ ->
        let (lo', hi') = p0 in
        let v =
          table_kept m g (rate_next m g r) bottom huge terminal (tl keep)
            (tl ws) rest
        in
        let fit =
          rows_fit
            (Integer.add (Integer.sub hi' lo') ((fun p -> p) Integer.one)) v
        in
        let room = zeros lo hi in
        let room' = zeros lo' hi' in
        At
        (tzip (fun k acts -> Some
          (state_kept g r bottom huge fit lo lo' room room' v k acts))
          (first_tree keep) st)))

(** val piece_slope : rat -> rat -> rat -> rat -> rat **)

let piece_slope x g x' g' =
  rmult (rminus g' g) (rinv (rminus x' x))

(** val steepest :
    Integer.t -> rat -> rat -> (rat * rat) list -> rat -> rat -> Integer.t
    option **)

let rec steepest v x g l p q =
  match l with
  | [] -> None
  | p0 :: l' ->
    let (x', g') = p0 in
    let rest = steepest v x' g' l' p q in
    if (&&) (rat_le x q) (rat_lt p x')
    then let c = rceil (rmult (of_Z v) (piece_slope x g x' g')) in
         Some (match rest with
               | Some y -> Integer.max c y
               | None -> c)
    else rest

(** val flattest :
    Integer.t -> rat -> rat -> (rat * rat) list -> rat -> rat -> Integer.t
    option **)

let rec flattest v x g l p q =
  match l with
  | [] -> None
  | p0 :: l' ->
    let (x', g') = p0 in
    let rest = flattest v x' g' l' p q in
    if (&&) (rat_lt x q) (rat_le p x')
    then let c = rfloor (rmult (of_Z v) (piece_slope x g x' g')) in
         Some (match rest with
               | Some y -> Integer.min c y
               | None -> c)
    else rest

(** val or_zero : Integer.t option -> Integer.t **)

let or_zero = function
| Some y -> y
| None -> Integer.zero

(** val regains :
    Integer.t -> (rat * rat) list list -> Integer.t list -> box ->
    (Integer.t * Integer.t) list **)

let rec regains v gs costs b =
  match gs with
  | [] -> []
  | corners :: gs' ->
    (match costs with
     | [] -> []
     | c :: costs' ->
       (match b with
        | [] -> []
        | p0 :: b' ->
          let (p, q) = p0 in
          ((Integer.sub c
             (or_zero
               (flattest v (of_Z Integer.zero) (of_Z Integer.zero) corners p
                 q))),
          (Integer.sub
            (or_zero
              (steepest v (of_Z Integer.zero) (of_Z Integer.zero) corners p q))
            c)) :: (regains v gs' costs' b')))

type law_cell = { cost : Integer.t; own_cost : Integer.t;
                  own_law : Integer.t list; least_law : Integer.t list;
                  most_law : Integer.t list }

(** val add_law :
    Integer.t -> Integer.t -> Integer.t -> Integer.t list -> Integer.t list
    -> Integer.t list **)

let rec add_law e w gap row acc = match acc with
| [] -> []
| a :: acc' ->
  if Integer.lt Integer.zero gap
  then let x = Integer.add a e in
       x :: (add_law e w (Integer.sub gap ((fun p -> p) Integer.one)) row
              acc')
  else (match row with
        | [] -> acc
        | v :: row' ->
          let x = Integer.add a (Integer.mul w v) in
          x :: (add_law e w Integer.zero row' acc'))

type parts = ((Integer.t * Integer.t) * law_cell) list

(** val sum_costs : (law_cell -> Integer.t) -> parts -> Integer.t **)

let rec sum_costs f = function
| [] -> Integer.zero
| p :: l' ->
  let (p0, c) = p in
  let (w, _) = p0 in Integer.add (Integer.mul w (f c)) (sum_costs f l')

(** val sum_laws :
    Integer.t -> (law_cell -> Integer.t list) -> parts -> Integer.t list ->
    Integer.t list **)

let rec sum_laws v f l acc =
  match l with
  | [] -> acc
  | p :: l' ->
    let (p0, c) = p in
    let (w, gap) = p0 in
    sum_laws v f l' (add_law (Integer.mul w v) w gap (f c) acc)

type cell_row = law_cell option list

type stream = ((Integer.t * Integer.t) * cell_row) list

(** val stream_heads : stream -> parts option **)

let rec stream_heads = function
| [] -> Some []
| p :: l' ->
  let (p0, cs) = p in
  (match cs with
   | [] -> None
   | o :: _ ->
     (match o with
      | Some c ->
        (match stream_heads l' with
         | Some rest -> Some ((p0, c) :: rest)
         | None -> None)
      | None -> None))

(** val stream_tails : stream -> stream **)

let stream_tails l =
  map (fun x -> ((fst x), (tl (snd x)))) l

(** val cells_at : cell_row values -> Integer.t -> cell_row **)

let cells_at v s =
  match value_at v s with
  | Some l -> l
  | None -> []

(** val stream_of :
    rat -> Integer.t -> Integer.t -> Integer.t -> cell_row values -> action
    -> stream **)

let stream_of r most0 lo lo' v a =
  map (fun o -> ((o.weight, (Integer.sub most0 (charge r o))),
    (zskip (Integer.sub (Integer.sub lo (charge r o)) lo')
      (cells_at v o.next)))) a.outcomes

(** val on_flag : bool list -> bool **)

let on_flag = function
| [] -> false
| f :: _ -> f

(** val kept_parts :
    bool list list -> action list -> stream list -> (Integer.t * parts)
    option list option **)

let rec kept_parts flags acts streams =
  match flags with
  | [] -> Some []
  | f :: flags' ->
    (match acts with
     | [] -> Some []
     | a :: acts' ->
       (match streams with
        | [] -> Some []
        | l :: streams' ->
          (match kept_parts flags' acts' streams' with
           | Some rest ->
             if on_flag f
             then (match stream_heads l with
                   | Some x -> Some ((Some (a.total, x)) :: rest)
                   | None -> None)
             else Some (None :: rest)
           | None -> None)))

(** val least_cost : (Integer.t * parts) -> Integer.t **)

let least_cost x =
  (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
    (sum_costs (fun l -> l.cost) (snd x)) (fst x)

(** val law_below :
    Integer.t -> Integer.t list -> (law_cell -> Integer.t list) ->
    (Integer.t * parts) -> Integer.t list **)

let law_below v room f x =
  map (fun y ->
    (fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      y (fst x)) (sum_laws v f (snd x) room)

(** val law_above :
    Integer.t -> Integer.t list -> (law_cell -> Integer.t list) ->
    (Integer.t * parts) -> Integer.t list **)

let law_above v room f x =
  map (fun y -> cdiv y (fst x)) (sum_laws v f (snd x) room)

(** val greediest :
    (Integer.t * parts) option list -> (Integer.t * (Integer.t * parts))
    option **)

let rec greediest = function
| [] -> None
| o :: l' ->
  (match o with
   | Some x ->
     let c = least_cost x in
     Some
     (match greediest l' with
      | Some p -> let (d, y) = p in if Integer.leq c d then (c, x) else (d, y)
      | None -> (c, x))
   | None -> greediest l')

(** val regained :
    Integer.t -> (Integer.t * Integer.t) list -> Integer.t list -> Integer.t
    list -> Integer.t list -> Integer.t **)

let rec regained n rs own low0 high =
  match rs with
  | [] -> Integer.zero
  | p :: rs' ->
    let (down, up0) = p in
    (match own with
     | [] -> Integer.zero
     | x :: own' ->
       (match low0 with
        | [] -> Integer.zero
        | y :: low' ->
          (match high with
           | [] -> Integer.zero
           | z0 :: high' ->
             Integer.add
               (Integer.max Integer.zero
                 (Integer.max (Integer.mul down (Integer.sub z0 x))
                   (Integer.mul up0 (Integer.sub (Integer.add x n) y))))
               (regained n rs' own' low' high'))))

(** val wider :
    Integer.t list -> Integer.t list -> (Integer.t list * Integer.t list)
    option -> Integer.t list * Integer.t list **)

let wider low0 high = function
| Some p ->
  let (l, h) = p in ((zmap2 Integer.min low0 l), (zmap2 Integer.max high h))
| None -> (low0, high)

(** val still_kept :
    Integer.t -> Integer.t -> Integer.t list -> (Integer.t * Integer.t) list
    -> Integer.t -> Integer.t list -> (Integer.t * parts) option list -> bool
    list * (Integer.t list * Integer.t list) option **)

let rec still_kept v n room rs own_c own_l = function
| [] -> ([], None)
| o :: l' ->
  (match o with
   | Some x ->
     let (flags, laws) = still_kept v n room rs own_c own_l l' in
     let c = least_cost x in
     let low0 = law_below v room (fun l0 -> l0.least_law) x in
     let high = law_above v room (fun l0 -> l0.most_law) x in
     if (||) (Integer.leq c own_c)
          (Integer.leq (Integer.mul v (Integer.sub c own_c))
            (regained n rs own_l low0 high))
     then ((true :: flags), (Some (wider low0 high laws)))
     else ((false :: flags), laws)
   | None ->
     let (flags, laws) = still_kept v n room rs own_c own_l l' in
     ((false :: flags), laws))

(** val contract_cell :
    Integer.t -> Integer.t -> Integer.t list -> (Integer.t * Integer.t) list
    -> bool list list -> action list -> stream list -> (bool list * law_cell)
    option **)

let contract_cell v n room rs flags acts streams =
  match kept_parts flags acts streams with
  | Some l ->
    (match greediest l with
     | Some p ->
       let (c, x) = p in
       let own_c = cdiv (sum_costs (fun l0 -> l0.own_cost) (snd x)) (fst x) in
       let own_l = law_below v room (fun l0 -> l0.own_law) x in
       let (still, o) = still_kept v n room rs own_c own_l l in
       (match o with
        | Some p0 ->
          let (low0, high) = p0 in
          Some (still, { cost = c; own_cost = own_c; own_law = own_l;
          least_law = low0; most_law = high })
        | None -> None)
     | None -> None)
  | None -> None

(** val contract_state :
    Integer.t -> Integer.t -> Integer.t list -> (Integer.t * Integer.t) list
    -> bool list list -> action list -> stream list -> bool list -> (bool
    list * law_cell) option list **)

let rec contract_state v n room rs flags acts streams = function
| [] -> []
| wanted :: places' ->
  let here0 =
    if wanted then contract_cell v n room rs flags acts streams else None
  in
  here0 :: (contract_state v n room (tl rs) (map tl flags) acts
             (map stream_tails streams) places')

(** val columns :
    span list option -> 'a1 list -> 'a2 list -> bool list list **)

let columns k acts window =
  match k with
  | Some spans ->
    map (fun pf ->
      app
        (repeat false
          ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
            (fst pf))) (snd pf)) spans
  | None -> map (fun _ -> map (fun _ -> true) window) acts

(** val ended : bool list -> bool list **)

let rec ended = function
| [] -> []
| f :: l' ->
  (match ended l' with
   | [] -> if f then f :: [] else []
   | b :: l0 -> f :: (b :: l0))

(** val span_of : Integer.t -> bool list -> span **)

let rec span_of p l = match l with
| [] -> (p, [])
| f :: l' ->
  if f
  then (p, (ended l))
  else span_of (Integer.add p ((fun p -> p) Integer.one)) l'

(** val spans_of : 'a1 list -> bool list list -> span list **)

let rec spans_of acts l =
  match acts with
  | [] -> []
  | _ :: acts' ->
    (span_of Integer.zero (map on_flag l)) :: (spans_of acts' (map tl l))

(** val and_flags : bool list -> bool list -> bool list **)

let rec and_flags l k =
  match l with
  | [] -> []
  | x :: l' ->
    (match k with
     | [] -> []
     | y :: k' -> ((&&) x y) :: (and_flags l' k'))

(** val or_flags : Integer.t -> bool list -> bool list -> bool list **)

let rec or_flags gap l acc = match acc with
| [] -> []
| x :: acc' ->
  if Integer.lt Integer.zero gap
  then x :: (or_flags (Integer.sub gap ((fun p -> p) Integer.one)) l acc')
  else (match l with
        | [] -> acc
        | y :: l' -> ((||) x y) :: (or_flags Integer.zero l' acc'))

type reach_rows = bool list tree

(** val reach_outcome :
    rat -> Integer.t -> Integer.t -> bool list -> bool list -> reach_rows ->
    outcome -> reach_rows **)

let reach_outcome r lo lo' nowhere row acc o =
  set o.next
    (or_flags (Integer.sub (Integer.sub lo (charge r o)) lo') row
      (match get o.next acc with
       | Some x -> x
       | None -> nowhere)) acc

(** val reach_next :
    rat -> Integer.t -> Integer.t -> bool list -> (bool list option * (action
    list * bool list list)) -> reach_rows -> reach_rows **)

let reach_next r lo lo' nowhere x acc =
  let (o, p) = x in
  (match o with
   | Some row ->
     let (acts, cols) = p in
     fold_left (fun acc0 ac ->
       let from = and_flags row (snd ac) in
       if existsb (fun f -> f) from
       then fold_left (reach_outcome r lo lo' nowhere from) (fst ac).outcomes
              acc0
       else acc0) (combine acts cols) acc
   | None -> acc)

(** val reach_after :
    rat -> Integer.t -> Integer.t -> Integer.t -> reach_rows -> (action
    list * bool list list) tree -> reach_rows **)

let reach_after r lo lo' hi' reached each =
  let nowhere = map (fun _ -> false) (counter lo' hi') in
  tfold (reach_next r lo lo' nowhere)
    (tzip (fun row x -> (row, x)) reached each) Leaf

(** val most_charge : rat -> step -> Integer.t **)

let most_charge r st =
  tlargest (largest (fun a -> largest (charge r) a.outcomes)) st

(** val least_charge : rat -> step -> Integer.t **)

let least_charge r st =
  Integer.neg
    (tlargest
      (largest (fun a ->
        largest (fun o -> Integer.neg (charge r o)) a.outcomes)) st)

type contraction = { kept_after : kept; layer : cell_row values;
                     spent : Integer.t; open0 : Integer.t }

(** val flags_found : (bool list * law_cell) option -> bool list **)

let flags_found = function
| Some p -> let (flags, _) = p in flags
| None -> []

(** val contract_steps :
    model -> grid -> Integer.t -> Integer.t -> (Integer.t * Integer.t) list
    -> Integer.t list -> rat -> kept -> (Integer.t * Integer.t) list ->
    reach_rows -> step list -> contraction **)

let rec contract_steps m g v last0 rs costs r keep ws reached sts = match sts with
| [] ->
  { kept_after = []; layer = (Everywhere
    (map (fun x -> Some { cost = x; own_cost = x; own_law = []; least_law =
      []; most_law = [] }) (partial_sums Integer.zero costs))); spent =
    Integer.zero; open0 = Integer.zero }
| st :: rest ->
  (match ws with
   | [] ->
     { kept_after = []; layer = (At Leaf); spent = Integer.zero; open0 =
       Integer.zero }
   | p :: l ->
     let (lo, hi) = p in
     (match l with
      | [] ->
        { kept_after = []; layer = (At Leaf); spent = Integer.zero; open0 =
          Integer.zero }
      | p0 :: _ ->
        let (lo', hi') = p0 in
        let window = counter lo hi in
        let each =
          tzip (fun k acts -> (acts, (columns k acts window)))
            (first_tree keep) st
        in
        let reached' = reach_after r lo lo' hi' reached each in
        let after =
          contract_steps m g v last0 rs costs (rate_next m g r) (tl keep)
            (tl ws) reached' rest
        in
        let most0 = most_charge r st in
        let spent_here = Integer.add after.spent most0 in
        let open_here =
          Integer.sub (Integer.add after.open0 most0) (least_charge r st)
        in
        let room =
          map (fun _ -> Integer.zero)
            (counter ((fun p -> p) Integer.one) open_here)
        in
        let here0 = zskip (Integer.sub (Integer.sub lo spent_here) last0) rs
        in
        let n = zlen sts in
        let found0 =
          tzip (fun row x -> ((fst x),
            (match row with
             | Some places1 ->
               if (&&) (Integer.leq last0 (Integer.sub lo spent_here))
                    (Integer.equal (zlen places1) (zlen window))
               then contract_state v n room here0 (snd x) (fst x)
                      (map (stream_of r most0 lo lo' after.layer) (fst x))
                      places1
               else []
             | None -> []))) reached each
        in
        { kept_after =
        ((tmap (fun x -> spans_of (fst x) (map flags_found (snd x))) found0) :: after.kept_after);
        layer = (At
        (tmap (fun x -> Some (map (option_map snd) (snd x))) found0));
        spent = spent_here; open0 = open_here }))

(** val start_parts :
    Integer.t -> Integer.t -> cell_row values -> (Integer.t * Integer.t) list
    -> parts option **)

let rec start_parts gap place0 v = function
| [] -> Some []
| p :: init' ->
  let (s, w) = p in
  (match znth (cells_at v s) place0 with
   | Some o ->
     (match o with
      | Some c ->
        (match start_parts gap place0 v init' with
         | Some rest -> Some (((w, gap), c) :: rest)
         | None -> None)
      | None -> None)
   | None -> None)

(** val reach_start :
    Integer.t -> unit list -> (Integer.t * Integer.t) list -> reach_rows **)

let reach_start place0 window init =
  fold_left (fun acc sw ->
    set (fst sw)
      (along (fun b -> Integer.equal b place0) Integer.zero window) acc) init
    Leaf

(** val narrowed :
    Integer.t -> Integer.t list -> Integer.t list -> box -> box **)

let rec narrowed d low0 high b =
  match low0 with
  | [] -> b
  | x :: low' ->
    (match high with
     | [] -> b
     | y :: high' ->
       (match b with
        | [] -> b
        | p0 :: b' ->
          let (p, q) = p0 in
          ((rmax p { num = x; den = d }),
          (rmin q { num = y; den = d })) :: (narrowed d low' high' b')))

(** val contracted :
    model -> grid -> Integer.t -> (rat * rat) list list -> Integer.t ->
    Integer.t list -> kept -> box -> (kept * box) option **)

let contracted m g start gs v costs keep b =
  match g.windows with
  | [] -> None
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (last0, _) = p0 in
       let place0 = Integer.sub start lo in
       let found0 =
         contract_steps m g v last0 (regains v gs costs b) costs (rate_0 m g)
           keep g.windows (reach_start place0 (counter lo hi) m.initial)
           m.steps
       in
       let room = map (fun _ -> Integer.zero) b in
       if (&&)
            ((&&)
              ((&&) ((&&) (Integer.lt Integer.zero v) (is_shift g))
                (Integer.equal (zlen costs) (zlen b))) (Integer.leq lo start))
            (Integer.leq last0 (Integer.sub start found0.spent))
       then (match start_parts
                     (Integer.sub (Integer.sub start found0.spent) last0)
                     place0 found0.layer m.initial with
             | Some l ->
               Some (found0.kept_after,
                 (narrowed (Integer.mul v m.initial_den)
                   (sum_laws v (fun l0 -> l0.least_law) l room)
                   (sum_laws v (fun l0 -> l0.most_law) l room) b))
             | None -> None)
       else None
     | None -> None)

(** val least_from :
    Integer.t -> Integer.t -> rat -> rat -> Integer.t -> (rat * rat) list ->
    rat -> rat -> Integer.t option **)

let rec least_from v c x g here0 l p q =
  match l with
  | [] -> None
  | p0 :: l' ->
    let (x', g') = p0 in
    if rat_lt x' p
    then least_from v c x' g' here0 l' p q
    else let a =
           if rat_le p x then here0 else tilted v c (segment x g x' g' p) p
         in
         if rat_lt x' q
         then let there = tilted v c g' x' in
              lesser a (lesser there (least_from v c x' g' there l' p q))
         else lesser a (Some (tilted v c (segment x g x' g' q) q))

(** val fixed_sum :
    Integer.t -> (rat * rat) list list -> Integer.t list -> box -> Integer.t
    option **)

let rec fixed_sum v gs costs b =
  match gs with
  | [] ->
    (match costs with
     | [] -> (match b with
              | [] -> Some Integer.zero
              | _ :: _ -> None)
     | _ :: _ -> None)
  | corners :: gs' ->
    (match costs with
     | [] -> None
     | c :: costs' ->
       (match b with
        | [] -> None
        | p0 :: b' ->
          let (p, q) = p0 in
          (match least_from v c (of_Z Integer.zero) (of_Z Integer.zero)
                   Integer.zero corners p q with
           | Some x ->
             (match fixed_sum v gs' costs' b' with
              | Some y -> Some (Integer.add x y)
              | None -> None)
           | None -> None)))

(** val kept_dual_test :
    model -> Integer.t -> grid -> Integer.t -> Integer.t -> (rat * rat) list
    list -> rat -> Integer.t list -> kept -> box -> bool **)

let kept_dual_test m v g start lo gs need costs keep b =
  let terminal = partial_sums Integer.zero costs in
  let bottom = smallest Integer.zero terminal in
  (||) (existsb (fun pq -> rat_lt (snd pq) (fst pq)) b)
    (match fixed_sum v gs costs b with
     | Some x ->
       let v0 =
         table_kept m g (rate_0 m g) bottom (greatest Integer.zero terminal)
           terminal keep g.windows m.steps
       in
       (&&) (forallb (fun y -> Integer.leq bottom y) terminal)
         (rat_le need
           (rplus { num = (start_look m bottom lo v0 start); den =
             (Integer.mul v m.initial_den) } { num = x; den = v }))
     | None -> false)

(** val traced :
    model -> Integer.t -> grid -> Integer.t -> Integer.t -> (rat * rat) list
    list -> rat -> cover -> kept -> box -> bool **)

let rec traced m v g start lo gs need c keep b =
  match c with
  | Dual costs -> kept_dual_test m v g start lo gs need costs keep b
  | Cut (k, p, below, above) ->
    (&&)
      ((&&) (positive_den p)
        (traced m v g start lo gs need below keep (cap k p b)))
      (traced m v g start lo gs need above keep (raise k p b))
  | Passed (_, _, _, _) -> false
  | Contract (v', costs, rest) ->
    (match contracted m g start gs v' costs keep b with
     | Some p ->
       let (keep', b') = p in traced m v g start lo gs need rest keep' b'
     | None -> false)

(** val passed_first :
    (Integer.t -> Integer.t -> rat -> bool) -> cover -> box -> (cover * box)
    option **)

let rec passed_first passed c b =
  match c with
  | Passed (v, k, p, rest) ->
    if (&&) (positive_den p) (passed v k p)
    then passed_first passed rest (raise k p b)
    else None
  | _ -> Some (c, b)

(** val polygon_by_contraction :
    model -> Integer.t -> grid -> Integer.t -> cover -> (rat -> (rat * rat)
    list) -> rat -> bool **)

let polygon_by_contraction m v g start c corners bound =
  match g.windows with
  | [] -> false
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let top = rminus (rmult g.unit_size (of_Z start)) (rmult u' (of_Z lo'))
       in
       let need = rmult (rminus top bound) (rinv u') in
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
                   (Integer.leq lo start)) (Integer.leq start hi))
               (Integer.leq lo' hi'))
             (all_never_below m g (rate_0 m g) g.windows m.steps))
           (all_never_above m g (rate_0 m g) g.windows m.steps))
         (match passed_first (passed_test m g start lo lo' hi') c
                  (along (fun _ -> ((of_Z Integer.zero),
                    (of_Z ((fun p -> p) Integer.one)))) lo'
                    (counter (Integer.add lo' ((fun p -> p) Integer.one)) hi')) with
          | Some p1 ->
            let (rest, b) = p1 in
            let gs = map (fun pq -> corners (fst pq)) b in
            (&&) (forallb (corners_to_1 (of_Z Integer.zero)) gs)
              (traced m v g start lo gs need rest [] b)
          | None -> false)
     | None -> false)

(** val move_for : memory_rule -> Integer.t -> Integer.t * Integer.t **)

let move_for rule label0 =
  match find (fun x -> Integer.equal (fst x) label0) rule.moves with
  | Some p -> let (_, sc) = p in sc
  | None -> (Integer.zero, Integer.zero)

(** val no_row : memory_row **)

let no_row =
  { first = Integer.zero; before = Integer.zero; row_runs = [] }

(** val row_choice : memory_row -> Integer.t -> Integer.t **)

let row_choice row mem =
  if Integer.lt mem row.first
  then row.before
  else run_at row.row_runs (Integer.sub mem row.first)

(** val valid : action list -> Integer.t -> Integer.t **)

let valid acts i =
  match znth acts i with
  | Some _ -> i
  | None -> Integer.zero

(** val good_rule : memory_rule -> bool **)

let good_rule rule =
  (&&) (Integer.lt Integer.zero rule.coin_den)
    (forallb (fun x ->
      (&&) (Integer.leq Integer.zero (snd (snd x)))
        (Integer.leq (snd (snd x)) rule.coin_den)) rule.moves)

type entry = (Integer.t * Integer.t) * Integer.t

(** val merge : entry list -> entry list -> entry list **)

let rec merge = function
| [] -> (fun k -> k)
| e :: l' ->
  let (p0, p) = e in
  let (a, y) = p0 in
  let rec inner0 = function
  | [] -> ((a, y), p) :: l'
  | e0 :: k' ->
    let (p1, q) = e0 in
    let (b, z0) = p1 in
    if (&&) (Integer.equal a b) (Integer.equal y z0)
    then ((a, y), (Integer.add p q)) :: (merge l' k')
    else if (||) (Integer.lt a b) ((&&) (Integer.equal a b) (Integer.lt y z0))
         then ((a, y), p) :: (merge l' (((b, z0), q) :: k'))
         else ((b, z0), q) :: (inner0 k')
  in inner0

type group = Integer.t * entry list

(** val add_group : Integer.t -> entry list -> group list -> group list **)

let add_group s es gs = match gs with
| [] -> (s, es) :: []
| g :: rest ->
  let (s', es') = g in
  if Integer.equal s s' then (s', (merge es' es)) :: rest else (s, es) :: gs

(** val tadd :
    Integer.t -> Integer.t -> entry list -> group list tree -> group list tree **)

let rec tadd p s es = function
| Leaf ->
  let p0 = (Leaf, None) in
  let r = Leaf in
  let (l, x) = p0 in
  ((fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
     (fun q -> Node (l, x, (tadd q s es r)))
     (fun q -> Node ((tadd q s es l), x, r))
     (fun _ -> Node (l, (Some
     (add_group s es (match x with
                      | Some gs -> gs
                      | None -> []))), r))
     p)
| Node (l, x, r) ->
  let p0 = (l, x) in
  let (l0, x0) = p0 in
  ((fun xI xO xH p -> if Integer.equal p Integer.one then xH () else
     let half = Integer.shift_right p 1 in if Integer.is_odd p then xI half else xO half)
     (fun q -> Node (l0, x0, (tadd q s es r)))
     (fun q -> Node ((tadd q s es l0), x0, r))
     (fun _ -> Node (l0, (Some
     (add_group s es (match x0 with
                      | Some gs -> gs
                      | None -> []))), r))
     p)

(** val groups_of : group list tree -> group list **)

let rec groups_of = function
| Leaf -> []
| Node (l, x, r) ->
  app (groups_of l)
    (app (match x with
          | Some gs -> gs
          | None -> []) (groups_of r))

(** val collect : group list -> group list **)

let collect l =
  groups_of (fold_right (fun g t -> tadd (fst g) (fst g) (snd g) t) Leaf l)

(** val moved_entries :
    memory_rule -> Integer.t -> Integer.t -> action -> outcome -> bool ->
    entry list -> entry list **)

let moved_entries rule pt q a o coin es =
  let sc = move_for rule o.gain in
  let share0 = if coin then snd sc else Integer.sub rule.coin_den (snd sc) in
  map (fun e ->
    (((Integer.add
        (Integer.add (Integer.mul rule.factor (fst (fst e))) (fst sc))
        (if coin then (fun p -> p) Integer.one else Integer.zero)),
    (Integer.mul q (Integer.add (snd (fst e)) (Integer.mul o.gain pt)))),
    ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      (Integer.mul (snd e) (Integer.mul o.weight share0))
      (Integer.mul a.total rule.coin_den)))) es

(** val outcome_groups :
    memory_rule -> Integer.t -> Integer.t -> action -> entry list -> outcome
    -> group list **)

let outcome_groups rule pt q a es o =
  (o.next,
    (moved_entries rule pt q a o false es)) :: (if Integer.equal
                                                     (snd
                                                       (move_for rule o.gain))
                                                     Integer.zero
                                                then []
                                                else (o.next,
                                                       (moved_entries rule pt
                                                         q a o true es)) :: [])

(** val action_groups :
    memory_rule -> Integer.t -> Integer.t -> memory_row -> action list ->
    entry list -> Integer.t -> action list -> group list **)

let rec action_groups rule pt q row all es i = function
| [] -> []
| a :: acts' ->
  let mine =
    filter (fun e ->
      Integer.equal (valid all (row_choice row (fst (fst e)))) i) es
  in
  app
    (match mine with
     | [] -> []
     | _ :: _ -> flat_map (outcome_groups rule pt q a mine) a.outcomes)
    (action_groups rule pt q row all es
      (Integer.add i ((fun p -> p) Integer.one)) acts')

(** val group_step :
    memory_rule -> Integer.t -> Integer.t -> memory_row tree -> step -> group
    -> group list **)

let group_step rule pt q rows0 st g =
  match get (fst g) st with
  | Some acts ->
    let row = match get (fst g) rows0 with
              | Some row -> row
              | None -> no_row in
    action_groups rule pt q row acts (snd g) Integer.zero acts
  | None -> []

(** val forward :
    model -> Integer.t -> step list -> memory_rule list -> memory_row tree
    list -> group list -> group list option **)

let rec forward m pt sts rules tables gs =
  match sts with
  | [] -> Some gs
  | st :: sts' ->
    (match rules with
     | [] -> None
     | rule :: rules' ->
       (match tables with
        | [] -> None
        | rows0 :: tables' ->
          if good_rule rule
          then forward m (Integer.mul pt m.discount_rate.num) sts' rules'
                 tables'
                 (collect
                   (flat_map
                     (group_step rule pt m.discount_rate.den rows0 st) gs))
          else None))

(** val start_groups :
    model -> Integer.t -> Integer.t -> Integer.t -> machine -> group list **)

let start_groups m v mix_den w mc =
  map (fun sw -> ((fst sw), (((mc.mem_0, Integer.zero),
    ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      (Integer.mul v (Integer.mul w (snd sw)))
      (Integer.mul mix_den m.initial_den))) :: []))) m.initial

(** val returns_of : group list -> entry list **)

let returns_of gs =
  flat_map (fun g ->
    map (fun e -> ((Integer.zero, (snd (fst e))), (snd e))) (snd g)) gs

(** val merge_pairs : entry list list -> entry list list **)

let rec merge_pairs l = match l with
| [] -> l
| a :: l0 ->
  (match l0 with
   | [] -> l
   | b :: l' -> (merge a b) :: (merge_pairs l'))

(** val sorted : entry list -> entry list **)

let sorted l =
  fold_right merge []
    (Nat.iter (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O)))))))))))))))))))))))))))))))))))))))) merge_pairs
      (map (fun e -> e :: []) l))

(** val mixed_entries :
    model -> Integer.t -> Integer.t -> (Integer.t * machine) list -> entry
    list option **)

let rec mixed_entries m v mix_den = function
| [] -> Some []
| p :: parts' ->
  let (w, mc) = p in
  (match forward m ((fun p -> p) Integer.one) m.steps mc.mem_rules
           mc.mem_tables (start_groups m v mix_den w mc) with
   | Some gs ->
     (match mixed_entries m v mix_den parts' with
      | Some es -> Some (app (returns_of gs) es)
      | None -> None)
   | None -> None)

(** val good_parts : Integer.t -> (Integer.t * machine) list -> bool **)

let good_parts mix_den parts0 =
  (&&)
    ((&&) (Integer.lt Integer.zero mix_den)
      (forallb (fun x -> Integer.leq Integer.zero (fst x)) parts0))
    (Integer.equal (zsum fst parts0) mix_den)

(** val final_den : model -> Integer.t -> step list -> Integer.t **)

let rec final_den m d = function
| [] -> d
| _ :: sts' -> final_den m (Integer.mul d m.discount_rate.den) sts'

(** val least_return :
    model -> Integer.t -> Integer.t -> step list -> Integer.t **)

let rec least_return m pt y = function
| [] -> y
| st :: sts' ->
  least_return m (Integer.mul pt m.discount_rate.num)
    (Integer.mul m.discount_rate.den
      (Integer.sub y
        (Integer.mul pt
          (tlargest
            (largest (fun a ->
              largest (fun o -> Integer.neg o.gain) a.outcomes)) st)))) sts'

(** val mass_of : entry list -> Integer.t **)

let rec mass_of = function
| [] -> Integer.zero
| e :: l' -> Integer.add (snd e) (mass_of l')

(** val layers :
    (rat -> rat) -> Integer.t -> Integer.t -> entry list -> Integer.t option **)

let rec layers weight_at v y = function
| [] -> Some Integer.zero
| e :: l' ->
  let (p0, p) = e in
  let (_, z0) = p0 in
  if Integer.leq y z0
  then (match layers weight_at v z0 l' with
        | Some x ->
          Some
            (Integer.add
              (Integer.mul (Integer.sub z0 y)
                (Integer.sub v
                  (rceil
                    (rmult (of_Z v)
                      (weight_at { num =
                        (Integer.sub v (Integer.add p (mass_of l'))); den =
                        v }))))) x)
        | None -> None)
  else None

(** val tail_weight_at : rat -> rat -> rat -> rat **)

let tail_weight_at w alpha tau =
  rplus (rmult w tau)
    (rmult (rminus (of_Z ((fun p -> p) Integer.one)) w)
      (rmin (rmult tau (rinv alpha)) (of_Z ((fun p -> p) Integer.one))))

(** val weighted_by_law :
    model -> Integer.t -> Integer.t -> (Integer.t * machine) list -> (rat ->
    rat) -> rat -> bool **)

let weighted_by_law m v mix_den parts0 weight_at bound =
  (&&) ((&&) (Integer.lt Integer.zero v) (good_parts mix_den parts0))
    (match mixed_entries m v mix_den parts0 with
     | Some es ->
       let y = least_return m ((fun p -> p) Integer.one) Integer.zero m.steps
       in
       let d = final_den m m.reward_den m.steps in
       (match layers weight_at v y (sorted es) with
        | Some x ->
          rat_le bound
            (rplus { num = y; den = d } { num = x; den = (Integer.mul d v) })
        | None -> false)
     | None -> false)

(** val quantile_by_law :
    model -> Integer.t -> Integer.t -> (Integer.t * machine) list -> rat ->
    bool -> rat -> bool **)

let quantile_by_law m v mix_den parts0 alpha is_upper bound =
  (&&) ((&&) (Integer.lt Integer.zero v) (good_parts mix_den parts0))
    (match mixed_entries m v mix_den parts0 with
     | Some es ->
       let d = final_den m m.reward_den m.steps in
       let p = { num =
         (Integer.sub v
           (mass_of
             (filter (fun e -> rat_le bound { num = (snd (fst e)); den = d })
               es))); den = v }
       in
       if is_upper then rat_le p alpha else negb (rat_le alpha p)
     | None -> false)

(** val sums_avoid :
    (Integer.t -> bool) -> Integer.t -> Integer.t -> entry list -> bool **)

let rec sums_avoid bad acc y l =
  (&&) (negb (bad acc))
    (match l with
     | [] -> true
     | e :: l' ->
       let (p0, p) = e in
       let (_, z0) = p0 in
       (&&) (Integer.leq y z0) (sums_avoid bad (Integer.add acc p) z0 l'))

(** val inside_gap : Integer.t -> (rat * rat) -> Integer.t -> bool **)

let inside_gap v gap x =
  (&&) (rat_lt (fst gap) { num = x; den = v })
    (rat_lt { num = x; den = v } (snd gap))

(** val law_avoids :
    model -> Integer.t -> Integer.t -> (Integer.t * machine) list ->
    (rat * rat) list -> bool **)

let law_avoids m v mix_den parts0 gaps =
  (&&) ((&&) (Integer.lt Integer.zero v) (good_parts mix_den parts0))
    (match mixed_entries m v mix_den parts0 with
     | Some es ->
       (&&) (Integer.equal (mass_of es) v)
         (let l = sorted es in
          forallb (fun gap ->
            sums_avoid (inside_gap v gap) Integer.zero
              (least_return m ((fun p -> p) Integer.one) Integer.zero m.steps)
              l) gaps)
     | None -> false)

type curve =
| Hazard of Integer.t * Integer.t
| DualPower of Integer.t * Integer.t
| Wang of rat
| Cpw of Integer.t * Integer.t
| Corners of (rat * rat) list
| Jump of rat

type point = { place : rat; height : rat; hints : rat list }

(** val one : rat **)

let one =
  of_Z ((fun p -> p) Integer.one)

(** val powers_le : rat -> Integer.t -> rat -> Integer.t -> bool **)

let powers_le y m x n =
  Integer.leq (Integer.mul (Z.pow y.num m) (Z.pow x.den n))
    (Integer.mul (Z.pow x.num n) (Z.pow y.den m))

(** val root_below : Integer.t -> Integer.t -> rat -> rat -> bool **)

let root_below p q x y =
  (||) (Integer.leq y.num Integer.zero)
    ((&&) (Integer.leq Integer.zero x.num) (powers_le y q x p))

(** val root_above : Integer.t -> Integer.t -> rat -> rat -> bool **)

let root_above p q x y =
  (&&)
    ((&&) (Integer.leq Integer.zero x.num) (Integer.leq Integer.zero y.num))
    (powers_le x p y q)

(** val product_le : Integer.t -> Integer.t -> rat -> rat -> rat -> bool **)

let product_le p q y d a =
  (&&)
    ((&&)
      ((&&) (Integer.lt Integer.zero y.num) (Integer.lt Integer.zero d.num))
      (Integer.leq Integer.zero a.num))
    (Integer.leq
      (Integer.mul (Integer.mul (Z.pow y.num p) (Z.pow d.num q))
        (Z.pow a.den p))
      (Integer.mul (Integer.mul (Z.pow a.num p) (Z.pow y.den p))
        (Z.pow d.den q)))

(** val product_ge : Integer.t -> Integer.t -> rat -> rat -> rat -> bool **)

let product_ge p q y d a =
  (&&)
    ((&&)
      ((&&) (Integer.lt Integer.zero y.num) (Integer.lt Integer.zero d.num))
      (Integer.leq Integer.zero a.num))
    (Integer.leq
      (Integer.mul (Integer.mul (Z.pow a.num p) (Z.pow y.den p))
        (Z.pow d.den q))
      (Integer.mul (Integer.mul (Z.pow y.num p) (Z.pow d.num q))
        (Z.pow a.den p)))

(** val series : rat -> Integer.t -> nat -> rat **)

let rec series u n = function
| O ->
  { num = ((fun p -> p) Integer.one); den =
    (Integer.add
      (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        Integer.one)) n) ((fun p -> p) Integer.one)) }
| S k' ->
  let r = series u (Integer.add n ((fun p -> p) Integer.one)) k' in
  { num =
  (Integer.sub
    (Integer.mul
      (Integer.mul u.den (Integer.add n ((fun p -> p) Integer.one))) r.den)
    (Integer.mul
      (Integer.mul
        (Integer.add
          (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            Integer.one)) n) ((fun p -> p) Integer.one)) u.num) r.num));
  den =
  (Integer.mul
    (Integer.add
      (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        Integer.one)) n) ((fun p -> p) Integer.one))
    (Integer.mul
      (Integer.mul u.den (Integer.add n ((fun p -> p) Integer.one))) r.den)) }

(** val terms_for : rat -> nat **)

let terms_for u =
  (fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
    (Integer.add ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))
      (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        ((fun p -> Integer.shift_left p 1) Integer.one)))
        ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
          u.num u.den)))

(** val square_half : rat -> rat **)

let square_half z0 =
  { num = (Integer.mul z0.num z0.num); den =
    (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      Integer.one)) (Integer.mul z0.den z0.den)) }

(** val area_below : rat -> rat **)

let area_below z0 =
  let u = square_half z0 in
  rmult z0 (series u Integer.zero (add (mul (S (S O)) (terms_for u)) (S O)))

(** val area_above : rat -> rat **)

let area_above z0 =
  let u = square_half z0 in
  rmult z0 (series u Integer.zero (mul (S (S O)) (terms_for u)))

(** val half_low : rat **)

let half_low =
  { num = ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
    den =
    (Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) Integer.one)))) ((fun p -> p)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) Integer.one))))))) }

(** val half_high : rat **)

let half_high =
  { num = ((fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
    den =
    (Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) Integer.one)))) ((fun p -> p)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) Integer.one))))))) }

(** val half_share : rat -> rat -> rat **)

let half_share area half =
  rmult area
    (rinv
      (rmult
        (of_Z ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)))
        half))

(** val one_half : rat **)

let one_half =
  { num = ((fun p -> p) Integer.one); den = ((fun p -> p)
    ((fun p -> Integer.shift_left p 1) Integer.one)) }

(** val normal_below : rat -> rat **)

let normal_below z0 =
  if Integer.leq Integer.zero z0.num
  then rplus one_half (half_share (area_below z0) half_high)
  else rminus one_half (half_share (area_above (ropp z0)) half_low)

(** val normal_above : rat -> rat **)

let normal_above z0 =
  if Integer.leq Integer.zero z0.num
  then rplus one_half (half_share (area_above z0) half_low)
  else rminus one_half (half_share (area_below (ropp z0)) half_high)

(** val good_point : point -> bool **)

let good_point c =
  (&&)
    ((&&)
      ((&&) ((&&) (positive_den c.place) (positive_den c.height))
        (forallb positive_den c.hints))
      (Integer.leq Integer.zero c.place.num)) (rat_le c.place one)

(** val point_below : curve -> point -> bool **)

let point_below f c =
  let x = c.place in
  let y = c.height in
  (&&) (good_point c)
    (match f with
     | Hazard (p, q) -> root_below p q x y
     | DualPower (p, q) -> root_above p q (rminus one x) (rminus one y)
     | Wang shift ->
       (||) (Integer.leq y.num Integer.zero)
         (match c.hints with
          | [] -> false
          | z0 :: _ ->
            (&&) (rat_le (normal_above z0) x)
              (rat_le y (normal_below (rplus z0 shift))))
     | Cpw (p, q) ->
       (||) (Integer.leq y.num Integer.zero)
         (match c.hints with
          | [] -> false
          | a :: l ->
            (match l with
             | [] -> false
             | a' :: l0 ->
               (match l0 with
                | [] -> false
                | b :: _ ->
                  (&&)
                    ((&&) ((&&) (root_below p q x a) (root_above p q x a'))
                      (root_above p q (rminus one x) b))
                    (product_le p q y (rplus a' b) a))))
     | Corners corners ->
       rat_le y (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners x)
     | Jump level ->
       (||) (Integer.leq y.num Integer.zero)
         ((&&) (rat_le level x) (rat_le y one)))

(** val point_above : curve -> point -> bool **)

let point_above f c =
  let x = c.place in
  let y = c.height in
  (&&) (good_point c)
    ((||)
      ((||) (rat_le one y)
        ((&&) (Integer.leq x.num Integer.zero)
          (Integer.leq Integer.zero y.num)))
      (match f with
       | Hazard (p, q) -> root_above p q x y
       | DualPower (p, q) -> root_below p q (rminus one x) (rminus one y)
       | Wang shift ->
         (match c.hints with
          | [] -> false
          | z0 :: _ ->
            (&&) (rat_le x (normal_below z0))
              (rat_le (normal_above (rplus z0 shift)) y))
       | Cpw (p, q) ->
         (match c.hints with
          | [] -> false
          | a :: l ->
            (match l with
             | [] -> false
             | a' :: l0 ->
               (match l0 with
                | [] -> false
                | b :: _ ->
                  (&&)
                    ((&&) ((&&) (root_above p q x a) (root_below p q x a'))
                      (root_below p q (rminus one x) b))
                    (product_ge p q y (rplus a' b) a))))
       | Corners corners ->
         rat_le
           (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners x) y
       | Jump level -> (&&) (Integer.leq Integer.zero y.num) (rat_lt x level)))

type cell = rat * (rat * rat)

type turn = { falling : cell list; rising_from : rat; rising_low : rat;
              rising : cell list }

(** val odds : rat -> rat **)

let odds t =
  { num = t.num; den = (Integer.sub t.den t.num) }

(** val bend_square : Integer.t -> Integer.t -> rat **)

let bend_square p q =
  let g' = { num = (Integer.sub q p); den = q } in rmult g' (rplus g' one)

(** val bend_middle : Integer.t -> Integer.t -> rat **)

let bend_middle p q =
  { num =
    (Integer.add
      (Integer.sub
        (Integer.mul
          (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            Integer.one)) p) p)
        (Integer.mul
          (Integer.mul ((fun p -> p)
            ((fun p -> Integer.succ (Integer.shift_left p 1))
            ((fun p -> Integer.shift_left p 1) Integer.one))) p) q))
      (Integer.mul q q)); den = (Integer.mul q q) }

(** val middle : Integer.t -> Integer.t -> rat -> rat -> rat **)

let middle p q =
  let g' = { num = (Integer.sub q p); den = q } in
  (fun minus0 plus ->
  rplus
    (rminus (bend_middle p q)
      (rmult
        (of_Z ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)))
        minus0)) (rmult g' (rmult plus plus)))

(** val last_part : Integer.t -> Integer.t -> rat -> rat **)

let last_part p q =
  let g = { num = p; den = q } in
  let g' = { num = (Integer.sub q p); den = q } in
  (fun v ->
  rminus
    (rplus
      (rmult
        (of_Z ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)))
        (rmult g v))
      (rmult
        (of_Z ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)))
        (rmult v v))) (rmult g g'))

(** val bend_above :
    Integer.t -> Integer.t -> rat -> rat -> rat -> rat -> rat **)

let bend_above p q v1 v2 r1 r2 =
  let w = middle p q v1 v2 in
  rplus
    (rplus (rmult (bend_square p q) (rmult r2 r2))
      (rmult (if Integer.leq Integer.zero w.num then r2 else r1) w))
    (last_part p q v2)

(** val bend_below :
    Integer.t -> Integer.t -> rat -> rat -> rat -> rat -> rat **)

let bend_below p q v1 v2 r1 r2 =
  let w = middle p q v2 v1 in
  rplus
    (rplus (rmult (bend_square p q) (rmult r1 r1))
      (rmult (if Integer.leq Integer.zero w.num then r1 else r2) w))
    (last_part p q v1)

(** val falls : Integer.t -> Integer.t -> rat -> rat -> rat -> rat -> bool **)

let falls p q v1 v2 r1 r2 =
  Integer.leq (bend_above p q v1 v2 r1 r2).num Integer.zero

(** val rises : Integer.t -> Integer.t -> rat -> rat -> rat -> rat -> bool **)

let rises p q v1 v2 r1 r2 =
  Integer.leq Integer.zero (bend_below p q v1 v2 r1 r2).num

(** val proved_to :
    Integer.t -> Integer.t -> (rat -> rat -> rat -> rat -> bool) -> rat ->
    rat -> cell list -> rat **)

let rec proved_to p q test t low0 = function
| [] -> t
| c :: cells' ->
  let (t', p0) = c in
  let (low', high') = p0 in
  if (&&)
       ((&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) ((&&) (positive_den t') (positive_den low'))
                   (positive_den high')) (rat_lt t t')) (rat_lt t' one))
             (Integer.leq Integer.zero low'.num))
           (root_below p q (odds t') low')) (root_above p q (odds t') high'))
       (test (odds t) (odds t') low0 high')
  then proved_to p q test t' low' cells'
  else t

(** val falls_to : curve -> turn -> rat **)

let falls_to f k =
  match f with
  | Hazard (p, q) -> if Integer.leq p q then one else of_Z Integer.zero
  | DualPower (p, q) -> if Integer.leq q p then one else of_Z Integer.zero
  | Wang shift ->
    if Integer.leq Integer.zero shift.num then one else of_Z Integer.zero
  | Cpw (p, q) ->
    proved_to p q (falls p q) (of_Z Integer.zero) (of_Z Integer.zero)
      k.falling
  | _ -> of_Z Integer.zero

(** val rises_between : curve -> turn -> rat * rat **)

let rises_between f k =
  match f with
  | Hazard (p, q) ->
    if Integer.leq q p then ((of_Z Integer.zero), one) else (one, one)
  | DualPower (p, q) ->
    if Integer.leq p q then ((of_Z Integer.zero), one) else (one, one)
  | Wang shift ->
    if Integer.leq shift.num Integer.zero
    then ((of_Z Integer.zero), one)
    else (one, one)
  | Cpw (p, q) ->
    if (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&) (positive_den k.rising_from) (positive_den k.rising_low))
               (Integer.lt Integer.zero k.rising_from.num))
             (rat_lt k.rising_from one))
           (Integer.leq Integer.zero k.rising_low.num))
         (root_below p q (odds k.rising_from) k.rising_low)
    then (k.rising_from,
           (proved_to p q (rises p q) k.rising_from k.rising_low k.rising))
    else (one, one)
  | _ -> (one, one)

type support =
| Level of point
| Chord of point * point
| Line of point * point
| Linear

(** val no_corner_between : rat -> rat -> (rat * rat) list -> bool **)

let rec no_corner_between x x' = function
| [] -> true
| p :: l ->
  let (u, _) = p in
  (&&) ((||) (rat_le u x) (rat_le x' u)) (no_corner_between x x' l)

(** val line_at : point -> point -> rat -> rat **)

let line_at a b tau =
  segment a.place a.height b.place b.height tau

(** val supported :
    curve -> rat -> (rat * rat) -> rat -> rat -> rat -> rat -> support -> bool **)

let supported f fall_end rise x y x' y' = function
| Level c ->
  (&&) ((&&) ((&&) (point_below f c) (rat_le c.place x)) (rat_le y c.height))
    (rat_le y' c.height)
| Chord (a, b) ->
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) ((&&) (point_below f a) (point_below f b))
              (rat_lt a.place b.place)) (rat_lt b.place fall_end))
          (rat_le a.place x)) (rat_le x' b.place)) (rat_le y (line_at a b x)))
    (rat_le y' (line_at a b x'))
| Line (t, c) ->
  (&&) ((&&) (point_below f t) (point_above f c))
    (if rat_lt c.place t.place
     then (&&)
            ((&&)
              ((&&) ((&&) (rat_lt (fst rise) c.place) (rat_le t.place x))
                (rat_lt x' (snd rise))) (rat_le y (line_at c t x)))
            (rat_le y' (line_at c t x'))
     else (&&)
            ((&&)
              ((&&)
                ((&&) ((&&) (rat_lt (fst rise) x) (rat_le x' t.place))
                  (rat_lt t.place c.place)) (rat_lt c.place (snd rise)))
              (rat_le y (line_at t c x))) (rat_le y' (line_at t c x')))
| Linear ->
  (match f with
   | Corners corners ->
     (&&)
       ((&&) (no_corner_between x x' corners)
         (rat_le y
           (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners x)))
       (rat_le y'
         (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners x'))
   | _ -> false)

(** val line_below :
    curve -> rat -> (rat * rat) -> rat -> rat -> rat list -> (rat * support)
    list -> bool **)

let rec line_below f fall_end rise x y places1 pieces0 =
  match places1 with
  | [] -> (match pieces0 with
           | [] -> rat_le one x
           | _ :: _ -> false)
  | x' :: places' ->
    (match pieces0 with
     | [] -> false
     | p :: pieces' ->
       let (y', s) = p in
       (&&)
         ((&&)
           ((&&)
             ((&&) ((&&) (positive_den x') (positive_den y')) (rat_lt x x'))
             (rat_le x' one)) (supported f fall_end rise x y x' y' s))
         (line_below f fall_end rise x' y' places' pieces'))

(** val stair : point list -> rat -> rat **)

let rec stair steps0 tau =
  match steps0 with
  | [] -> one
  | c :: steps' -> if rat_le tau c.place then c.height else stair steps' tau

type bounds = { bend : turn; pieces : (rat * support) list;
                stairs : point list }

(** val good_curve : curve -> bool **)

let good_curve = function
| Hazard (p, q) ->
  (&&) (Integer.lt Integer.zero p) (Integer.lt Integer.zero q)
| DualPower (p, q) ->
  (&&) (Integer.lt Integer.zero p) (Integer.lt Integer.zero q)
| Wang shift -> positive_den shift
| Cpw (p, q) ->
  (&&) ((&&) (Integer.lt Integer.zero p) (Integer.lt p q))
    (powers_le { num = (Integer.mul p p); den =
      (Integer.mul q (Integer.sub q p)) } p { num = (Integer.mul p q); den =
      (Integer.mul (Integer.sub q p) (Integer.sub q p)) } q)
| Corners corners ->
  good_corners (of_Z Integer.zero) (of_Z Integer.zero) corners
| Jump level ->
  (&&) ((&&) (positive_den level) (Integer.lt Integer.zero level.num))
    (rat_le level one)

type mixture = (rat * curve) list

(** val good_mixture : mixture -> bool **)

let good_mixture o =
  (&&)
    (forallb (fun wf ->
      (&&)
        ((&&) (positive_den (fst wf)) (Integer.leq Integer.zero (fst wf).num))
        (good_curve (snd wf))) o)
    (let total0 =
       fold_right (fun wf r -> rplus (fst wf) r) (of_Z Integer.zero) o
     in
     Integer.equal total0.num total0.den)

(** val good_bounds : rat list -> curve -> bounds -> bool **)

let good_bounds places1 f b =
  (&&)
    (line_below f (falls_to f b.bend) (rises_between f b.bend)
      (of_Z Integer.zero) (of_Z Integer.zero) places1 b.pieces)
    (forallb (point_above f) b.stairs)

(** val all_good_bounds : rat list -> mixture -> bounds list -> bool **)

let rec all_good_bounds places1 o bs =
  match o with
  | [] -> (match bs with
           | [] -> true
           | _ :: _ -> false)
  | p :: o' ->
    let (_, f) = p in
    (match bs with
     | [] -> false
     | b :: bs' ->
       (&&) (good_bounds places1 f b) (all_good_bounds places1 o' bs'))

(** val add_line :
    rat -> (rat * support) list -> (rat * rat) list -> (rat * rat) list **)

let rec add_line w pieces0 corners =
  match pieces0 with
  | [] -> corners
  | p :: pieces' ->
    let (y, _) = p in
    (match corners with
     | [] -> corners
     | p0 :: corners' ->
       let (x, g) = p0 in
       (x, (rplus g (rmult w y))) :: (add_line w pieces' corners'))

(** val pieces_from :
    rat -> curve -> (rat * support) list -> (rat * support) list **)

let pieces_from from f l =
  match f with
  | Jump level ->
    if rat_le level from then map (fun ys -> (one, (snd ys))) l else l
  | _ -> l

(** val mixed_line :
    rat -> rat list -> mixture -> bounds list -> (rat * rat) list **)

let rec mixed_line from places1 o bs =
  match o with
  | [] -> map (fun x -> (x, (of_Z Integer.zero))) places1
  | p :: o' ->
    let (w, f) = p in
    (match bs with
     | [] -> map (fun x -> (x, (of_Z Integer.zero))) places1
     | b :: bs' ->
       add_line w (pieces_from from f b.pieces)
         (mixed_line from places1 o' bs'))

(** val levels_of : mixture -> rat list **)

let levels_of o =
  flat_map (fun wf -> match snd wf with
                      | Jump level -> level :: []
                      | _ -> []) o

(** val mixed_lines :
    rat list -> mixture -> bounds list -> (rat * (rat * rat) list) list **)

let mixed_lines places1 o bs =
  map (fun from -> (from, (mixed_line from places1 o bs)))
    ((of_Z Integer.zero) :: (levels_of o))

(** val line_from :
    (rat * (rat * rat) list) -> (rat * (rat * rat) list) list -> rat ->
    (rat * rat) list **)

let rec line_from best lines p =
  match lines with
  | [] -> snd best
  | line :: lines' ->
    line_from
      (if (&&) (rat_le (fst line) p) (rat_le (fst best) (fst line))
       then line
       else best) lines' p

(** val line_for :
    (rat * (rat * rat) list) list -> rat -> (rat * rat) list **)

let line_for lines p =
  match lines with
  | [] -> []
  | line :: lines' -> line_from line lines' p

(** val mixed_stair : mixture -> bounds list -> rat -> rat **)

let rec mixed_stair o bs tau =
  match o with
  | [] -> of_Z Integer.zero
  | p :: o' ->
    let (w, _) = p in
    (match bs with
     | [] -> of_Z Integer.zero
     | b :: bs' ->
       rplus (rmult w (stair b.stairs tau)) (mixed_stair o' bs' tau))

type mixed_part =
| Whole of curve
| UpperQuantile of rat

(** val raised_part : rat -> mixed_part -> curve **)

let raised_part e = function
| Whole f -> f
| UpperQuantile level -> Jump (rplus level e)

(** val raised : rat -> (rat * mixed_part) list -> mixture **)

let raised e o =
  map (fun wp -> ((fst wp), (raised_part e (snd wp)))) o

(** val good_levels : (rat * mixed_part) list -> bool **)

let good_levels o =
  forallb (fun wp ->
    match snd wp with
    | Whole _ -> true
    | UpperQuantile level ->
      (&&) (positive_den level) (Integer.leq Integer.zero level.num)) o

(** val gaps_of : rat -> (rat * mixed_part) list -> (rat * rat) list **)

let gaps_of e o =
  flat_map (fun wp ->
    match snd wp with
    | Whole _ -> []
    | UpperQuantile level -> (level, (rplus level e)) :: []) o

type reason =
| Model_is_wrong
| Objective_is_wrong
| Claim_is_wrong
| Lower_not_proved
| Upper_not_proved
| Not_covered
| Curve_not_bounded

(** val lower_test :
    model -> objective -> lower_proof -> rat -> reason * (unit -> bool) **)

let lower_test m o p bound =
  match o with
  | Tail (w, alpha) ->
    (match p with
     | ByMarkov (v, choices) ->
       if Integer.equal w.num w.den
       then (Lower_not_proved, (fun _ -> markov_mean m v choices bound))
       else (Not_covered, (fun _ -> false))
     | ByBudget (v, g, start, choices) ->
       (Lower_not_proved, (fun _ ->
         tail_by_policy m v g start choices w alpha bound))
     | ByCells (v, c, start, choices) ->
       (Lower_not_proved, (fun _ ->
         tail_by_cells m v c start choices w alpha bound))
     | ByLines (_, _, _, _, _) -> (Not_covered, (fun _ -> false))
     | ByLaw (v, mix_den, parts0) ->
       (Lower_not_proved, (fun _ ->
         weighted_by_law m v mix_den parts0 (tail_weight_at w alpha) bound)))
  | Quantile (alpha, is_upper) ->
    (match p with
     | ByBudget (v, g, start, choices) ->
       (Lower_not_proved, (fun _ ->
         quantile_by_policy m v g start choices alpha is_upper bound))
     | ByLaw (v, mix_den, parts0) ->
       (Lower_not_proved, (fun _ ->
         quantile_by_law m v mix_den parts0 alpha is_upper bound))
     | _ -> (Not_covered, (fun _ -> false)))
  | Polygon corners ->
    (match p with
     | ByBudget (v, g, start, choices) ->
       (Lower_not_proved, (fun _ ->
         polygon_by_policy m v g start choices corners bound))
     | ByLines (v, c, start, costs, choices) ->
       (Lower_not_proved, (fun _ ->
         polygon_by_lines m v c start costs choices corners bound))
     | ByLaw (v, mix_den, parts0) ->
       (Lower_not_proved, (fun _ ->
         weighted_by_law m v mix_den parts0
           (polygon_at (of_Z Integer.zero) (of_Z Integer.zero) corners) bound))
     | _ -> (Not_covered, (fun _ -> false)))

(** val upper_test :
    model -> objective -> upper_proof -> rat -> reason * (unit -> bool) **)

let upper_test m o p bound =
  match o with
  | Tail (w, alpha) ->
    (match p with
     | ByMean v -> (Upper_not_proved, (fun _ -> tail_by_mean m v bound))
     | ByBudgets (v, g) ->
       (Upper_not_proved, (fun _ -> tail_by_budgets m v g w alpha bound))
     | ByAllCells (v, c) ->
       (Upper_not_proved, (fun _ -> tail_by_all_cells m v c w alpha bound))
     | _ -> (Not_covered, (fun _ -> false)))
  | Quantile (alpha, is_upper) ->
    (match p with
     | ByThreshold (v, g, start) ->
       (Upper_not_proved, (fun _ ->
         quantile_by_threshold m v g start alpha is_upper bound))
     | _ -> (Not_covered, (fun _ -> false)))
  | Polygon corners ->
    (match p with
     | ByCover (v, g, start, boxes) ->
       (Upper_not_proved, (fun _ ->
         polygon_by_cover m v g start boxes (fun _ -> corners) bound))
     | ByCellCover (v, c, start, boxes) ->
       (Upper_not_proved, (fun _ ->
         polygon_by_cell_cover m v c start boxes (fun _ -> corners) bound))
     | ByReturns (v, returns, boxes) ->
       (Upper_not_proved, (fun _ ->
         polygon_by_returns m v returns boxes (fun _ -> corners) bound))
     | ByContraction (v, g, start, boxes) ->
       (Upper_not_proved, (fun _ ->
         polygon_by_contraction m v g start boxes (fun _ -> corners) bound))
     | _ -> (Not_covered, (fun _ -> false)))

(** val good_objective : objective -> bool **)

let good_objective = function
| Tail (w, alpha) -> good_tail w alpha
| Quantile (alpha, is_upper) -> good_quantile alpha is_upper
| Polygon corners ->
  good_corners (of_Z Integer.zero) (of_Z Integer.zero) corners

(** val tests :
    model -> objective -> claim -> certificate -> (reason * (unit -> bool))
    list **)

let tests m o c k =
  (Model_is_wrong, (fun _ -> good_model m)) :: ((Objective_is_wrong,
    (fun _ -> good_objective o)) :: ((Claim_is_wrong, (fun _ ->
    (&&) (positive_den c.lower) (positive_den c.upper))) :: ((lower_test m o
                                                               k.low c.lower) :: (
    (upper_test m o k.up c.upper) :: []))))

(** val check : model -> objective -> claim -> certificate -> bool **)

let check m o c k =
  forallb (fun test -> snd test ()) (tests m o c k)

(** val first_failure : (reason * (unit -> bool)) list -> reason option **)

let rec first_failure = function
| [] -> None
| p :: l' ->
  let (why, test) = p in if test () then first_failure l' else Some why

(** val verdict :
    model -> objective -> claim -> certificate -> reason option **)

let verdict m o c k =
  first_failure (tests m o c k)

type curved = { places : rat list; curve_bounds : bounds list;
                proofs : certificate }

(** val curved_lower_test :
    model -> mixture -> curved -> rat -> reason * (unit -> bool) **)

let curved_lower_test m o k bound =
  match k.proofs.low with
  | ByLaw (v, mix_den, parts0) ->
    (Lower_not_proved, (fun _ ->
      weighted_by_law m v mix_den parts0 (mixed_stair o k.curve_bounds) bound))
  | _ -> (Not_covered, (fun _ -> false))

(** val curved_upper_test :
    model -> mixture -> curved -> rat -> reason * (unit -> bool) **)

let curved_upper_test m o k bound =
  let lines = mixed_lines k.places o k.curve_bounds in
  (match k.proofs.up with
   | ByCover (v, g, start, boxes) ->
     (Upper_not_proved, (fun _ ->
       polygon_by_cover m v g start boxes (line_for lines) bound))
   | ByCellCover (v, c, start, boxes) ->
     (Upper_not_proved, (fun _ ->
       polygon_by_cell_cover m v c start boxes (line_for lines) bound))
   | ByReturns (v, returns, boxes) ->
     (Upper_not_proved, (fun _ ->
       polygon_by_returns m v returns boxes (line_for lines) bound))
   | ByContraction (v, g, start, boxes) ->
     (Upper_not_proved, (fun _ ->
       polygon_by_contraction m v g start boxes (line_for lines) bound))
   | _ -> (Not_covered, (fun _ -> false)))

(** val tests_curved :
    model -> mixture -> claim -> curved -> (reason * (unit -> bool)) list **)

let tests_curved m o c k =
  (Model_is_wrong, (fun _ -> good_model m)) :: ((Objective_is_wrong,
    (fun _ -> good_mixture o)) :: ((Claim_is_wrong, (fun _ ->
    (&&) (positive_den c.lower) (positive_den c.upper))) :: ((Curve_not_bounded,
    (fun _ ->
    (&&) (all_good_bounds k.places o k.curve_bounds)
      (corners_to_1 (of_Z Integer.zero)
        (mixed_line (of_Z Integer.zero) k.places o k.curve_bounds)))) :: (
    (curved_lower_test m o k c.lower) :: ((curved_upper_test m o k c.upper) :: [])))))

(** val check_curved : model -> mixture -> claim -> curved -> bool **)

let check_curved m o c k =
  forallb (fun test -> snd test ()) (tests_curved m o c k)

(** val verdict_curved :
    model -> mixture -> claim -> curved -> reason option **)

let verdict_curved m o c k =
  first_failure (tests_curved m o c k)

(** val gaps_test :
    model -> (rat * mixed_part) list -> rat -> curved -> bool **)

let gaps_test m o e k =
  match k.proofs.low with
  | ByLaw (v, mix_den, parts0) -> law_avoids m v mix_den parts0 (gaps_of e o)
  | _ -> false

(** val tests_upper :
    model -> (rat * mixed_part) list -> rat -> claim -> curved ->
    (reason * (unit -> bool)) list **)

let tests_upper m o e c k =
  (Objective_is_wrong, (fun _ ->
    (&&) ((&&) (positive_den e) (Integer.lt Integer.zero e.num))
      (good_levels o))) :: (app (tests_curved m (raised e o) c k)
                             ((Lower_not_proved, (fun _ ->
                             (||) (gaps_test m o e k)
                               (check_curved m (raised (of_Z Integer.zero) o)
                                 c k))) :: []))

(** val check_upper :
    model -> (rat * mixed_part) list -> rat -> claim -> curved -> bool **)

let check_upper m o e c k =
  forallb (fun test -> snd test ()) (tests_upper m o e c k)

(** val verdict_upper :
    model -> (rat * mixed_part) list -> rat -> claim -> curved -> reason
    option **)

let verdict_upper m o e c k =
  first_failure (tests_upper m o e c k)

type text = { byte_count : Integer.t; byte : (Integer.t -> Integer.t) }

(** val space : Integer.t **)

let space =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))))

(** val tab : Integer.t **)

let tab =
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))

(** val line_feed : Integer.t **)

let line_feed =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))

(** val carriage_return : Integer.t **)

let carriage_return =
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))

(** val minus : Integer.t **)

let minus =
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))))

(** val slash : Integer.t **)

let slash =
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))))

(** val zero_digit : Integer.t **)

let zero_digit =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))

(** val nine_digit : Integer.t **)

let nine_digit =
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))

(** val ten : Integer.t **)

let ten =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))

(** val blank : Integer.t -> bool **)

let blank c =
  (&&) (Integer.leq c space)
    ((||)
      ((||) ((||) (Integer.equal c space) (Integer.equal c line_feed))
        (Integer.equal c tab)) (Integer.equal c carriage_return))

(** val digit : Integer.t -> bool **)

let digit c =
  (&&) (Integer.leq zero_digit c) (Integer.leq c nine_digit)

(** val bit : bool -> Integer.t -> Integer.t **)

let bit b z0 =
  if b then z0 else Integer.zero

(** val code : char -> Integer.t **)

let code a =
  (* If this appears, you're using Ascii internals. Please don't *)
 (fun f c ->
  let n = Char.code c in
  let h i = (n land (1 lsl i)) <> 0 in
  f (h 0) (h 1) (h 2) (h 3) (h 4) (h 5) (h 6) (h 7))
    (fun a0 b c d e f g h ->
    Integer.add (bit a0 ((fun p -> p) Integer.one))
      (Integer.add
        (bit b ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)))
        (Integer.add
          (bit c ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            ((fun p -> Integer.shift_left p 1) Integer.one))))
          (Integer.add
            (bit d ((fun p -> p) ((fun p -> Integer.shift_left p 1)
              ((fun p -> Integer.shift_left p 1)
              ((fun p -> Integer.shift_left p 1) Integer.one)))))
            (Integer.add
              (bit e ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                ((fun p -> Integer.shift_left p 1)
                ((fun p -> Integer.shift_left p 1)
                ((fun p -> Integer.shift_left p 1) Integer.one))))))
              (Integer.add
                (bit f ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                  ((fun p -> Integer.shift_left p 1)
                  ((fun p -> Integer.shift_left p 1)
                  ((fun p -> Integer.shift_left p 1)
                  ((fun p -> Integer.shift_left p 1) Integer.one)))))))
                (Integer.add
                  (bit g ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1) Integer.one))))))))
                  (bit h ((fun p -> p) ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1)
                    ((fun p -> Integer.shift_left p 1) Integer.one))))))))))))))))
    a

(** val codes : string -> Integer.t list **)

let rec codes s =
  (* If this appears, you're using String internals. Please don't *)
 (fun f0 f1 s ->
    let l = String.length s in
    if l = 0 then f0 () else f1 (String.get s 0) (String.sub s 1 (l-1)))

    (fun _ -> [])
    (fun a s' -> (code a) :: (codes s'))
    s

(** val in_base : Integer.t -> Integer.t list -> Integer.t **)

let rec in_base b = function
| [] -> Integer.zero
| c :: l' -> Integer.add c (Integer.mul b (in_base b l'))

(** val paired : Integer.t -> Integer.t list -> Integer.t list **)

let rec paired b l = match l with
| [] -> l
| c :: l0 ->
  (match l0 with
   | [] -> l
   | d :: l' -> (Integer.add c (Integer.mul b d)) :: (paired b l'))

(** val joined : nat -> Integer.t -> Integer.t list -> Integer.t **)

let rec joined n b l = match l with
| [] -> Integer.zero
| c :: l0 ->
  (match l0 with
   | [] -> c
   | _ :: _ ->
     (match n with
      | O -> in_base b l
      | S n' -> joined n' (Integer.mul b b) (paired b l)))

(** val levels : nat **)

let levels =
  S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S O)))))))))))))))

(** val skip_from : text -> Integer.t -> Integer.t **)

let rec skip_from t i =
  if Integer.lt i t.byte_count
  then if blank (t.byte i)
       then skip_from t (Integer.add i ((fun p -> p) Integer.one))
       else i
  else i

(** val skip : text -> Integer.t -> Integer.t **)

let skip =
  skip_from

(** val full : Integer.t **)

let full =
  Z.pow ten ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))))

(** val joined_value :
    Integer.t list -> Integer.t -> Integer.t -> Integer.t **)

let joined_value chunks chunk scale =
  match chunks with
  | [] -> chunk
  | _ :: _ ->
    Integer.add (Integer.mul (joined levels full chunks) scale) chunk

(** val digits_from :
    text -> Integer.t -> Integer.t -> Integer.t list -> Integer.t ->
    Integer.t -> Integer.t * Integer.t **)

let rec digits_from t stop i chunks chunk scale =
  if Integer.lt i t.byte_count
  then let c = t.byte i in
       if (&&) (digit c) (Integer.lt i stop)
       then let chunk' =
              Integer.add (Integer.mul ten chunk) (Integer.sub c zero_digit)
            in
            let scale' = Integer.mul ten scale in
            if Integer.equal scale' full
            then digits_from t stop
                   (Integer.add i ((fun p -> p) Integer.one))
                   (chunk' :: chunks) Integer.zero ((fun p -> p) Integer.one)
            else digits_from t stop
                   (Integer.add i ((fun p -> p) Integer.one)) chunks chunk'
                   scale'
       else ((joined_value chunks chunk scale), i)
  else ((joined_value chunks chunk scale), i)

(** val natural_at :
    text -> Integer.t -> Integer.t -> (Integer.t * Integer.t) option **)

let natural_at t stop i =
  let (n, j) = digits_from t stop i [] Integer.zero ((fun p -> p) Integer.one)
  in
  if Integer.lt i j then Some (n, j) else None

(** val has : text -> Integer.t -> Integer.t -> bool **)

let has t c i =
  (&&) (Integer.lt i t.byte_count) (Integer.equal (t.byte i) c)

(** val integer_at :
    text -> Integer.t -> Integer.t -> (Integer.t * Integer.t) option **)

let integer_at t stop i =
  if has t minus i
  then (match natural_at t stop (Integer.add i ((fun p -> p) Integer.one)) with
        | Some p -> let (n, j) = p in Some ((Integer.neg n), j)
        | None -> None)
  else natural_at t stop i

(** val ratio_at :
    text -> Integer.t -> Integer.t -> (rat * Integer.t) option **)

let ratio_at t stop i =
  match integer_at t stop i with
  | Some p0 ->
    let (p, j) = p0 in
    if has t slash j
    then (match natural_at t stop (Integer.add j ((fun p -> p) Integer.one)) with
          | Some p1 ->
            let (q, k) = p1 in
            if Integer.lt Integer.zero q
            then Some ({ num = p; den = q }, k)
            else None
          | None -> None)
    else Some ({ num = p; den = ((fun p -> p) Integer.one) }, j)
  | None -> None

(** val name_at : text -> Integer.t list -> Integer.t -> Integer.t option **)

let rec name_at t l i =
  match l with
  | [] -> Some i
  | c :: l' ->
    if has t c i
    then name_at t l' (Integer.add i ((fun p -> p) Integer.one))
    else None

(** val ends : text -> Integer.t -> bool **)

let ends t i =
  (||) (negb (Integer.lt i t.byte_count)) (blank (t.byte i))

(** val lines_to :
    text -> Integer.t -> Integer.t -> Integer.t -> Integer.t **)

let rec lines_to t line stop i =
  if Integer.lt i t.byte_count
  then if Integer.lt i stop
       then lines_to t
              (if Integer.equal (t.byte i) line_feed
               then Integer.add line ((fun p -> p) Integer.one)
               else line) stop (Integer.add i ((fun p -> p) Integer.one))
       else line
  else line

(** val line_of : text -> Integer.t -> Integer.t **)

let line_of t i =
  lines_to t ((fun p -> p) Integer.one) i Integer.zero

type 'x listing = (Integer.t * 'x) list

type written_model = { file_discount : rat; file_reward_den : Integer.t;
                       state_count : Integer.t; file_initial_den : Integer.t;
                       file_initial : Integer.t listing;
                       blocks : (Integer.t * action list listing) list }

type question =
| Plain of objective
| Mixed of (rat * mixed_part) list * rat option * rat list * bounds list

type written_lower =
| WrittenMarkov of Integer.t * Integer.t listing list
| WrittenBudget of Integer.t * grid * Integer.t
   * (Integer.t * Integer.t) list listing list
| WrittenCells of Integer.t * cells * Integer.t
   * (Integer.t * Integer.t) list listing list
| WrittenLines of Integer.t * cells * Integer.t
   * (Integer.t * Integer.t) list * (Integer.t * Integer.t) list listing list
| WrittenLaw of Integer.t * Integer.t
   * (Integer.t * (Integer.t * (memory_rule * memory_row listing) list)) list

type written_cover =
| WrittenDual of (Integer.t * Integer.t) list
| WrittenCut of Integer.t * rat * written_cover * written_cover
| WrittenPassed of Integer.t * Integer.t * rat * written_cover
| WrittenContract of Integer.t * (Integer.t * Integer.t) list * written_cover

type written_upper =
| WrittenMean of Integer.t
| WrittenBudgets of Integer.t * grid
| WrittenAllCells of Integer.t * cells
| WrittenThreshold of Integer.t * grid * Integer.t
| WrittenCover of Integer.t * grid * Integer.t * written_cover
| WrittenCellCover of Integer.t * cells * Integer.t * written_cover
| WrittenReturns of Integer.t * Integer.t list * written_cover
| WrittenContraction of Integer.t * grid * Integer.t * written_cover

type file = { format : Integer.t; asked : question; claimed : claim;
              described : written_model; lower_part : written_lower;
              upper_part : written_upper }

(** val tree_of : 'a1 listing -> 'a1 tree **)

let tree_of l =
  fold_left (fun t sx -> set (fst sx) (snd sx) t) l Leaf

(** val mapped_before : ('a1 -> 'a2) -> 'a1 list -> 'a2 list -> 'a2 list **)

let rec mapped_before f l found0 =
  match l with
  | [] -> rev' found0
  | x :: l' -> mapped_before f l' ((f x) :: found0)

(** val mapped : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let mapped f l =
  mapped_before f l []

(** val repeated : Integer.t -> 'a1 -> 'a1 list -> 'a1 list **)

let repeated n x l =
  Z.iter n (fun x0 -> x :: x0) l

(** val expanded : ('a1 -> 'a2) -> (Integer.t * 'a1) list -> 'a2 list **)

let expanded f l =
  fold_left (fun later nx -> repeated (fst nx) (f (snd nx)) later) (rev' l) []

(** val model_of : written_model -> model **)

let model_of w =
  { discount_rate = w.file_discount; reward_den = w.file_reward_den;
    initial_den = w.file_initial_den; initial = w.file_initial; steps =
    (expanded tree_of w.blocks) }

(** val machine_of :
    (Integer.t * (memory_rule * memory_row listing) list) -> machine **)

let machine_of m =
  { mem_0 = (fst m); mem_rules = (mapped fst (snd m)); mem_tables =
    (mapped (fun x -> tree_of (snd x)) (snd m)) }

(** val lower_of : written_lower -> lower_proof **)

let lower_of = function
| WrittenMarkov (v, choices) -> ByMarkov (v, (mapped tree_of choices))
| WrittenBudget (v, g, start, choices) ->
  ByBudget (v, g, start, (mapped tree_of choices))
| WrittenCells (v, c, start, choices) ->
  ByCells (v, c, start, (mapped tree_of choices))
| WrittenLines (v, c, start, runs, choices) ->
  ByLines (v, c, start, (expanded (fun c0 -> c0) runs),
    (mapped tree_of choices))
| WrittenLaw (v, mix_den, machines) ->
  ByLaw (v, mix_den,
    (mapped (fun wm -> ((fst wm), (machine_of (snd wm)))) machines))

(** val cover_of : written_cover -> cover **)

let rec cover_of = function
| WrittenDual runs -> Dual (expanded (fun c -> c) runs)
| WrittenCut (k, p, below, above) ->
  Cut (k, p, (cover_of below), (cover_of above))
| WrittenPassed (own_scale, k, p, more) ->
  Passed (own_scale, k, p, (cover_of more))
| WrittenContract (own_scale, runs, more) ->
  Contract (own_scale, (expanded (fun c -> c) runs), (cover_of more))

(** val upper_of : written_upper -> upper_proof **)

let upper_of = function
| WrittenMean v -> ByMean v
| WrittenBudgets (v, g) -> ByBudgets (v, g)
| WrittenAllCells (v, c) -> ByAllCells (v, c)
| WrittenThreshold (v, g, start) -> ByThreshold (v, g, start)
| WrittenCover (v, g, start, boxes) -> ByCover (v, g, start, (cover_of boxes))
| WrittenCellCover (v, c, start, boxes) ->
  ByCellCover (v, c, start, (cover_of boxes))
| WrittenReturns (v, returns, boxes) ->
  ByReturns (v, returns, (cover_of boxes))
| WrittenContraction (v, g, start, boxes) ->
  ByContraction (v, g, start, (cover_of boxes))

(** val certificate_of : file -> certificate **)

let certificate_of f =
  { low = (lower_of f.lower_part); up = (upper_of f.upper_part) }

(** val has_upper : (rat * mixed_part) list -> bool **)

let has_upper parts0 =
  existsb (fun wp ->
    match snd wp with
    | Whole _ -> false
    | UpperQuantile _ -> true) parts0

(** val bounded_mixture : (rat * mixed_part) list -> rat option -> mixture **)

let bounded_mixture parts0 room =
  raised (match room with
          | Some e -> e
          | None -> of_Z Integer.zero) parts0

type phrase =
| Say of string
| Figure of Integer.t
| Quote of Integer.t
| Span of Integer.t * Integer.t
| Fingerprint of Integer.t * Integer.t

type 'x reply =
| Got of 'x * Integer.t
| Stopped of Integer.t * phrase list

(** val longest_word : Integer.t **)

let longest_word =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one)))))))))))))))

(** val most_items : Integer.t **)

let most_items =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))))))))))))))))))))))))

type 'x reader = Integer.t -> 'x reply

(** val here : Integer.t reader **)

let here i =
  Got (i, i)

(** val unless : phrase list -> unit reader **)

let unless why i =
  match why with
  | [] -> Got ((), i)
  | _ :: _ -> Stopped (i, why)

(** val unexpected :
    text -> string -> Integer.t -> phrase list -> 'a1 reply **)

let unexpected t what i why =
  if Integer.lt i t.byte_count
  then Stopped (i, why)
  else Stopped (i, ((Say "the file ends where ") :: ((Say what) :: ((Say
         " was expected") :: []))))

(** val no_number :
    text -> string -> Integer.t -> Integer.t -> string -> 'a1 reply **)

let no_number t what i j wanted =
  if Integer.leq longest_word (Integer.sub j i)
  then Stopped (i, ((Say "a word of more than ") :: ((Figure
         longest_word) :: ((Say " characters") :: []))))
  else unexpected t what i ((Say what) :: ((Say " is ") :: ((Quote
         i) :: ((Say wanted) :: []))))

(** val integer : text -> string -> Integer.t reader **)

let integer t what i =
  let a = skip t i in
  (match integer_at t (Integer.add a longest_word) a with
   | Some p ->
     let (z0, j) = p in
     if ends t j
     then Got (z0, j)
     else no_number t what a j ", wanted an integer in decimal digits"
   | None -> no_number t what a a ", wanted an integer in decimal digits")

(** val rational : text -> string -> rat reader **)

let rational t what i =
  let a = skip t i in
  (match ratio_at t (Integer.add a longest_word) a with
   | Some p ->
     let (q, j) = p in
     if ends t j
     then Got (q, j)
     else no_number t what a j
            ", wanted an integer or p/q in decimal digits, q > 0"
   | None ->
     no_number t what a a
       ", wanted an integer or p/q in decimal digits, q > 0")

(** val wrong : text -> string -> Integer.t -> phrase list -> 'a1 reply **)

let wrong t what i wanted =
  let a = skip t i in
  Stopped (a, ((Say what) :: ((Say " is ") :: ((Quote a) :: ((Say
  ", wanted ") :: wanted)))))

(** val between :
    text -> string -> Integer.t -> Integer.t -> Integer.t reader **)

let between t what least0 most0 i =
  match integer t what i with
  | Got (z0, j) ->
    if (&&) (Integer.leq least0 z0) (Integer.leq z0 most0)
    then Got (z0, j)
    else wrong t what i ((Figure least0) :: ((Say " to ") :: ((Figure
           most0) :: [])))
  | Stopped (place0, why) -> Stopped (place0, why)

(** val positive_number : text -> string -> Integer.t reader **)

let positive_number t what i =
  match integer t what i with
  | Got (z0, j) ->
    if Integer.lt Integer.zero z0
    then Got (z0, j)
    else wrong t what i ((Say "a positive integer") :: [])
  | Stopped (place0, why) -> Stopped (place0, why)

(** val natural : text -> string -> Integer.t reader **)

let natural t what i =
  match integer t what i with
  | Got (z0, j) ->
    if Integer.leq Integer.zero z0
    then Got (z0, j)
    else wrong t what i ((Say "0 or more") :: [])
  | Stopped (place0, why) -> Stopped (place0, why)

(** val state_named : text -> string -> Integer.t -> Integer.t reader **)

let state_named t what states i =
  match between t what Integer.zero
          (Integer.sub states ((fun p -> p) Integer.one)) i with
  | Got (z0, j) ->
    Got ((Z.to_pos (Integer.add z0 ((fun p -> p) Integer.one))), j)
  | Stopped (p, why) -> Stopped (p, why)

(** val name : text -> string -> Integer.t -> Integer.t option **)

let name t s i =
  match name_at t (codes s) (skip t i) with
  | Some j -> if ends t j then Some j else None
  | None -> None

(** val keyword : text -> string -> unit reader **)

let keyword t s i =
  match name t s i with
  | Some j -> Got ((), j)
  | None ->
    let a = skip t i in
    if Integer.lt a t.byte_count
    then Stopped (a, ((Quote a) :: ((Say " where '") :: ((Say s) :: ((Say
           "' was expected") :: [])))))
    else Stopped (a, ((Say "the file ends where '") :: ((Say s) :: ((Say
           "' was expected") :: []))))

(** val select :
    text -> string -> (Integer.t -> phrase list) -> (string * 'a1 reader)
    list -> 'a1 reader **)

let rec select t what why l x =
  match l with
  | [] -> let a = skip t x in unexpected t what a (why a)
  | p :: l' ->
    let (s, r) = p in
    (match name t s x with
     | Some j -> r j
     | None -> select t what why l' x)

(** val not_covered_word : string -> Integer.t -> phrase list **)

let not_covered_word what a =
  (Say "not covered: ") :: ((Say what) :: ((Say " ") :: ((Quote a) :: [])))

(** val other_word : string -> Integer.t -> phrase list **)

let other_word wanted a =
  (Quote a) :: ((Say " where ") :: ((Say wanted) :: ((Say
    " was expected") :: [])))

(** val loop :
    ('a1 -> 'a1 reader) -> Integer.t -> 'a1 -> Integer.t -> 'a1 reply **)

let rec loop step0 n s i =
  if Integer.lt Integer.zero n
  then (match step0 s i with
        | Got (s', j) ->
          loop step0 (Integer.sub n ((fun p -> p) Integer.one)) s' j
        | Stopped (place0, why) -> Stopped (place0, why))
  else Got (s, i)

(** val push : 'a1 reader -> 'a1 list -> 'a1 list reader **)

let push r found0 i =
  match r i with
  | Got (x, j) -> Got ((x :: found0), j)
  | Stopped (p, why) -> Stopped (p, why)

(** val exactly : Integer.t -> 'a1 reader -> 'a1 list reader **)

let exactly n r i =
  match loop (push r) n [] i with
  | Got (l, j) -> Got ((rev' l), j)
  | Stopped (place0, why) -> Stopped (place0, why)

(** val several_to :
    text -> Integer.t -> string -> Integer.t -> 'a1 reader -> 'a1 list reader **)

let several_to t most0 what least0 r i =
  match between t what least0 most0 i with
  | Got (x, j) -> exactly x r j
  | Stopped (p, why) -> Stopped (p, why)

(** val several :
    text -> string -> Integer.t -> 'a1 reader -> 'a1 list reader **)

let several t =
  several_to t most_items

(** val push_state :
    text -> string -> Integer.t -> 'a1 reader -> (unit tree * 'a1 listing) ->
    (unit tree * 'a1 listing) reader **)

let push_state t what states r found0 i =
  match state_named t what states i with
  | Got (s, j) ->
    (match get s (fst found0) with
     | Some _ ->
       Stopped ((skip t i), ((Say "state ") :: ((Figure
         (Integer.sub ((fun p -> p) s) ((fun p -> p) Integer.one))) :: ((Say
         " twice") :: []))))
     | None ->
       (match r j with
        | Got (x, k) ->
          Got (((set s () (fst found0)), ((s, x) :: (snd found0))), k)
        | Stopped (p, why) -> Stopped (p, why)))
  | Stopped (p, why) -> Stopped (p, why)

(** val each_state :
    text -> string -> Integer.t -> Integer.t -> 'a1 reader -> 'a1 listing
    reader **)

let each_state t what states n r i =
  match loop (push_state t what states r) n (Leaf, []) i with
  | Got (found0, j) -> Got ((rev' (snd found0)), j)
  | Stopped (p, why) -> Stopped (p, why)

(** val states_to :
    text -> string -> Integer.t -> string -> Integer.t -> 'a1 reader -> 'a1
    listing reader **)

let states_to t number least0 what states r i =
  match between t number least0 states i with
  | Got (x, j) -> each_state t what states x r j
  | Stopped (p, why) -> Stopped (p, why)

(** val fill_from :
    (Integer.t -> (Integer.t * 'a1) reader) -> Integer.t -> (Integer.t * 'a1)
    list -> Integer.t -> (Integer.t * 'a1) list reply **)

let rec fill_from r n found0 i =
  if Integer.equal n Integer.zero
  then Got ((rev' found0), i)
  else (match r n i with
        | Got (kx, j) ->
          if (&&) (Integer.lt Integer.zero (fst kx)) (Integer.leq (fst kx) n)
          then fill_from r (Integer.sub n (fst kx)) (kx :: found0) j
          else Stopped (j, ((Say "a length out of range") :: []))
        | Stopped (p, why) -> Stopped (p, why))

(** val fill :
    Integer.t -> (Integer.t -> (Integer.t * 'a1) reader) -> (Integer.t * 'a1)
    list reader **)

let fill n r =
  fill_from r n []

(** val longest_horizon : Integer.t **)

let longest_horizon =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one))))))))))))))))

(** val deepest_cover : Integer.t **)

let deepest_cover =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one))))))))))))

(** val most_curves : Integer.t **)

let most_curves =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))))))

(** val most_halvings : Integer.t **)

let most_halvings =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))

type limits = { most_bytes : Integer.t; widest : Integer.t }

type needs = { within : limits; state_number : Integer.t;
               step_number : Integer.t; choice_number : Integer.t;
               weight_bits : Integer.t; rate_bits : Integer.t }

(** val complain : bool -> (unit -> phrase list) -> phrase list **)

let complain bad why =
  if bad then why () else []

(** val or_else : phrase list -> phrase list -> phrase list **)

let or_else why why' =
  match why with
  | [] -> why'
  | _ :: _ -> why

(** val megabytes : Integer.t -> phrase **)

let megabytes n =
  Figure
    ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      n ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      ((fun p -> Integer.succ (Integer.shift_left p 1))
      Integer.one)))))))))))))))))))))

(** val bits : Integer.t -> Integer.t **)

let bits z0 =
  if Integer.equal z0 Integer.zero
  then Integer.zero
  else Integer.add
         ((fun z -> if Integer.sign z <= 0 then Integer.zero else Integer.of_int (Integer.numbits z - 1))
           (Z.abs z0)) ((fun p -> p) Integer.one)

(** val bits_of_rat : rat -> Integer.t **)

let bits_of_rat q =
  Integer.add (bits q.num) (bits q.den)

(** val words_for : Integer.t -> Integer.t **)

let words_for n =
  Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one))))
    (Integer.add ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))
      ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
        n ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
        ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
        ((fun p -> Integer.shift_left p 1) Integer.one)))))))))

(** val largest_weight : written_model -> Integer.t **)

let largest_weight w =
  fold_left (fun n b ->
    fold_left (fun n0 sx ->
      fold_left (fun n1 a -> Integer.max n1 a.total) (snd sx) n0) (snd b) n)
    w.blocks
    (fold_left (fun n sw -> Integer.max n (snd sw)) w.file_initial
      w.file_initial_den)

(** val how_many : 'a1 list -> Integer.t **)

let how_many l =
  fold_left (fun n _ -> Integer.add n ((fun p -> p) Integer.one)) l
    Integer.zero

(** val choices_of : 'a1 list listing -> Integer.t **)

let choices_of l =
  fold_left (fun n sx -> Integer.add n (how_many (snd sx))) l Integer.zero

(** val needs_of : limits -> written_model -> Integer.t -> needs **)

let needs_of l w horizon =
  let rate = bits_of_rat w.file_discount in
  let choices =
    fold_left (fun n b ->
      Integer.add n (Integer.mul (fst b) (choices_of (snd b)))) w.blocks
      Integer.zero
  in
  { within = l; state_number = w.state_count; step_number = horizon;
  choice_number = choices; weight_bits =
  (Integer.add
    (Integer.add (bits (largest_weight w)) (bits w.file_reward_den)) rate);
  rate_bits = rate }

(** val most_power_bits : Integer.t **)

let most_power_bits =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))))))))))))))))))))))))

(** val long_powers : Integer.t -> Integer.t -> phrase list **)

let long_powers horizon n =
  complain (Integer.lt most_power_bits (Integer.mul horizon n)) (fun _ ->
    (Say "powers of ") :: ((Figure n) :: ((Say " bits over ") :: ((Figure
    horizon) :: ((Say " steps, more than ") :: ((Figure
    most_power_bits) :: ((Say " in all") :: [])))))))

(** val most_rate_bits : Integer.t **)

let most_rate_bits =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one))))))))))))))))))))

(** val long_rates : needs -> phrase list **)

let long_rates k =
  complain
    (Integer.lt most_rate_bits (Integer.mul k.step_number k.rate_bits))
    (fun _ -> (Say "a discount of ") :: ((Figure k.rate_bits) :: ((Say
    " bits over ") :: ((Figure k.step_number) :: ((Say
    " steps, more than ") :: ((Figure most_rate_bits) :: ((Say
    " in all") :: [])))))))

(** val too_large : needs -> string -> Integer.t -> phrase list **)

let too_large k what n =
  complain (Integer.lt k.within.most_bytes n) (fun _ -> (Say what) :: ((Say
    " of ") :: ((megabytes n) :: ((Say
    " MB, more than the ") :: ((megabytes k.within.most_bytes) :: ((Say
    " MB that are allowed") :: []))))))

(** val large_number : needs -> Integer.t -> phrase list **)

let large_number k scale =
  too_large k "numbers"
    (Integer.mul k.state_number
      (words_for
        (Integer.add (Integer.add (bits scale) k.weight_bits) ((fun p -> p)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1)
          ((fun p -> Integer.shift_left p 1) Integer.one)))))))))))

(** val bits_of_objective : objective -> Integer.t **)

let bits_of_objective = function
| Tail (w, alpha) -> Integer.add (bits_of_rat w) (bits_of_rat alpha)
| Quantile (alpha, _) -> bits_of_rat alpha
| Polygon corners ->
  fold_left (fun n xg ->
    Integer.max n (Integer.add (bits_of_rat (fst xg)) (bits_of_rat (snd xg))))
    corners Integer.zero

(** val objective_of : question -> objective **)

let objective_of = function
| Plain o -> o
| Mixed (parts0, room, marks, l) ->
  Polygon
    (mixed_line (of_Z Integer.zero) marks (bounded_mixture parts0 room) l)

(** val wide_window :
    needs -> phrase list -> (Integer.t * Integer.t) -> phrase list **)

let wide_window k why w =
  let cells0 =
    Integer.add (Integer.sub (snd w) (fst w)) ((fun p -> p) Integer.one)
  in
  or_else why
    (complain (Integer.lt k.within.widest cells0) (fun _ -> (Say
      "a window of '") :: ((Figure cells0) :: ((Say
      "' indices, more than the ") :: ((Figure k.within.widest) :: ((Say
      " that are allowed") :: []))))))

(** val large_tables :
    needs -> Integer.t -> objective -> rat -> (Integer.t * Integer.t) list ->
    phrase list **)

let large_tables k scale o unit_size0 ws =
  let cells0 =
    fold_left (fun n w ->
      Integer.max n
        (Integer.add (Integer.sub (snd w) (fst w)) ((fun p -> p) Integer.one)))
      ws Integer.zero
  in
  let places1 =
    fold_left (fun n w ->
      Integer.max n (Integer.max (bits (fst w)) (bits (snd w)))) ws
      Integer.zero
  in
  or_else (fold_left (wide_window k) ws [])
    (too_large k "tables"
      (Integer.mul
        (Integer.mul
          (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            Integer.one)) k.state_number) cells0)
        (words_for
          (Integer.add
            (Integer.add
              (Integer.add (Integer.add (bits scale) places1)
                (bits_of_rat unit_size0)) (bits_of_objective o))
            k.weight_bits))))

(** val large_grid :
    needs -> Integer.t -> objective -> grid -> phrase list **)

let large_grid k scale o g =
  or_else
    (long_powers k.step_number
      (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
        Integer.one)) (Integer.add (bits g.stretch) (bits g.shrink))))
    (large_tables k scale o g.unit_size g.windows)

(** val finer :
    (Integer.t * Integer.t) list -> Integer.t list -> (Integer.t * Integer.t)
    list -> (Integer.t * Integer.t) list **)

let rec finer ws hs found0 =
  match ws with
  | [] -> app ws found0
  | p :: ws' ->
    let (lo, hi) = p in
    (match hs with
     | [] -> app ws found0
     | h :: hs' ->
       finer ws' hs'
         (((Integer.mul lo
             (Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1)
               Integer.one)) h)),
         (Integer.mul hi
           (Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1)
             Integer.one)) h))) :: found0))

(** val large_cells :
    needs -> Integer.t -> objective -> cells -> phrase list **)

let large_cells k scale o c =
  or_else
    (long_powers ((fun p -> p) Integer.one)
      (Integer.add (fold_left Integer.add c.halvings Integer.zero)
        (Integer.mul k.step_number (bits_of_rat c.cell_unit))))
    (large_tables k scale o c.cell_unit (finer c.cell_windows c.halvings []))

(** val multipliers : (Integer.t * Integer.t) list -> Integer.t **)

let multipliers ws =
  let w = last ws (Integer.zero, Integer.zero) in
  Integer.max Integer.zero (Integer.sub (snd w) (fst w))

(** val leaves : written_cover -> Integer.t **)

let rec leaves = function
| WrittenDual _ -> (fun p -> p) Integer.one
| WrittenCut (_, _, below, above) -> Integer.add (leaves below) (leaves above)
| WrittenPassed (_, _, _, more) -> leaves more
| WrittenContract (_, _, more) ->
  Integer.add ((fun p -> p) Integer.one) (leaves more)

(** val large_cover :
    needs -> Integer.t -> Integer.t -> written_cover -> phrase list **)

let large_cover k scale n boxes =
  too_large k "multipliers"
    (Integer.mul (Integer.mul (leaves boxes) n) (words_for (bits scale)))

(** val law_numbers : Integer.t -> (Integer.t * Integer.t) -> Integer.t **)

let law_numbers n w =
  let width = Integer.sub (snd w) (fst w) in
  Integer.mul (Integer.add width ((fun p -> p) Integer.one))
    (Integer.add ((fun p -> p) ((fun p -> Integer.shift_left p 1)
      Integer.one))
      (Integer.mul ((fun p -> p)
        ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one))
        (Integer.max Integer.zero (Integer.sub n width))))

(** val large_contraction :
    needs -> Integer.t -> Integer.t -> (Integer.t * Integer.t) list -> phrase
    list **)

let large_contraction k own n ws =
  too_large k "contraction tables"
    (Integer.mul
      (Integer.mul
        (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
          Integer.one)) k.state_number)
        (fold_left (fun x w -> Integer.max x (law_numbers n w)) ws
          Integer.zero)) (words_for (Integer.add (bits own) k.weight_bits)))

(** val contractions : written_cover -> Integer.t **)

let rec contractions = function
| WrittenDual _ -> Integer.zero
| WrittenCut (_, _, below, above) ->
  Integer.max (contractions below) (contractions above)
| WrittenPassed (_, _, _, more) -> contractions more
| WrittenContract (_, _, more) ->
  Integer.add ((fun p -> p) Integer.one) (contractions more)

(** val large_kept :
    needs -> written_cover -> (Integer.t * Integer.t) list -> phrase list **)

let large_kept k boxes ws =
  let cells0 =
    fold_left (fun n w ->
      Integer.max n
        (Integer.add (Integer.sub (snd w) (fst w)) ((fun p -> p) Integer.one)))
      ws Integer.zero
  in
  too_large k "kept actions"
    (Integer.mul
      (Integer.mul (Integer.mul (contractions boxes) k.choice_number) cells0)
      (words_for Integer.zero))

(** val large_sums : needs -> Integer.t -> Integer.t -> phrase list **)

let large_sums k scale n =
  too_large k "tables"
    (Integer.mul
      (Integer.mul
        (Integer.mul
          (Integer.mul ((fun p -> p) ((fun p -> Integer.shift_left p 1)
            Integer.one)) k.state_number) k.step_number) n)
      (words_for
        (Integer.add
          (Integer.add (bits scale) (Integer.mul k.step_number k.rate_bits))
          k.weight_bits)))

(** val largest_exponent : Integer.t **)

let largest_exponent =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))))))))

(** val largest_shift : Integer.t **)

let largest_shift =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) Integer.one)))

(** val largest_hint : Integer.t **)

let largest_hint =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one))))

(** val most_hint_bits : Integer.t **)

let most_hint_bits =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))))))))

(** val most_point_bits : Integer.t **)

let most_point_bits =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one))))))))))))))))))))

(** val larger_than : Integer.t -> rat -> bool **)

let larger_than n q =
  Integer.lt (Integer.mul n q.den) (Z.abs q.num)

(** val odd_exponent : rat -> phrase list **)

let odd_exponent q =
  complain
    ((||) (Integer.leq q.num Integer.zero)
      (Integer.lt largest_exponent (Integer.max q.num q.den))) (fun _ -> (Say
    "not covered: an exponent whose numerator or denominator is not 1 to ") :: ((Figure
    largest_exponent) :: []))

(** val odd_shift : rat -> phrase list **)

let odd_shift q =
  complain
    ((||) (larger_than largest_shift q)
      (Integer.lt most_hint_bits (bits_of_rat q))) (fun _ -> (Say
    "not covered: a shift larger than ") :: ((Figure largest_shift) :: ((Say
    ", or of more than ") :: ((Figure most_hint_bits) :: ((Say
    " bits") :: [])))))

(** val exponent : curve -> Integer.t **)

let exponent = function
| Hazard (p, q) -> Integer.max p q
| DualPower (p, q) -> Integer.max p q
| Cpw (p, q) -> Integer.max p q
| _ -> Integer.zero

(** val hint_count : curve -> Integer.t **)

let hint_count = function
| Wang _ -> (fun p -> p) Integer.one
| Cpw (_, _) ->
  (fun p -> p) ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)
| _ -> Integer.zero

(** val long_number : curve -> string -> rat -> phrase list **)

let long_number f what q =
  let n = bits_of_rat q in
  or_else
    (complain (Integer.lt most_point_bits (Integer.mul n (exponent f)))
      (fun _ -> (Say what) :: ((Say " has ") :: ((Figure n) :: ((Say
      " bits, too many for powers of ") :: ((Figure (exponent f)) :: []))))))
    (complain
      (match f with
       | Wang _ -> Integer.lt most_hint_bits n
       | _ -> false) (fun _ -> (Say what) :: ((Say
      " has more than ") :: ((Figure most_hint_bits) :: ((Say
      " bits") :: [])))))

(** val far_hint : curve -> rat -> phrase list **)

let far_hint f q =
  complain (match f with
            | Wang _ -> larger_than largest_hint q
            | _ -> false) (fun _ -> (Say "a hint larger than ") :: ((Figure
    largest_hint) :: []))

(** val latest_format : Integer.t **)

let latest_format =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one))

(** val read_corners : text -> (rat * rat) list reader **)

let read_corners t =
  several t "the number of corners" ((fun p -> p) Integer.one) (fun i ->
    match rational t "a corner" i with
    | Got (x, j) ->
      (match rational t "a corner's value" j with
       | Got (x0, j0) -> Got ((x, x0), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))

(** val read_exponent :
    text -> (Integer.t -> Integer.t -> curve) -> mixed_part reader **)

let read_exponent t make i =
  match rational t "an exponent" i with
  | Got (x, j) ->
    (match unless (odd_exponent x) j with
     | Got (_, j0) -> Got ((Whole (make x.num x.den)), j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_part : text -> mixed_part reader **)

let read_part t =
  select t "a curve" (not_covered_word "the curve") (("upper", (fun i ->
    match rational t "the level" i with
    | Got (x, j) -> Got ((UpperQuantile x), j)
    | Stopped (p, why) -> Stopped (p, why))) :: (("hazard",
    (read_exponent t (fun x x0 -> Hazard (x, x0)))) :: (("dual",
    (read_exponent t (fun x x0 -> DualPower (x, x0)))) :: (("cpw",
    (read_exponent t (fun x x0 -> Cpw (x, x0)))) :: (("wang", (fun i ->
    match rational t "the shift" i with
    | Got (x, j) ->
      (match unless (odd_shift x) j with
       | Got (_, j0) -> Got ((Whole (Wang x)), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: (("polygon", (fun i ->
    match read_corners t i with
    | Got (x, j) -> Got ((Whole (Corners x)), j)
    | Stopped (p, why) -> Stopped (p, why))) :: (("jump", (fun i ->
    match rational t "the level" i with
    | Got (x, j) -> Got ((Whole (Jump x)), j)
    | Stopped (p, why) -> Stopped (p, why))) :: [])))))))

(** val read_objective : text -> question reader **)

let read_objective t =
  select t "an objective" (not_covered_word "the objective") (("tail",
    (fun i ->
    match rational t "the weight of the mean" i with
    | Got (x, j) ->
      (match rational t "the level" j with
       | Got (x0, j0) -> Got ((Plain (Tail (x, x0))), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: (("quantile", (fun i ->
    match rational t "the level" i with
    | Got (x, j) ->
      select t "'lower' or 'upper'" (other_word "'lower' or 'upper'")
        (("lower", (fun i0 -> Got ((Plain (Quantile (x, false))),
        i0))) :: (("upper", (fun i0 -> Got ((Plain (Quantile (x, true))),
        i0))) :: [])) j
    | Stopped (p, why) -> Stopped (p, why))) :: (("polygon", (fun i ->
    match read_corners t i with
    | Got (x, j) -> Got ((Plain (Polygon x)), j)
    | Stopped (p, why) -> Stopped (p, why))) :: (("mixture", (fun i ->
    match several_to t most_curves "the number of curves" ((fun p -> p)
            Integer.one) (fun i0 ->
            match keyword t "weight" i0 with
            | Got (_, j) ->
              (match rational t "the weight of a curve" j with
               | Got (x, j0) ->
                 (match read_part t j0 with
                  | Got (x0, j1) -> Got ((x, x0), j1)
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why)) i with
    | Got (x, j) -> Got ((Mixed (x, None, [], [])), j)
    | Stopped (p, why) -> Stopped (p, why))) :: []))))

(** val read_outcome : text -> Integer.t -> outcome reader **)

let read_outcome t states i =
  match natural t "a weight" i with
  | Got (x, j) ->
    (match integer t "a reward" j with
     | Got (x0, j0) ->
       (match state_named t "the next state" states j0 with
        | Got (x1, j1) -> Got ({ weight = x; gain = x0; next = x1 }, j1)
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_action : text -> Integer.t -> action reader **)

let read_action t states i =
  match positive_number t "the sum of the weights" i with
  | Got (x, j) ->
    (match several t "the number of outcomes" ((fun p -> p) Integer.one)
             (read_outcome t states) j with
     | Got (x0, j0) -> Got ({ total = x; outcomes = x0 }, j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_block :
    text -> Integer.t -> Integer.t -> (Integer.t * action list listing) reader **)

let read_block t states left i =
  match keyword t "steps" i with
  | Got (_, j) ->
    (match between t "the number of steps alike" ((fun p -> p) Integer.one)
             left j with
     | Got (x, j0) ->
       (match keyword t "states" j0 with
        | Got (_, j1) ->
          (match states_to t "the number of states of the step" Integer.zero
                   "the state" states
                   (several t "the number of actions" ((fun p -> p)
                     Integer.one) (read_action t states)) j1 with
           | Got (x0, j2) -> Got ((x, x0), j2)
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_model : text -> (written_model * Integer.t) reader **)

let read_model t i =
  match keyword t "discount" i with
  | Got (_, j) ->
    (match rational t "the discount" j with
     | Got (x, j0) ->
       (match keyword t "reward_denominator" j0 with
        | Got (_, j1) ->
          (match positive_number t "the denominator of rewards" j1 with
           | Got (x0, j2) ->
             (match keyword t "state_count" j2 with
              | Got (_, j3) ->
                (match between t "the number of states" ((fun p -> p)
                         Integer.one) most_items j3 with
                 | Got (x1, j4) ->
                   (match keyword t "horizon" j4 with
                    | Got (_, j5) ->
                      (match between t "the horizon" ((fun p -> p)
                               Integer.one) longest_horizon j5 with
                       | Got (x2, j6) ->
                         (match keyword t "initial" j6 with
                          | Got (_, j7) ->
                            (match positive_number t
                                     "the sum of the initial weights" j7 with
                             | Got (x3, j8) ->
                               (match states_to t
                                        "the number of initial states"
                                        ((fun p -> p) Integer.one)
                                        "an initial state" x1
                                        (natural t "an initial weight") j8 with
                                | Got (x4, j9) ->
                                  (match fill x2 (read_block t x1) j9 with
                                   | Got (x5, j10) ->
                                     Got (({ file_discount = x;
                                       file_reward_den = x0; state_count =
                                       x1; file_initial_den = x3;
                                       file_initial = x4; blocks = x5 }, x2),
                                       j10)
                                   | Stopped (p, why) -> Stopped (p, why))
                                | Stopped (p, why) -> Stopped (p, why))
                             | Stopped (p, why) -> Stopped (p, why))
                          | Stopped (p, why) -> Stopped (p, why))
                       | Stopped (p, why) -> Stopped (p, why))
                    | Stopped (p, why) -> Stopped (p, why))
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val point_number : text -> curve -> string -> rat reader **)

let point_number t f what i =
  match rational t what i with
  | Got (x, j) ->
    (match unless (long_number f what x) j with
     | Got (_, j0) -> Got (x, j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val hint : text -> curve -> rat reader **)

let hint t f i =
  match point_number t f "a hint" i with
  | Got (x, j) ->
    (match unless (far_hint f x) j with
     | Got (_, j0) -> Got (x, j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_point : text -> curve -> point reader **)

let read_point t f i =
  match point_number t f "a point" i with
  | Got (x, j) ->
    (match point_number t f "the height of a point" j with
     | Got (x0, j0) ->
       (match exactly (hint_count f) (hint t f) j0 with
        | Got (x1, j1) -> Got ({ place = x; height = x0; hints = x1 }, j1)
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_bends : text -> curve -> cell list reader **)

let read_bends t f =
  several t "the number of cells" Integer.zero (fun i ->
    match point_number t f "the end of a cell" i with
    | Got (x, j) ->
      (match point_number t f "a bound of a cell" j with
       | Got (x0, j0) ->
         (match point_number t f "a bound of a cell" j0 with
          | Got (x1, j1) -> Got ((x, (x0, x1)), j1)
          | Stopped (p, why) -> Stopped (p, why))
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))

(** val read_turn : text -> curve -> turn reader **)

let read_turn t f i =
  match f with
  | Cpw (_, _) ->
    (match keyword t "falling" i with
     | Got (_, j) ->
       (match read_bends t f j with
        | Got (x, j0) ->
          (match keyword t "rising" j0 with
           | Got (_, j1) ->
             (match point_number t f "the begin of the cells" j1 with
              | Got (x0, j2) ->
                (match point_number t f "a bound of a cell" j2 with
                 | Got (x1, j3) ->
                   (match read_bends t f j3 with
                    | Got (x2, j4) ->
                      Got ({ falling = x; rising_from = x0; rising_low = x1;
                        rising = x2 }, j4)
                    | Stopped (p, why) -> Stopped (p, why))
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | _ ->
    Got ({ falling = []; rising_from = (of_Z Integer.zero); rising_low =
      (of_Z Integer.zero); rising = [] }, i)

(** val read_support : text -> curve -> support reader **)

let read_support t f =
  select t "why a piece is below the curve"
    (other_word "'level', 'chord', 'line' or 'linear'") (("level", (fun i ->
    match read_point t f i with
    | Got (x, j) -> Got ((Level x), j)
    | Stopped (p, why) -> Stopped (p, why))) :: (("chord", (fun i ->
    match read_point t f i with
    | Got (x, j) ->
      (match read_point t f j with
       | Got (x0, j0) -> Got ((Chord (x, x0)), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: (("line", (fun i ->
    match read_point t f i with
    | Got (x, j) ->
      (match read_point t f j with
       | Got (x0, j0) -> Got ((Line (x, x0)), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: (("linear", (fun i -> Got
    (Linear, i))) :: []))))

(** val read_bounds : text -> Integer.t -> curve -> bounds reader **)

let read_bounds t n f i =
  match keyword t "curve" i with
  | Got (_, j) ->
    (match read_turn t f j with
     | Got (x, j0) ->
       (match keyword t "line" j0 with
        | Got (_, j1) ->
          (match exactly n (fun i0 ->
                   match point_number t f "a height" i0 with
                   | Got (x0, j2) ->
                     (match read_support t f j2 with
                      | Got (x1, j3) -> Got ((x0, x1), j3)
                      | Stopped (p, why) -> Stopped (p, why))
                   | Stopped (p, why) -> Stopped (p, why)) j1 with
           | Got (x0, j2) ->
             (match keyword t "stairs" j2 with
              | Got (_, j3) ->
                (match several t "the number of stairs" Integer.zero
                         (read_point t f) j3 with
                 | Got (x1, j4) ->
                   Got ({ bend = x; pieces = x0; stairs = x1 }, j4)
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_all_bounds :
    text -> Integer.t -> mixture -> bounds list reader **)

let rec read_all_bounds t n o i =
  match o with
  | [] -> Got ([], i)
  | p :: o' ->
    let (_, f) = p in
    (match read_bounds t n f i with
     | Got (x, j) ->
       (match read_all_bounds t n o' j with
        | Got (x0, j0) -> Got ((x :: x0), j0)
        | Stopped (p0, why) -> Stopped (p0, why))
     | Stopped (p0, why) -> Stopped (p0, why))

(** val read_room : text -> (rat * mixed_part) list -> rat option reader **)

let read_room t parts0 i =
  if has_upper parts0
  then (match keyword t "room" i with
        | Got (_, j) ->
          (match rational t "the room above a level" j with
           | Got (x, j0) ->
             (match unless
                      (complain (Integer.leq x.num Integer.zero) (fun _ ->
                        (Say "the room above a level is not positive") :: []))
                      j0 with
              | Got (_, j1) -> Got ((Some x), j1)
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
  else Got (None, i)

(** val read_curves : text -> question -> question reader **)

let read_curves t q i =
  match q with
  | Plain o -> Got ((Plain o), i)
  | Mixed (parts0, _, _, _) ->
    (match read_room t parts0 i with
     | Got (x, j) ->
       (match keyword t "places" j with
        | Got (_, j0) ->
          (match several t "the number of places" ((fun p -> p) Integer.one)
                   (rational t "a place") j0 with
           | Got (x0, j1) ->
             (match read_all_bounds t
                      (fold_left (fun n _ ->
                        Integer.add n ((fun p -> p) Integer.one)) x0
                        Integer.zero) (bounded_mixture parts0 x) j1 with
              | Got (x1, j2) -> Got ((Mixed (parts0, x, x0, x1)), j2)
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))

(** val read_scale : text -> Integer.t reader **)

let read_scale t =
  positive_number t "the scale"

(** val read_unit : text -> rat reader **)

let read_unit t i =
  match keyword t "unit" i with
  | Got (_, j) ->
    (match rational t "the unit" j with
     | Got (u, j0) ->
       if Integer.lt Integer.zero u.num
       then Got (u, j0)
       else wrong t "the unit" j ((Say "more than 0") :: [])
     | Stopped (place0, why) -> Stopped (place0, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_windows :
    text -> Integer.t -> string -> string -> (Integer.t * Integer.t) list
    reader **)

let read_windows t horizon first_end last_end i =
  match keyword t "windows" i with
  | Got (_, j) ->
    exactly (Integer.add horizon ((fun p -> p) Integer.one)) (fun i0 ->
      match integer t first_end i0 with
      | Got (x, j0) ->
        (match integer t last_end j0 with
         | Got (x0, j1) -> Got ((x, x0), j1)
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why)) j
  | Stopped (p, why) -> Stopped (p, why)

(** val read_grid : text -> Integer.t -> grid reader **)

let read_grid t horizon i =
  match read_unit t i with
  | Got (x, j) ->
    (match keyword t "stretch" j with
     | Got (_, j0) ->
       (match positive_number t "stretch" j0 with
        | Got (x0, j1) ->
          (match keyword t "shrink" j1 with
           | Got (_, j2) ->
             (match positive_number t "shrink" j2 with
              | Got (x1, j3) ->
                (match read_windows t horizon "the first index of a window"
                         "the last index of a window" j3 with
                 | Got (x2, j4) ->
                   Got ({ unit_size = x; stretch = x0; shrink = x1; windows =
                     x2 }, j4)
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_cells : text -> Integer.t -> cells reader **)

let read_cells t horizon i =
  match read_unit t i with
  | Got (x, j) ->
    (match keyword t "base" j with
     | Got (_, j0) ->
       (match integer t "the base of rewards" j0 with
        | Got (x0, j1) ->
          (match keyword t "halvings" j1 with
           | Got (_, j2) ->
             (match exactly horizon
                      (between t "the number of halvings" Integer.zero
                        most_halvings) j2 with
              | Got (x1, j3) ->
                (match read_windows t horizon "the first node of a window"
                         "the last node of a window" j3 with
                 | Got (x2, j4) ->
                   Got ({ cell_unit = x; base = x0; halvings = x1;
                     cell_windows = x2 }, j4)
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_start : text -> string -> Integer.t reader **)

let read_start t what i =
  match keyword t "start" i with
  | Got (_, j) -> integer t what j
  | Stopped (p, why) -> Stopped (p, why)

(** val read_played : text -> Integer.t reader **)

let read_played t =
  between t "an action" Integer.zero most_items

(** val read_run : text -> (Integer.t * Integer.t) reader **)

let read_run t i =
  match positive_number t "the length of a run" i with
  | Got (x, j) ->
    (match read_played t j with
     | Got (x0, j0) -> Got ((x, x0), j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_choices :
    text -> Integer.t -> 'a1 reader -> 'a1 listing reader **)

let read_choices t states r i =
  match keyword t "choices" i with
  | Got (_, j) ->
    states_to t "the number of states of the step" Integer.zero "the state"
      states r j
  | Stopped (p, why) -> Stopped (p, why)

(** val read_all_choices :
    text -> Integer.t -> Integer.t -> 'a1 reader -> 'a1 listing list reader **)

let read_all_choices t states horizon r =
  exactly horizon (read_choices t states r)

(** val read_rule : text -> memory_rule reader **)

let read_rule t i =
  match keyword t "rule" i with
  | Got (_, j) ->
    (match integer t "the factor of a rule" j with
     | Got (x, j0) ->
       (match positive_number t "the denominator of a rule's coins" j0 with
        | Got (x0, j1) ->
          (match several t "the number of moves" Integer.zero (fun i0 ->
                   match integer t "a reward" i0 with
                   | Got (x1, j2) ->
                     (match integer t "the shift of a move" j2 with
                      | Got (x2, j3) ->
                        (match natural t "the coin of a move" j3 with
                         | Got (x3, j4) -> Got ((x1, (x2, x3)), j4)
                         | Stopped (p, why) -> Stopped (p, why))
                      | Stopped (p, why) -> Stopped (p, why))
                   | Stopped (p, why) -> Stopped (p, why)) j1 with
           | Got (x1, j2) ->
             Got ({ factor = x; coin_den = x0; moves = x1 }, j2)
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_row : text -> memory_row reader **)

let read_row t i =
  match integer t "the first memory of a row" i with
  | Got (x, j) ->
    (match read_played t j with
     | Got (x0, j0) ->
       (match several t "the number of runs" Integer.zero (read_run t) j0 with
        | Got (x1, j1) -> Got ({ first = x; before = x0; row_runs = x1 }, j1)
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_machine :
    text -> Integer.t -> Integer.t ->
    (Integer.t * (Integer.t * (memory_rule * memory_row listing) list)) reader **)

let read_machine t states horizon i =
  match keyword t "machine" i with
  | Got (_, j) ->
    (match natural t "the weight of a machine" j with
     | Got (x, j0) ->
       (match integer t "the first memory" j0 with
        | Got (x0, j1) ->
          (match exactly horizon (fun i0 ->
                   match read_rule t i0 with
                   | Got (x1, j2) ->
                     (match read_choices t states (read_row t) j2 with
                      | Got (x2, j3) -> Got ((x1, x2), j3)
                      | Stopped (p, why) -> Stopped (p, why))
                   | Stopped (p, why) -> Stopped (p, why)) j1 with
           | Got (x1, j2) -> Got ((x, (x0, x1)), j2)
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_costs : text -> Integer.t -> (Integer.t * Integer.t) reader **)

let read_costs t left i =
  match between t "the length of a run of multipliers" ((fun p -> p)
          Integer.one) left i with
  | Got (x, j) ->
    (match integer t "a multiplier" j with
     | Got (x0, j0) -> Got ((x, x0), j0)
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_lower : text -> needs -> objective -> written_lower reader **)

let read_lower t k o =
  let states = k.state_number in
  let horizon = k.step_number in
  (fun i ->
  match keyword t "lower" i with
  | Got (_, j) ->
    select t "a kind of proof" (not_covered_word "a lower bound by")
      (("markov", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match unless (large_number k x) j0 with
         | Got (_, j1) ->
           (match read_all_choices t states horizon (read_played t) j1 with
            | Got (x0, j2) -> Got ((WrittenMarkov (x, x0)), j2)
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("budget", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_grid t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_grid k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the index at the start" j2 with
               | Got (x1, j3) ->
                 (match read_all_choices t states horizon
                          (several t "the number of runs" ((fun p -> p)
                            Integer.one) (read_run t)) j3 with
                  | Got (x2, j4) -> Got ((WrittenBudget (x, x0, x1, x2)), j4)
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("cells", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_cells t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_cells k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the node at the start" j2 with
               | Got (x1, j3) ->
                 (match read_all_choices t states horizon
                          (several t "the number of runs" ((fun p -> p)
                            Integer.one) (read_run t)) j3 with
                  | Got (x2, j4) -> Got ((WrittenCells (x, x0, x1, x2)), j4)
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("lines", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_cells t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_cells k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the node at the start" j2 with
               | Got (x1, j3) ->
                 (match keyword t "multipliers" j3 with
                  | Got (_, j4) ->
                    (match fill (multipliers x0.cell_windows) (read_costs t)
                             j4 with
                     | Got (x2, j5) ->
                       (match keyword t "policy" j5 with
                        | Got (_, j6) ->
                          (match read_all_choices t states horizon
                                   (several t "the number of runs"
                                     ((fun p -> p) Integer.one) (read_run t))
                                   j6 with
                           | Got (x3, j7) ->
                             Got ((WrittenLines (x, x0, x1, x2, x3)), j7)
                           | Stopped (p, why) -> Stopped (p, why))
                        | Stopped (p, why) -> Stopped (p, why))
                     | Stopped (p, why) -> Stopped (p, why))
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("law", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match unless (large_number k x) j0 with
         | Got (_, j1) ->
           (match positive_number t "the sum of the machines' weights" j1 with
            | Got (x0, j2) ->
              (match several t "the number of machines" ((fun p -> p)
                       Integer.one) (read_machine t states horizon) j2 with
               | Got (x1, j3) -> Got ((WrittenLaw (x, x0, x1)), j3)
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: []))))) j
  | Stopped (p, why) -> Stopped (p, why))

(** val node_words : bool -> bool -> string **)

let node_words contracting levels0 =
  if contracting
  then if levels0
       then "'passed', 'cut', 'contract' or 'dual'"
       else "'cut', 'contract' or 'dual'"
  else "'cut', 'passed' or 'dual'"

(** val read_cover :
    text -> Integer.t -> (Integer.t -> phrase list) -> (Integer.t -> phrase
    list) -> bool -> bool -> nat -> written_cover reader **)

let rec read_cover t n large wide contracting levels0 = function
| O ->
  (fun i -> Stopped (i, ((Say "cuts more than ") :: ((Figure
    deepest_cover) :: ((Say " deep") :: [])))))
| S depth' ->
  select t (node_words contracting levels0)
    (other_word (node_words contracting levels0)) (("cut", (fun i ->
    match integer t "the coordinate of a cut" i with
    | Got (x, j) ->
      (match rational t "the level of a cut" j with
       | Got (x0, j0) ->
         (match read_cover t n large wide contracting
                  ((&&) levels0 (negb contracting)) depth' j0 with
          | Got (x1, j1) ->
            (match read_cover t n large wide contracting
                     ((&&) levels0 (negb contracting)) depth' j1 with
             | Got (x2, j2) -> Got ((WrittenCut (x, x0, x1, x2)), j2)
             | Stopped (p, why) -> Stopped (p, why))
          | Stopped (p, why) -> Stopped (p, why))
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: (app
                                                  (if levels0
                                                   then ("passed", (fun i ->
                                                          match read_scale t i with
                                                          | Got (x, j) ->
                                                            (match unless
                                                                    (large x)
                                                                    j with
                                                             | Got (_, j0) ->
                                                               (match 
                                                                integer t
                                                                  "the coordinate of a level that is passed"
                                                                  j0 with
                                                                | Got (
                                                                    x0, j1) ->
                                                                  (match 
                                                                   rational t
                                                                    "a level that is passed"
                                                                    j1 with
                                                                   | Got (
                                                                    x1, j2) ->
                                                                    (match 
                                                                    read_cover
                                                                    t n large
                                                                    wide
                                                                    contracting
                                                                    levels0
                                                                    depth' j2 with
                                                                    | Got (
                                                                    x2, j3) ->
                                                                    Got
                                                                    ((WrittenPassed
                                                                    (x, x0,
                                                                    x1, x2)),
                                                                    j3)
                                                                    | Stopped (
                                                                    p, why) ->
                                                                    Stopped
                                                                    (p, why))
                                                                   | Stopped (
                                                                    p, why) ->
                                                                    Stopped
                                                                    (p, why))
                                                                | Stopped (
                                                                    p, why) ->
                                                                  Stopped (p,
                                                                    why))
                                                             | Stopped (
                                                                 p, why) ->
                                                               Stopped (p,
                                                                 why))
                                                          | Stopped (
                                                              p, why) ->
                                                            Stopped (p, why))) :: []
                                                   else [])
                                                  (app
                                                    (if contracting
                                                     then ("contract",
                                                            (fun i ->
                                                            match read_scale
                                                                    t i with
                                                            | Got (x, j) ->
                                                              (match 
                                                               unless
                                                                 (wide x) j with
                                                               | Got (
                                                                   _, j0) ->
                                                                 (match 
                                                                  fill n
                                                                    (read_costs
                                                                    t) j0 with
                                                                  | Got (
                                                                    x0, j1) ->
                                                                    (match 
                                                                    read_cover
                                                                    t n large
                                                                    wide
                                                                    contracting
                                                                    false
                                                                    depth' j1 with
                                                                    | Got (
                                                                    x1, j2) ->
                                                                    Got
                                                                    ((WrittenContract
                                                                    (x, x0,
                                                                    x1)), j2)
                                                                    | Stopped (
                                                                    p, why) ->
                                                                    Stopped
                                                                    (p, why))
                                                                  | Stopped (
                                                                    p, why) ->
                                                                    Stopped
                                                                    (p, why))
                                                               | Stopped (
                                                                   p, why) ->
                                                                 Stopped (p,
                                                                   why))
                                                            | Stopped (
                                                                p, why) ->
                                                              Stopped (p, why))) :: []
                                                     else []) (("dual",
                                                    (fun i ->
                                                    match fill n
                                                            (read_costs t) i with
                                                    | Got (x, j) ->
                                                      Got ((WrittenDual x), j)
                                                    | Stopped (p, why) ->
                                                      Stopped (p, why))) :: []))))

(** val not_wide : Integer.t -> phrase list **)

let not_wide _ =
  []

(** val enough_depth : nat **)

let enough_depth =
  (fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
    (Integer.add deepest_cover ((fun p -> p) Integer.one))

(** val read_upper : text -> needs -> objective -> written_upper reader **)

let read_upper t k o =
  let horizon = k.step_number in
  (fun i ->
  match keyword t "upper" i with
  | Got (_, j) ->
    select t "a kind of proof" (not_covered_word "an upper bound by")
      (("mean", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match unless (large_number k x) j0 with
         | Got (_, j1) -> Got ((WrittenMean x), j1)
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("budgets", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_grid t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_grid k x o x0) j1 with
            | Got (_, j2) -> Got ((WrittenBudgets (x, x0)), j2)
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("cells", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_cells t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_cells k x o x0) j1 with
            | Got (_, j2) -> Got ((WrittenAllCells (x, x0)), j2)
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("threshold", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_grid t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_grid k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the index at the start" j2 with
               | Got (x1, j3) -> Got ((WrittenThreshold (x, x0, x1)), j3)
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("cover", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_grid t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_grid k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the index at the start" j2 with
               | Got (x1, j3) ->
                 let n = multipliers x0.windows in
                 (match read_cover t n (fun own -> large_grid k own o x0)
                          not_wide false true enough_depth j3 with
                  | Got (x2, j4) ->
                    (match unless (large_cover k x n x2) j4 with
                     | Got (_, j5) -> Got ((WrittenCover (x, x0, x1, x2)), j5)
                     | Stopped (p, why) -> Stopped (p, why))
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("cell_cover", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_cells t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_cells k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the node at the start" j2 with
               | Got (x1, j3) ->
                 let n = multipliers x0.cell_windows in
                 (match read_cover t n (fun own -> large_cells k own o x0)
                          not_wide false true enough_depth j3 with
                  | Got (x2, j4) ->
                    (match unless (large_cover k x n x2) j4 with
                     | Got (_, j5) ->
                       Got ((WrittenCellCover (x, x0, x1, x2)), j5)
                     | Stopped (p, why) -> Stopped (p, why))
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("return_cover",
      (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match several t "the number of returns" ((fun p -> p) Integer.one)
                 (integer t "a return") j0 with
         | Got (x0, j1) ->
           let n =
             Integer.max Integer.zero
               (Integer.sub (zlen x0) ((fun p -> p) Integer.one))
           in
           (match unless
                    (large_sums k x
                      (Integer.add n ((fun p -> p) Integer.one))) j1 with
            | Got (_, j2) ->
              (match read_cover t n (fun own ->
                       large_sums k own
                         (Integer.add n ((fun p -> p) Integer.one))) not_wide
                       false true enough_depth j2 with
               | Got (x1, j3) ->
                 (match unless (large_cover k x n x1) j3 with
                  | Got (_, j4) -> Got ((WrittenReturns (x, x0, x1)), j4)
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: (("contraction", (fun i0 ->
      match read_scale t i0 with
      | Got (x, j0) ->
        (match read_grid t horizon j0 with
         | Got (x0, j1) ->
           (match unless (large_grid k x o x0) j1 with
            | Got (_, j2) ->
              (match read_start t "the index at the start" j2 with
               | Got (x1, j3) ->
                 let n = multipliers x0.windows in
                 let wide = fun own -> large_contraction k own n x0.windows in
                 (match read_cover t n (fun own -> large_grid k own o x0)
                          wide true true enough_depth j3 with
                  | Got (x2, j4) ->
                    (match unless (large_cover k x n x2) j4 with
                     | Got (_, j5) ->
                       (match unless (large_kept k x2 x0.windows) j5 with
                        | Got (_, j6) ->
                          Got ((WrittenContraction (x, x0, x1, x2)), j6)
                        | Stopped (p, why) -> Stopped (p, why))
                     | Stopped (p, why) -> Stopped (p, why))
                  | Stopped (p, why) -> Stopped (p, why))
               | Stopped (p, why) -> Stopped (p, why))
            | Stopped (p, why) -> Stopped (p, why))
         | Stopped (p, why) -> Stopped (p, why))
      | Stopped (p, why) -> Stopped (p, why))) :: [])))))))) j
  | Stopped (p, why) -> Stopped (p, why))

type found = { read : file; objective_at : Integer.t; claim_at : Integer.t;
               model_at : Integer.t; curves_at : Integer.t;
               lower_at : Integer.t; upper_at : Integer.t }

(** val read_file : text -> limits -> found reader **)

let read_file t allowed i =
  match keyword t "verified-risk-proof" i with
  | Got (_, j) ->
    (match between t "the version of the format" ((fun p -> p) Integer.one)
             latest_format j with
     | Got (x, j0) ->
       (match keyword t "objective" j0 with
        | Got (_, j1) ->
          (match here j1 with
           | Got (x0, j2) ->
             (match read_objective t j2 with
              | Got (x1, j3) ->
                (match keyword t "claim" j3 with
                 | Got (_, j4) ->
                   (match here j4 with
                    | Got (x2, j5) ->
                      (match rational t "the lower bound" j5 with
                       | Got (x3, j6) ->
                         (match rational t "the upper bound" j6 with
                          | Got (x4, j7) ->
                            (match here j7 with
                             | Got (x5, j8) ->
                               (match read_model t j8 with
                                | Got (x6, j9) ->
                                  let k = needs_of allowed (fst x6) (snd x6)
                                  in
                                  (match unless (long_rates k) j9 with
                                   | Got (_, j10) ->
                                     (match here j10 with
                                      | Got (x7, j11) ->
                                        (match read_curves t x1 j11 with
                                         | Got (x8, j12) ->
                                           let o = objective_of x8 in
                                           (match here j12 with
                                            | Got (x9, j13) ->
                                              (match read_lower t k o j13 with
                                               | Got (x10, j14) ->
                                                 (match here j14 with
                                                  | Got (x11, j15) ->
                                                    (match read_upper t k o
                                                             j15 with
                                                     | Got (x12, j16) ->
                                                       (match keyword t "end"
                                                                j16 with
                                                        | Got (_, j17) ->
                                                          Got ({ read =
                                                            { format = x;
                                                            asked = x8;
                                                            claimed =
                                                            { lower = x3;
                                                            upper = x4 };
                                                            described =
                                                            (fst x6);
                                                            lower_part = x10;
                                                            upper_part =
                                                            x12 };
                                                            objective_at =
                                                            x0; claim_at =
                                                            x2; model_at =
                                                            x5; curves_at =
                                                            x7; lower_at =
                                                            x9; upper_at =
                                                            x11 }, j17)
                                                        | Stopped (p, why) ->
                                                          Stopped (p, why))
                                                     | Stopped (p, why) ->
                                                       Stopped (p, why))
                                                  | Stopped (p, why) ->
                                                    Stopped (p, why))
                                               | Stopped (p, why) ->
                                                 Stopped (p, why))
                                            | Stopped (p, why) ->
                                              Stopped (p, why))
                                         | Stopped (p, why) ->
                                           Stopped (p, why))
                                      | Stopped (p, why) -> Stopped (p, why))
                                   | Stopped (p, why) -> Stopped (p, why))
                                | Stopped (p, why) -> Stopped (p, why))
                             | Stopped (p, why) -> Stopped (p, why))
                          | Stopped (p, why) -> Stopped (p, why))
                       | Stopped (p, why) -> Stopped (p, why))
                    | Stopped (p, why) -> Stopped (p, why))
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val short_den : Integer.t **)

let short_den =
  Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one))
    ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one)))))))

(** val short : rat -> phrase list **)

let short bound =
  (Say ": it proves only ") :: ((Figure
    ((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
      (Integer.mul bound.num short_den) bound.den)) :: ((Say "/") :: ((Figure
    short_den) :: [])))

(** val provable : model -> objective -> lower_proof -> phrase list **)

let provable m o p =
  match o with
  | Tail (w, alpha) ->
    (match p with
     | ByBudget (v, g, start, choices) ->
       (match policy_cost m g start choices (cost_above v w alpha)
                (of_Z Integer.zero) with
        | Some cost0 ->
          short
            (rminus (rmult g.unit_size (of_Z start)) { num = cost0; den =
              (Integer.mul v m.initial_den) })
        | None -> [])
     | ByCells (v, c, start, choices) ->
       (match c.cell_windows with
        | [] -> []
        | p0 :: _ ->
          let (lo, _) = p0 in
          (match window_after c.cell_windows m.steps with
           | Some p1 ->
             let (lo', hi') = p1 in
             let u = c.cell_unit in
             let sum = discount_weights m m.steps in
             let budget = rmult u (of_Z start) in
             let cost0 = fun x -> Integer.neg (cost_above v w alpha x) in
             let bottom =
               cost0
                 (rplus budget
                   (rmult sum { num = (most_below m c.base); den =
                     m.reward_den }))
             in
             let terminal =
               terminal_row cost0 (last_cell_unit u c.halvings m.steps)
                 (of_Z Integer.zero) lo' hi'
             in
             let v0 =
               cells_table m false c.base bottom terminal (cell_rate_0 m c)
                 c.cell_windows c.halvings m.steps choices
             in
             short
               (rplus
                 (rplus budget
                   (rmult sum { num = c.base; den = m.reward_den })) { num =
                 (start_look m bottom lo v0 start); den =
                 (Integer.mul v m.initial_den) })
           | None -> []))
     | _ -> [])
  | Quantile (_, _) -> []
  | Polygon corners ->
    (match p with
     | ByBudget (v, g, start, choices) ->
       (match g.windows with
        | [] -> []
        | p0 :: _ ->
          let (lo, _) = p0 in
          (match window_after g.windows m.steps with
           | Some p1 ->
             let (lo', hi') = p1 in
             let u = unit_after g g.unit_size m.steps in
             let loss = loss_after m g (rate_0 m g) g.unit_size m.steps in
             let top =
               rminus (rminus (rmult g.unit_size (of_Z start)) loss)
                 (rmult u (of_Z (Integer.sub lo' ((fun p -> p) Integer.one))))
             in
             (match level_sum (level_cost m v g start choices lo lo' hi') v
                      m.initial_den corners
                      (along (fun j -> j) lo' (counter lo' hi')) with
              | Some sum ->
                short (rminus top (rmult u { num = sum; den = v }))
              | None -> [])
           | None -> []))
     | _ -> [])

(** val faulty_piece :
    curve -> rat -> (rat * rat) -> Integer.t -> rat -> rat -> rat list ->
    (rat * support) list -> phrase list **)

let rec faulty_piece f fall_end rise i x y marks l =
  match marks with
  | [] ->
    (match l with
     | [] ->
       complain (negb (rat_le one x)) (fun _ -> (Say
         "the line does not reach 1") :: [])
     | _ :: _ -> (Say "its line has another length than the places") :: [])
  | x' :: marks' ->
    (match l with
     | [] -> (Say "its line has another length than the places") :: []
     | p :: l' ->
       let (y', s) = p in
       if (&&)
            ((&&)
              ((&&) ((&&) (positive_den x') (positive_den y')) (rat_lt x x'))
              (rat_le x' one)) (supported f fall_end rise x y x' y' s)
       then faulty_piece f fall_end rise
              (Integer.add i ((fun p -> p) Integer.one)) x' y' marks' l'
       else (Say "piece ") :: ((Figure i) :: ((Say
              " of its line is not proved to be below it") :: [])))

(** val faulty_stair : curve -> Integer.t -> point list -> phrase list **)

let rec faulty_stair f i = function
| [] -> []
| c :: l' ->
  if point_above f c
  then faulty_stair f (Integer.add i ((fun p -> p) Integer.one)) l'
  else (Say "stair ") :: ((Figure i) :: ((Say
         " is not proved to be above it") :: []))

(** val faulty_curve :
    Integer.t -> rat list -> mixture -> bounds list -> phrase list **)

let rec faulty_curve i marks o l =
  match o with
  | [] -> []
  | p :: o' ->
    let (_, f) = p in
    (match l with
     | [] -> []
     | b :: l' ->
       (match or_else
                (faulty_piece f (falls_to f b.bend) (rises_between f b.bend)
                  Integer.zero (of_Z Integer.zero) (of_Z Integer.zero) marks
                  b.pieces) (faulty_stair f Integer.zero b.stairs) with
        | [] ->
          faulty_curve (Integer.add i ((fun p -> p) Integer.one)) marks o' l'
        | p0 :: l0 ->
          (Say ": curve ") :: ((Figure i) :: ((Say ": ") :: (p0 :: l0)))))

(** val words_of : reason -> string **)

let words_of = function
| Model_is_wrong ->
  "refused: the model is not one: a row does not sum to its total, or a number has the wrong sign"
| Objective_is_wrong ->
  "refused: the objective is not one: its numbers are out of range"
| Claim_is_wrong ->
  "refused: the claim has a denominator that is not positive"
| Lower_not_proved ->
  "refused: the policy of the certificate does not prove the lower bound"
| Upper_not_proved ->
  "refused: the tables of the certificate do not prove the upper bound"
| Not_covered -> "not covered: this objective with this kind of proof"
| Curve_not_bounded -> "refused: a point of a curve is not proved"

(** val judge : file -> reason option * string **)

let judge f =
  let m = model_of f.described in
  let k = certificate_of f in
  (match f.asked with
   | Plain o -> ((verdict m o f.claimed k), "check_sound")
   | Mixed (parts0, room, marks, l) ->
     (match room with
      | Some e ->
        ((verdict_upper m parts0 e f.claimed { places = marks; curve_bounds =
           l; proofs = k }), "upper_quantiles_sound")
      | None ->
        ((if has_upper parts0
          then Some Objective_is_wrong
          else verdict_curved m (bounded_mixture parts0 None) f.claimed
                 { places = marks; curve_bounds = l; proofs = k }),
          "check_curved_sound")))

(** val more_of : file -> reason -> phrase list **)

let more_of f = function
| Lower_not_proved ->
  (match f.asked with
   | Plain o -> provable (model_of f.described) o (lower_of f.lower_part)
   | Mixed (_, _, _, _) -> [])
| Curve_not_bounded ->
  (match f.asked with
   | Plain _ -> []
   | Mixed (parts0, room, marks, l) ->
     faulty_curve Integer.zero marks (bounded_mixture parts0 room) l)
| _ -> []

type answer =
| Proved of phrase list
| Refused of phrase list

(** val refused_at : text -> Integer.t -> phrase list -> answer **)

let refused_at t i why =
  Refused ((Say "refused: line ") :: ((Figure (line_of t i)) :: ((Say
    ": ") :: why)))

(** val check_text : limits -> text -> answer **)

let check_text allowed t =
  match read_file t allowed Integer.zero with
  | Got (f, j) ->
    let a = skip t j in
    if Integer.lt a t.byte_count
    then refused_at t a ((Quote a) :: ((Say " behind the end") :: []))
    else let (o, theorem) = judge f.read in
         (match o with
          | Some why -> Refused ((Say (words_of why)) :: (more_of f.read why))
          | None ->
            Proved ((Say "proved by ") :: ((Say theorem) :: ((Say
              "; objective ") :: ((Span (f.objective_at,
              f.claim_at)) :: ((Say " ") :: ((Span (f.claim_at,
              f.model_at)) :: ((Say "; model ") :: ((Fingerprint (f.model_at,
              f.curves_at)) :: ((Say "; policy ") :: ((Fingerprint
              (f.lower_at, f.upper_at)) :: [])))))))))))
  | Stopped (i, why) -> refused_at t i why

type possibility = { drawn : Integer.t; leads_to : Integer.t;
                     times : Integer.t; share : Integer.t }

type sampled = { label : Integer.t; shares : Integer.t; beyond : Integer.t;
                 possible : possibility list }

type data = { failure : rat; tests0 : Integer.t; data_discount : rat;
              data_reward_den : Integer.t; data_initial_den : Integer.t;
              data_initial : (Integer.t * Integer.t) list;
              data_horizon : Integer.t; rows : sampled list listing }

(** val pair_rows : data -> sampled list tree **)

let pair_rows d =
  tree_of d.rows

(** val up_places : Integer.t **)

let up_places =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))))))

(** val down_places : Integer.t **)

let down_places =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one))))))

(** val up_power : Integer.t **)

let up_power =
  Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one))
    ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one))))))))

(** val down_power : Integer.t **)

let down_power =
  Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one))
    ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one)))))))

(** val too_long : Integer.t **)

let too_long =
  Z.pow ((fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one))
    ((fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one))))))))

(** val two : Integer.t **)

let two =
  (fun p -> p) ((fun p -> Integer.shift_left p 1) Integer.one)

(** val normalised : (Integer.t * Integer.t) -> Integer.t * Integer.t **)

let normalised = function
| (m, e) ->
  if Integer.lt m up_power
  then ((Integer.mul m up_power), (Integer.sub e up_places))
  else if Integer.leq too_long m
       then (((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
               m down_power), (Integer.add e down_places))
       else (m, e)

(** val factor_in :
    Integer.t -> Integer.t -> Integer.t ->
    (Integer.t * (Integer.t * Integer.t)) ->
    Integer.t * (Integer.t * Integer.t) **)

let factor_in d w k = function
| (i, x) ->
  let (m, e) = x in
  ((Integer.add i ((fun p -> p) Integer.one)),
  (normalised
    (((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
       (Integer.mul m
         (Integer.mul
           (Integer.add (Integer.mul two i) ((fun p -> p) Integer.one)) d))
       (Integer.mul
         (Integer.mul two
           (Integer.add (Integer.add i k) ((fun p -> p) Integer.one))) w)),
    e)))

(** val factors_in :
    Integer.t -> Integer.t -> Integer.t -> Integer.t ->
    (Integer.t * Integer.t) -> Integer.t * Integer.t **)

let factors_in d w k n x =
  snd (Z.iter n (factor_in d w k) (Integer.zero, x))

(** val lowest_exponent : Integer.t **)

let lowest_exponent =
  Integer.neg ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    Integer.one)))))))))

(** val at_most_number : rat -> (Integer.t * Integer.t) -> bool **)

let at_most_number c = function
| (m, e) ->
  if Integer.leq Integer.zero e
  then Integer.leq c.num (Integer.mul m c.den)
  else (&&) (Integer.lt lowest_exponent e)
         (Integer.leq (Integer.mul c.num (Z.pow two (Integer.neg e)))
           (Integer.mul m c.den))

(** val unity : Integer.t * Integer.t **)

let unity =
  normalised (((fun p -> p) Integer.one), Integer.zero)

(** val good_end : rat -> Integer.t -> Integer.t -> possibility -> bool **)

let good_end c n d o =
  (&&)
    ((&&)
      ((&&) ((&&) (Integer.leq Integer.zero o.times) (Integer.leq o.times n))
        (Integer.leq Integer.zero o.share)) (Integer.lt o.share d))
    ((||) (Integer.equal o.share Integer.zero)
      ((&&) (Integer.leq (Integer.mul n o.share) (Integer.mul o.times d))
        (at_most_number c
          (factors_in d (Integer.sub d o.share) o.times
            (Integer.sub n o.times)
            (factors_in d o.share Integer.zero o.times unity)))))

(** val missing : sampled -> Integer.t **)

let missing p =
  Integer.sub p.shares (zsum (fun p0 -> p0.share) p.possible)

(** val visit_sum : sampled -> Integer.t **)

let visit_sum p =
  zsum (fun p0 -> p0.times) p.possible

(** val seen_of : sampled -> possibility list **)

let seen_of p =
  filter (fun o -> Integer.lt Integer.zero o.times) p.possible

(** val power_in :
    Integer.t -> Integer.t -> (Integer.t * Integer.t) -> Integer.t * Integer.t **)

let power_in d w = function
| (m, e) ->
  normalised
    (((fun a b -> if Integer.equal b Integer.zero then Integer.zero else Integer.fdiv a b)
       (Integer.mul m d) w), e)

(** val powers_in :
    Integer.t -> Integer.t -> Integer.t -> (Integer.t * Integer.t) ->
    Integer.t * Integer.t **)

let powers_in d w n x =
  Z.iter n (power_in d w) x

(** val set_weight : Integer.t -> Integer.t -> Integer.t * Integer.t **)

let set_weight m k =
  factors_in ((fun p -> p) Integer.one) ((fun p -> p) Integer.one) m
    (Integer.sub k m)
    (factors_in ((fun p -> p) Integer.one) ((fun p -> p) Integer.one)
      Integer.zero m unity)

(** val good_beyond : rat -> sampled -> bool **)

let good_beyond c p =
  (&&) (Integer.lt Integer.zero p.beyond)
    ((||) (Integer.equal p.beyond (missing p))
      ((&&)
        ((&&) (Integer.lt p.beyond (missing p))
          (Integer.lt p.beyond p.shares))
        (at_most_number c
          (powers_in p.shares (Integer.sub p.shares p.beyond) (visit_sum p)
            (set_weight (zlen (seen_of p)) (zlen p.possible))))))

(** val comes_before : possibility -> possibility -> bool **)

let comes_before o o' =
  (||) (Integer.lt o.drawn o'.drawn)
    ((&&) (Integer.equal o.drawn o'.drawn)
      (Integer.lt ((fun p -> p) o.leads_to) ((fun p -> p) o'.leads_to)))

(** val in_order : possibility list -> bool **)

let rec in_order = function
| [] -> true
| o :: l' ->
  (&&) (match l' with
        | [] -> true
        | o' :: _ -> comes_before o o') (in_order l')

(** val four : Integer.t **)

let four =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) Integer.one))

(** val share_of : rat -> Integer.t -> rat **)

let share_of c k =
  { num = c.num; den = (Integer.mul k c.den) }

(** val good_sampled : rat -> sampled -> bool **)

let good_sampled c p =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) (in_order p.possible) (Integer.lt Integer.zero (missing p)))
          (Integer.lt Integer.zero p.shares))
        (negb (match p.possible with
               | [] -> true
               | _ :: _ -> false)))
      (forallb
        (good_end
          (share_of c ((fun p -> p)
            ((fun p -> Integer.succ (Integer.shift_left p 1)) Integer.one)))
          (visit_sum p) p.shares) p.possible))
    (good_beyond (share_of c (zlen p.possible)) p)

(** val threshold : data -> rat **)

let threshold d =
  { num = (Integer.mul (Integer.mul four d.tests0) d.failure.den); den =
    d.failure.num }

(** val good_data : data -> bool **)

let good_data d =
  (&&)
    ((&&)
      ((&&) (Integer.lt Integer.zero d.failure.num)
        (Integer.lt Integer.zero d.failure.den))
      (Integer.leq ((fun p -> p) Integer.one) d.tests0))
    (let c = threshold d in
     forallb (fun sl -> forallb (good_sampled c) (snd sl)) d.rows)

(** val proved_outcomes : sampled -> outcome list **)

let proved_outcomes p =
  map (fun o -> { weight = o.share; gain = o.drawn; next = o.leads_to })
    (filter (fun o -> Integer.lt Integer.zero o.share) p.possible)

(** val inner : sampled -> Integer.t **)

let inner p =
  Integer.sub (missing p) p.beyond

(** val places0 : sampled -> (possibility option * possibility) list **)

let places0 p =
  flat_map (fun x -> map (fun o -> (x, o)) p.possible)
    (if Integer.equal (inner p) Integer.zero
     then None :: []
     else map (fun x -> Some x) (seen_of p))

(** val added : Integer.t -> possibility -> outcome **)

let added w o =
  { weight = w; gain = o.drawn; next = o.leads_to }

(** val completed_with :
    Integer.t -> Integer.t -> Integer.t -> outcome list -> (possibility
    option * possibility) -> action **)

let completed_with n lost kept0 proved x =
  { total = n; outcomes =
    ((added lost (snd x)) :: (match fst x with
                              | Some o -> (added kept0 o) :: proved
                              | None -> proved)) }

(** val completions : sampled -> action list **)

let completions p =
  let proved = proved_outcomes p in
  let lost = p.beyond in
  let kept0 = inner p in
  map (completed_with p.shares lost kept0 proved) (places0 p)

(** val model_with : data -> step -> model **)

let model_with d st =
  { discount_rate = d.data_discount; reward_den = d.data_reward_den;
    initial_den = d.data_initial_den; initial = d.data_initial; steps =
    (repeat st
      ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
        d.data_horizon)) }

(** val groups : data -> action list list tree **)

let groups d =
  tmap (map completions) (pair_rows d)

(** val completed_model : data -> model **)

let completed_model d =
  model_with d (tmap concat (groups d))

(** val group_above :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> action list -> Integer.t list option **)

let rec group_above g r under fit lo hi lo' hi' room room' v = function
| [] -> None
| a :: acts' ->
  (match action_above g r under fit lo hi lo' hi' room room' v a with
   | Some row ->
     (match acts' with
      | [] -> Some row
      | _ :: _ ->
        (match group_above g r under fit lo hi lo' hi' room room' v acts' with
         | Some row' -> Some (zmap2 Integer.max row row')
         | None -> None))
   | None -> None)

(** val used_groups :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> (Integer.t * Integer.t) list -> Integer.t -> action list list ->
    Integer.t list option list **)

let rec used_groups g r under fit lo hi lo' hi' room room' v runs i = function
| [] -> []
| acts :: l' ->
  (if is_used runs i
   then group_above g r under fit lo hi lo' hi' room room' v acts
   else None) :: (used_groups g r under fit lo hi lo' hi' room room' v runs
                   (Integer.add i ((fun p -> p) Integer.one)) l')

(** val state_robust :
    grid -> rat -> Integer.t -> bool -> Integer.t -> Integer.t -> Integer.t
    -> Integer.t -> Integer.t list -> Integer.t list -> Integer.t list values
    -> (Integer.t * Integer.t) list option -> action list list -> Integer.t
    list option **)

let state_robust g r under fit lo hi lo' hi' room room' v choice l =
  match choice with
  | Some runs ->
    let row =
      pick runs
        (used_groups g r under fit lo hi lo' hi' room room' v runs
          Integer.zero l)
    in
    if (&&)
         (Integer.equal (zlen row)
           (Integer.add (Integer.sub hi lo) ((fun p -> p) Integer.one)))
         (Integer.leq lo hi)
    then Some row
    else None
  | None -> None

(** val robust_table :
    model -> grid -> rat -> Integer.t -> Integer.t list ->
    (Integer.t * Integer.t) list -> action list list tree list -> budget_rows
    list -> Integer.t list values **)

let rec robust_table m g r under terminal ws gs choices =
  match gs with
  | [] -> Everywhere terminal
  | st :: rest ->
    (match ws with
     | [] -> At Leaf
     | p :: l ->
       let (lo, hi) = p in
       (match l with
        | [] -> At Leaf
        | p0 :: _ ->
          let (lo', hi') = p0 in
          (match choices with
           | [] -> At Leaf
           | c :: choices' ->
             let v =
               robust_table m g (rate_next m g r) under terminal (tl ws) rest
                 choices'
             in
             let fit =
               rows_fit
                 (Integer.add (Integer.sub hi' lo') ((fun p -> p)
                   Integer.one)) v
             in
             let room = zeros lo hi in
             let room' = zeros lo' hi' in
             At
             (tzip (state_robust g r under fit lo hi lo' hi' room room' v) c
               st))))

(** val robust_cost :
    model -> action list list tree list -> grid -> Integer.t -> budget_rows
    list -> (rat -> Integer.t) -> Integer.t option **)

let robust_cost m gs g start choices cost0 =
  match g.windows with
  | [] -> None
  | p :: _ ->
    let (lo, hi) = p in
    (match window_after g.windows m.steps with
     | Some p0 ->
       let (lo', hi') = p0 in
       let u' = unit_after g g.unit_size m.steps in
       let e = loss_after m g (rate_0 m g) g.unit_size m.steps in
       let under =
         cost0
           (rplus
             (rmult u' (of_Z (Integer.sub lo' ((fun p -> p) Integer.one)))) e)
       in
       let v =
         robust_table m g (rate_0 m g) under
           (terminal_row cost0 u' e lo' hi') g.windows gs choices
       in
       if (&&) (Integer.leq start hi) (good_grid g)
       then start_sum (fun s ->
              match value_at v s with
              | Some row -> Some (look under lo row start)
              | None -> None) m.initial
       else None
     | None -> None)

(** val group_steps : data -> action list list tree list **)

let group_steps d =
  repeat (groups d)
    ((fun z -> let rec go n i = if i <= 0 then n else go (S n) (i - 1) in
     if Integer.sign z <= 0 then O else if Integer.fits_int z then go O (Integer.to_int z)
     else Stdlib.raise Out_of_memory)
      d.data_horizon)

(** val robust_bound :
    data -> Integer.t -> grid -> Integer.t -> budget_rows list -> rat -> rat
    -> rat option **)

let robust_bound d v g start choices w alpha =
  match robust_cost (completed_model d) (group_steps d) g start choices
          (cost_above v w alpha) with
  | Some x ->
    Some
      (rminus (rmult g.unit_size (of_Z start)) { num = x; den =
        (Integer.mul v d.data_initial_den) })
  | None -> None

type data_reason =
| Plan of reason
| End_not_proved

(** val robust_test :
    data -> objective -> lower_proof -> rat -> data_reason * (unit -> bool) **)

let robust_test d o p bound =
  match o with
  | Tail (w, alpha) ->
    (match p with
     | ByBudget (v, g, start, choices) ->
       ((Plan Lower_not_proved), (fun _ ->
         (&&) ((&&) (Integer.lt Integer.zero v) (good_grid g))
           (match robust_bound d v g start choices w alpha with
            | Some x -> rat_le bound x
            | None -> false)))
     | _ -> ((Plan Not_covered), (fun _ -> false)))
  | _ -> ((Plan Not_covered), (fun _ -> false))

(** val optimistic_test :
    data -> objective -> upper_proof -> rat -> data_reason * (unit -> bool) **)

let optimistic_test d o p bound =
  match o with
  | Tail (_, _) ->
    let (why, test) = upper_test (completed_model d) o p bound in
    ((Plan why), test)
  | _ -> ((Plan Not_covered), (fun _ -> false))

(** val data_tests :
    data -> objective -> claim -> certificate -> (data_reason * (unit ->
    bool)) list **)

let data_tests d o c k =
  (End_not_proved, (fun _ -> good_data d)) :: (((Plan Model_is_wrong),
    (fun _ -> good_model (completed_model d))) :: (((Plan
    Objective_is_wrong), (fun _ -> good_objective o)) :: (((Plan
    Claim_is_wrong), (fun _ ->
    (&&) (positive_den c.lower) (positive_den c.upper))) :: ((robust_test d o
                                                               k.low c.lower) :: (
    (optimistic_test d o k.up c.upper) :: [])))))

(** val first_data_failure :
    (data_reason * (unit -> bool)) list -> data_reason option **)

let rec first_data_failure = function
| [] -> None
| p :: l' ->
  let (why, test) = p in if test () then first_data_failure l' else Some why

(** val data_verdict :
    data -> objective -> claim -> certificate -> data_reason option **)

let data_verdict d o c k =
  first_data_failure (data_tests d o c k)

type data_file = { data_format : Integer.t; data_states : Integer.t;
                   data_asked : objective; data_claimed : claim;
                   data_said : data; data_lower : written_lower;
                   data_upper : written_upper }

(** val data_certificate : data_file -> certificate **)

let data_certificate f =
  { low = (lower_of f.data_lower); up = (upper_of f.data_upper) }

(** val most_factors : Integer.t **)

let most_factors =
  (fun p -> p) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1) ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.shift_left p 1)
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    ((fun p -> Integer.succ (Integer.shift_left p 1))
    Integer.one)))))))))))))))))))))))))))))

(** val factor_count : sampled -> Integer.t **)

let factor_count p =
  Integer.add
    (Integer.mul (visit_sum p)
      (Integer.add ((fun p -> p) Integer.one)
        (zlen (filter (fun o -> Integer.lt Integer.zero o.share) p.possible))))
    (zlen p.possible)

(** val many_factors : sampled list listing -> phrase list **)

let many_factors l =
  let n =
    fold_left (fun n sl ->
      fold_left (fun n0 p -> Integer.add n0 (factor_count p)) (snd sl) n) l
      Integer.zero
  in
  complain (Integer.lt most_factors n) (fun _ -> (Say
    "not covered: tests of ") :: ((Figure n) :: ((Say
    " factors, more than ") :: ((Figure most_factors) :: []))))

(** val data_needs : limits -> Integer.t -> data -> needs **)

let data_needs l states d =
  let rate = bits_of_rat d.data_discount in
  let largest0 =
    fold_left (fun n sl ->
      fold_left (fun n0 p -> Integer.max n0 p.shares) (snd sl) n) d.rows
      d.data_initial_den
  in
  { within = l; state_number = states; step_number = d.data_horizon;
  choice_number = (Integer.mul d.data_horizon (choices_of d.rows));
  weight_bits =
  (Integer.add (Integer.add (bits largest0) (bits d.data_reward_den)) rate);
  rate_bits = rate }

(** val read_possibility : text -> Integer.t -> possibility reader **)

let read_possibility t states i =
  match integer t "a reward" i with
  | Got (x, j) ->
    (match state_named t "the next state" states j with
     | Got (x0, j0) ->
       (match natural t "a count" j0 with
        | Got (x1, j1) ->
          (match natural t "a share" j1 with
           | Got (x2, j2) ->
             Got ({ drawn = x; leads_to = x0; times = x1; share = x2 }, j2)
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_sampled : text -> Integer.t -> sampled reader **)

let read_sampled t states i =
  match integer t "the number of an action" i with
  | Got (x, j) ->
    (match positive_number t "the sum of the shares" j with
     | Got (x0, j0) ->
       (match natural t "the share of outcomes that were not seen" j0 with
        | Got (x1, j1) ->
          (match several t "the number of possible outcomes" ((fun p -> p)
                   Integer.one) (read_possibility t states) j1 with
           | Got (x2, j2) ->
             Got ({ label = x; shares = x0; beyond = x1; possible = x2 }, j2)
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_data : text -> (Integer.t * data) reader **)

let read_data t i =
  match keyword t "delta" i with
  | Got (_, j) ->
    (match rational t "delta" j with
     | Got (x, j0) ->
       (match keyword t "tests" j0 with
        | Got (_, j1) ->
          (match positive_number t "the number of tests" j1 with
           | Got (x0, j2) ->
             (match keyword t "discount" j2 with
              | Got (_, j3) ->
                (match rational t "the discount" j3 with
                 | Got (x1, j4) ->
                   (match keyword t "reward_denominator" j4 with
                    | Got (_, j5) ->
                      (match positive_number t "the denominator of rewards" j5 with
                       | Got (x2, j6) ->
                         (match keyword t "state_count" j6 with
                          | Got (_, j7) ->
                            (match between t "the number of states"
                                     ((fun p -> p) Integer.one) most_items j7 with
                             | Got (x3, j8) ->
                               (match keyword t "horizon" j8 with
                                | Got (_, j9) ->
                                  (match between t "the horizon"
                                           ((fun p -> p) Integer.one)
                                           longest_horizon j9 with
                                   | Got (x4, j10) ->
                                     (match keyword t "initial" j10 with
                                      | Got (_, j11) ->
                                        (match positive_number t
                                                 "the sum of the initial weights"
                                                 j11 with
                                         | Got (x5, j12) ->
                                           (match states_to t
                                                    "the number of initial states"
                                                    ((fun p -> p)
                                                    Integer.one)
                                                    "an initial state" x3
                                                    (natural t
                                                      "an initial weight") j12 with
                                            | Got (x6, j13) ->
                                              (match keyword t "states" j13 with
                                               | Got (_, j14) ->
                                                 (match states_to t
                                                          "the number of states with actions"
                                                          Integer.zero
                                                          "the state" x3
                                                          (several t
                                                            "the number of actions"
                                                            ((fun p -> p)
                                                            Integer.one)
                                                            (read_sampled t
                                                              x3)) j14 with
                                                  | Got (x7, j15) ->
                                                    (match unless
                                                             (many_factors x7)
                                                             j15 with
                                                     | Got (_, j16) ->
                                                       Got ((x3, { failure =
                                                         x; tests0 = x0;
                                                         data_discount = x1;
                                                         data_reward_den =
                                                         x2;
                                                         data_initial_den =
                                                         x5; data_initial =
                                                         x6; data_horizon =
                                                         x4; rows = x7 }),
                                                         j16)
                                                     | Stopped (p, why) ->
                                                       Stopped (p, why))
                                                  | Stopped (p, why) ->
                                                    Stopped (p, why))
                                               | Stopped (p, why) ->
                                                 Stopped (p, why))
                                            | Stopped (p, why) ->
                                              Stopped (p, why))
                                         | Stopped (p, why) ->
                                           Stopped (p, why))
                                      | Stopped (p, why) -> Stopped (p, why))
                                   | Stopped (p, why) -> Stopped (p, why))
                                | Stopped (p, why) -> Stopped (p, why))
                             | Stopped (p, why) -> Stopped (p, why))
                          | Stopped (p, why) -> Stopped (p, why))
                       | Stopped (p, why) -> Stopped (p, why))
                    | Stopped (p, why) -> Stopped (p, why))
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val read_tail : text -> objective reader **)

let read_tail t =
  select t "an objective" (not_covered_word "from data, the objective")
    (("tail", (fun i ->
    match rational t "the weight of the mean" i with
    | Got (x, j) ->
      (match rational t "the level" j with
       | Got (x0, j0) -> Got ((Tail (x, x0)), j0)
       | Stopped (p, why) -> Stopped (p, why))
    | Stopped (p, why) -> Stopped (p, why))) :: [])

type found_data = { data_read : data_file; data_objective_at : Integer.t;
                    data_claim_at : Integer.t; data_at : Integer.t;
                    data_lower_at : Integer.t; data_upper_at : Integer.t }

(** val read_data_file : text -> limits -> found_data reader **)

let read_data_file t allowed i =
  match keyword t "verified-risk-data" i with
  | Got (_, j) ->
    (match between t "the version of the format" ((fun p -> p)
             ((fun p -> Integer.shift_left p 1) Integer.one)) ((fun p -> p)
             ((fun p -> Integer.shift_left p 1) Integer.one)) j with
     | Got (x, j0) ->
       (match keyword t "objective" j0 with
        | Got (_, j1) ->
          (match here j1 with
           | Got (x0, j2) ->
             (match read_tail t j2 with
              | Got (x1, j3) ->
                (match keyword t "claim" j3 with
                 | Got (_, j4) ->
                   (match here j4 with
                    | Got (x2, j5) ->
                      (match rational t "the lower bound" j5 with
                       | Got (x3, j6) ->
                         (match rational t "the upper bound" j6 with
                          | Got (x4, j7) ->
                            (match here j7 with
                             | Got (x5, j8) ->
                               (match read_data t j8 with
                                | Got (x6, j9) ->
                                  let k = data_needs allowed (fst x6) (snd x6)
                                  in
                                  (match unless (long_rates k) j9 with
                                   | Got (_, j10) ->
                                     (match here j10 with
                                      | Got (x7, j11) ->
                                        (match read_lower t k x1 j11 with
                                         | Got (x8, j12) ->
                                           (match here j12 with
                                            | Got (x9, j13) ->
                                              (match read_upper t k x1 j13 with
                                               | Got (x10, j14) ->
                                                 (match keyword t "end" j14 with
                                                  | Got (_, j15) ->
                                                    Got ({ data_read =
                                                      { data_format = x;
                                                      data_states = (fst x6);
                                                      data_asked = x1;
                                                      data_claimed =
                                                      { lower = x3; upper =
                                                      x4 }; data_said =
                                                      (snd x6); data_lower =
                                                      x8; data_upper = x10 };
                                                      data_objective_at = x0;
                                                      data_claim_at = x2;
                                                      data_at = x5;
                                                      data_lower_at = x7;
                                                      data_upper_at = x9 },
                                                      j15)
                                                  | Stopped (p, why) ->
                                                    Stopped (p, why))
                                               | Stopped (p, why) ->
                                                 Stopped (p, why))
                                            | Stopped (p, why) ->
                                              Stopped (p, why))
                                         | Stopped (p, why) ->
                                           Stopped (p, why))
                                      | Stopped (p, why) -> Stopped (p, why))
                                   | Stopped (p, why) -> Stopped (p, why))
                                | Stopped (p, why) -> Stopped (p, why))
                             | Stopped (p, why) -> Stopped (p, why))
                          | Stopped (p, why) -> Stopped (p, why))
                       | Stopped (p, why) -> Stopped (p, why))
                    | Stopped (p, why) -> Stopped (p, why))
                 | Stopped (p, why) -> Stopped (p, why))
              | Stopped (p, why) -> Stopped (p, why))
           | Stopped (p, why) -> Stopped (p, why))
        | Stopped (p, why) -> Stopped (p, why))
     | Stopped (p, why) -> Stopped (p, why))
  | Stopped (p, why) -> Stopped (p, why)

(** val words_of_data : data_reason -> string **)

let words_of_data = function
| Plan why0 -> words_of why0
| End_not_proved ->
  "refused: an end of a probability is not proved by the counts, or a row is not in order"

(** val more_of_data : data_file -> data_reason -> phrase list **)

let more_of_data f = function
| Plan why0 ->
  (match why0 with
   | Lower_not_proved ->
     (match f.data_asked with
      | Tail (w, alpha) ->
        (match lower_of f.data_lower with
         | ByBudget (v, g, start, choices) ->
           (match robust_bound f.data_said v g start choices w alpha with
            | Some bound -> short bound
            | None -> [])
         | _ -> [])
      | _ -> [])
   | _ -> [])
| End_not_proved -> []

(** val check_data_text : limits -> text -> answer **)

let check_data_text allowed t =
  match read_data_file t allowed Integer.zero with
  | Got (f, j) ->
    let a = skip t j in
    let g = f.data_read in
    if Integer.lt a t.byte_count
    then refused_at t a ((Quote a) :: ((Say " behind the end") :: []))
    else (match data_verdict g.data_said g.data_asked g.data_claimed
                  (data_certificate g) with
          | Some why ->
            Refused ((Say (words_of_data why)) :: (more_of_data g why))
          | None ->
            Proved ((Say "proved by rarely_wrong; objective ") :: ((Span
              (f.data_objective_at, f.data_claim_at)) :: ((Say " ") :: ((Span
              (f.data_claim_at, f.data_at)) :: ((Say
              "; data ") :: ((Fingerprint (f.data_at,
              f.data_lower_at)) :: ((Say "; policy ") :: ((Fingerprint
              (f.data_lower_at, f.data_upper_at)) :: [])))))))))
  | Stopped (i, why) -> refused_at t i why

(** val check_any_text : limits -> text -> answer **)

let check_any_text allowed t =
  match name t "verified-risk-data" Integer.zero with
  | Some _ -> check_data_text allowed t
  | None -> check_text allowed t
