//go:build real

package netlab

import (
	"encoding/binary"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// invented is a frame from and to addresses that nobody has, different for each number.
func invented(n uint32) []byte {
	to := binary.BigEndian.AppendUint32([]byte{0x02, 0xfe}, n)
	from := binary.BigEndian.AppendUint32([]byte{0x02, 0xfd}, n%5000)
	return append(ethernet(net.HardwareAddr(to), net.HardwareAddr(from), 0x0800), make([]byte, 46)...)
}

// flood sends frames from a host as fast as its socket takes them, until the function it returns is
// called, which returns how many there were.
func (h *Host) flood(frame func(n uint32) []byte) (stop func() uint32) {
	h.lab.t.Helper()
	s, err := h.raw()
	if err != nil {
		h.lab.t.Fatal(err)
	}
	var ended atomic.Bool
	done := make(chan uint32)
	go func() {
		n := uint32(0)
		for ; !ended.Load(); n++ {
			_ = s.send(frame(n)) // a full socket is what is wanted
		}
		done <- n
	}()
	return func() uint32 {
		ended.Store(true)
		n := <-done
		s.close()
		return n
	}
}

// protection are the rows of kind 6 that a switch holds.
func (o *OVS) protection(bridge, version string) []string {
	var rows []string
	for _, line := range strings.Split(o.Ofctl(version, "dump-flows", bridge), "\n") {
		if strings.Contains(line, "cookie=0x16") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	return rows
}

// TestFlood: a host floods the controller from and to invented addresses. Its port is held back by
// a meter (1.3) or a drop (1.0), others' pings go on, a pair that begins meanwhile is set up, and
// when the flood is over the rows go.
func TestFlood(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			Inside(t, func(t *testing.T, l *Lab) { floods(t, l, version) })
		})
	}
}

var metered = regexp.MustCompile(`priority=1,in_port=\S+ actions=meter:1001,CONTROLLER`)

func floods(t *testing.T, l *Lab, version string) {
	wanted, err := Parse("linear:2,hosts=3")
	if err != nil {
		t.Fatal(err)
	}
	w, o := l.StartWeir(), l.StartOVS()
	n := o.Build(wanted, version, Controller)
	w.AwaitLinks(n, 60*time.Second)
	n.awaitBroadcasts(60 * time.Second)
	bad, a, b, c := n.Hosts[0], n.Hosts[1], n.Hosts[len(n.Hosts)-1], n.Hosts[2]
	p := a.StartPing(b.IP4, 50*time.Millisecond)
	p.Await(10, 10*time.Second)

	stop := bad.flood(invented)
	var rows []string
	l.Eventually(20*time.Second, "the port is held back", func() bool {
		rows = o.protection("s1", version)
		return len(rows) > 0
	})
	if version == "1.3" && !metered.MatchString(strings.Join(rows, "\n")) {
		t.Errorf("no meter in\n%s", strings.Join(rows, "\n"))
	}
	if version == "1.0" && !strings.Contains(strings.Join(rows, "\n"), "actions=drop") {
		t.Errorf("no drop in\n%s", strings.Join(rows, "\n"))
	}
	for _, row := range rows {
		if !strings.Contains(row, "in_port=1") && !strings.Contains(row, `in_port="h1-sw"`) ||
			!strings.Contains(row, "hard_timeout=") {
			t.Errorf("a row for another port, or without a time-out: %s", row)
		}
	}
	p.Await(50, 20*time.Second)
	// A packet or two may be lost by Open vSwitch itself: it says "datapath reached the dynamic
	// limit of flows" under a million new ones.
	if got := c.Ping(b.IP4, 5); got.Received < 4 {
		t.Errorf("a pair that begins under the flood: %+v", got)
	}
	l.Eventually(10*time.Second, "the flood is counted", func() bool { return w.Metric(`weir_guard_total{kind="floods"}`) == 1 })
	sent := stop()
	if got := p.Stop(); got.Lost() > 2 || got.Duplicates != 0 {
		t.Errorf("others' pings under %d packets of flood: %+v", sent, got)
	}
	l.Eventually(40*time.Second, "the rows go after the flood", func() bool { return len(o.protection("s1", version)) == 0 })
	if version == "1.3" {
		if meters := o.Ofctl(version, "dump-meters", "s1"); strings.Contains(meters, "meter=1001") {
			t.Errorf("the meter is left: %s", meters)
		}
	}
	l.Eventually(time.Minute, "the offender speaks again", func() bool { return bad.Ping(b.IP4, 1).Received == 1 })
	t.Logf("OpenFlow %s: %d packets of flood; rows\n%s", version, sent, strings.Join(rows, "\n"))
}
