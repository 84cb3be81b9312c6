package up

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/node"
)

// pairs has every host ask every other once: in round k all ask the k-th after them, at the same
// time. It returns who was not answered, and how many asked.
func (u *up) pairs(t testing.TB) (unanswered []string, asked int) {
	hosts := u.net.Hosts()
	pings := make([]*host.Ping, len(hosts))
	for k := 1; k < len(hosts); k++ {
		for i, h := range hosts {
			to := hosts[(i+k)%len(hosts)].Spec().IPv4.Addr()
			h.Do(func(s *host.Host, now time.Duration, _ host.Output) {
				var err error
				if pings[i], err = s.Ping(host.PingSpec{Dst: to, Count: 1, Timeout: 20 * time.Second}, now); err != nil {
					t.Error(err)
				}
			})
		}
		for i, h := range hosts {
			var r host.PingReport
			for !r.Done {
				h.Do(func(*host.Host, time.Duration, host.Output) { r = pings[i].Report() })
				if !r.Done {
					time.Sleep(time.Millisecond)
				}
			}
			if asked++; r.Received != 1 || r.Duplicated != 0 {
				unanswered = append(unanswered,
					fmt.Sprintf("%s asked %s: %d answers, %d twice", h.Spec().Name, r.Dst, r.Received, r.Duplicated))
			}
		}
	}
	return unanswered, asked
}

// everyPair brings a network up under Weir, and has every host ask every other, once and without a
// second try.
func everyPair(t *testing.T, word string) {
	u := &up{cfg: Config{Node: node.Defaults()}, begun: time.Now()}
	u.cfg.Node.API.Listen, u.cfg.Node.OpenFlow.Listen, u.cfg.Node.DataDir = "127.0.0.1:0", "127.0.0.1:0", t.TempDir()
	u.cfg.Network.Topology = topology(t, word)
	done := make(chan struct{})
	u.cfg.Complete = func(s *State) {
		defer close(done)
		begun := time.Now()
		unanswered, asked := u.pairs(t)
		if want := s.Hosts.All * (s.Hosts.All - 1); asked != want || len(unanswered) > 0 {
			t.Errorf("%d of %d pairs, %d unanswered: %.10q", asked, want, len(unanswered), unanswered)
		}
		t.Logf("%s: %s; %d pairs in %s; %d entries", word, s.Announcement(), asked, time.Since(begun), u.net.Totals().Entries)
		if err := u.view.Snapshot().Check(); err != nil {
			t.Error(err)
		}
		drops := u.net.Totals().Drops
		for cause, n := range drops {
			if n > 0 {
				t.Logf("lost in the network: %d, cause %d", n, cause)
			}
		}
	}
	ctx, end := contextUntil(t, done)
	defer end()
	if err := u.run(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
	default:
		t.Fatalf("not all have answered: %d switches, %d links", u.view.Snapshot().Counts().Switches,
			u.view.Snapshot().Counts().Links)
	}
}

// On networks with loops every host reaches every other, each first packet included.
func TestEveryHostReachesEveryHost(t *testing.T) {
	for _, word := range []string{"torus:3x3", "fattree:4", "tree:3,2,hosts=2"} {
		t.Run(word, func(t *testing.T) { everyPair(t, word) })
	}
}

// contextUntil is a context that ends when done is closed, or the test has taken too long.
func contextUntil(t *testing.T, done <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, end := context.WithTimeout(t.Context(), 5*time.Minute)
	go func() {
		select {
		case <-done:
		case <-ctx.Done():
		}
		end()
	}()
	return ctx, end
}
