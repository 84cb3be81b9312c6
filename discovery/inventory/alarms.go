package inventory

import (
	"fmt"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
)

// AlarmQueue keeps the alarms that a transaction raises and clears, in order, until it has ended:
// the sink has locks of its own.
type AlarmQueue []alarmChange

// alarmChange is an alarm to raise, or to clear.
type alarmChange struct {
	kind         netview.AlarmKind
	object, text string
	clear        bool
}

// Raise queues an alarm.
func (q *AlarmQueue) Raise(kind netview.AlarmKind, object, format string, args ...any) {
	*q = append(*q, alarmChange{kind: kind, object: object, text: fmt.Sprintf(format, args...)})
}

// Clear queues the end of an alarm.
func (q *AlarmQueue) Clear(kind netview.AlarmKind, object string) {
	*q = append(*q, alarmChange{kind: kind, object: object, clear: true})
}

// Flush hands the alarms to a sink, which may be nil.
func (q *AlarmQueue) Flush(to alarm.Sink) {
	for _, a := range *q {
		switch {
		case to == nil:
		case a.clear:
			to.Clear(a.kind, a.object)
		default:
			to.Raise(a.kind, a.object, a.text)
		}
	}
	clear(*q)
	*q = (*q)[:0]
}

// RaiseAlarm raises an alarm about an attack, or what looks like one, at a port.
func (t *Transaction) RaiseAlarm(kind netview.AlarmKind, at netview.Point, format string, args ...any) {
	t.Alarms.Raise(kind, at.String(), format, args...)
}
