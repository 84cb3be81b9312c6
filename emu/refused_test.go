package emu

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// TestRefusedByTheController: a switch whose datapath id another one has at the controller says
// what the controller told it, for as long as it is refused, however often it tries; and no more
// when it is taken.
func TestRefusedByTheController(t *testing.T) {
	boss := newBoss()
	ctl := dialTo(map[string]*control{"c": serve(t, boss, session.Config{Versions: []openflow.Version{openflow.V13}})})
	cfg := Config{Topology: parse(t, "single:1"), Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"c"}, Dial: ctl,
		stack: newStation, BackoffMin: time.Millisecond, BackoffMax: 5 * time.Millisecond}
	first := start(t, cfg)
	await(t, "the first is connected", func() bool { return first.Totals().Connected == 1 && boss.of(t, 1) != nil })
	second := start(t, cfg)
	const want = `the controller refused: OFPET_BAD_REQUEST OFPBRC_EPERM "datapath id in use"`
	await(t, "the second is refused", func() bool { _, reason := second.Trouble(); return reason == want })
	tries := second.Switches()[0].control.channels[0]
	for n := 0; n < 20; n++ { // more attempts
		was := attempt(tries)
		await(t, "another attempt", func() bool { return attempt(tries) != was })
		if _, reason := second.Trouble(); reason != want {
			t.Fatalf("after more attempts the reason is %q", reason)
		}
	}
	if err := first.Switches()[0].Control().CutOff(0, true); err != nil {
		t.Fatal(err)
	}
	await(t, "the second is taken",
		func() bool { _, reason := second.Trouble(); return second.Totals().Connected == 1 && reason == "" })
}

func attempt(ch *channel) *wire {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.wire
}
