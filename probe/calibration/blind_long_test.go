//go:build real && long && linux

package calibration_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe/calibration"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/probe/twin"
)

// TestEmulatedSwitchesAreCalibratedBlind has a switch whose profile the calibration does not know be
// calibrated: what comes of it is whole. How near it is to the profile is a matter of this machine.
func TestEmulatedSwitchesAreCalibratedBlind(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		for _, name := range []string{"aruba-3810m", "ovs"} {
			t.Run(name, func(t *testing.T) {
				p, err := profile.Named(name)
				if err != nil {
					t.Fatal(err)
				}
				c := hub.StartController(t)
				under, err := twin.Start(t.Context(), twin.Config{Profile: p, Controller: c.Address(), Ends: 3,
					Kind: attach.VETH})
				if err != nil {
					t.Fatal(err)
				}
				defer under.Close(context.Background())
				cfg := quick(c, under.Ends)
				r, err := cfg.Calibrate(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				holds(t, r)
				if name == "aruba-3810m" && r.Profile.Install.Source != profile.Measured &&
					r.Switch.Missing[fit.PartInstall] == nil {
					t.Errorf("install is not there: %v", r.Notes)
				}
				for _, at := range r.Profile.FlowSetup.Points { // never sooner than promised, by much
					if at.Delay < p.FlowSetup.At(at.Payload)/2 {
						t.Errorf("set-up of %d bytes %v, promised %v", at.Payload, at.Delay, p.FlowSetup.At(at.Payload))
					}
				}
				var table, text bytes.Buffer
				rep := cfg.Report("probe calibrate", "a switch and its twin", r.Twin)
				if err := errors.Join(calibration.WriteCSV(&table, r.Twin), rep.Print(&text)); err != nil {
					t.Error(err)
				}
				t.Log(text.String())
				if n := strings.Count(table.String(), "\n"); n < len(r.Twin.Rows)+1 {
					t.Errorf("%d lines of %d rows", n, len(r.Twin.Rows))
				}
				v, err := cfg.Verify(t.Context(), &r.Profile)
				if err != nil {
					t.Fatal(err)
				}
				if len(v.Twin.Rows) == 0 || v.Switch == nil || len(v.Switch.Rows) == 0 {
					t.Errorf("verified: %+v", v)
				}
			})
		}
	})
}
