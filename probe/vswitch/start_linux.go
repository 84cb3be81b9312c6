package vswitch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/child"
	"github.com/weirnet/weir/probe/nic"
)

// Switch is an Open vSwitch in a network namespace of its own.
type Switch struct {
	Ends []nic.Config

	at        netdev.Place
	dir       string // of files
	processes []*child.Child
}

// New makes the namespace, and so many pairs of interfaces. The error wraps probe.ErrPrivilege where that is not allowed.
func New(ends int) (*Switch, error) {
	at, err := netdev.Hidden()
	if err != nil {
		return nil, &probe.Refusal{Why: probe.ErrPrivilege, Seen: err.Error(), Want: "a network namespace", Do: "run it as root"}
	}
	s := &Switch{at: at}
	if s.dir, err = os.MkdirTemp("", "weir-vswitch-"); err == nil {
		err = s.furnish(ends)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// furnish gives the namespace its loopback interface and the pairs, which have no addresses of IPv6:
// they would speak by themselves.
func (s *Switch) furnish(ends int) error {
	err := s.at.Inside(func() error {
		err := os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0o644)
		if errors.Is(err, os.ErrNotExist) { // a kernel without it
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	lo, err := s.at.Named("lo")
	if err != nil {
		return err
	}
	if err := s.at.Links.LinkSetUp(lo); err != nil {
		return err
	}
	for i := range ends {
		end := nic.Config{Interface: fmt.Sprintf("end%d", i), Namespace: fmt.Sprintf("/proc/self/fd/%d", int(s.at.Space))}
		if err := s.cable(port(i), end.Interface); err != nil {
			return err
		}
		s.Ends = append(s.Ends, end)
	}
	return nil
}

// port is the switch's side of the i-th pair.
func port(i int) string { return fmt.Sprintf("p%d", i) }

// Inside calls f on a thread that is in the namespace: what it listens at, the switch reaches.
func (s *Switch) Inside(f func() error) error { return s.at.Inside(f) }

// Close ends the switch, and the namespace.
func (s *Switch) Close() error {
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].Stop()
	}
	s.at.Close()
	return os.RemoveAll(s.dir)
}

// Where Debian's openvswitch-switch has the form of the database.
const ovsSchema = "/usr/share/openvswitch/vswitch.ovsschema"

// ErrNotInstalled: the machine has no Open vSwitch.
var ErrNotInstalled = errors.New("no Open vSwitch is installed")

// Start starts the switch, which connects to a controller by OpenFlow 1.3 and forwards nothing without
// it. The error may be ErrNotInstalled.
func (s *Switch) Start(ctx context.Context, controller string) error {
	for _, name := range []string{"ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w: %w: install openvswitch-switch", ErrNotInstalled, err)
		}
	}
	database, socket := filepath.Join(s.dir, "conf.db"), filepath.Join(s.dir, "db.sock")
	if err := s.run(ctx, "ovsdb-tool", "create", database, ovsSchema); err != nil {
		return err
	}
	daemon := []string{"--no-chdir", "--pidfile", "-vconsole:warn"}
	if err := s.start("ovsdb-server", append(daemon, database, "--remote=punix:"+socket)...); err != nil {
		return err
	}
	there := func() bool { _, err := os.Stat(socket); return err == nil }
	if err := s.await(ctx, "the database of Open vSwitch listens", there); err != nil {
		return err
	}
	if err := s.run(ctx, "ovs-vsctl", "--no-wait", "init"); err != nil {
		return err
	}
	if err := s.start("ovs-vswitchd", append(daemon, "unix:"+socket, "--disable-system")...); err != nil {
		return err
	}
	bridge := []string{"--timeout=20", "add-br", "s1", "--", "set", "bridge", "s1", "datapath_type=netdev", "fail_mode=secure",
		"protocols=OpenFlow13", "other-config:datapath-id=00000000000000a1", "other-config:disable-in-band=true"}
	for i := range s.Ends {
		number := fmt.Sprintf("ofport_request=%d", i+1)
		bridge = append(bridge, "--", "add-port", "s1", port(i), "--", "set", "interface", port(i), number)
	}
	bridge = append(bridge, "--", "set-controller", "s1", "tcp:"+controller)
	return s.run(ctx, "ovs-vsctl", bridge...)
}

// cable makes a pair of interfaces that are joined to each other.
func (s *Switch) cable(one, other string) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = one
	if err := s.at.Links.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: other}); err != nil {
		return fmt.Errorf("making interfaces: %w", err)
	}
	for _, name := range []string{one, other} {
		l, err := s.at.Named(name)
		if err == nil {
			err = s.at.Links.LinkSetUp(l)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// start starts a program in the namespace.
func (s *Switch) start(name string, args ...string) error {
	output := filepath.Join(s.dir, fmt.Sprintf("output-%d", len(s.processes)))
	p, err := child.Start(s.command(context.Background(), name, args...), output, s.at.Inside)
	if err == nil {
		s.processes = append(s.processes, p)
	}
	return err
}

// command is a program with the switch's directory as that of Open vSwitch.
func (s *Switch) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "OVS_RUNDIR="+s.dir, "OVS_DBDIR="+s.dir, "OVS_LOGDIR="+s.dir)
	return cmd
}

// run runs a program to its end.
func (s *Switch) run(ctx context.Context, name string, args ...string) error {
	out, err := s.command(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// patience is how long a switch may take to start.
const patience = 20 * time.Second

// await waits until something is so, or a process has ended.
func (s *Switch) await(ctx context.Context, what string, ok func() bool) error {
	return pace.Until(ctx, time.Millisecond, patience, func() (bool, error) {
		for _, p := range s.processes {
			if err := p.Ended(); err != nil {
				return false, err
			}
		}
		return ok(), nil
	}, func() error { return fmt.Errorf("waited %v until %s", patience, what) })
}
