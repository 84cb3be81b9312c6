// Package hashtab is a hash table for millions of small entries that must not stop anybody while it
// grows.
//
// # The problem
//
// With a million entries each look-up is a cache miss, and a map takes two, splits as it grows and
// keeps more beside its entries. Some tables have several entries of one hash, and know keys only
// by looking elsewhere.
//
// # Inputs and outputs
//
// In: keys and values with hashes of the caller's, which should be keyed where others choose the
// keys. Out: the value of a key, or all keys that a hash may belong to.
//
// # Invariants
//
//   - Open addressing with linear probing; at most three quarters of the slots are used. A removal
//     moves what follows back, so that no search ends too early and nothing is left behind.
//   - The table is in parts that grow one at a time.
//   - A slot has the key, the value and 32 bits: a Table of pointer-free types holds no pointers.
//   - The order of All depends on the entries that are and were there, and on nothing else.
//   - A Table has one owner at a time.
package hashtab
