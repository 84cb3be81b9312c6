package target

import (
	_ "embed" // the application
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// The names of the controllers that are started.
const (
	Self              = "self"               // weir node, of this binary
	Bare              = "bare"               // a null responder in Go: Respond
	OVSTestcontroller = "ovs-testcontroller" // Open vSwitch's learning switch, if it is installed
	OSKen             = "os-ken"             // a learning switch on os-ken: peer/learning.py
	Faucet            = "faucet"             // FAUCET, one VLAN of all ports
)

// Controllers are the names of all controllers that can be started.
func Controllers() []string { return []string{Self, Bare, OVSTestcontroller, OSKen, Faucet} }

// learningSwitch is the application that OSKen runs.
//
//go:embed peer/learning.py
var learningSwitch []byte

// IsController reports whether a controller can be started by this name, or is an address.
func IsController(name string) bool {
	if _, port, err := net.SplitHostPort(name); err == nil {
		n, err := net.LookupPort("tcp", port)
		return err == nil && n > 0
	}
	return slices.Contains(Controllers(), name)
}

// errUnsupported is of a controller that cannot do what a scenario asks.
var errUnsupported = errors.New("this controller is not measured so")

// Spec is what a controller that is started is to know of the load, and what it has to be able to do.
type Spec struct {
	Version                openflow.Version
	Learning               bool   // packets come from new hosts
	Switches, Links, Ports int    // Ports are those with hosts at a switch
	Program                string // the weir binary of Self and Bare; "": this one
}

// supports tells why a controller cannot be measured so; nil if it can.
func (s *Spec) supports(name string) error {
	if name != Faucet {
		return nil
	}
	switch {
	case s.Version == openflow.V10:
		return fmt.Errorf("%w: FAUCET speaks OpenFlow 1.3 only", errUnsupported)
	case !s.Learning:
		return fmt.Errorf("%w: FAUCET answers no packet-ins, it learns from copies of packets that switches forward by themselves; measure it with packets of new hosts (--learning)", errUnsupported)
	case s.Links > 0:
		return fmt.Errorf("%w: FAUCET is given switches that are not joined", errUnsupported)
	}
	return nil
}

// peer is how a controller that is not ours is started.
type peer struct {
	cmd     *exec.Cmd
	version *exec.Cmd // prints what the program says of its version
}

// peerOf makes the command of a controller that listens at a port of loopback; its files are in
// dir.
func (s *Spec) peerOf(name, port, dir string) (peer, error) {
	switch name {
	case OVSTestcontroller:
		protocol := map[openflow.Version]string{openflow.V10: "OpenFlow10", openflow.V13: "OpenFlow13"}[s.Version]
		return peer{exec.Command(name, "-O", protocol, "--unixctl="+filepath.Join(dir, "control"), "ptcp:"+port+":127.0.0.1"),
			exec.Command(name, "--version")}, nil
	case OSKen:
		python, err := environment("osken", "python")
		if err != nil {
			return peer{}, err
		}
		program := filepath.Join(dir, "learning.py")
		if err := os.WriteFile(program, learningSwitch, 0o600); err != nil {
			return peer{}, err
		}
		return peer{exec.Command(python, program, s.Version.String(), port),
			exec.Command(python, "-c", "import os_ken; print('os-ken', os_ken.__version__)")}, nil
	}
	return s.faucet(port, dir)
}

// faucet makes the command of FAUCET: all ports of all switches are of one VLAN, and it may learn
// as many hosts as it likes.
func (s *Spec) faucet(port, dir string) (peer, error) {
	program, err := environment("faucet", "faucet")
	if err != nil {
		return peer{}, err
	}
	config := filepath.Join(dir, "faucet.yaml")
	if err := os.WriteFile(config, faucetConfig(s.Switches, s.Ports), 0o600); err != nil {
		return peer{}, err
	}
	metrics, err := freePorts(1)
	if err != nil {
		return peer{}, err
	}
	_, metricsPort, _ := net.SplitHostPort(metrics[0])
	cmd := exec.Command(program, "--ryu-ofp-listen-host=127.0.0.1", "--ryu-ofp-tcp-listen-port="+port)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "FAUCET_CONFIG="+config,
		"FAUCET_LOG="+filepath.Join(dir, "faucet.log"), "FAUCET_EXCEPTION_LOG="+filepath.Join(dir, "exceptions.log"),
		"FAUCET_PROMETHEUS_ADDR=127.0.0.1", "FAUCET_PROMETHEUS_PORT="+metricsPort)
	return peer{cmd, exec.Command(program, "--version")}, nil
}

// faucetConfig is a configuration of FAUCET. Of the packets that the emulated switches send it is
// told with the cookie of a switch that has no entry of it, so it is not strict about that; it is
// not told to leave packets out.
func faucetConfig(switches, ports int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "vlans: {office: {vid: %d, max_hosts: 100000000}}\ndps:\n", FaucetVLAN)
	for i := range switches {
		fmt.Fprintf(&b, "  s%d:\n    dp_id: %d\n    hardware: Open vSwitch\n    strict_packet_in_cookie: false\n    ignore_learn_ins: 0\n    interfaces:\n",
			i+1, i+1)
		for p := range ports {
			fmt.Fprintf(&b, "      %d: {native_vlan: office, max_hosts: 100000000}\n", p+1)
		}
	}
	return []byte(b.String())
}

// FaucetVLAN is the id of that VLAN.
const FaucetVLAN = 100

// environment finds a program of a Python environment that scripts/setup makes, from this folder
// upwards.
func environment(name, program string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, ".cache", "venv-"+name, "bin", program)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "",
				fmt.Errorf("no .cache/venv-%s/bin/%s here or above: scripts/setup test makes it, in the repository",
					name, program)
		}
		dir = up
	}
}

// firstOutputLine is the first line that a program prints; "" if it prints none.
func firstOutputLine(cmd *exec.Cmd) string {
	b, err := cmd.Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}
