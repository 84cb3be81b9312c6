//go:build real

package connect

import (
	"cmp"
	"net"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// TestExperimentersOfOpenvSwitch: Open vSwitch answers experimenters' messages as a virtual switch does, but for experimenters
// of which it alone understands some.
func TestExperimentersOfOpenvSwitch(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				ln, err := net.Listen("tcp", "127.0.0.1:6653")
				if err != nil {
					t.Fatal(err)
				}
				defer ln.Close()
				l.StartOVS().AddBridge("br0", 0x1234, v.String(), "tcp:127.0.0.1:6653")
				conn, err := ln.Accept()
				if err != nil {
					t.Fatal(err)
				}
				c := meet(t, conn, v)
				for i, x := range experimenters(v) {
					got := strings.Join(c.ask(uint32(100+2*i), x.m), " ")
					if want := cmp.Or(x.ovs, x.want); !strings.Contains(got, want) {
						t.Errorf("message %d: Open vSwitch answers %q, want %q", i, got, want)
					}
				}
			})
		})
	}
}
