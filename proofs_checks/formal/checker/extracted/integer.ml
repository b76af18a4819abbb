(* zarith's integers, under a name that the extracted code does not hide. *)
include Z
