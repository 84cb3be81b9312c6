package rest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadTokens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := LoadTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 3 || first[0].Role != RoleAdmin || first[1].Role != RoleOperator ||
		first[2].Role != RoleViewer || first[0].Secret == first[1].Secret || len(first[0].Secret) < 43 {
		t.Fatalf("made %v", first)
	}
	for _, f := range []string{"token", "token-operator", "token-viewer"} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v %v, want mode 0600", f, info.Mode(), err)
		}
	}
	again, err := LoadTokens(dir)
	if err != nil || again[0] != first[0] || again[1] != first[1] || again[2] != first[2] {
		t.Errorf("second start: %v %v, want the same tokens", again, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 3 {
		t.Errorf("%d files left, want 3", len(files))
	}
	token := filepath.Join(dir, "token")
	os.Chmod(token, 0o644)
	if _, err := LoadTokens(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("readable by others: %v", err)
	}
	os.Chmod(token, 0o600)
	os.WriteFile(token, []byte("short\n"), 0o600)
	if _, err := LoadTokens(dir); err == nil || !strings.Contains(err.Error(), "holds 5 characters") {
		t.Errorf("short token: %v", err)
	}
	for text, want := range map[string]string{
		strings.Repeat("\x00", 44):          "damaged: its byte 1 ",
		strings.Repeat("x", 30) + "\x00abc": "damaged: its byte 31 ",
		"two words of a token file":         "damaged: its byte 4 ",
		strings.Repeat("é", 22):             "damaged: its byte 1 ",
		strings.Repeat("0", 44):             "one character 44 times",
		"":                                  "holds 0 characters",
	} {
		os.WriteFile(token, []byte(text), 0o600)
		if _, err := LoadTokens(dir); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "delete it") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	os.WriteFile(token, []byte(first[1].Secret), 0o600)
	if _, err := LoadTokens(dir); err == nil || !strings.Contains(err.Error(), "token-operator holds the token of role admin") {
		t.Errorf("one token for two roles: %v", err)
	}
}

func TestCheckExposure(t *testing.T) {
	for _, c := range []struct {
		e    Exposure
		want string // in the error; empty: none
	}{
		{Exposure{Listen: "127.0.0.1:8181"}, ""},
		{Exposure{Listen: "localhost:8181", Open: true}, ""},
		{Exposure{Listen: "[::1]:8181", Open: true}, ""},
		{Exposure{Listen: "127.9.9.9:8181", Open: true}, ""},
		{Exposure{Listen: "0.0.0.0:8181"}, "without TLS"},
		{Exposure{Listen: ":8181"}, "without TLS"},
		{Exposure{Listen: "weir.example:8181"}, "without TLS"},
		{Exposure{Listen: "[::ffff:10.0.0.1]:8181"}, "without TLS"},
		{Exposure{Listen: "10.0.0.1:8181", Insecure: true}, ""},
		{Exposure{Listen: "10.0.0.1:8181", TLS: true}, ""},
		{Exposure{Listen: "10.0.0.1:8181", TLS: true, Insecure: true, Open: true}, "--auth=none"},
		{Exposure{Listen: ":8181", Open: true}, "--auth=none"},
		{Exposure{Listen: "8181"}, "HOST:PORT"},
	} {
		err := CheckExposure(c.e)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.e, err, c.want)
		}
	}
}
