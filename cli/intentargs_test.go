package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// requestOf is the request that flags of weir intent add make, as JSON, without an instance.
func requestOf(t *testing.T, line string) (string, *intentArgs, error) {
	t.Helper()
	var w intentArgs
	cmd := &cobra.Command{}
	w.addFlags(cmd, "add")
	if err := cmd.ParseFlags(strings.Fields(line)); err != nil {
		t.Fatal(err)
	}
	q, err := w.request(t.Context(), nil, cmd.Flags().Args())
	if err != nil {
		return "", &w, err
	}
	b, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), &w, nil
}

// TestIntentOfFlags: what the flags say is in the request, and nothing else.
func TestIntentOfFlags(t *testing.T) {
	const p1, p2, p3 = `{"dpid":"0000000000000001","port":1}`, `{"dpid":"0000000000000002","port":2}`,
		`{"dpid":"00000000000000a1","port":3}`
	for line, want := range map[string]string{
		"--host 00:00:00:00:00:01 00:00:00:00:00:02": `{"kind":"host-to-host","src":"00:00:00:00:00:01","dst":"00:00:00:00:00:02"}`,
		"--host h1 --host h2 --priority 0":           `{"kind":"host-to-host","priority":0,"src":"h1","dst":"h2"}`,
		"--from 1/1 --to 2/2 --match tcp_dst=80": `{"kind":"point-to-point","src":` + p1 + `,"dst":` + p2 +
			`,"selector":{"tcp_dst":"80"}}`,
		"--from 1/1 --from 2/2 --to a1/3 --wide": `{"kind":"multipoint-to-point","src":[` + p1 + `,` + p2 +
			`],"dst":` + p3 + `,"wide":true}`,
		"--from a1/3 --to 1/1 --to 2/2": `{"kind":"point-to-multipoint","src":` + p3 +
			`,"dst":[` + p1 + `,` + p2 + `]}`,
		"--hop 1:4:1 --hop a1:3:2": `{"kind":"path","hops":[{"dpid":"0000000000000001","in":4,"out":1},` +
			`{"dpid":"00000000000000a1","in":3,"out":2}]}`,
	} {
		if got, _, err := requestOf(t, line); got != want || err != nil {
			t.Errorf("%s\n got %s, %v\nwant %s", line, got, err, want)
		}
	}
}

// TestWrongIntentFlags: errors name what was given and what was expected.
func TestWrongIntentFlags(t *testing.T) {
	for line, want := range map[string]string{
		"":                              "0 of --host, --from with --to, and --hop given, want one",
		"--host a --host b --hop 1:1:2": "2 of --host, ",
		"h1 h2":                         `argument "h1" given, want --host A B`,
		"--host a b c":                  "3 hosts given, want two: --host A B",
		"--from 1/1":                    "one of --from and --to given, want both",
		"--from 1/1 --from 1/2 --to 2/1 --to 2/2":          "2 --from and 2 --to given, want several of one of them only",
		"--from 1 --to 2/1":                                `connect point "1" given, want SWITCH/PORT`,
		"--hop 1:2":                                        `--hop "1:2" given, want SWITCH:IN:OUT`,
		"--from 1/1 --to 2/1 --match tcp_dst":              `--match "tcp_dst" given, want FIELD=VALUE`,
		"--host a b --match ip_dscp=1 --match =2":          `--match "=2" given, want FIELD=VALUE`,
		"--host a b --match vlan_vid=1 --match vlan_vid=2": `--match "vlan_vid=2" given, want FIELD=VALUE`,
		"--host a b --priority 20000":                      "--priority=20000 given, want a whole number from 0 to 19999",
		"--host a b --id " + strings.Repeat("a", 129): "--id=" + strings.Repeat("a", 129) +
			" given, want text in UTF-8 of at most 128 bytes",
	} {
		if _, _, err := requestOf(t, line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", line, err, want)
		}
	}
}

// TestPointsByDatapathID: points that were given by datapath id are kept as they were given, for the
// notes about unknown ones.
func TestPointsByDatapathID(t *testing.T) {
	_, w, err := requestOf(t, "--from 0010/1 --to a1/3")
	if err != nil {
		t.Fatal(err)
	}
	want := []givenPoint{{"0010/1", 0x10, 1}, {"a1/3", 0xa1, 3}}
	if len(w.byDPID) != 2 || w.byDPID[0] != want[0] || w.byDPID[1] != want[1] {
		t.Errorf("%+v, want %+v", w.byDPID, want)
	}
}
