package alarm

import "github.com/weirnet/weir/netview"

// Sink takes alarms. Its methods may be called from any goroutine and do not block. *Board
// implements it.
type Sink interface {
	// Raise reports that something is wrong with an object, in one sentence for people.
	Raise(kind netview.AlarmKind, object, text string)
	// Clear reports that what was wrong has ended.
	Clear(kind netview.AlarmKind, object string)
}
