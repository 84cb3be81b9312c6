//go:build real

package netlab

import (
	"fmt"
	"testing"
	"time"
)

// TestStandaloneSwitchIsAlarmed: a switch whose fail mode is standalone loses its control session
// for longer than it waits, and empties its tables. When it is back it is filled again, and an
// alarm says what is wrong with it; the alarm ends when the switch has kept its tables over a loss
// of its session. Switches that are secure, as ours are, raise none.
func TestStandaloneSwitchIsAlarmed(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		w, nets := underWeir(l, "linear:2", func(int) *OVS { return o })
		s, dpid := nets[1].Switches[0], fmt.Sprintf("%016x", nets[1].Switches[0].DPID)
		o.Vsctl("set-fail-mode", s.Name, "standalone")
		for _, each := range nets[1].Switches {
			o.Vsctl("set", "controller", each.Name, "inactivity_probe=1000")
		}
		w.awaitSettled(Both(nets[0], nets[1]))
		want := nets[1].firm()
		lose := func(until func() bool) {
			for _, each := range nets[1].Switches {
				l.Sever(each.own())
			}
			l.Eventually(120*time.Second, "the sessions are found dead", func() bool { return w.connected() == 2 && until() })
			for _, each := range nets[1].Switches {
				l.Mend(each.own())
			}
			w.awaitSettled(Both(nets[0], nets[1]))
			nets[1].awaitFirm(want, repairLimit)
		}
		lose(func() bool { return len(s.Rules()) == 0 })
		w.AwaitAlarm("fail-mode", dpid, 20*time.Second)
		for _, a := range w.Alarms() {
			if a.Kind == "fail-mode" && a.Object != dpid {
				t.Errorf("an alarm about a switch that is secure: %+v", a)
			}
		}
		o.Vsctl("set-fail-mode", s.Name, "secure")
		lose(func() bool { return true })
		l.Eventually(20*time.Second, "the alarm has ended", func() bool { return !w.alarmed("fail-mode", "") })
	})
}
