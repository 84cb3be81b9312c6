//go:build long

package sim

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// before is how many seeds are tried before the one that finds a bug.
const before = 9

// Bugs that there were, put back, are found by trying one seed after the other, and come again from
// the seed that finds them, which shows nothing without them.
func TestBugsAreFound(t *testing.T) {
	for _, b := range bugs(t) {
		t.Run(b.name, func(t *testing.T) {
			overlay, err := b.put(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			seed, err := strconv.Atoi(b.seed)
			if err != nil {
				t.Fatal(err)
			}
			from := max(seed-before, 1)
			search, line := "-run=TestSeeds", "-run Replay -seed "+b.seed+" #"
			replay := []string{"-run=TestReplay", ".", "-args", "-seed=" + b.seed}
			if b.cluster {
				search, line = "-run=TestCluster", "-run Replay -cluster -seed "+b.seed+" #"
				replay = append(replay, "-cluster")
			}
			searching := []string{search, ".", "-args", fmt.Sprintf("-from=%d", from),
				fmt.Sprintf("-seeds=%d", seed-from+1)}
			if out, err := goTest(overlay, searching...); err == nil || !strings.Contains(out, line) {
				t.Errorf("seed %s is not among those that find it:\n%s", b.seed, out)
			}
			if out, err := goTest(overlay, replay...); err == nil || !strings.Contains(out, "--- FAIL: TestReplay") {
				t.Errorf("seed %s does not find it again:\n%s", b.seed, out)
			}
			if out, err := goTest("", replay...); err != nil {
				t.Errorf("seed %s fails without the bug:\n%s", b.seed, out)
			}
		})
	}
}

// goTest runs tests of this package, with files of an overlay in place of others.
func goTest(overlay string, args ...string) (string, error) {
	out, err := exec.Command("go", append([]string{"test", "-count=1", "-vet=off", "-overlay=" + overlay},
		args...)...).CombinedOutput()
	return string(out), err
}
