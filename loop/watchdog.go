package loop

// Watchdog finds parts that hang: asked for a turn, they do none. It has one owner.
type Watchdog struct{ watched []*watched }

type watched struct {
	name  string
	pulse func() uint64
	last  uint64
	idle  int // how many times in a row it had done none
}

// WatchdogTimes is how many times a part is asked until it is taken to hang: by counting them, not by
// the clock, a process that was stopped as a whole is not taken to hang.
const WatchdogTimes = 6

// Add has a part be asked, by a function that requests a turn and returns how many were done, such as
// Part.Pulse.
func (w *Watchdog) Add(name string, pulse func() uint64) {
	w.watched = append(w.watched, &watched{name: name, pulse: pulse})
}

// Ask asks all parts, and returns the name of the first that hangs; nil: none does.
func (w *Watchdog) Ask() (hung *string) {
	for _, p := range w.watched {
		turns := p.pulse()
		if p.idle++; turns != p.last {
			p.last, p.idle = turns, 0
		}
		if p.idle > WatchdogTimes && hung == nil {
			hung = &p.name
		}
	}
	return hung
}
