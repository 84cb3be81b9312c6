package plan

import "github.com/weirnet/weir/openflow"

// The rows by which a port that floods the controller is held back (docs/spec/switch-plan.md,
// "Protection"). They limit what goes to the controller and nothing else.
var (
	BandGuardProbes = Band{65100, 65535} // discovery frames of a port that floods
	BandGuardMiss   = Band{1, 99}        // packets of such a port that match nothing else
)

// The priorities of these rows.
const (
	PriorityGuardProbes uint16 = 65100 // in_port, eth_type=0x88cc
	PriorityGuardMiss   uint16 = 1     // in_port, just above the miss
	PriorityGuardCopy   uint16 = 2     // in_port, in the copy table
	PriorityGuardTree   uint16 = 5     // added, in the single-table form, to a tree row: the same without its copy
)

// Guarded is what a protection row holds back: the path version of its cookie. The owner number is
// the port's.
type Guarded uint16

// What protection rows hold back.
const (
	GuardedProbes Guarded = 1 // discovery frames
	GuardedMisses Guarded = 2 // packets without a rule
	GuardedCopies Guarded = 3 // copies of packets that are forwarded
)

// GuardCookie is the cookie of a protection row for a port.
func GuardCookie(domain uint16, port uint32, what Guarded) uint64 {
	return Cookie{Domain: domain, Kind: KindProtection, Owner: port, Version: uint16(what)}.Encode()
}

// IsCopy reports whether the switch has forwarded the packet itself and sends a copy: OpenFlow 1.3 by the
// cookie of the entry that sent it, OpenFlow 1.0 (which has no cookie here: all ones) by the reason.
func IsCopy(pin *openflow.PacketIn) bool {
	if pin.Cookie == ^uint64(0) {
		return pin.Reason == openflow.ReasonAction
	}
	return showsCopy(pin.Cookie)
}

// showsCopy reports whether a packet-in that an entry with this cookie has sent is a copy.
func showsCopy(cookie uint64) bool {
	c := Decode(cookie)
	return c.Kind == KindTree || c.Kind == KindProtection && c.Version == uint16(GuardedCopies)
}
