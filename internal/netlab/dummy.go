package netlab

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Dummy is an Open vSwitch as an oracle: its ports are files, its clock stands still until it is
// told to go on, and no packet is decided by its caches, so that what it does depends on nothing
// but what it was given.
type Dummy struct {
	*OVS
	ctl *unixctl
}

// StartDummy starts an Open vSwitch whose clock stands still. Every packet passes its tables, as it
// keeps no flows in its datapath (flow-limit=0); so its counters are exact at once.
func (l *Lab) StartDummy() *Dummy {
	l.t.Helper()
	const folder = "/run/openvswitch"
	socket := filepath.Join(folder, "dummy.ctl")
	d := &Dummy{OVS: l.startOVS(folder, "", "--enable-dummy", "--unixctl="+socket)}
	l.Eventually(20*time.Second, "the control socket", func() bool { _, err := os.Stat(socket); return err == nil })
	d.Vsctl("set", "open_vswitch", ".", "other_config:flow-limit=0", "other_config:stats-update-interval=360000000",
		"other_config:n-revalidator-threads=1", "other_config:n-handler-threads=1")
	conn, err := net.Dial("unix", socket)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	d.ctl = newUnixctl(conn)
	return d
}

// StopClock has the switch's clock stand still, until Warp. Bridges are made before: the daemon
// waits for its own timers.
func (d *Dummy) StopClock() { d.call("time/stop") }

// Warp moves the clock on by milliseconds, at least 10. Then the switch looks for entries whose
// time is over, which it does after a round of its revalidator: kick must make it begin one, by a
// change of its tables.
func (d *Dummy) Warp(milliseconds int, kick func()) {
	d.lab.t.Helper()
	d.call("time/warp", fmt.Sprint(milliseconds))
	if err := d.ctl.send("revalidator/wait"); err != nil {
		d.lab.t.Fatal(err)
	}
	kick()
	if _, err := d.ctl.receive(); err != nil {
		d.lab.t.Fatal(err)
	}
}

// Turn waits until the daemon has ended the turn of its main loop in which it answered what came
// over Control last: what it has put off until its next turn, it does before what comes after Turn
// has returned.
func (d *Dummy) Turn() { d.call("version") }

// ForgetAddresses empties the table of addresses that a bridge's action NORMAL has learned.
func (d *Dummy) ForgetAddresses(b *DummyBridge) { d.call("fdb/flush", b.name) }

// call runs a command of the daemon's; the test fails when it does.
func (d *Dummy) call(command string, args ...string) string {
	d.lab.t.Helper()
	answer, err := d.ctl.call(command, args...)
	if err != nil {
		d.lab.t.Fatalf("%s %q: %v", command, args, err)
	}
	return answer
}

// DummyBridge is a bridge of a Dummy with ports 1, 2, … and the local one.
type DummyBridge struct {
	// Control is the bridge's connection to its only controller, which the test is.
	Control net.Conn
	dummy   *Dummy
	name    string
	sent    map[int]*capture
}

// Local is the number under which Sent knows the bridge's local port.
const Local = 0

// AddDummyBridge adds a bridge that speaks one version of OpenFlow ("1.0" or "1.3") and has a
// number of ports, and waits until it has called its controller.
func (d *Dummy) AddDummyBridge(name string, dpid uint64, version string, ports int) *DummyBridge {
	d.lab.t.Helper()
	b := &DummyBridge{dummy: d, name: name, sent: map[int]*capture{}}
	socket := filepath.Join(d.folder, name+".controller")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		d.lab.t.Fatal(err)
	}
	defer listener.Close()
	args := []string{"add-br", name, "--", "set", "bridge", name, "datapath_type=dummy", "fail_mode=secure",
		"protocols=" + protocol(version), fmt.Sprintf("other-config:datapath-id=%016x", dpid),
		"other-config:disable-in-band=true",
		"--", "set", "interface", name, "options:tx_pcap=" + b.file(Local)}
	for i := 1; i <= ports; i++ {
		p := b.port(i)
		args = append(args, "--", "add-port", name, p, "--", "set", "interface", p, "type=dummy",
			fmt.Sprintf("ofport_request=%d", i), "options:tx_pcap="+b.file(i))
	}
	args = append(args, "--", "set-controller", name, "unix:"+socket, "--", "set", "controller", name, "inactivity_probe=0")
	d.Vsctl(args...)
	listener.(*net.UnixListener).SetDeadline(time.Now().Add(20 * time.Second))
	if b.Control, err = listener.Accept(); err != nil {
		d.lab.t.Fatal(err)
	}
	d.lab.t.Cleanup(func() { b.Control.Close() })
	for i := range ports + 1 {
		b.sent[i] = openCapture(d.lab.t, b.file(i))
	}
	return b
}

// port is the name of the interface with a number.
func (b *DummyBridge) port(i int) string { return fmt.Sprintf("%s-p%d", b.name, i) }

// file is where the bridge writes what leaves a port.
func (b *DummyBridge) file(i int) string {
	return filepath.Join(b.dummy.lab.dir, fmt.Sprintf("%s-%d.pcap", b.name, i))
}

// Receive has a frame come in at a port. The bridge handles it before what comes over Control after
// Receive has returned.
func (b *DummyBridge) Receive(port int, frame []byte) {
	b.dummy.lab.t.Helper()
	b.dummy.call("netdev-dummy/receive", b.port(port), fmt.Sprintf("%x", frame))
}

// Sent returns the frames that have left a port since the last call, in their order.
func (b *DummyBridge) Sent(port int) [][]byte {
	b.dummy.lab.t.Helper()
	frames, err := b.sent[port].read()
	if err != nil {
		b.dummy.lab.t.Fatal(err)
	}
	return frames
}
