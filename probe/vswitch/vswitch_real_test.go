//go:build real && linux

package vswitch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/vswitch"
)

// TestStart: the switch connects to a controller inside, and carries frames to all ends by the ports of
// their numbers; nothing of it is left when it is closed.
func TestStart(t *testing.T) {
	need.Program(t, "ovs-vswitchd")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		carries(t, 4)
		if out := l.Run("ip", "-brief", "link"); strings.Count(out, "\n") != 1 { // the loopback interface
			t.Errorf("there are interfaces left: %s", out)
		}
		if out := l.Run("ps", "-e", "-o", "comm="); strings.Contains(out, "ovs") {
			t.Errorf("there are processes left: %s", out)
		}
	})
}

func carries(t *testing.T, ends int) {
	b, err := vswitch.New(ends)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var c *controller.Controller
	err = b.Inside(func() (err error) { c, err = controller.Listen("127.0.0.1:0", controller.Config{}); return err })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if err := b.Start(t.Context(), c.Address()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	for to := 1; to < ends; to++ {
		c.React(controller.Forwarding{Out: controller.Between(1, uint32(to+1))})
		came := make(chan struct{}, 1)
		var nics [2]*nic.NIC
		for i, cfg := range []nic.Config{b.Ends[0], b.Ends[to]} {
			cfg.State = t.TempDir()
			if nics[i], err = nic.Open(cfg); err != nil {
				t.Fatal(err)
			}
			defer nics[i].Close()
		}
		nics[0].Watch(func(*nic.Frame) {})
		nics[1].Watch(func(f *nic.Frame) {
			if !f.Out {
				select {
				case came <- struct{}{}:
				default:
				}
			}
		})
		ask := packet.NewARPRequest(packet.MAC{2, byte(to)}, [4]byte{198, 18, 0, 1}, [4]byte{198, 18, 0, 2})
		for sent := false; !sent; {
			if err := nics[0].Send(packet.AppendARP(nil, &ask)); err != nil {
				t.Fatal(err)
			}
			select {
			case <-came:
				sent = true
			case <-ctx.Done():
				t.Fatalf("nothing comes at %s", b.Ends[to].String())
			case <-time.After(100 * time.Millisecond):
			}
		}
		for _, n := range nics {
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
