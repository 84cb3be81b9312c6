package netlab

import (
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"time"
)

// Outage is a cable that was cut, and when its switches told their controllers so.
type Outage struct {
	lab   *Lab
	began time.Time
	told  chan time.Time // one for each end
	ends  []net.Conn
	took  time.Duration
}

// CutObserved cuts a cable. A listener at each of its switches hears when they tell of it: what is
// lost before, no controller can help.
func (n *Network) CutObserved(c *Cable) *Outage {
	n.lab.t.Helper()
	o := &Outage{lab: n.lab, told: make(chan time.Time, 2)}
	for _, e := range []End{c.A, c.B} {
		o.ends = append(o.ends, n.Switches[e.Switch].listen(o.told))
	}
	o.began = time.Now()
	c.Cut()
	return o
}

// Told waits until the switches of both ends have told of the cut, and returns how long that took.
func (o *Outage) Told() time.Duration {
	o.lab.t.Helper()
	for _, end := range o.ends {
		select {
		case at := <-o.told:
			o.took = max(o.took, at.Sub(o.began))
		case <-time.After(20 * time.Second):
			o.lab.t.Fatal("not within 20 s: the switches at both ends tell of the cut")
		}
		defer end.Close()
	}
	o.ends = nil
	return o.took
}

// Lost is how many packets of one every interval may be lost: those sent until the switches told of
// the cut, and as many as fit into repairTime, of which the first is already in flight.
func (o *Outage) Lost(interval time.Duration) int {
	o.lab.t.Helper()
	return int((o.Told()+repairTime)/interval) + 1
}

// repairTime is how long an instance may take from the port status to the last rule of the new path:
// some forty times what it takes on a quiet machine (docs/benchmarks/reroute.md), since others may work
// on this one. Who waits for the next probe, or for a time-out, takes seconds.
const repairTime = 500 * time.Millisecond

// OpenFlow's messages that a listener needs, which both versions number alike but for the barrier.
const (
	ofHello      = 0
	ofSetConfig  = 9
	ofPortStatus = 12
)

// listen gives the time at which the switch first tells of a port from now on, by a session of its
// own beside the controller's.
func (s Switch) listen(told chan<- time.Time) net.Conn {
	t := s.ovs.lab.t
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(s.ovs.folder, s.Name+".mgmt"))
	if err != nil {
		t.Fatal(err)
	}
	version, barrier := byte(1), byte(18)
	if s.version == "1.3" {
		version, barrier = 4, 20
	}
	// Who wants a byte of each packet is notified of ports too; so Open vSwitch takes it.
	for _, m := range [][]byte{{version, ofHello, 0, 8, 0, 0, 0, 1},
		{version, ofSetConfig, 0, 12, 0, 0, 0, 2, 0, 0, 0, 1}, {version, barrier, 0, 8, 0, 0, 0, 3}} {
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := awaitMessage(conn, barrier+1); err != nil {
		t.Fatalf("%s: a listener: %v", s.Name, err)
	}
	go func() {
		if awaitMessage(conn, ofPortStatus) == nil {
			told <- time.Now()
		}
	}()
	return conn
}

// awaitMessage reads messages until one of a type has come.
func awaitMessage(r io.Reader, kind byte) error {
	head := make([]byte, 8)
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint16(head[2:]))-8); err != nil {
			return err
		}
		if head[1] == kind {
			return nil
		}
	}
}
