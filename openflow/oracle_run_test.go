//go:build real

package openflow

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// An answer is what an oracle says of one message: why it refuses it, or its leaves in their order
// (os-ken and tshark) or text (Open vSwitch).
type answer struct {
	refused string
	leaves  []leaf
	text    string
}

// run runs one oracle for all messages and returns what it writes on its standard output.
func run(t *testing.T, input []byte, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	return out.Bytes()
}

// askOSKen has scripts/oracle/osken.py decode the messages.
func askOSKen(t *testing.T, messages [][]byte) []answer {
	t.Helper()
	python := os.Getenv("WEIR_OSKEN_PYTHON")
	if python == "" {
		python = need.OSKen(t)
	}
	var in bytes.Buffer
	for _, m := range messages {
		fmt.Fprintln(&in, hex.EncodeToString(m))
	}
	out := run(t, in.Bytes(), python, filepath.Join(need.Repository(t), "scripts", "oracle", "osken.py"))
	var answers []answer
	for line := range bytes.Lines(out) {
		a := answer{leaves: jsonLeaves(t, line)}
		if len(a.leaves) > 0 && strings.HasSuffix(a.leaves[0].name, "error") {
			a = answer{refused: a.leaves[0].value}
		}
		answers = append(answers, a)
	}
	return wantAnswers(t, "os-ken", answers, messages)
}

// askTshark gives each message a TCP connection of its own in a capture file.
func askTshark(t *testing.T, messages [][]byte) []answer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "messages.pcap")
	if err := os.WriteFile(path, capture(messages), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, nil, need.Program(t, "tshark"), "-r", path, "-d", "tcp.port==6653,openflow", "-T", "json",
		"-J", "openflow openflow_v1 openflow_v4", "--no-duplicate-keys")
	var packets []struct {
		Source struct {
			Layers map[string]json.RawMessage `json:"layers"`
		} `json:"_source"`
	}
	if err := json.Unmarshal(out, &packets); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for _, p := range packets {
		a := answer{refused: "not taken for OpenFlow"}
		for _, layer := range []string{"openflow", "openflow_v1", "openflow_v4"} {
			if raw, ok := p.Source.Layers[layer]; ok {
				a = answer{leaves: jsonLeaves(t, raw)}
			}
		}
		if _, ok := p.Source.Layers["_ws.malformed"]; ok {
			a.refused = "malformed"
		}
		answers = append(answers, a)
	}
	return wantAnswers(t, "tshark", answers, messages)
}

// capture is a pcap file of the messages over TCP.
func capture(messages [][]byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xa1b2c3d4)
	b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, 2), 4), 0)
	b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 0), 0xffff), 1) // Ethernet
	for i, m := range messages {
		frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0}, append16(nil, uint16(40+len(m)))...)
		frame = append(frame, 0, 0, 0, 0, 64, 6, 0, 0, 10, 1, byte(i>>8), byte(i), 10, 0, 0, 2) // no checksum
		frame = append16(append16(frame, 50000), 6653)
		frame = append(frame, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0)
		frame = append(frame, m...)
		b = le.AppendUint32(le.AppendUint32(b, uint32(i)), 0)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(frame))), uint32(len(frame)))
		b = append(b, frame...)
	}
	return b
}

// Between the messages for Open vSwitch stand echo requests, by which its text is cut up.
var separator = regexp.MustCompile(`(?m)^OFPT_ECHO_REQUEST (\(OF1\.3\) )?\(xid=0xfeed[0-9a-f]{4}\):.*\n`)

// askOVS has ovs-ofctl print the messages.
func askOVS(t *testing.T, messages [][]byte) []answer {
	t.Helper()
	var in []byte
	for i, m := range messages {
		in = append(in, m...)
		in = append(in, 1, 2, 0, 8, 0xfe, 0xed, byte(i>>8), byte(i))
	}
	path := filepath.Join(t.TempDir(), "messages")
	if err := os.WriteFile(path, in, 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, nil, need.Program(t, "ovs-ofctl"), "-mm", "ofp-parse", path)
	texts := separator.Split(string(out), -1)
	var answers []answer
	for _, text := range texts[:len(texts)-1] {
		a := answer{text: text}
		if i := strings.Index(text, "***decode error: "); i >= 0 {
			a.refused, _, _ = strings.Cut(text[i:], "\n")
		}
		answers = append(answers, a)
	}
	return wantAnswers(t, "Open vSwitch", answers, messages)
}

func wantAnswers(t *testing.T, oracle string, answers []answer, messages [][]byte) []answer {
	t.Helper()
	if len(answers) != len(messages) {
		t.Fatalf("%s gave %d answers to %d messages", oracle, len(answers), len(messages))
	}
	return answers
}

// jsonLeaves are the numbers and strings of a JSON document in their order. The key of a leaf is
// the name that it stands under, and before that, for os-ken, the class.
func jsonLeaves(t *testing.T, raw []byte) []leaf {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out []leaf
	var value func(class, key string)
	value = func(class, key string) {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		switch token := token.(type) {
		case json.Delim:
			inner := class
			if strings.HasPrefix(key, "OFP") || key == "OXMTlv" {
				inner = oskenClass(key)
			}
			if key == "OXMTlv" && class == "OFPAction." {
				inner = "SetField."
			}
			for d.More() {
				name := key
				if token == json.Delim('{') {
					next, _ := d.Token()
					name = next.(string)
				}
				value(inner, name)
			}
			_, _ = d.Token()
		case json.Number:
			out = append(out, leaf{class + key, normal(token.String())})
		case string:
			if key == "openflow_v4.oxm.value" || key == "openflow_v4.oxm.mask" {
				token = "0x" + strings.ReplaceAll(token, ":", "") // octets, even if one looks like a number
			}
			out = append(out, leaf{tsharkKey(class + key), normal(token)})
		}
	}
	value("", "")
	return out
}

// classes are the parts of os-ken's class names that stand for all classes of a kind.
var classes = []string{"OFPAction", "OFPInstruction", "OFPMeterBand", "OFPQueueProp", "OFPTableFeatureProp"}

// oskenClass is one class for all that os-ken makes of one of ours: multipart requests, their replies,
// actions and the like.
func oskenClass(name string) string {
	switch name {
	case "OFPActionId", "OFPInstructionId", "OFPMeterBandStats", "OFPExperimenterInstructionId", "OFPExperimenterActionId":
		return name + "."
	}
	for _, class := range classes {
		if strings.HasPrefix(name, class) {
			return class + "."
		}
	}
	for _, suffix := range []string{"StatsRequest", "StatsReply"} {
		if strings.HasSuffix(name, suffix) {
			return "OFP" + suffix + "."
		}
	}
	return name + "."
}

// tsharkLists are the keys of tshark that have the names of a list's places at their end.
var tsharkLists = regexp.MustCompile(
	`^(openflow_v4\.async_config\.\w+|openflow_v4\.group_features\.actions|openflow_v4\.group_stats\.max_groups)\.(?:master|slave|all|select|indirect|ff)$`)

// tsharkKey is one key for all that tshark calls the value or the mask of a TLV, by their kinds,
// and for the places of a list.
func tsharkKey(key string) string {
	key = tsharkLists.ReplaceAllString(key, "$1")
	rest, ok := strings.CutPrefix(key, "openflow_v4.oxm.")
	switch {
	case !ok || strings.HasPrefix(rest, "value_vlan"):
		return key
	case strings.HasPrefix(rest, "value"):
		return "openflow_v4.oxm.value"
	case strings.HasSuffix(rest, "mask"):
		return "openflow_v4.oxm.mask"
	}
	return key
}
