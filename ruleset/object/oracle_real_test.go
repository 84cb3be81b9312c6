//go:build real

package object

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// TestOracles: ovs-ofctl, tshark and os-ken read in the bytes of all messages what testdata/oracles says, which was compared
// with the samples by eye. Of group-mods and meter-mods os-ken writes the same bytes, too.
func TestOracles(t *testing.T) {
	list := messages(t)
	for name, ask := range map[string]func(*testing.T, []message) []string{"ovs": askOVS, "tshark": askTshark,
		"osken": askOSKen} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for i, answer := range ask(t, list) {
				all.WriteString(list[i].name + "\n" + answer + "\n")
			}
			golden.Compare(t, filepath.Join("testdata", "oracles", name+".txt"), []byte(all.String()))
		})
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, in io.Reader, path string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stderr = in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, errs.String())
	}
	return string(out)
}

func askOVS(t *testing.T, list []message) (answers []string) {
	for _, m := range list {
		path := filepath.Join(t.TempDir(), "message")
		if err := os.WriteFile(path, m.bytes(t), 0o600); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, run(t, nil, need.Program(t, "ovs-ofctl"), "-mm", "ofp-parse", path))
	}
	return answers
}

// askOSKen returns what os-ken makes of each message.
func askOSKen(t *testing.T, list []message) (answers []string) {
	var in bytes.Buffer
	for _, m := range list {
		fmt.Fprintf(&in, "%x\n", m.bytes(t))
	}
	script := filepath.Join(need.Repository(t), "scripts", "oracle", "osken.py")
	for line := range strings.Lines(run(t, &in, need.OSKen(t), script)) {
		var answer struct {
			OK    json.RawMessage
			Error string
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Error != "" {
			t.Errorf("%s: %v, %s", list[len(answers)].name, err, answer.Error)
		}
		answers = append(answers, strings.NewReplacer(`"`, "", "OFP", "").Replace(string(answer.OK))+"\n")
	}
	if len(answers) != len(list) {
		t.Fatalf("os-ken answered %d messages, not %d", len(answers), len(list))
	}
	return answers
}

// tsharkFields are the values in a group-mod or a meter-mod.
var tsharkFields = []string{
	"openflow_v4.groupmod.command", "openflow_v4.groupmod.type", "openflow_v4.groupmod.group_id",
	"openflow_v4.bucket.weight", "openflow_v4.bucket.watch_port", "openflow_v4.bucket.watch_group",
	"openflow_v4.metermod.command", "openflow_v4.metermod.flags", "openflow_v4.metermod.meter_id",
	"openflow_v4.meter_band.type", "openflow_v4.meter_band.rate", "openflow_v4.meter_band.burst_size",
	"openflow_v4.meter_band.dscp_remark.prec_level",
	"openflow_v4.action.type", "openflow_v4.action.output.port", "openflow_v4.action.output.max_len",
	"openflow_v4.action.group.group_id", "openflow_v4.action.push_vlan.ethertype", "openflow_v4.action.push_mpls.ethertype",
	"openflow_v4.action.pop_mpls.ethertype", "openflow_v4.action.push_pbb.ethertype", "openflow_v4.action.set_queue.queue_id",
	"openflow_v4.action.set_mpls_ttl.ttl", "openflow_v4.action.set_nw_ttl.ttl", "openflow_v4.oxm.field",
	"_ws.malformed",
}

// askTshark returns the fields that there are of each message, a line each. Of rules in OpenFlow 1.0, which it does not
// read, there are none.
func askTshark(t *testing.T, list []message) (answers []string) {
	path := filepath.Join(t.TempDir(), "messages.pcap")
	if err := os.WriteFile(path, capture(t, list), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-r", path, "-d", "tcp.port==6653,openflow", "-T", "fields"}
	for _, f := range tsharkFields {
		args = append(args, "-e", f)
	}
	for line := range strings.Lines(run(t, nil, need.Program(t, "tshark"), args...)) {
		values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(values) != len(tsharkFields) {
			t.Fatalf("tshark printed %d fields, not %d: %q", len(values), len(tsharkFields), values)
		}
		var out strings.Builder
		for i, value := range values {
			if value != "" && list[len(answers)].v == openflow.V13 {
				out.WriteString(strings.TrimPrefix(tsharkFields[i], "openflow_v4.") + " " + value + "\n")
			}
		}
		answers = append(answers, out.String())
	}
	if len(answers) != len(list) {
		t.Fatalf("tshark printed %d messages, not %d", len(answers), len(list))
	}
	return answers
}

// capture is a pcap file of messages, each over a TCP connection of its own.
func capture(t *testing.T, list []message) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xa1b2c3d4)
	b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, 2), 4), 0)
	b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 0), 0xffff), 1) // Ethernet
	for i, m := range list {
		body := m.bytes(t)
		frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0},
			binary.BigEndian.AppendUint16(nil, uint16(40+len(body)))...)
		frame = append(frame, 0, 0, 0, 0, 64, 6, 0, 0, 10, 1, 0, byte(i), 10, 0, 0, 2, 0xc3, 0x50, 0x19, 0xfd) // no checksum
		frame = append(append(frame, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0), body...)
		b = le.AppendUint32(le.AppendUint32(b, uint32(i)), 0)
		b = append(le.AppendUint32(le.AppendUint32(b, uint32(len(frame))), uint32(len(frame))), frame...)
	}
	return b
}
