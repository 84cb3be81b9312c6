package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Config is what a Switch is made of. The zero Config is that of a big switch that keeps no
// packets.
type Config struct {
	Tables     int    // flow tables, 1 to 254; 0 for 254. A controller of OpenFlow 1.0 sees table 0 only
	MaxEntries int    // of each table; 0 for 1,000,000
	MaxAll     int    // entries of all tables together; 0: no more than their bounds say
	Evict      bool   // a full table drops the entry that would run out first, as Open vSwitch's overflow_policy=evict does
	MaxGroups  int    // 0 for 65,536
	MaxMeters  int    // 0 for 65,536
	Buffers    int    // packets kept for the controllers; 0 keeps none
	Handles    bool   // entries have handles: see EntryOutput, AddCounts and End
	Seed       uint64 // of the hashes, also that by which select groups choose
}

// Switch is the pipeline of one switch with its tables, groups, meters and ports. It starts without
// ports.
type Switch struct {
	cfg      Config
	tables   []*table      // nil where no entry ever was
	counts   []tableCounts // as long as tables
	entries  int
	groups   map[uint32]*group
	meters   map[uint32]*meter
	ports    ports
	buffers  buffers
	learning learning
	frag     openflow.ConfigFlags
	miss10   bool
	handles  handles
	decision *Decision // of the frame that is being received; nil: nobody asks

	// Of the call that is under way.
	now       time.Duration
	out       Output
	busy      bool
	calls     uint64 // its number, from 1
	uncounted bool   // the entries that a packet matches do not count it
	pass      pass

	// Memory that is used again.
	match   filter
	outputs map[oneOutput]*program // never changed: shared by entries
	removed openflow.FlowRemoved
	oxm     []byte
	picked  []*entry
	ordered []*openflow.Action // of the action set that is being done
	copies  copies             // of the packet in flight, and one that was kept, at level 0
	in      PacketIn
}

// Defaults and bounds of a Config.
const (
	maxTables         = 254
	defaultMaxEntries = 1_000_000
	defaultMaxGroups  = 1 << 16
	defaultMaxMeters  = 1 << 16
)

// New is a switch without entries, groups, meters and ports.
func New(cfg Config) *Switch {
	if cfg.Tables <= 0 || cfg.Tables > maxTables {
		cfg.Tables = maxTables
	}
	if cfg.MaxEntries <= 0 {
		cfg.MaxEntries = defaultMaxEntries
	}
	if cfg.MaxGroups <= 0 {
		cfg.MaxGroups = defaultMaxGroups
	}
	if cfg.MaxMeters <= 0 {
		cfg.MaxMeters = defaultMaxMeters
	}
	s := &Switch{cfg: cfg, buffers: newBuffers(cfg.Buffers)}
	if cfg.Handles {
		s.handles.of = make(map[uint32]*entry)
	}
	return s
}

// begin starts a call. Outputs that call back would find the switch between two states: that is a
// mistake of the caller.
func (s *Switch) begin(now time.Duration, out Output) {
	if s.busy {
		panic("flowtable: the Output called the Switch back")
	}
	s.busy, s.now, s.out = true, max(s.now, now), out
	s.calls++
}

// end ends a call. No frame of the caller's is held on to, and no entry that may be removed.
func (s *Switch) end() {
	s.busy, s.out, s.pass.frame.bytes, s.pass.entry, s.in.Frame = false, nil, nil, nil, nil
	if len(s.picked) > 0 {
		clear(s.picked)
		s.picked = s.picked[:0]
	}
}

// Entries is how many flow entries there are in all tables.
func (s *Switch) Entries() int { return s.entries }

// Objects is how many groups and meters there are.
func (s *Switch) Objects() (groups, meters int) { return len(s.groups), len(s.meters) }

// Limit says how many entries of all tables together, groups and meters there may be from now on. What is there stays.
func (s *Switch) Limit(entries, groups, meters int) {
	s.cfg.MaxAll, s.cfg.MaxGroups, s.cfg.MaxMeters = entries, groups, meters
}

// SetMiss sets what happens to a packet that no entry matches, not even a table-miss entry: it is
// shown to the controllers, as OpenFlow 1.0 has it, or dropped, as 1.3 has it and a new Switch
// does.
func (s *Switch) SetMiss(toController bool) { s.miss10 = toController }

// SetConfig sets how IP fragments are handled: openflow.ConfigFragNormal or
// openflow.ConfigFragDrop. Others, which a Switch does not offer, are ignored. It returns what is
// set.
func (s *Switch) SetConfig(flags openflow.ConfigFlags) openflow.ConfigFlags {
	if f := flags & openflow.ConfigFragMask; f == openflow.ConfigFragNormal || f == openflow.ConfigFragDrop {
		s.frag = f
	}
	return s.frag
}
