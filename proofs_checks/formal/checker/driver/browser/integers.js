// Integers for the checker in a browser: a number below 2^53 is a JavaScript number, every other one a BigInt, so that
// equal integers are equal by ===.  Numbers add, subtract and multiply without rounding up to there: a result that was
// rounded is at least 2^53, and is computed again as a BigInt.  js_of_ocaml reads this file as ECMAScript 5: no 1n here.

//Provides: integer_most const
var integer_most = 9007199254740991;

//Provides: integer_big const
//Requires: integer_most
var integer_big = BigInt(integer_most);

// The one form of the integer that the BigInt z is.
//Provides: integer_form
//Requires: integer_big
function integer_form(z) {
  return -integer_big <= z && z <= integer_big ? Number(z) : z;
}

//Provides: integer_add
//Requires: integer_form, integer_most
function integer_add(x, y) {
  if (typeof x === "number" && typeof y === "number") {
    var z = x + y;
    if (-integer_most <= z && z <= integer_most) return z;
  }
  return integer_form(BigInt(x) + BigInt(y));
}

//Provides: integer_sub
//Requires: integer_form, integer_most
function integer_sub(x, y) {
  if (typeof x === "number" && typeof y === "number") {
    var z = x - y;
    if (-integer_most <= z && z <= integer_most) return z;
  }
  return integer_form(BigInt(x) - BigInt(y));
}

//Provides: integer_mul
//Requires: integer_form, integer_most
function integer_mul(x, y) {
  if (typeof x === "number" && typeof y === "number") {
    var z = x * y;
    if (-integer_most <= z && z <= integer_most) return z + 0;  // not -0
  }
  return integer_form(BigInt(x) * BigInt(y));
}

// The quotient rounded down; y is not 0.  The remainder % has the sign of x and is exact, and so is x - x % y.
//Provides: integer_fdiv
//Requires: integer_form
function integer_fdiv(x, y) {
  if (typeof x === "number" && typeof y === "number") {
    var r = x % y;
    return (x - r) / y - (r !== 0 && (r < 0) !== (y < 0) ? 1 : 0) + 0;
  }
  var a = BigInt(x), b = BigInt(y), q = a / b, s = a - q * b;
  return integer_form(s != 0 && (s < 0) !== (b < 0) ? q - BigInt(1) : q);
}

//Provides: integer_shift_left
//Requires: integer_form, integer_most
function integer_shift_left(x, n) {
  if (typeof x === "number" && n < 53) {
    var z = x * Math.pow(2, n);
    if (-integer_most <= z && z <= integer_most) return z;
  }
  return integer_form(BigInt(x) << BigInt(n));
}

//Provides: integer_shift_right
//Requires: integer_form
function integer_shift_right(x, n) {
  return typeof x === "number" && n < 53 ? Math.floor(x / Math.pow(2, n)) : integer_form(BigInt(x) >> BigInt(n));
}

//Provides: integer_compare
function integer_compare(x, y) {
  return x < y ? -1 : x > y ? 1 : 0;
}

//Provides: integer_sign
function integer_sign(x) {
  return x < 0 ? -1 : x > 0 ? 1 : 0;
}

//Provides: integer_equal
function integer_equal(x, y) {
  return x === y ? 1 : 0;
}

//Provides: integer_lt
function integer_lt(x, y) {
  return x < y ? 1 : 0;
}

//Provides: integer_leq
function integer_leq(x, y) {
  return x <= y ? 1 : 0;
}

//Provides: integer_is_odd
function integer_is_odd(x) {
  return typeof x === "number" ? (x % 2 !== 0 ? 1 : 0) : Number(BigInt.asUintN(1, x));
}

// Digits of the binary expansion of |x|, 0 for x = 0.
//Provides: integer_numbits
function integer_numbits(x) {
  return x == 0 ? 0 : x.toString(2).length - (x < 0 ? 1 : 0);
}

// Whether x is an int of js_of_ocaml, which has 32 bits.
//Provides: integer_fits_int
function integer_fits_int(x) {
  return typeof x === "number" && x === (x | 0) ? 1 : 0;
}

//Provides: integer_to_string
//Requires: caml_string_of_jsbytes
function integer_to_string(x) {
  return caml_string_of_jsbytes(String(x));
}

// Makes the function from the bytes of a certificate to the answer known to the page.
//Provides: page_provide
//Requires: caml_call_gen, caml_string_of_jsbytes, caml_jsbytes_of_string
function page_provide(answer) {
  globalThis.answerOf = function (bytes) {
    return caml_jsbytes_of_string(caml_call_gen(answer, [caml_string_of_jsbytes(bytes)]));
  };
  return 0;
}
