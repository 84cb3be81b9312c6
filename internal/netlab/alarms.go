package netlab

import (
	"fmt"
	"time"
)

// Alarm is an active alarm, as the REST interface writes it.
type Alarm struct {
	Kind   string `json:"kind"`
	Object string `json:"object"`
	Text   string `json:"text"`
}

// Alarms reads the active alarms.
func (w *Weir) Alarms() []Alarm {
	w.lab.t.Helper()
	var list struct {
		Items []Alarm `json:"items"`
	}
	if err := w.Get("/v1/alarms", &list); err != nil {
		w.lab.t.Fatal(err)
	}
	return list.Items
}

// AwaitAlarm waits until an alarm of the kind about the object is active.
func (w *Weir) AwaitAlarm(kind, object string, limit time.Duration) {
	w.lab.t.Helper()
	defer func() {
		if w.lab.t.Failed() {
			w.lab.t.Logf("alarms: %+v", w.Alarms())
		}
	}()
	w.lab.Eventually(limit, fmt.Sprintf("an alarm %s about %q", kind, object), func() bool { return w.alarmed(kind, object) })
}

// alarmed reports whether an alarm of the kind about the object is active; about anything, if the
// object is empty.
func (w *Weir) alarmed(kind, object string) bool {
	w.lab.t.Helper()
	for _, a := range w.Alarms() {
		if a.Kind == kind && (object == "" || a.Object == object) {
			return true
		}
	}
	return false
}

// Home is where a host is in the view, by its MAC; false if it is not in it.
func (w *Weir) Home(h *Host) (Place, bool) {
	w.lab.t.Helper()
	var list struct {
		Items []struct {
			MAC string `json:"mac"`
			At  Place  `json:"at"`
		} `json:"items"`
	}
	if err := w.Get("/v1/hosts", &list); err != nil {
		w.lab.t.Fatal(err)
	}
	for _, i := range list.Items {
		if i.MAC == h.MAC {
			return i.At, true
		}
	}
	return Place{}, false
}
