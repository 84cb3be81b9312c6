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
	// Mbps is how many megabits a second of its packets pass at each switch that has meters, of all its ports together; 0: all.
	Mbps int
}

// What a tenant may have where its definition says nothing.
const (
	EntriesDefault = 100_000
	GroupsDefault  = 4096
	MetersDefault  = 4096
	WaitingDefault = 4 << 20
)

// mbpsMax is the highest bandwidth: a meter counts kilobits in 32 bits.
const mbpsMax = 4_000_000

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
		most  int
	}{{"entries", l.Entries, 1, limitMax}, {"groups", l.Groups, 1, limitMax}, {"meters", l.Meters, 1, limitMax},
		{"messages", l.Messages, 1, limitMax}, {"packet_ins", l.PacketIns, 1, limitMax},
		{"waiting_bytes", l.WaitingBytes, waitingLeast, limitMax}, {"mbps", l.Mbps, 1, mbpsMax}} {
		if f.value != 0 && f.value < f.least || f.value > f.most {
			want := fmt.Sprintf("%d to %d, or 0 for the default", f.least, f.most)
			return &Error{"limits." + f.name, fmt.Sprint(f.value), want}
		}
	}
	return nil
}
