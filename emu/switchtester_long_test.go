//go:build real && long

package emu

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// testerDifference is a kind of case of os-ken's switch tester that an emulated switch fails;
// docs/spec/switch-tester.md tells why.
type testerDifference struct {
	name   string
	test   *regexp.Regexp // of "file: case"
	reason *regexp.Regexp // of the failure
	in     string         // the directories in which it comes
}

var testerDifferences = []testerDifference{
	{"provider backbone bridging", regexp.MustCompile(`(push|pop)_pbb|PBB_ISID`),
		regexp.MustCompile(`type=0x02, code=0x00|type=0x04, code=0x06`), "match action"},
	{"fields that change the packet's layers", regexp.MustCompile(`set_field:.*->(eth_type|ip_proto|mpls_bos)`),
		regexp.MustCompile(`type=0x02, code=0x0d`), "action"},
	{"os-ken's checksum of SCTP", regexp.MustCompile(`set_field:.*->sctp_(src|dst)`),
		regexp.MustCompile(`incorrect packet: sctp\(csum=`), "action"},
	{"os-ken's comparison of ICMP behind MPLS", regexp.MustCompile(`mpls/ipv4/icmp`),
		regexp.MustCompile(`it is malformed`), "match action"},
}

// TestSwitchTesterOfOSKen runs os-ken's own conformance suite against an emulated switch. A failure
// that is not of a listed kind fails the test, and so does a listed kind that does not come any
// more.
func TestSwitchTesterOfOSKen(t *testing.T) {
	for _, run := range []struct {
		cases string
		want  int // cases in all
	}{{"match", 714}, {"action", 226}, {"group", 15}, {"meter", 36}} {
		t.Run(run.cases, func(t *testing.T) {
			python := need.OSKen(t)
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				ok, failed := testerResults(switchTester(t, l, python, "of13/"+run.cases))
				if ok+len(failed) != run.want {
					t.Errorf("%d cases were run, want %d", ok+len(failed), run.want)
				}
				judgeTester(t, run.cases, failed)
			})
		})
	}
}

// judgeTester compares failures with the list.
func judgeTester(t *testing.T, cases string, failed []testerFailure) {
	seen := map[string]int{}
	for _, f := range failed {
		if d := f.difference(); d != "" {
			seen[d]++
			continue
		}
		t.Errorf("%s: %s\n%s", f.file, f.test, f.reason)
	}
	t.Logf("%d cases differ: %v", len(failed), seen)
	for _, d := range testerDifferences {
		if strings.Contains(d.in, cases) && seen[d.name] == 0 {
			t.Errorf(
				"no case of %s fails for %s any more: take it off the list, and out of docs/spec/switch-tester.md", cases, d.name)
		}
	}
}

// testerFailure is a case that failed.
type testerFailure struct{ file, test, reason string }

// difference is the name of the listed kind that the failure is of; empty if it is of none.
func (f *testerFailure) difference() string {
	for _, d := range testerDifferences {
		if d.test.MatchString(f.file+": "+f.test) && d.reason.MatchString(f.reason) {
			return d.name
		}
	}
	return ""
}

// testerStall is how long the tester may take for one case: of groups and meters, it measures
// throughput for 20 s.
const testerStall = 3 * time.Minute

// switchTester runs the cases of a directory, and returns what the tester printed.
func switchTester(t *testing.T, l *netlab.Lab, python, cases string) string {
	app := l.Start(python, "testdata/switchtester.py", "6653", cases)
	top, err := topo.Load("testdata/switchtester.yaml", 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(Config{Topology: top, Versions: []openflow.Version{openflow.V13},
		Controllers: []string{foreignAddress}, Silent: true,
		LocalPort: true, Seed: 1, BackoffMax: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNetwork(t, n) })
	for lines, last := 0, time.Now(); !strings.Contains(app.Output(), testerEnd); time.Sleep(time.Second) {
		if got := strings.Count(app.Output(), "\n"); got != lines {
			lines, last = got, time.Now()
		}
		if time.Since(last) > testerStall {
			t.Fatalf("the tester has stalled: %s", app.Output())
		}
	}
	return app.Output()
}

// testerEnd is what the tester prints when all cases have been run.
const testerEnd = "---  Test end  ---"

var (
	testerFile   = regexp.MustCompile(`^((?:match|action|group|meter): .*)$`)
	testerResult = regexp.MustCompile(`^    (\S.*?) +(OK|ERROR)$`)
)

// testerResults reads what the tester printed.
func testerResults(output string) (ok int, failed []testerFailure) {
	output, _, _ = strings.Cut(output, testerEnd)
	lines := strings.Split(output, "\n")
	file := ""
	for i, line := range lines {
		if m := testerFile.FindStringSubmatch(line); m != nil {
			file = m[1]
		}
		m := testerResult.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[2] == "OK":
			ok++
		default:
			failed = append(failed,
				testerFailure{file: file, test: m[1], reason: strings.TrimSpace(lines[min(i+1, len(lines)-1)])})
		}
	}
	return ok, failed
}
