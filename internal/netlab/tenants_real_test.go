//go:build real

package netlab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/plan"
)

// sharing are the tenants of TestTenants by number: red has another Weir as its controller, and the whole mesh; blue os-ken,
// and green ovs-testcontroller, which know no loops, and have two of its three cables; yellow FAUCET, which makes the mesh a
// stack of switches, with tables after each other, and tags of its own on the cables. Of the five hosts of each switch the last
// is nobody's.
var sharing = []struct {
	name   string
	port   int // where its controller listens
	cables []int
}{{"red", 6701, []int{0, 1, 2}}, {"blue", 6702, []int{0, 1}}, {"green", 6703, []int{0, 2}}, {"yellow", 6704, []int{0, 1, 2}}}

// ownersOf is how many owners the hosts of a switch have, one each.
const ownersOf = 5

// faucet starts FAUCET for the tenant of a number, from 0.
func faucet(t *testing.T, l *Lab, program string, n *Network, tenant int) {
	var b strings.Builder
	b.WriteString("vlans: {office: {vid: 100}}\ndps:\n")
	for i, sw := range n.Switches {
		fmt.Fprintf(&b, "  %s:\n    dp_id: %d\n    hardware: Open vSwitch\n    group_table: true\n", sw.Name, sw.DPID)
		b.WriteString("    lldp_beacon: {send_interval: 1, max_per_interval: 10}\n")
		if i == 0 {
			b.WriteString("    stack: {priority: 1}\n")
		}
		fmt.Fprintf(&b, "    interfaces:\n      %d: {native_vlan: office}\n", 1+tenant)
		for _, c := range n.Cables {
			for _, ends := range [][2]End{{c.A, c.B}, {c.B, c.A}} {
				if ends[0].Switch == i {
					fmt.Fprintf(&b, "      %d: {stack: {dp: %s, port: %d}, max_lldp_lost: 100}\n", ends[0].Port,
						n.Switches[ends[1].Switch].Name, ends[1].Port)
				}
			}
		}
	}
	config, log := filepath.Join(l.dir, "faucet.yaml"), filepath.Join(l.dir, "faucet.log")
	exceptions := filepath.Join(l.dir, "exceptions.log")
	if err := os.WriteFile(config, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	l.Start("env", "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "FAUCET_CONFIG="+config, "FAUCET_LOG="+log,
		"FAUCET_EXCEPTION_LOG="+exceptions, "FAUCET_PROMETHEUS_ADDR=127.0.0.1", "FAUCET_PROMETHEUS_PORT=9302",
		program, "--ryu-ofp-listen-host=127.0.0.1", fmt.Sprintf("--ryu-ofp-tcp-listen-port=%d", sharing[tenant].port))
	t.Cleanup(func() {
		said, _ := os.ReadFile(log)
		if broken, err := os.ReadFile(exceptions); len(broken) > 0 || err != nil {
			t.Errorf("FAUCET's exceptions: %s, %v", broken, err)
		}
		if strings.Contains(string(said), "OFError") {
			t.Error("FAUCET got errors")
		}
		if t.Failed() {
			t.Logf("FAUCET's log:\n%s", said)
		}
	})
}

// TestTenants: four tenants with controllers that know nothing of Weir share a mesh of Open vSwitches. The hosts of each reach
// each other, those of nobody too, and none reaches another's, whatever is killed: a controller, and Weir.
func TestTenants(t *testing.T) {
	t.Parallel()
	testController := need.Program(t, "ovs-testcontroller")
	python, faucetProgram := need.OSKen(t), need.Faucet(t)
	Inside(t, func(t *testing.T, l *Lab) {
		w := l.StartWeir()
		n := l.StartOVS().Build(Topology{Switches: 3, Links: [][2]int{{0, 1}, {1, 2}, {0, 2}},
			Hosts: []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}}, "1.3", Controller)
		w.AwaitLinks(n, 20*time.Second)
		l.Start(BuiltWeir(t), "node", "--openflow", "127.0.0.1:6701", "--api", "127.0.0.1:8191", "--auth=none",
			"--data-dir", filepath.Join(l.dir, "red"))
		blue := l.Start(python, "../../examples/tenants/learning.py", "6702")
		l.Start(testController, "ptcp:6703:127.0.0.1")
		faucet(t, l, faucetProgram, n, 3)
		api, err := client.New(client.Config{Address: API})
		if err != nil {
			t.Fatal(err)
		}
		for i, of := range sharing {
			d := &client.TenantDefinition{Name: of.name, Controllers: []string{fmt.Sprintf("tcp:127.0.0.1:%d", of.port)}}
			at := func(sw, port int) string { return fmt.Sprintf("%s/%d", client.FormatDPID(n.Switches[sw].DPID), port) }
			for _, c := range of.cables {
				cable := n.Cables[c]
				d.Ports = append(d.Ports, at(cable.A.Switch, cable.A.Port), at(cable.B.Switch, cable.B.Port))
			}
			for sw := range n.Switches {
				d.Ports = append(d.Ports, at(sw, 1+i))
				own := client.Selector{"eth_src": n.Hosts[ownersOf*sw+i].MAC}
				d.Space = append(d.Space, client.TenantRegion{Priority: 10, Match: own})
			}
			if _, err := api.PutTenant(t.Context(), d, client.TenantOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		wrong := ""
		kept := func() bool {
			wrong = foreign(n)
			return wrong == ""
		}
		defer func() {
			if wrong != "" {
				t.Log(wrong)
			}
		}()
		l.Eventually(60*time.Second, "each reaches its own, and nobody else's", kept)

		yellow, err := api.Tenant(t.Context(), "yellow")
		if err != nil {
			t.Fatal(err)
		}
		for _, sw := range yellow.State.Switches {
			if sw.Groups == 0 || sw.Entries == 0 {
				t.Errorf("FAUCET has %d groups and %d entries at %s", sw.Groups, sw.Entries, sw.DPID)
			}
		}

		blue.Kill()
		time.Sleep(1500 * time.Millisecond) // so long nothing changes until tables count as written
		going := n.Hosts[1].Start("ping", "-n", "-q", "-c", "100", "-i", "0.05", "-W", "1", n.Hosts[1+2*ownersOf].IP4.String())
		w.Kill()
		w = l.StartWeir()
		w.AwaitLinks(n, 20*time.Second)
		<-going.done
		if !strings.Contains(going.Output(), " 100 received") {
			t.Errorf("blue's entries were to stay as they are while Weir was killed and started anew, and a ping says: %s", going.Output())
		}
		state, err := api.Tenant(t.Context(), "blue")
		if err != nil {
			t.Fatal(err)
		}
		for _, sw := range state.State.Switches {
			if sw.Entries < 3 || sw.Restarted != nil {
				t.Errorf("blue's switch %s has %d entries after the restart, restarted: %+v", sw.DPID, sw.Entries, sw.Restarted)
			}
		}
		blue = l.Start(python, "../../examples/tenants/learning.py", "6702", "1")
		l.Eventually(60*time.Second, "the same after Weir and a controller were killed", kept)

		// Killed anew when blue's controller has just connected, and changed something: its tables are empty then, and what
		// the switches have stays until they are filled, also while the controller is away.
		of := func(check func(sw *client.TenantSwitch) bool) (n int) {
			now, err := api.Tenant(t.Context(), "blue")
			for i := 0; err == nil && i < len(now.State.Switches); i++ {
				if check(&now.State.Switches[i]) {
					n++
				}
			}
			return n
		}
		// On a machine with other work the tables may be filled before Weir is killed: then once more.
		for tries := 1; ; tries++ {
			going = n.Hosts[1].Start("ping", "-n", "-q", "-c", "200", "-i", "0.05", "-W", "1", n.Hosts[1+2*ownersOf].IP4.String())
			w.Kill()
			w = l.StartWeir()
			l.Eventually(20*time.Second, "blue's controller is back", func() bool {
				return len(n.Switches) == of(func(sw *client.TenantSwitch) bool {
					return len(sw.Controllers) == 1 && sw.Controllers[0].State == "connected"
				})
			})
			w.Kill()
			blue.Kill()
			w = l.StartWeir()
			<-going.done
			if !strings.Contains(going.Output(), " 200 received") {
				t.Errorf("blue's rules were to stay while Weir was killed, and a ping says: %s", going.Output())
			}
			if of(func(sw *client.TenantSwitch) bool { return sw.Restarted != nil }) > 0 {
				break
			}
			if tries == 5 {
				t.Fatal("none of blue's tables was being changed, five times")
			}
			blue = l.Start(python, "../../examples/tenants/learning.py", "6702", "1")
			l.Eventually(60*time.Second, "each reaches its own again", kept)
		}
		blue = l.Start(python, "../../examples/tenants/learning.py", "6702", "1")
		l.Eventually(60*time.Second, "the same after Weir was killed while tables were being changed", kept)
		counts := ""
		defer func() {
			if t.Failed() {
				t.Log(counts)
			}
		}()
		l.Eventually(20*time.Second, "blue's controller is told what its entries have counted", func() bool {
			counts = miscounted(n, blue)
			return counts == ""
		})
	})
}

// miscounted says at which switches the controller of blue is told something else than what the entries of blue have counted.
func miscounted(n *Network, blue *Process) (wrong string) {
	told := make(map[string]string)
	for _, m := range countsTold.FindAllStringSubmatch(blue.Output(), -1) {
		told[m[1]] = m[2]
	}
	for _, s := range n.Switches {
		packets, bytes := uint64(0), uint64(0)
		for _, m := range countsDumped.FindAllStringSubmatch(s.Ofctl("dump-flows"), -1) {
			var x [3]uint64
			for i := range x {
				x[i], _ = strconv.ParseUint(m[i+1], 0, 64) // as they match
			}
			c := plan.Decode(x[0])
			if tenant, row := plan.TenantRow(c.Owner); c.Kind == plan.KindTenant && tenant == 2 && row != 0 {
				packets, bytes = packets+x[1], bytes+x[2]
			}
		}
		dumped := fmt.Sprintf("%d packets, %d bytes", packets, bytes)
		if is := told[fmt.Sprint(s.DPID)]; is != dumped || packets == 0 {
			wrong += fmt.Sprintf("%s has %s, told are %s\n", s.Name, dumped, is)
		}
	}
	return wrong
}

var (
	countsTold   = regexp.MustCompile(`switch (\d+): (\d+ packets, \d+ bytes)`)
	countsDumped = regexp.MustCompile(`cookie=(0x[0-9a-f]+),.* n_packets=(\d+), n_bytes=(\d+)`)
)

// foreign has every host ping every other, and says which reach one that they must not reach, or do not reach one that they
// are to reach.
func foreign(n *Network) string {
	type ping struct {
		from, to int
		p        *Process
	}
	var pings []ping
	for i, from := range n.Hosts {
		for j, to := range n.Hosts {
			if i != j {
				p := from.Start("ping", "-n", "-q", "-c", "2", "-i", "0.5", "-W", "2", to.IP4.String())
				pings = append(pings, ping{i, j, p})
			}
		}
	}
	var wrong []string
	for _, p := range pings {
		<-p.p.done
		answered, own := !strings.Contains(p.p.Output(), " 0 received"), p.from%ownersOf == p.to%ownersOf
		if answered != own {
			wrong = append(wrong, fmt.Sprintf("h%d to h%d: %t", p.from+1, p.to+1, answered))
		}
		if answered && !own {
			n.lab.t.Errorf("h%d reaches h%d, which is another's", p.from+1, p.to+1)
		}
	}
	return strings.Join(wrong, ", ")
}
