//go:build real

package emu

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// faucetMetrics is where FAUCET tells what it counts, within a test's namespaces.
const faucetMetrics = "127.0.0.1:9302"

// TestUnderFaucet runs hosts under FAUCET, over a ring of three switches that it makes a stack: it
// finds the links, blocks what would be a loop, and forwards by a pipeline of several tables that
// it learns into.
func TestUnderFaucet(t *testing.T) {
	program := need.Faucet(t)
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		dir := t.TempDir()
		config, log := filepath.Join(dir, "faucet.yaml"), filepath.Join(dir, "faucet.log")
		if err := os.WriteFile(config, []byte(faucetConfig(t)), 0o644); err != nil {
			t.Fatal(err)
		}
		exceptions := filepath.Join(dir, "exceptions.log")
		l.Start("env", "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "FAUCET_CONFIG="+config, "FAUCET_LOG="+log,
			"FAUCET_EXCEPTION_LOG="+exceptions, "FAUCET_PROMETHEUS_ADDR=127.0.0.1", "FAUCET_PROMETHEUS_PORT=9302",
			program, "--ryu-ofp-listen-host=127.0.0.1", "--ryu-ofp-tcp-listen-port=6653")
		t.Cleanup(func() {
			if t.Failed() {
				b, _ := os.ReadFile(log)
				e, _ := os.ReadFile(exceptions)
				t.Logf("FAUCET's log:\n%s\n%s", b, e)
			}
		})
		f := newForeign(t, l, faucetSpec, openflow.V13, 0)
		f.stacked()
		f.pingAll(3, ipv4Of)
		f.pingAll(3, ipv6Of)
		f.check()
		await(t, "FAUCET has taken all packet-ins", func() bool {
			time.Sleep(faucetPoll)
			return metrics(t)["of_packet_ins_total"] == float64(f.count(1, openflow.TypePacketIn))
		})
		if m := metrics(t); m["of_errors_total"] != 0 || m["of_unexpected_packet_ins_total"] != 0 ||
			m["of_dp_disconnections_total"] != 0 {
			t.Errorf("FAUCET counted %v", m)
		}
		if b, err := os.ReadFile(exceptions); len(b) != 0 {
			t.Errorf("FAUCET's exceptions: %s, %v", b, err)
		}
	})
}

// stacked waits until FAUCET has brought all switches and all links between them up, and writes no
// more.
func (f *foreign) stacked() {
	f.t.Helper()
	var m map[string]float64
	for end := time.Now().Add(patience); ; time.Sleep(faucetPoll) {
		before := f.count(0, openflow.TypeFlowMod)
		if m = metrics(f.t); m["dp_status"] == 3 && m["port_stack_state"] == 6*stackUp {
			time.Sleep(faucetCalm)
			if f.count(0, openflow.TypeFlowMod) == before {
				return
			}
		}
		if time.Now().After(end) {
			f.t.Fatalf("the stack is not up: dp_status %g, port_stack_state %g", m["dp_status"], m["port_stack_state"])
		}
	}
}

// The network that faucetConfig is of.
const (
	faucetSpec = "ring:3,hosts=2"
	stackUp    = 3 // the value of port_stack_state for a port that is up
)

// FAUCET is asked rarely: it answers by the same thread that it controls with. When it has not
// written for faucetCalm, it has done all that a change caused.
const (
	faucetPoll = 250 * time.Millisecond
	faucetCalm = time.Second
)

// faucetConfig is a configuration of FAUCET for the test's network.
func faucetConfig(t *testing.T) string {
	top := parse(t, faucetSpec)
	var b strings.Builder
	b.WriteString("vlans: {office: {vid: 100}}\ndps:\n")
	for i, sw := range top.Switches {
		fmt.Fprintf(&b, "  %s:\n    dp_id: %d\n    hardware: Open vSwitch\n    lldp_beacon: {send_interval: 1, max_per_interval: 10}\n", sw.Name, sw.DPID)
		if i == 0 {
			b.WriteString("    stack: {priority: 1}\n")
		}
		b.WriteString("    interfaces:\n")
		for _, k := range top.Links {
			if k.A.Switch == i {
				fmt.Fprintf(&b, "      %d: {stack: {dp: %s, port: %d}, max_lldp_lost: 100}\n", k.A.Port,
					top.Switches[k.B.Switch].Name, k.B.Port)
			}
			if k.B.Switch == i {
				fmt.Fprintf(&b, "      %d: {stack: {dp: %s, port: %d}, max_lldp_lost: 100}\n", k.B.Port,
					top.Switches[k.A.Switch].Name, k.A.Port)
			}
		}
		for _, h := range top.Hosts {
			if h.At.Switch == i {
				fmt.Fprintf(&b, "      %d: {native_vlan: office}\n", h.At.Port)
			}
		}
	}
	return b.String()
}

// metrics are the sums of what FAUCET counts, by name, over all labels.
func metrics(t *testing.T) map[string]float64 {
	t.Helper()
	answer, err := http.Get("http://" + faucetMetrics + "/metrics")
	if err != nil {
		return nil // not yet up
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 2 || strings.HasPrefix(line, "#") {
			continue
		}
		name, _, _ := strings.Cut(words[0], "{")
		v, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			t.Fatal(line)
		}
		out[name] += v
	}
	return out
}
