//go:build real

package stats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

const realController = "127.0.0.1:6653"

// realConn is a session with an Open vSwitch.
type realConn struct{ s *session.Session }

func (c realConn) Queue() int { return c.s.Queue() }

func (c realConn) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	return c.s.Multipart(body, func(reply openflow.ReplyBody, err error) {
		var refused *session.PeerError
		if errors.As(err, &refused) {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
		answer(reply, err)
	})
}

func (c realConn) MultipartParts(body openflow.RequestBody, part func(openflow.Version, []byte) error,
	answer func(error)) error {
	return c.s.MultipartParts(body, part, answer)
}

// realSwitch is a node without anything but sessions and counters.
type realSwitch struct {
	t     *testing.T
	loop  *Loop
	epoch uint64 // of the last session; there is one switch
}

func (r *realSwitch) Connected(s *session.Session) {
	f := s.Features()
	r.epoch++
	at := Address{netview.DPID(f.Datapath), r.epoch}
	s.SetValue(at)
	r.loop.SwitchUp(at, f.Version, realConn{s})
}
func (r *realSwitch) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}
func (r *realSwitch) BatchEnd(*session.Session)                                      {}
func (r *realSwitch) Message(_ *session.Session, h openflow.Header, m openflow.Message) {
	r.t.Logf("%s", openflow.Text(h, m))
}
func (r *realSwitch) Disconnected(s *session.Session, _ error) {
	r.loop.SwitchDown(s.Value().(Address))
}

// TestCountersAreThoseThatOpenvSwitchDumps compares what is kept with what ovs-ofctl says, at rest
// after some traffic.
func TestCountersAreThoseThatOpenvSwitchDumps(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) { counters(t, l, v) })
		})
	}
}

func counters(t *testing.T, l *netlab.Lab, v openflow.Version) {
	r := &realSwitch{t: t, loop: New(Config{Ports: time.Second, Tables: time.Second, Flows: time.Second})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.loop.Run(ctx); close(done) }()
	listener, err := net.Listen("tcp", realController)
	if err != nil {
		t.Fatal(err)
	}
	server := session.NewServer(session.Config{}, r)
	go server.Serve(listener)
	t.Cleanup(func() { server.Close(context.Background()); cancel(); <-done })

	ovs := l.StartOVS()
	ovs.AddBridge("s1", 1, v.String(), "tcp:"+realController)
	for n := 1; n <= 2; n++ {
		port := fmt.Sprintf("p%d", n)
		ovs.Vsctl("add-port", "s1", port, "--", "set", "interface", port, "type=internal", fmt.Sprintf("ofport_request=%d", n))
		l.Run("ip", "link", "set", port, "up")
	}
	ofctl := func(args ...string) string { return ovs.Ofctl(v.String(), args...) }
	ofctl("add-flow", "s1", "cookie=0x0010000000000000,priority=7,in_port=1,actions=output:2")
	ofctl("add-flow", "s1", "cookie=0x0012000000000000,priority=8,in_port=2,actions=output:1")
	for range 20 {
		ofctl("packet-out", "s1", "in_port=1 packet=ffffffffffff02000000000188b5"+strings.Repeat("00", 50)+
			" actions=resubmit(,0)")
	}
	agree := func() error { return differs(r.loop.Board().Switch(1), ofctl("dump-ports", "s1"), v) }
	limit := time.Now().Add(40 * time.Second)
	for err = agree(); err != nil && time.Now().Before(limit); err = agree() {
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.loop.Counts().Refused.Load()+r.loop.Counts().Unanswered.Load() != 0 {
		t.Errorf("%d refused, %d not answered", r.loop.Counts().Refused.Load(), r.loop.Counts().Unanswered.Load())
	}
	t.Logf("%s", text(r.loop.Board().Switch(1), time.Now()))
}

var dumped = regexp.MustCompile(`port +"?(\w+)"?: rx pkts=(\d+|\?), bytes=(\d+|\?), drop=(\d+|\?), errs=(\d+|\?)[^\n]*\n +tx pkts=(\d+|\?), bytes=(\d+|\?), drop=(\d+|\?), errs=(\d+|\?)`)

// differs says in what the counters are other than those of a dump; what the switch does not count
// is "?" there.
func differs(s *Switch, dump string, v openflow.Version) error {
	ports := dumped.FindAllStringSubmatch(dump, -1)
	if len(ports) != 3 || s == nil || s.Ports == nil || s.Tables == nil || s.Totals == nil ||
		(s.Flows == nil) != (v == openflow.V10) {
		return fmt.Errorf("%d ports dumped:\n%s\nknown: %+v", len(ports), dump, s)
	}
	for _, m := range ports {
		number, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil {
			number = uint64(openflow.PortLocal)
		}
		p := s.Ports.Find(uint32(number))
		if p == nil {
			return fmt.Errorf("port %s is not known", m[1])
		}
		for i, c := range []Counter{RxPackets, RxBytes, RxDropped, RxErrors, TxPackets, TxBytes, TxDropped, TxErrors} {
			got := "?"
			if n, ok := p.Count(c); ok {
				got = fmt.Sprint(n)
			}
			if got != m[i+2] {
				return fmt.Errorf("port %s: %s is %s, dumped %s", m[1], c, got, m[i+2])
			}
		}
	}
	if n, _ := s.Ports.Find(2).Count(TxPackets); n < 20 {
		return fmt.Errorf("port 2 transmitted %d packets, want 20 or more", n)
	}
	if s.Totals.Entries != 2 || s.Totals.Packets < 20 || s.Tables.List[0].Entries != 2 {
		return fmt.Errorf("totals %+v, tables %+v, want 2 entries", s.Totals, s.Tables.List)
	}
	if v == openflow.V13 && len(s.Flows.Entries) != 1 {
		return fmt.Errorf("firm entries %+v, want that of kind 0 only", s.Flows.Entries)
	}
	return nil
}
