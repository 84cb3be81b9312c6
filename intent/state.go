package intent

// State is the progress of an intent.
type State uint8

// The states of an intent.
const (
	Submitted   State = iota + 1 // accepted, nothing computed yet
	Waiting                      // for an unknown host, switch or port (Code)
	Installing                   // a path is chosen; not all its rules are confirmed
	Installed                    // every switch on the path has confirmed
	Rerouting                    // the path failed; not all rules of the new one are confirmed
	Degraded                     // works as far as is known, but is not fully confirmed (Code)
	Failed                       // see Code; retried on any change that could help
	Withdrawing                  // withdrawn; switches have, or may have, rules of it
)

// states is the number of states, including zero.
const states = int(Withdrawing) + 1

var stateNames = [states]string{
	"", "submitted", "waiting", "installing", "installed", "rerouting", "degraded", "failed", "withdrawing",
}

// String is "submitted", "waiting", "installing", "installed", "rerouting", "degraded", "failed" or
// "withdrawing".
func (s State) String() string {
	return nameOf(stateNames[:], s)
}

// nameOf returns the name of a value, "unknown" if it has none.
func nameOf[V ~uint8](names []string, v V) string {
	if int(v) >= len(names) {
		return "unknown"
	}
	return names[v]
}

// ParseState returns the state of a name.
func ParseState(name string) (State, bool) {
	for s := Submitted; s <= Withdrawing; s++ {
		if stateNames[s] == name {
			return s, true
		}
	}
	return 0, false
}

// Code is the reason why an intent is waiting, degraded or failed.
type Code uint8

// The codes.
const (
	NoCode        Code = iota
	HostUnknown        // waiting: no host of this id has been seen
	SwitchUnknown      // waiting: no such switch has connected
	PortUnknown        // waiting: the switch has no such port
	NoPath             // failed: no path over links that are up
	LinkDown           // failed: a link of an explicit path is down or unknown
	TableFull          // failed: the table of a switch is full, and no path avoids the switch
	Refused            // failed: a switch refused a rule, and no path avoids the switch
	Conflicting        // failed: another intent has a rule with the same match, or an overlapping one
	TooLarge           // failed: more rules than one intent may have
	NoTag              // failed: a wide intent whose packets cannot be tagged at a switch, or on a link
	Unconfirmed        // degraded: a link of the path is not confirmed, or, after a restart, rules of it are not
	Drift              // degraded: a switch lost a rule, which is being reinstalled
	codes
)

var codeNames = [codes]string{
	"", "host-unknown", "switch-unknown", "port-unknown", "no-path", "link-down", "table-full", "refused",
	"conflict", "too-large", "no-tag",
	"unconfirmed", "drift",
}

// String is the code in lower case with hyphens: "no-path"; "" for none.
func (c Code) String() string {
	return nameOf(codeNames[:], c)
}

// codeTexts are the texts of intents for which nothing else is said. After a restart nearly all are unconfirmed.
var codeTexts = [codes]string{
	Unconfirmed: "not every switch and link of the path has confirmed what it holds since the last session began",
	Drift:       "a switch lost a rule: it is being put back",
}
