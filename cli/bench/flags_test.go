package bench

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/cli/command"
)

// benched runs a scenario's command that must not come to measuring.
func benched(t *testing.T, line string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = command.Run(t.Context(), New(), strings.Fields(line), nil, &out, &errs)
	if out.Len() > 0 {
		t.Errorf("bench %s: printed\n%s", line, out.String())
	}
	return code, errs.String()
}

// TestBenchRefusesFlags wants what was given and what is wanted of flags that cannot be meant,
// before anything is measured.
func TestBenchRefusesFlags(t *testing.T) {
	for line, want := range map[string]string{
		"reactive --runs 0":                       "--runs 0 given, want 1 or more",
		"reactive --runs -2":                      "--runs -2 given, want 1 or more",
		"reactive --duration 0":                   "--duration 0s given, want more than 0s",
		"reactive --warmup 0":                     "--warmup 0s given, want more than 0s",
		"reactive --cut=-5s":                      "--cut -5s given, want 0s or more",
		"reactive --cut 5s --duration 1s":         "--cut 5s and --duration 1s given, want a cut no longer than the run",
		"reactive --cut 5s":                       "--cut 5s and --duration 3s given, want a cut no longer than the run",
		"reactive --rate 10 --outstanding 3":      "--rate and --outstanding given, want one of them",
		"reactive --rate 0":                       "--rate 0 given, want 1 or more",
		"reactive --outstanding 0":                "--outstanding 0 given, want 1 or more",
		"reactive --switches 0":                   "--switches 0 given, want 1 or more",
		"reactive --hosts 0":                      "--hosts 0 given, want 1 or more",
		"reactive --hops 6":                       "paths of 6 switches given, want a topology that has one: the longest in single:1 has 1",
		"reactive --hops 6 --topology linear:5":   "the longest in linear:5 has 5",
		"reactive --controller 127.0.0.1:65536":   `controller "127.0.0.1:65536" given, want HOST:PORT`,
		"reactive --compare 127.0.0.1:0":          `controller "127.0.0.1:0" given, want HOST:PORT`,
		"reactive --switches 3 --topology ring:3": "--switches and --topology given, want one of them",
		"start --switches 3 --topology ring:3":    "--switches and --topology given, want one of them",
		"reactive --json r --html r":              "--json r and --html r given, want two files",
		"hypervisor --tenants 0":                  "--tenants 0 given, want 1 or more",
		"hypervisor --tenants 201":                "201 tenants given, want 1 to 200",
		"hypervisor --rate 5 --outstanding 1":     "--rate and --outstanding given, want one of them",
		"hypervisor --rate 5 --total-rate 10":     "--rate and --total-rate given, want one of them",
		"hypervisor --total-rate 10 --tenants 3":  "--total-rate 10 and --tenants 3 given, want as many messages of each",
		"hypervisor --cut=-1s":                    "--cut -1s given, want 0s or more",
		"hypervisor --hypervisor 192.0.2.1":       `hypervisor "192.0.2.1" given, want HOST:PORT`,
		"hypervisor --hypervisor 192.0.2.1:6633":  "a hypervisor that runs given, and no address of controllers that it knows",
		"hypervisor --hypervisor-pid 7":           "the process id of a hypervisor given, and not its address",
		"hypervisor --controllers 127.0.0.1":      `controllers at "127.0.0.1" given, want HOST:PORT of the first of 1`,
		"start --runs 0":                          "--runs 0 given, want 1 or more",
		"start --switches 0":                      "--switches 0 given, want 1 or more",
		"start --idle 0":                          "--idle 0s given, want more than 0s",
		"discovery --single 0":                    "--single 0 given, want 1 or more",
		"discovery --rest 0":                      "--rest 0s given, want more than 0s",
		"discovery --limit=-1s":                   "--limit -1s given, want more than 0s",
		"emulator --flows 0":                      "--flows 0 given, want 1 or more",
		"emulator --rules 0":                      "--rules 0 given, want 1 or more",
		"emulator --ring 0":                       "--ring 0 given, want 1 or more",
		"emulator --duration 0":                   "--duration 0s given, want more than 0s",
	} {
		if code, said := benched(t, line); code != command.ExitUsage || !strings.Contains(said, want) {
			t.Errorf("bench %s: exit code %d, want %d, and\n%swant: %s", line, code, command.ExitUsage, said, want)
		}
	}
}

// TestBenchFindsFiles wants files that cannot be written found before anything is measured, and
// others as they were.
func TestBenchFindsFiles(t *testing.T) {
	dir := t.TempDir()
	for _, scenario := range []string{"reactive", "start", "discovery", "emulator"} {
		for _, flag := range []string{"--json ", "--html "} {
			for _, name := range []string{dir, filepath.Join(dir, "none", "r")} {
				if code, said := benched(t, scenario+" "+flag+name); code != command.ExitRuntime ||
					!strings.Contains(said, name) || strings.Contains(said, "run 1") {
					t.Errorf("bench %s %s%s: exit code %d, want %d, and\n%s", scenario, flag, name, code,
						command.ExitRuntime, said)
				}
			}
		}
	}
}
