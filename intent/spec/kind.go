package spec

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

var kindNames = [...]string{HostToHost: "host-to-host", PointToPoint: "point-to-point", MultipointToPoint: "multipoint-to-point",
	PointToMultipoint: "point-to-multipoint", Path: "path"}

// KindNames are the names of all kinds, in order of their numbers.
func KindNames() []string { return append([]string(nil), kindNames[1:]...) }

// ParseKind is the kind of a name.
func ParseKind(name string) (Kind, bool) {
	for k := HostToHost; k <= Path; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return 0, false
}

// Known reports whether k is one of the kinds.
func (k Kind) Known() bool { return k >= HostToHost && k <= Path }

// String is the kind's name: "host-to-host".
func (k Kind) String() string {
	if !k.Known() {
		return "unknown"
	}
	return kindNames[k]
}

// BothWays reports whether an intent of this kind connects both directions. All others connect from
// Src to Dst.
func (k Kind) BothWays() bool { return k == HostToHost }
