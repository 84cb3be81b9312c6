package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/fit"
)

// small is a plan of seconds.
func small(source Source) Plan {
	return Plan{Source: source, In: 1, Out: 2, Rounds: 3, Batches: []int{1, 2, 3, 5, 8, 9, 10, 17, 33},
		Answers:    []int{1, 10, 100},
		MaxEntries: 300, MaxGroups: 128, MaxMeters: 128, MaxOffered: 32_000,
		Sustained: 400 * time.Millisecond, Quiet: 150 * time.Millisecond}
}

func measure(t *testing.T, c *Controller, plan Plan) *Measured {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	got, err := c.Measure(ctx, plan)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// within wants a figure not to be below, nor above, a share of the truth. The margins are wide: the
// machine is busy, and benchmarks say how good figures are.
func within(t *testing.T, what string, got, truth, least, most float64) {
	t.Helper()
	if got < least*truth || got > most*truth {
		t.Errorf("%s: %v, the profile says %v", what, got, truth)
	}
}

// again measures a new switch of a profile until nothing is refused because the model does not fit: that is the right answer
// of a machine that stood still while rates were measured.
func again(t *testing.T, v openflow.Version, truth profile.Profile) (m *Measured, got *fit.Fitted) {
	t.Helper()
	for range 6 {
		c := listen(t, Config{})
		sw, ports := emulate(t, c, v, truth)
		m = measure(t, c, small(ports[0].Send))
		if sw.Entries() != 0 {
			t.Errorf("%d entries are left", sw.Entries())
		}
		got = m.Fit()
		unfit := false
		for part, err := range got.Missing {
			t.Logf("%s is not measured: %v", part, err)
			unfit = unfit || errors.Is(err, fit.ErrNoFit)
		}
		if !unfit {
			break
		}
	}
	return m, got
}

// TestProfileIsFoundAgain has a switch of a profile be measured by a controller that does not know
// it.
func TestProfileIsFoundAgain(t *testing.T) {
	truth := profile.Profile{
		Install:    profile.Install{PerSecond: 1000, Batch: 8, Delay: 20 * time.Millisecond},
		PacketIn:   profile.Rate{PerSecond: 1000, Queue: 200},
		PacketOut:  profile.Rate{PerSecond: 500, Queue: 100},
		Statistics: profile.Statistics{Delay: 20 * time.Millisecond, Entry: 500 * time.Microsecond},
		Tables:     profile.Tables{Count: 3, Entries: 200, Groups: 100, Meters: 70, Buffers: 16},
	}
	versions(t, func(t *testing.T, v openflow.Version) {
		m, got := again(t, v, truth)
		for _, note := range m.Notes {
			t.Log(note)
		}
		for _, p := range got.Parts() {
			t.Logf("%s: %s, %+v", p.Name, p.Text, got.Quality[p.Name])
		}
		if len(got.Missing) > 0 {
			t.Fatalf("missing: %v", got.Missing)
		}
		want := truth.Tables
		want.Source = profile.Measured
		if v == openflow.V10 {
			want.Count, want.Groups, want.Meters = got.Tables.Count, 0, 0 // OpenFlow 1.0 has none, and one table that counts
		}
		if got.Tables != want {
			t.Errorf("tables: %+v, the profile says %+v", got.Tables, want)
		}
		if m.InForce.Tried == 0 || m.InForce.Late > 0 {
			t.Errorf("entries in force: %+v", m.InForce)
		}
		within(t, "entries in a batch", float64(got.Install.Batch), 8, 0.7, 1.4)
		within(t, "delay of a batch", got.Install.Delay.Seconds(), truth.Install.Delay.Seconds(), 0.8, 1.5)
		within(t, "entries/s", got.Install.PerSecond, truth.Install.PerSecond, 0.5, 1.5)
		within(t, "packet-ins/s", got.PacketIn.PerSecond, truth.PacketIn.PerSecond, 0.8, 1.25)
		within(t, "packet-ins that wait", float64(got.PacketIn.Queue), float64(truth.PacketIn.Queue), 0.7, 1.4)
		within(t, "packet-outs/s", got.PacketOut.PerSecond, truth.PacketOut.PerSecond, 0.8, 1.25)
		within(t, "packet-outs that wait", float64(got.PacketOut.Queue), float64(truth.PacketOut.Queue), 0.7, 1.4)
		within(t, "delay of an answer", got.Profile.Statistics.Delay.Seconds(), truth.Statistics.Delay.Seconds(), 0.7, 1.5)
		within(t, "more for an entry", got.Profile.Statistics.Entry.Seconds(), truth.Statistics.Entry.Seconds(), 0.8, 1.5)
	})
}

// TestEarlyBarrierIsToldByPackets has a switch say that entries are in force which are not.
func TestEarlyBarrierIsToldByPackets(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, v openflow.Version) {
		c := listen(t, Config{})
		sw, ports := emulate(t, c, v, profile.Profile{})
		m := &measurement{Measured: &Measured{Version: v}, c: c, plan: small(ports[0].Send)}
		m.Missing = map[string]error{}
		m.s, m.inner, _ = c.connected(t.Context())
		heard := tap(m.heard.packetIn)
		c.tap.Store(&heard)
		if err := m.inForce(t.Context()); err != nil || m.InForce.Tried != 6 || m.InForce.Late != 0 || len(m.Missing) > 0 {
			t.Fatalf("a switch that keeps its word: %+v, missing %v, error %v", m.InForce, m.Missing, err)
		}
		// It forgets entries from when it has the one that hands up what no other takes.
		m.InForce = InForce{}
		if err := m.clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		miss := add(missPriority+1, openflow.Match{}, openflow.OutputController(openflow.ControllerNoCut))
		if err := sw.Console().Apply(v, miss); err != nil {
			t.Fatal(err)
		}
		sw.Misbehave(emu.Misbehaviour{ForgetFlowMods: true})
		m.plan.Rounds = 1
		if err := m.inForce(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := m.Missing[fit.PartInstall]
		if !errors.Is(err, ErrEarlyBarrier) || m.InForce.Never != 2 || m.InForce.Late != 2 ||
			!strings.Contains(err.Error(), "2 of 2 entries") {
			t.Errorf("a switch that lies: %+v, %v", m.InForce, err)
		}
	})
}

// TestWhatIsMissingIsSaid has an ideal switch, from which nothing leads in, and which has no limits.
func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	c := listen(t, Config{})
	emulate(t, c, openflow.V13, profile.Profile{})
	plan := small(nil)
	plan.Out, plan.Batches, plan.Answers = 9, []int{1, 2}, []int{1}
	m := measure(t, c, plan)
	got := m.Fit()
	for part, want := range map[string]error{fit.PartPacketIn: ErrNoSource, fit.PartStatistics: fit.ErrTooFew,
		fit.PartInstall: fit.ErrTooFew} {
		if !errors.Is(got.Missing[part], want) {
			t.Errorf("%s: %v, want %v", part, got.Missing[part], want)
		}
	}
	if got.Missing[fit.PartPacketOut] == nil {
		t.Error("packet-outs by a port that there is not")
	}
	if notes := fmt.Sprint(m.Notes); !strings.Contains(notes, "table 0 took 300 entries without being full") ||
		!strings.Contains(notes, "barriers") {
		t.Errorf("notes: %v", m.Notes)
	}
}

// TestMeasureEndsWithTheSwitch has the switch go in the midst of it.
func TestMeasureEndsWithTheSwitch(t *testing.T) {
	t.Parallel()
	c := listen(t, Config{})
	sw, ports := emulate(t, c, openflow.V13, profile.Profile{})
	plan := small(ports[0].Send)
	plan.Note = func(text string) {
		if strings.HasPrefix(text, "install") {
			sw.Down()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Measure(ctx, plan); err == nil || !strings.Contains(err.Error(), "install") {
		t.Errorf("%v", err)
	}
}

func TestFramesAreReadAgain(t *testing.T) {
	f := appendFrame(nil, 7, 9)
	if trial, number, isMarked, ok := parseFrame(f); trial != 7 || number != 9 || isMarked || !ok || len(f) != frameLen {
		t.Errorf("%d, %d, %v, %v", trial, number, isMarked, ok)
	}
	copy(f, marked[:])
	if _, _, isMarked, ok := parseFrame(f); !isMarked || !ok {
		t.Error("the mark is not seen")
	}
	tagged := append(append(bytes.Clone(f[:12]), 0x81, 0, 0, 5), f[12:]...)
	if trial, _, _, ok := parseFrame(tagged); trial != 7 || !ok {
		t.Error("with a tag it is not read")
	}
	for n := range 30 {
		if _, _, _, ok := parseFrame(f[:n]); ok {
			t.Errorf("%d bytes are a frame", n)
		}
	}
}

// FuzzFrame has what is read be what was written, and all else be refused.
func FuzzFrame(f *testing.F) {
	f.Add(appendFrame(nil, 1, 2))
	f.Add([]byte("no frame at all"))
	f.Fuzz(func(t *testing.T, b []byte) {
		trial, number, _, ok := parseFrame(b)
		if ok && !bytes.Contains(b, appendFrame(nil, trial, number)[12:30]) {
			t.Errorf("%x is read as %d, %d", b, trial, number)
		}
	})
}
