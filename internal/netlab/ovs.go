package netlab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weirnet/weir/internal/need"
)

const schema = "/usr/share/openvswitch/vswitch.ovsschema"

// OVS is an Open vSwitch of the lab's own: a database server and a switch daemon with the userspace
// datapath only.
type OVS struct {
	lab      *Lab
	folder   string   // of its sockets
	netns    string   // name of the network namespace it runs in; empty for the lab's
	options  []string // of the switch daemon, beside the usual ones
	database *Process
	// Switches is the daemon that forwards; a test may stop it, kill it, and start it again by
	// StartSwitches.
	Switches *Process
}

// StartOVS starts an Open vSwitch with an empty database.
func (l *Lab) StartOVS() *OVS {
	l.t.Helper()
	return l.startOVS("/run/openvswitch", "")
}

// Beside is the address at which the switches of StartOVSBeside reach an instance in the lab.
const Beside = "192.168.99.1"

// StartOVSBeside starts a second Open vSwitch, whose daemons can be stopped without the first
// one's. It has a network namespace of its own, because there is one userspace datapath in each.
func (l *Lab) StartOVSBeside() *OVS {
	l.t.Helper()
	const name = "beside"
	folder := "/run/openvswitch-" + name
	if err := os.Mkdir(folder, 0o755); err != nil {
		l.t.Fatal(err)
	}
	l.Run("ip", "netns", "add", name)
	l.batch([]string{
		"link add beside-c type veth peer name control netns " + name,
		"address add " + Beside + "/24 dev beside-c",
		"link set beside-c up",
		"netns exec " + name + " ip address add 192.168.99.2/24 dev control",
		"netns exec " + name + " ip link set control up",
	})
	return l.startOVS(folder, name)
}

func (l *Lab) startOVS(folder, netns string, options ...string) *OVS {
	l.t.Helper()
	o := &OVS{lab: l, folder: folder, netns: netns, options: options}
	file, socket := filepath.Join(l.dir, filepath.Base(folder)+".db"), filepath.Join(folder, "db.sock")
	l.Run(need.Program(l.t, "ovsdb-tool"), "create", file, schema)
	o.database = l.Start("env", o.with(need.Program(l.t, "ovsdb-server"), file, "--remote=punix:"+socket, "--no-chdir",
		"--pidfile", "-vconsole:warn")...)
	l.Eventually(20*time.Second, "the database's socket", func() bool { _, err := os.Stat(socket); return err == nil })
	o.Vsctl("--no-wait", "init")
	o.StartSwitches()
	return o
}

// StartSwitches starts the daemon that forwards. It makes the bridges that the database has, with
// empty tables.
func (o *OVS) StartSwitches() {
	o.lab.t.Helper()
	arguments := append([]string{"--disable-system", "--no-chdir", "--pidfile", "-vconsole:warn"}, o.options...)
	o.Switches = o.lab.Start("env", o.with(need.Program(o.lab.t, "ovs-vswitchd"), arguments...)...)
}

// with is a command line for env, which becomes the program with this Open vSwitch's folder in its
// environment.
func (o *OVS) with(name string, args ...string) []string {
	command := []string{"OVS_RUNDIR=" + o.folder, name}
	if o.netns != "" {
		command = []string{"OVS_RUNDIR=" + o.folder, "nsenter", "--net=/run/netns/" + o.netns, "--", name}
	}
	return append(command, args...)
}

// take puts an interface of the lab's into the Open vSwitch's network namespace, and up.
func (o *OVS) take(device string) {
	o.lab.t.Helper()
	if o.netns == "" {
		o.lab.Run("ip", "link", "set", device, "up")
		return
	}
	o.lab.batch([]string{"link set " + device + " netns " + o.netns, "netns exec " + o.netns + " ip link set " + device + " up"})
}

// reaching is a controller on loopback as this Open vSwitch reaches it.
func (o *OVS) reaching(controller string) string {
	if o.netns == "" {
		return controller
	}
	return "tcp:" + Beside + controller[strings.LastIndex(controller, ":"):]
}

// Vsctl runs ovs-vsctl, which waits until the switch daemon has applied the change.
func (o *OVS) Vsctl(args ...string) string {
	o.lab.t.Helper()
	return o.lab.Run("env", o.with("ovs-vsctl", append([]string{"--timeout=20"}, args...)...)...)
}

// Ofctl runs ovs-ofctl with the protocol version ("1.0" or "1.3").
func (o *OVS) Ofctl(version string, args ...string) string {
	o.lab.t.Helper()
	return o.lab.Run("env", o.with("ovs-ofctl", append([]string{"-O", protocol(version)}, args...)...)...)
}

// Appctl asks the daemon that forwards.
func (o *OVS) Appctl(args ...string) string {
	o.lab.t.Helper()
	return o.lab.Run("env", o.with("ovs-appctl", append([]string{"--timeout=20"}, args...)...)...)
}

// AddBridge adds a bridge that speaks one version of OpenFlow ("1.0" or "1.3") to the controllers,
// each as ovs-vsctl writes them ("tcp:127.0.0.1:6653").
func (o *OVS) AddBridge(name string, dpid uint64, version string, controllers ...string) {
	o.lab.t.Helper()
	args := []string{"add-br", name, "--", "set", "bridge", name, "datapath_type=netdev", "fail_mode=secure",
		"protocols=" + protocol(version), fmt.Sprintf("other-config:datapath-id=%016x", dpid),
		"other-config:disable-in-band=true"}
	if len(controllers) > 0 {
		args = append(append(args, "--", "set-controller", name), controllers...)
	}
	o.Vsctl(args...)
	if len(controllers) > 0 {
		o.Vsctl("set", "controller", name, "max_backoff=1000")
	}
}

// AddPort adds an interface to a bridge under an OpenFlow port number.
func (o *OVS) AddPort(bridge, device string, number int) {
	o.lab.t.Helper()
	o.Vsctl("add-port", bridge, device, "--", "set", "interface", device, fmt.Sprintf("ofport_request=%d", number))
}

// Connected reports whether the bridge has a session with one of its controllers.
func (o *OVS) Connected(bridge string) bool {
	o.lab.t.Helper()
	return o.Vsctl("get", "controller", bridge, "is_connected") == "true\n"
}

// protocol is Open vSwitch's name of a version.
func protocol(version string) string {
	return map[string]string{"1.0": "OpenFlow10", "1.3": "OpenFlow13"}[version]
}
