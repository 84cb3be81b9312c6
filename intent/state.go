package intent

// State says how far an intent has come.
type State uint8

// The states of an intent.
const (
	Submitted   State = iota + 1 // taken, nothing decided yet
	Waiting                      // for a host, a switch or a port that is not known: the code says which
	Installing                   // a path is decided; not all its rules are confirmed
	Installed                    // every switch on the path has confirmed
	Rerouting                    // the path broke; not all rules of the next are confirmed
	Degraded                     // works as far as is known, but not all of it is confirmed: the code says why
	Failed                       // the code says why; tried again on any change that could help
	Withdrawing                  // withdrawn; rules of it are, or may be, in switches
)

// states is the number of states, zero included.
const states = int(Withdrawing) + 1

var stateNames = [states]string{
	"", "submitted", "waiting", "installing", "installed", "rerouting", "degraded", "failed", "withdrawing",
}

// String is "submitted", "waiting", "installing", "installed", "rerouting", "degraded", "failed" or "withdrawing".
func (s State) String() string {
	if int(s) >= states {
		return "unknown"
	}
	return stateNames[s]
}

// ParseState is the state of a name.
func ParseState(name string) (State, bool) {
	for s := Submitted; s <= Withdrawing; s++ {
		if stateNames[s] == name {
			return s, true
		}
	}
	return 0, false
}

// Code says why an intent is waiting, degraded or failed.
type Code uint8

// The codes.
const (
	NoCode        Code = iota
	HostUnknown        // waiting: no host of this id has been seen
	SwitchUnknown      // waiting: no such switch has connected
	PortUnknown        // waiting: the switch has no such port
	NoPath             // failed: no links that are up lead there
	LinkDown           // failed: a link of a path of explicit hops is not there, or down
	TableFull          // failed: a switch has no room, and there is no way round it
	Refused            // failed: a switch cannot do what is asked, and there is no way round it
	Conflicting        // failed: another intent has rules of the same match in the same place
	TooLarge           // failed: more rules than one intent may have
	Unconfirmed        // degraded: the path passes a link or a switch that is not connected
	Drift              // degraded: a switch lost a rule, which is being put back
	codes
)

var codeNames = [codes]string{
	"", "host-unknown", "switch-unknown", "port-unknown", "no-path", "link-down", "table-full", "refused", "conflict", "too-large",
	"unconfirmed", "drift",
}

// String is the code in lower case with hyphens: "no-path"; "" for none.
func (c Code) String() string {
	if c >= codes {
		return "unknown"
	}
	return codeNames[c]
}
