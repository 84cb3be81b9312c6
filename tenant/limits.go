package tenant

import (
	"cmp"
	"fmt"
)

// Limits are what a tenant may have at each of its switches.
type Limits struct {
	Entries int // of all tables together; 0: EntriesDefault
	Groups  int // 0: GroupsDefault
	Meters  int // 0: MetersDefault
	// Messages is how many a controller's connection is read of in a second, but for a first burst of as many; 0: all.
	Messages int
	// PacketIns is how many are shown to controllers in a second, but for a first burst of as many; 0: all. The others are
	// lost.
	PacketIns int
	// WaitingBytes is how many bytes wait for a controller that does not read; 0: WaitingDefault. What does not fit is lost.
	WaitingBytes int
}

// What a tenant may have where its definition says nothing.
const (
	EntriesDefault = 100_000
	GroupsDefault  = 4096
	MetersDefault  = 4096
	WaitingDefault = 4 << 20
)

// waitingLeast is what the longest message takes.
const waitingLeast = 1 << 16

// limitMax is the largest number that a limit may be.
const limitMax = 10_000_000

// WithDefaults returns the limits that are in force.
func (l Limits) WithDefaults() Limits {
	l.Entries, l.Groups = cmp.Or(l.Entries, EntriesDefault), cmp.Or(l.Groups, GroupsDefault)
	l.Meters, l.WaitingBytes = cmp.Or(l.Meters, MetersDefault), cmp.Or(l.WaitingBytes, WaitingDefault)
	return l
}

// check refuses what is no limit.
func (l Limits) check() error {
	for _, f := range []struct {
		name  string
		value int
		least int
	}{{"entries", l.Entries, 1}, {"groups", l.Groups, 1}, {"meters", l.Meters, 1}, {"messages", l.Messages, 1},
		{"packet_ins", l.PacketIns, 1}, {"waiting_bytes", l.WaitingBytes, waitingLeast}} {
		if f.value != 0 && f.value < f.least || f.value > limitMax {
			want := fmt.Sprintf("%d to %d, or 0 for the default", f.least, limitMax)
			return &Error{"limits." + f.name, fmt.Sprint(f.value), want}
		}
	}
	return nil
}
