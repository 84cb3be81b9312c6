//go:build long

package sim

import (
	"os/exec"
	"strings"
	"testing"
)

// Bugs that there were, put back, are found by trying one seed after the other, and come again from the seed that finds them, which
// shows nothing without them.
func TestBugsAreFound(t *testing.T) {
	for _, b := range bugs(t) {
		t.Run(b.name, func(t *testing.T) {
			overlay, err := b.put(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			goTest := func(args ...string) (string, error) {
				out, err := exec.Command("go", append([]string{"test", "-count=1", "-vet=off"}, append(args, ".")...)...).CombinedOutput()
				return string(out), err
			}
			replay := "-run Replay -seed " + b.seed + " #"
			if out, err := goTest("-overlay", overlay, "-run=TestSeeds", "-args", "-seeds="+b.seed); err == nil || !strings.Contains(out, replay) {
				t.Errorf("seed %s is not among those that find it:\n%s", b.seed, out)
			}
			if out, err := goTest("-overlay", overlay, "-run=TestReplay", "-args", "-seed="+b.seed); err == nil || !strings.Contains(out, "FAIL") {
				t.Errorf("seed %s does not find it again:\n%s", b.seed, out)
			}
			if out, err := goTest("-run=TestReplay", "-args", "-seed="+b.seed); err != nil {
				t.Errorf("seed %s fails without the bug:\n%s", b.seed, out)
			}
		})
	}
}
