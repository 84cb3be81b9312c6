package need

import (
	"path/filepath"
	"testing"
)

// recorder is a test that notes how it ended and goes on.
type recorder struct {
	testing.TB
	failed, skipped string
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.failed = args[0].(string) }
func (r *recorder) Skip(args ...any)  { r.skipped = args[0].(string) }

func TestMissingProgramFailsUnderCI(t *testing.T) {
	for _, ci := range []string{"", "1"} {
		t.Setenv("CI", ci)
		r := &recorder{TB: t}
		Program(r, "no-such-program-anywhere")
		if (r.failed != "") != (ci != "") || (r.skipped != "") != (ci == "") {
			t.Errorf("CI=%q: failed with %q, skipped with %q", ci, r.failed, r.skipped)
		}
	}
}

func TestProgramIsFound(t *testing.T) {
	r := &recorder{TB: t}
	if path := Program(r, "sh"); filepath.Base(path) != "sh" || r.failed+r.skipped != "" {
		t.Errorf("sh: path %q, failed %q, skipped %q", path, r.failed, r.skipped)
	}
}
