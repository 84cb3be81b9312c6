package sim

import "time"

// act has an event happen, and what ends it asked for.
func (w *world) act(e Event) {
	w.say("%s", e)
	w.monitor.exempt(e)
	defer w.monitor.note()
	end := func(do func()) {
		w.After(e.For, func() {
			do()
			w.monitor.note()
		})
	}
	switches := w.net.Switches()
	switch e.Kind {
	case CutLink:
		l := w.net.Links()[e.A]
		l.SetUp(false)
		end(func() { l.SetUp(true) })
	case BreakPort:
		sw := switches[e.A]
		port := sw.Ports()[e.B%len(sw.Ports())]
		_ = sw.SetPort(port, false)
		end(func() { _ = sw.SetPort(port, true) })
	case PowerOff:
		sw := switches[e.A]
		sw.Down()
		if w.referee != nil {
			w.referee.forgets(e.A)
		}
		end(sw.Up)
	case KillInstance:
		w.machines[0].kill()
		end(w.machines[0].start)
	case PauseInstance:
		w.machines[0].pause(e.For / 4)
	case MoveHost:
		h, to := w.net.stations[e.A], w.net.sockets[e.B]
		if to.station == nil && h.socket != nil {
			h.pull()
			w.After(min(e.For, 2*time.Second), func() { h.settle(to) })
		}
	case Talk:
		if a, b := w.net.stations[e.A], w.net.stations[e.B]; a != b {
			a.ping(b, 1+int(e.For/time.Second), time.Second/2, time.Second)
		}
	case Shout:
		w.net.stations[e.A].shout(uint32(e.At))
	case AskIntent, DropIntent, ReadIntent:
		w.intents.ask(e)
	case StoreTrouble:
		w.machines[0].troubleStore(e, end)
	case CutControl, LoseControl, NoControl, SlowControl, StallControl:
		w.wires.control(e, end)
	case OrderRule, RemoveRule:
		w.app.change(e)
	case DeleteObject, ChangeObject, HarmRule:
		w.app.harm(e)
	case DeleteByHand, ChangeByHand, AddByHand, EmptyByHand:
		w.net.byHand(e)
	case KillMember, PauseMember, CutMembers, CutOneWay, Isolate, SlowMembers, TroubleMember:
		w.instances.act(e, end)
	default:
		w.operate(e, end)
	}
}
