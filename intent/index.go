package intent

import "github.com/weirnet/weir/hashtab"

// index finds numbers by hash. A hash may have several numbers, and a number may be there several
// times; the caller compares: what is found may only look the same. A slot takes 8 bytes.
type index struct {
	hashtab.Table[uint32, struct{}]
}

func (x *index) add(hash uint64, number uint32) { x.Add(hash, number, struct{}{}) }
