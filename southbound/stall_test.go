package southbound

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// slow is an application that does not return from a packet at port 9 until it is let go.
type slow struct {
	watcher
	hold chan struct{}
}

func (s *slow) SwitchUp(sw *Switch) Part {
	s.watcher.SwitchUp(sw)
	return s
}

func (s *slow) Admit(uint32, bool) bool { return true }

func (s *slow) PacketIn(p *Packet) bool {
	s.watcher.PacketIn(p)
	if p.InPort == 9 {
		<-s.hold
	}
	return false
}

// TestStalledApplication: an application that does not return to a session's reader holds up this session
// and no other, and an alarm says so by its name until it returns.
func TestStalledApplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		s := &slow{watcher{name: "slow", diary: d}, make(chan struct{})}
		g := southboundOf(t, idle{}, s)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{}, 2)
		for _, run := range []func(context.Context){g.StallPart(time.Now).Run, g.cfg.Alarms.Run} {
			go func() { run(ctx); ended <- struct{}{} }()
		}
		dialer := session.NewDialer(session.Config{})
		first, second := connect(t, g, dialer, hub.Switch(5)), connect(t, g, dialer, hub.Switch(6))
		d.take()
		stalled := func(what string, want ...string) {
			t.Helper()
			time.Sleep(StallLimit + 3*time.Second)
			synctest.Wait()
			var got []string
			for a := range g.cfg.View.Snapshot().Alarms() {
				if a.Kind == netview.AlarmAppStalled && a.Active {
					got = append(got, a.Object)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: alarms about %q, want %q", what, got, want)
			}
		}
		const seen = "slow sees a packet of 02:00:00:00:00:01"
		for i, from := range []*session.Session{first, first, second} {
			if _, err := from.Send(packetIn([]uint32{9, 1, 1}[i], frame)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if got := d.take(); !slices.Equal(got, []string{seen, seen}) {
			t.Errorf("%q, want a packet of each switch", got)
		}
		stalled("while it does not return", "slow: switch 0000000000000005")
		close(s.hold)
		stalled("when it has returned")
		if got := d.take(); !slices.Equal(got, []string{seen}) {
			t.Errorf("%q, want the second packet", got)
		}
		dialer.Close(context.Background())
		g.Server.Close(context.Background())
		stop()
		<-ended
		<-ended
	})
}
