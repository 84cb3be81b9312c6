package discovery

import (
	"fmt"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
)

// alarmQueue keeps the alarms that a transaction raises and clears, in order, until it has ended:
// the sink has locks of its own.
type alarmQueue []alarmChange

// alarmChange is an alarm to raise, or to clear.
type alarmChange struct {
	kind         netview.AlarmKind
	object, text string
	clear        bool
}

func (q *alarmQueue) raise(kind netview.AlarmKind, object, format string, args ...any) {
	*q = append(*q, alarmChange{kind: kind, object: object, text: fmt.Sprintf(format, args...)})
}

func (q *alarmQueue) clear(kind netview.AlarmKind, object string) {
	*q = append(*q, alarmChange{kind: kind, object: object, clear: true})
}

// flush hands the alarms to a sink, which may be nil.
func (q *alarmQueue) flush(to alarm.Sink) {
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

// raiseAlarm raises an alarm about an attack, or what looks like one, at a port.
func (t *transaction) raiseAlarm(kind netview.AlarmKind, at netview.Point, format string, args ...any) {
	t.alarms.raise(kind, at.String(), format, args...)
}
