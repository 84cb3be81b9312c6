package profile

import "time"

// Profile is how a switch behaves. The zero value is ideal.
type Profile struct {
	Name  string
	About string // a line for people
	// Measurement says how what is measured was; zero where nobody noted it.
	Measurement Measurement

	FlowSetup   Setup
	PathLatency Latency
	Load        Load
	Forwarding  Forwarding
	Install     Install
	PacketIn    Rate
	PacketOut   Rate
	Statistics  Statistics
	Tables      Tables
}

// Source is where a figure comes from.
type Source string

// The sources of figures.
const (
	Measured Source = "measured" // on the thing itself; docs/benchmarks/profiles.md says how
	Paper    Source = "paper"    // from a publication, or measured figures times its ratios
	Assumed  Source = "assumed"  // nobody knows: results rest on a guess
)

// Setup is the time that a new flow takes, seen from outside by ping: how much longer the first
// round trip of two hosts takes than the later ones, both ways being new flows. Each flow takes
// half.
type Setup struct {
	Latency
	// Controller is how much of the set-up of one flow (one way) is the controller's, as far as
	// Latency includes it.
	Controller time.Duration
}

// Install is how changes of flow entries, groups, meters and ports come into force.
type Install struct {
	PerSecond float64       // entries written; 0: all at once
	Batch     int           // most that come into force together; 0: 1
	Delay     time.Duration // that each batch takes besides
	Source    Source
}

// Rate is a narrow way: of packets to the controller, or from it.
type Rate struct {
	PerSecond float64 // 0: no limit
	Queue     int     // that wait, when they come faster; what is above is dropped
	Source    Source
}

// Statistics is how long an answer with counters takes.
type Statistics struct {
	Delay  time.Duration // of each answer
	Entry  time.Duration // more, for each item in it
	Source Source
}

// Tables is how much a switch holds; 0 means what package flowtable does.
type Tables struct {
	Count   int // flow tables
	Entries int // of each table
	Groups  int
	Meters  int
	Buffers int // packets kept for the controller; 0: none
	Source  Source
}

// Delays reports whether frames take their time through a switch of the profile, or wait in it.
func (p *Profile) Delays() bool { return len(p.PathLatency.Points) > 0 || !p.Forwarding.unlimited() }

// Ideal reports whether a switch of the profile does everything at once, and has no limits.
func (p *Profile) Ideal() bool {
	return len(p.FlowSetup.Points) == 0 && !p.Delays() && p.Install == Install{} &&
		p.PacketIn == Rate{} && p.PacketOut == Rate{} &&
		p.Statistics == Statistics{} && p.Tables == Tables{}
}
