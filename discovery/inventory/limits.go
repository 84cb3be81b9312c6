package inventory

import "cmp"

// Limits are the bounds of what others can make grow. Zero fields mean their defaults.
type Limits struct {
	Facts    int // switch and port events queued; beyond that sessions block. Default 4096
	Probes   int // LLDP frames queued; more are dropped. Default 16384
	Frames   int // frames of unknown hosts queued; more are dropped. Default 4096
	Hosts    int // hosts known in all. Default 131072
	AtPort   int // hosts known at one port. Default 16384
	IPs      int // addresses of one host: an ARP or ND beyond replaces the oldest. Default 16
	Pending  int // sightings deferred at ports of unknown role. Default 4096
	Queries  int // hosts queried at a time. Default 1024
	Switches int // datapath ids known; beyond that the longest disconnected is evicted. Default 16384
	Ports    int // of all switches known. Default 1,000,000, about 1 KB each
	OfSwitch int // ports of one switch; more are ignored. Default 8192
	// Ports that switches which are not established report by port statuses, above 512 each: more
	// are ignored. Default 8192
	New int
	// Ports of switches that disconnected within a minute; beyond that the first of them is
	// forgotten. Default 16384
	Passing int
	Known   int // entries of the table of the fast path, a power of two. Default 65536 (1 MiB)
}

// WithDefaults returns the limits with their defaults.
func (l Limits) WithDefaults() Limits {
	l.Facts = cmp.Or(l.Facts, 4096)
	l.Probes = cmp.Or(l.Probes, 16384)
	l.Frames = cmp.Or(l.Frames, 4096)
	l.Hosts = cmp.Or(l.Hosts, 131072)
	l.AtPort = cmp.Or(l.AtPort, 16384)
	l.IPs = cmp.Or(l.IPs, 16)
	l.Pending = cmp.Or(l.Pending, 4096)
	l.Queries = cmp.Or(l.Queries, 1024)
	l.Switches = cmp.Or(l.Switches, 16384)
	l.Ports = cmp.Or(l.Ports, 1_000_000)
	l.OfSwitch = cmp.Or(l.OfSwitch, 8192)
	l.New = cmp.Or(l.New, 8192)
	l.Passing = cmp.Or(l.Passing, 16384)
	l.Known = cmp.Or(l.Known, 65536)
	return l
}
