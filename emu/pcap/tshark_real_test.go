//go:build real

package pcap

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// TestTsharkKnowsOpenFlow has tshark read a control channel whose messages came in pieces, without
// being told the port.
func TestTsharkKnowsOpenFlow(t *testing.T) {
	tshark := need.Program(t, "tshark")
	path := filepath.Join(t.TempDir(), "control.pcap")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c := f.NewControl(7, 8, 0, "")
	at := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC)
	var wire []byte
	for i, m := range []openflow.Message{&openflow.Hello{}, &openflow.FeaturesRequest{},
		&openflow.FlowMod{Priority: 77}, &openflow.BarrierRequest{}} {
		if wire, err = openflow.Append(wire, openflow.V13, uint32(i+1), m); err != nil {
			t.Fatal(err)
		}
	}
	for len(wire) > 0 {
		n := min(len(wire), 29)
		c.Bytes(at, true, wire[:n])
		wire = wire[n:]
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tshark, "-r", path, "-Y", "openflow_v4", "-T", "fields", "-e", "openflow_v4.type",
		"-e", "openflow_v4.flowmod.priority",
		"-e", "frame.time_epoch", "-E", "occurrence=a").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var types []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if cells := strings.Split(line, "\t"); len(cells) == 3 {
			types = append(types, cells[0])
			if cells[2] != "1778051289.123456789" {
				t.Errorf("time %s", cells[2])
			}
		}
	}
	if got := strings.Join(types, ","); got != "0,5,14,20" || !strings.Contains(string(out), "77") {
		t.Errorf("tshark reads messages of types %s, want 0,5,14,20\n%s", got, out)
	}
}
