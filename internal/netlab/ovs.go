package netlab

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/weirnet/weir/internal/need"
)

const (
	database = "/run/openvswitch/db.sock"
	schema   = "/usr/share/openvswitch/vswitch.ovsschema"
)

// OVS is an Open vSwitch of the lab's own: a database server and a switch daemon with the userspace datapath only.
type OVS struct {
	lab      *Lab
	database *Process
	switches *Process
}

// StartOVS starts an Open vSwitch with an empty database.
func (l *Lab) StartOVS() *OVS {
	l.t.Helper()
	o := &OVS{lab: l}
	file := filepath.Join(l.dir, "conf.db")
	l.Run(need.Program(l.t, "ovsdb-tool"), "create", file, schema)
	o.database = l.Start(need.Program(l.t, "ovsdb-server"), file, "--remote=punix:"+database, "--no-chdir", "--pidfile", "-vconsole:warn")
	l.Eventually(5*time.Second, "the database's socket", func() bool { _, err := os.Stat(database); return err == nil })
	o.Vsctl("--no-wait", "init")
	o.switches = l.Start(need.Program(l.t, "ovs-vswitchd"), "unix:"+database, "--disable-system", "--no-chdir", "--pidfile", "-vconsole:warn")
	return o
}

// Vsctl runs ovs-vsctl, which waits until the switch daemon has applied the change.
func (o *OVS) Vsctl(args ...string) string {
	o.lab.t.Helper()
	return o.lab.Run("ovs-vsctl", append([]string{"--timeout=20"}, args...)...)
}

// Ofctl runs ovs-ofctl with the protocol version ("1.0" or "1.3").
func (o *OVS) Ofctl(version string, args ...string) string {
	o.lab.t.Helper()
	return o.lab.Run("ovs-ofctl", append([]string{"-O", protocol(version)}, args...)...)
}

// AddBridge adds a bridge that speaks one version of OpenFlow ("1.0" or "1.3") to the controllers, each as ovs-vsctl
// writes them ("tcp:127.0.0.1:6653").
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

// Connected says whether the bridge has a session with one of its controllers.
func (o *OVS) Connected(bridge string) bool {
	o.lab.t.Helper()
	return o.Vsctl("get", "controller", bridge, "is_connected") == "true\n"
}

// protocol is Open vSwitch's name of a version.
func protocol(version string) string {
	return map[string]string{"1.0": "OpenFlow10", "1.3": "OpenFlow13"}[version]
}
