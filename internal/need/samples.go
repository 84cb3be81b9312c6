package need

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sample is a message that package openflow is tested with.
type Sample struct {
	Name  string // "1.3/packet_in"
	Frame []byte
}

// Samples are those of a version of OpenFlow, "1.0" or "1.3".
func Samples(t testing.TB, version string) (list []Sample) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), "openflow/testdata/samples/*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for block := range strings.SplitSeq(string(text), "\n\n") {
			lines := strings.Split(strings.TrimSpace(block), "\n")
			name, ok := strings.CutPrefix(lines[0], "sample ")
			if len(lines) < 3 || !ok || !strings.HasPrefix(name, version+"/") {
				continue
			}
			frame, err := hex.DecodeString(lines[2])
			if err != nil {
				t.Fatalf("%s: %s: %v", f, name, err)
			}
			list = append(list, Sample{name, frame})
		}
	}
	return list
}
