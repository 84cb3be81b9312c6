package netview

import (
	"cmp"
	"time"
)

// AlarmKind is what an alarm is about. Each kind has a line below, with its meaning, and is in severities and in
// transient if it is not as most are, so that the API, the metrics and the documentation agree.
type AlarmKind string

// The kinds of alarms.
const (
	AlarmForgedProbe   AlarmKind = "forged-probe"   // a discovery frame in our name that we did not make, or made elsewhere
	AlarmReplayedProbe AlarmKind = "replayed-probe" // a discovery frame heard again, late or twice
	// a discovery frame at a port where a host is known, or that is configured as edge
	AlarmLinkAtHost   AlarmKind = "link-at-host"
	AlarmIndirectLink AlarmKind = "indirect-link" // something that is no switch of ours forwards between two ports
	// a link appeared between two ports where nothing was plugged in: it is not used
	AlarmUnprovenLink AlarmKind = "unproven-link"
	AlarmNarrowLink   AlarmKind = "narrow-link" // a link does not carry the longest frames that it is to carry
	AlarmHostHijack   AlarmKind = "host-hijack" // a host seen at a second place while it is alive at its first
	// a host was moved though its old place, which may be alive, could not be asked
	AlarmUnverifiedMove AlarmKind = "unverified-move"
	AlarmAddressClash   AlarmKind = "address-clash"   // two hosts claim one IP address
	AlarmSwitchLost     AlarmKind = "switch-lost"     // a switch lost its control session: it goes on forwarding by what it holds
	AlarmLinkDown       AlarmKind = "link-down"       // a link went down
	AlarmControlNetwork AlarmKind = "control-network" // many switches lost their sessions at once: what is known of them is kept
	AlarmFlood          AlarmKind = "packet-in-flood" // a port sends more to the controller than it may: it is limited
	AlarmDrift          AlarmKind = "drift"           // a switch lost or changed rules that are wanted: they are put back
	AlarmForeignRule    AlarmKind = "foreign-rule"    // a switch holds entries of others above ours, which may take their packets
	AlarmLyingSwitch    AlarmKind = "lying-switch"    // a switch confirms rules that it does not hold
	AlarmStuckSwitch    AlarmKind = "stuck-switch"    // a switch answers echoes but not barriers, or reads nothing
	AlarmTableFull      AlarmKind = "table-full"      // a switch refuses rules because its tables are full
	AlarmFailMode       AlarmKind = "fail-mode"       // a switch flushes or forwards by itself without a controller
	// a second switch claims a datapath id that is in use, or one that its certificate does not
	// name
	AlarmSpoofedID     AlarmKind = "spoofed-dpid"
	AlarmOtherMaster   AlarmKind = "other-master"   // another controller is the master of a switch: nothing is written to it
	AlarmUnfenced      AlarmKind = "unfenced"       // no role is asked for: switches take what any controller writes
	AlarmRefusedSwitch AlarmKind = "refused-switch" // a switch that is not on the allow list, or without a valid certificate
	AlarmHalfOpen      AlarmKind = "half-open"      // so many connections in their handshake that the oldest are cut
	AlarmConfig        AlarmKind = "configuration"  // a configuration that was refused, or that cannot be written
	AlarmMemory        AlarmKind = "remembered"     // what was remembered of the network could not be read or written
	AlarmAudit         AlarmKind = "audit"          // the audit log cannot be written
	AlarmToken         AlarmKind = "token"          // the store's record of an API token cannot be read: it is not taken
	AlarmTenant        AlarmKind = "tenant"         // a tenant that is in the store is not in force
	AlarmIntents       AlarmKind = "intents"        // intents have been failed for long
	AlarmWideIntents   AlarmKind = "wide-intents"   // intents take packets of others on links between switches
	AlarmStore         AlarmKind = "store"          // the store takes nothing: it is full, or does not answer
	AlarmSlowDisk      AlarmKind = "slow-disk"      // the disk of the store is slow, or hangs: another instance decides
	AlarmApp           AlarmKind = "application"    // what an application reports
	AlarmAppFailed     AlarmKind = "app-failed"     // an application panicked, or could not be made: it is not called again
	AlarmAppStalled    AlarmKind = "app-stalled"    // an application does not return from a call
	AlarmAppFlood      AlarmKind = "app-flood"      // an application sends more to a switch than it may: the rest is refused
	AlarmLimit         AlarmKind = "limit"          // a limit is reached: what is above it is dropped and counted
)

// Severity is how urgent an alarm is.
type Severity string

// The severities.
const (
	SeverityCritical Severity = "critical" // somebody attacks, or packets are being lost
	SeverityMajor    Severity = "major"    // something does not work as wanted; the network goes on
	SeverityWarning  Severity = "warning"  // worth to be looked at
)

// severities are those of the kinds that are not major.
var severities = map[AlarmKind]Severity{
	AlarmForgedProbe: SeverityCritical, AlarmReplayedProbe: SeverityCritical, AlarmLinkAtHost: SeverityCritical,
	AlarmHostHijack: SeverityCritical, AlarmSpoofedID: SeverityCritical, AlarmFlood: SeverityCritical,
	AlarmNarrowLink:   SeverityWarning,
	AlarmIndirectLink: SeverityWarning, AlarmAddressClash: SeverityWarning, AlarmDrift: SeverityWarning,
	AlarmForeignRule: SeverityWarning, AlarmRefusedSwitch: SeverityWarning, AlarmHalfOpen: SeverityWarning,
	AlarmMemory: SeverityWarning, AlarmToken: SeverityWarning, AlarmUnfenced: SeverityWarning,
	AlarmWideIntents: SeverityWarning, AlarmSlowDisk: SeverityWarning,
}

// Severity is how urgent alarms of the kind are.
func (k AlarmKind) Severity() Severity {
	if s, ok := severities[k]; ok {
		return s
	}
	return SeverityMajor
}

// transient are the kinds that report events: such an alarm ends by itself when the event has not
// recurred for a while. The others report states, and end when whoever raised them clears them.
var transient = map[AlarmKind]bool{
	AlarmForgedProbe: true, AlarmReplayedProbe: true, AlarmLinkAtHost: true, AlarmHostHijack: true, AlarmAddressClash: true,
	AlarmDrift: true, AlarmSpoofedID: true, AlarmRefusedSwitch: true, AlarmHalfOpen: true, AlarmLimit: true, AlarmLinkDown: true,
	AlarmAppFlood: true,
}

// Transient reports whether alarms of the kind end by themselves.
func (k AlarmKind) Transient() bool { return transient[k] }

// AlarmKey identifies an alarm: what is wrong, and with what (a datapath id, DPID/port, a host, an
// address; empty for the instance itself).
type AlarmKey struct {
	Kind   AlarmKind
	Object string
}

// Compare orders alarms by kind, then object.
func (k AlarmKey) Compare(l AlarmKey) int {
	return cmp.Or(cmp.Compare(k.Kind, l.Kind), cmp.Compare(k.Object, l.Object))
}

// Alarm is something that an operator should know. It is active until what is wrong has ended, and
// stays for a while after that.
type Alarm struct {
	AlarmKey
	Severity Severity
	Text     string // what happened, the last time
	Since    time.Time
	Last     time.Time // when it happened the last time
	Count    uint64    // how often, since it is active
	Active   bool
	Cleared  time.Time // when it ended, if it is not active
}

// Alarms is the writer of alarms. Package alarm owns it.
type Alarms struct{ view *View }

// Alarms returns the writer of alarms. It has one owner: a second call panics.
func (v *View) Alarms() *Alarms {
	v.own("Alarms")
	return &Alarms{v}
}

// Set puts and deletes alarms in one transaction. Rows belong to the view from then on.
func (a *Alarms) Set(put []*Alarm, remove []AlarmKey) Revision {
	return a.view.transact(func(w *working) {
		for _, row := range put {
			w.alarms.put(row.AlarmKey, row)
			w.record(Change{Kind: KindAlarm, Alarm: row})
		}
		for _, key := range remove {
			if old := w.alarms.remove(key); old != nil {
				w.record(Change{Kind: KindAlarm, Deleted: true, Alarm: old})
			}
		}
	})
}
