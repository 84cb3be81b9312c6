//go:build real && linux

package twin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/twin"
)

// TestProgram: a switch in a process of its own connects, speaks the version, has a port for each end,
// and nothing of it is left when it is closed.
func TestProgram(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		aruba, err := profile.Named("aruba-3810m")
		if err != nil {
			t.Fatal(err)
		}
		for kind, p := range map[attach.Kind]profile.Profile{attach.TAP: aruba, attach.VETH: {Name: "ideal"}} {
			connects(t, twin.Config{Profile: p, Kind: kind, Program: netlab.BuiltWeir(t), Ends: 3,
				Versions: []openflow.Version{openflow.V10}, MTU: 2000})
		}
		if out := l.Run("ps", "-e", "-o", "args="); strings.Contains(out, "emulate single:1") {
			t.Errorf("there are processes left: %s", out)
		}
	})
}

func connects(t *testing.T, cfg twin.Config) {
	c, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	cfg.Controller = c.Address()
	sw, err := twin.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer sw.Close(context.Background())
	if err := c.ReadyWithin(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(sw.Ends) != cfg.Ends || c.Version() != openflow.V10 {
		t.Errorf("%d ends, OpenFlow %v", len(sw.Ends), c.Version())
	}
	for _, end := range sw.Ends {
		n, err := nic.Open(end)
		if err != nil {
			t.Fatal(err)
		}
		if n.MTU() != cfg.MTU {
			t.Errorf("%s has an MTU of %d, want %d", end.Interface, n.MTU(), cfg.MTU)
		}
		n.Close()
	}
}

// TestProgramThatEnds: who cannot emulate says why, at once.
func TestProgramThatEnds(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		sw, err := twin.Start(t.Context(), twin.Config{Profile: profile.Profile{Name: "ideal"}, Program: netlab.BuiltWeir(t),
			Controller: "nobody", Ends: 2})
		if err == nil {
			sw.Close(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), "has ended: ") || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("%v, want the last words of weir emulate", err)
		}
	})
}
