package spec

import (
	"slices"

	"github.com/weirnet/weir/intent/schema"
)

// Kind is a kind of intent. Its numbers are durable and those of the protobuf form: they never
// change.
type Kind uint8

// The kinds.
const (
	HostToHost        Kind = 1 // two hosts, both directions, with ARP and neighbour discovery
	PointToPoint      Kind = 2 // from one connect point to another
	MultipointToPoint Kind = 3 // from several connect points to one
	PointToMultipoint Kind = 4 // from one connect point to several: each gets a copy
	Path              Kind = 5 // along the hops given
)

// KindNames are the names of all kinds, in order of their numbers.
func KindNames() []string { return slices.Clone(schema.KindNames[1:]) }

// Known reports whether k is one of the kinds.
func (k Kind) Known() bool { return k >= HostToHost && k <= Path }

// String is the kind's name: "host-to-host".
func (k Kind) String() string {
	if !k.Known() {
		return "unknown"
	}
	return schema.KindNames[k]
}

// BothWays reports whether an intent of this kind connects both directions. All others connect from
// Src to Dst.
func (k Kind) BothWays() bool { return k == HostToHost }
