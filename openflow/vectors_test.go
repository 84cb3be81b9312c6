package openflow

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// refusedVectors are the published messages that are refused, and why that is right.
var refusedVectors = map[string]ErrorCode{
	// vlan_vid=0x03e7 without OFPVID_PRESENT; it also matches IPv4, IPv6, TCP, UDP and so on of
	// eth_type=0x0806.
	"4-60-ofp_flow_mod.packet": BadMatchBadValue,
	// Its match is of type 0 and 999 bytes long.
	"4-63-onf_flow_monitor_request.packet": BadMatchBadType,
	// An empty file.
	"libofproto-OFP13-flow_mod.truncated64": BadRequestBadLen,
}

// vectorFolder is where os-ken keeps the messages it is tested with.
func vectorFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("WEIR_OSKEN_VECTORS"); dir != "" {
		return dir
	}
	need.OSKen(t)
	dirs, _ := filepath.Glob(filepath.Join(need.Repository(t), ".cache", "venv-osken", "lib", "python3*", "site-packages",
		"os_ken", "tests", "packet_data"))
	if len(dirs) == 0 {
		t.Fatal("the environment of os-ken has no tests/packet_data: scripts/setup test makes it")
	}
	return dirs[0]
}

// TestPublishedVectors reads every message of OpenFlow 1.0 and 1.3 that os-ken publishes: it comes
// out of Append as it went into Parse, byte for byte, or is refused with the code listed above.
func TestPublishedVectors(t *testing.T) {
	dir := vectorFolder(t)
	count := 0
	for _, version := range []string{"of10", "of13"} {
		paths, _ := filepath.Glob(filepath.Join(dir, version, "*"))
		for _, path := range paths {
			if filepath.Ext(path) == ".json" {
				continue
			}
			count++
			t.Run(version+"/"+filepath.Base(path), func(t *testing.T) { testVector(t, path) })
		}
	}
	if count < 118 {
		t.Errorf("%d vectors in %s, want at least the 118 of os-ken 2.10", count, dir)
	}
}

func testVector(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, m, err := Parse(b)
	if code, ok := refusedVectors[filepath.Base(path)]; ok {
		var e *DecodeError
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("error %v, want %s", err, code)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\n%x", err, b)
	}
	got, err := Append(nil, h.Version, h.XID, m)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b) {
		t.Errorf("%s\ngot  %x\nwant %x", Text(h, m), got, b)
	}
}
