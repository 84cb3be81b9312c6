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
}

// What a tenant may have where its definition says nothing.
const (
	EntriesDefault = 100_000
	GroupsDefault  = 4096
	MetersDefault  = 4096
)

// limitMax is the largest number that a limit may be.
const limitMax = 10_000_000

// WithDefaults returns the limits that are in force.
func (l Limits) WithDefaults() Limits {
	l.Entries, l.Groups = cmp.Or(l.Entries, EntriesDefault), cmp.Or(l.Groups, GroupsDefault)
	l.Meters = cmp.Or(l.Meters, MetersDefault)
	return l
}

// check refuses what is no limit.
func (l Limits) check() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"entries", l.Entries}, {"groups", l.Groups}, {"meters", l.Meters}, {"messages", l.Messages}, {"packet_ins", l.PacketIns}} {
		if f.value < 0 || f.value > limitMax {
			return &Error{"limits." + f.name, fmt.Sprint(f.value), fmt.Sprintf("1 to %d, or 0 for the default", limitMax)}
		}
	}
	return nil
}
