//go:build real && linux

package profile_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/twin"
)

// patience is how long something may take that is not measured.
const patience = 20 * time.Second

// payloads are those of profiles.
var payloads = []int{56, 1500, 10000, 65000}

// setup measures flow set-up and path latency of a controller's switch between two interfaces; the
// report is in the test's log.
func setup(t *testing.T, c *controller.Controller, ends []nic.Config, flows int, apart time.Duration) (*report.Report,
	[]campaign.SetupSample) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+flows)*patience)
	defer cancel()
	s := campaign.Setup{Latency: campaign.Latency{From: ends[0], To: ends[1], Sizes: payloads, Count: flows,
		Limits: probe.Limits{Foreign: 1}, Controller: c}, Apart: apart}
	r, samples, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	return r, samples
}

// emulated is setup of an emulated switch of a profile.
func emulated(t *testing.T, p profile.Profile, flows int, apart time.Duration) (*report.Report, []campaign.SetupSample) {
	t.Helper()
	c := hub.StartController(t)
	sw, err := twin.Start(t.Context(), twin.Config{Profile: p, Controller: c.Address(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := sw.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	return setup(t, c, sw.Ends, flows, apart)
}

// named is a profile that is built in.
func named(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
