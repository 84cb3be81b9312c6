package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/probe/nic"
)

// TestObserverAddresses: without a key only this machine's own addresses are listened at.
func TestObserverAddresses(t *testing.T) {
	for address, open := range map[string]bool{
		"127.0.0.1:8620": true, "[::1]:8620": true, "localhost:0": true, "127.9.9.9:1": true,
		"0.0.0.0:8620": false, ":8620": false, "192.0.2.2:8620": false, "[::]:8620": false, "[fe80::1%eth0]:8620": false,
		"probe.example:8620": false,
	} {
		err := checkListen(address, nil)
		if (err == nil) != open || err != nil && !strings.Contains(err.Error(), "given without --key") {
			t.Errorf("%s without a key: %v", address, err)
		}
		if err := checkListen(address, []byte("0123456789abcdef")); err != nil {
			t.Errorf("%s with a key: %v", address, err)
		}
	}
	if err := checkListen("8620", nil); err == nil || !strings.Contains(err.Error(), "want HOST:PORT") {
		t.Errorf("%v", err)
	}
	for to, want := range map[string]string{"observer=192.0.2.2:8620": "192.0.2.2:8620", "eth1": "", "eth1,netns=observer": ""} {
		if got, ok, err := observerAt(to); got != want || ok != (want != "") || err != nil {
			t.Errorf("--to %s is %q, %v, %v", to, got, ok, err)
		}
	}
	for _, to := range []string{"observer=", "observer=192.0.2.2", "observer=:8620", "observer=a:"} {
		if _, ok, err := observerAt(to); !ok || err == nil || !strings.Contains(err.Error(), "want observer=HOST:PORT") {
			t.Errorf("--to %s: %v", to, err)
		}
	}
}

// TestKeys: white space around a key is not of it, and one that is easily found is refused.
func TestKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	for text, want := range map[string]string{
		" 0123456789abcdef\n":     "",
		"0123456789abcde\n":       "has 15 bytes, want 16 to 4096",
		"":                        "has 0 bytes",
		strings.Repeat("x", 4097): "has 4097 bytes",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := readKey(file)
		if want == "" && (err != nil || string(key) != "0123456789abcdef") ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v, want %q", text, key, err, want)
		}
	}
	if _, err := readKey(file + "2"); err == nil || !strings.HasPrefix(err.Error(), "--key: ") {
		t.Errorf("%v", err)
	}
	if key, err := readKey(""); key != nil || err != nil {
		t.Errorf("no file: %q, %v", key, err)
	}
}

// TestObserverStamps: each way to take times can be asked for.
func TestObserverStamps(t *testing.T) {
	for _, stamps := range []nic.Stamps{nic.Software, nic.Hardware, nic.Best} {
		f := newObserve().Flags()
		if err := f.Set("stamps", stamps.String()); err != nil || f.Lookup("stamps").Value.String() != stamps.String() {
			t.Errorf("--stamps %v: %v", stamps, err)
		}
	}
}
