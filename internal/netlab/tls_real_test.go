//go:build real

package netlab

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTLS: three commands make all that an Open vSwitch and an instance need to know each other. A
// bridge whose datapath id the switch's certificate does not name is refused, and so is a switch
// without TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			Inside(t, func(t *testing.T, l *Lab) { overTLS(t, l, version) })
		})
	}
}

func overTLS(t *testing.T, l *Lab, version string) {
	weir, dir := BuiltWeir(t), filepath.Join(l.dir, "tls")
	file := func(name string) string { return filepath.Join(dir, name) }
	l.Run(weir, "cert", "init", "--dir", dir)
	l.Run(weir, "cert", "switch", "a1", "a2", "--dir", dir)
	w := l.StartWeir("--openflow-tls-cert", file("instance.pem"), "--openflow-tls-key", file("instance-key.pem"),
		"--openflow-tls-ca", file("ca.pem"))
	o := l.StartOVS()
	key, certificate := file("switch-00000000000000a1-key.pem"), file("switch-00000000000000a1.pem")
	o.Vsctl("set-ssl", key, certificate, file("ca.pem"))
	secure := "ssl:" + OpenFlow
	o.AddBridge("br1", 0xa1, version, secure)
	o.AddBridge("br2", 0xa2, version, secure)
	l.Eventually(20*time.Second, "both bridges connected", func() bool { return w.connected() == 2 })
	l.Eventually(20*time.Second, "and shown so by Open vSwitch", func() bool { return o.Connected("br1") && o.Connected("br2") })
	o.AddBridge("br3", 0xa3, version, secure)
	l.Eventually(20*time.Second, "a bridge that the certificate does not name is refused", func() bool {
		return w.Metric(`weir_openflow_refused_connections_total{reason="not_admitted"}`) > 0
	})
	o.AddBridge("br4", 0xa2, version, Controller)
	l.Eventually(20*time.Second, "a bridge without TLS is refused", func() bool {
		return w.Metric(`weir_openflow_refused_connections_total{reason="tls"}`) > 0
	})
	if n := w.connected(); n != 2 {
		t.Errorf("%d switches are connected, want 2", n)
	}
	if flows := o.Ofctl(version, "dump-flows", "br1"); !strings.Contains(flows, "cookie=") {
		t.Errorf("no rule arrived over TLS: %s", flows)
	}
}
