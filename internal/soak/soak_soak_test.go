//go:build soak

package soak

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bound is by how much a quantity may rise over the second half of the time: a share of what it was
// in the beginning of that, or so much if that is more.
type bound struct {
	share, least float64
	unit         string
}

// bounds are those of what is noted. Memory is what the process has of its own (RssAnon): what is
// mapped from files is the store's, whose size is noted apart.
var bounds = map[string]bound{
	"memory":           {0.05, 2 << 20, "bytes"},
	"heap":             {0.05, 2 << 20, "bytes"},
	"goroutines":       {0.02, 4, ""},
	"descriptors":      {0.05, 2, ""},
	"store":            {0.10, 2 << 20, "bytes"},
	"files":            {0, 2, ""},
	"emulator memory":  {0.05, 4 << 20, "bytes"},
	"emulator threads": {0.10, 3, ""},
}

// Turns of churn and rest: so long there is churn, with something every step.
const (
	churning = 20 * time.Second
	step     = 50 * time.Millisecond
	kills    = 8 // in the first tenth of the time
)

// full is how long it takes, at least, until memory can be told to be flat: the logs of the last
// changes of the view (netview.DefaultChanges) and of events of intents (intent.Config.Events), of
// 65,536 each, have to be full before the second half begins.
const full = time.Hour

// TestSoak: see the package's documentation.
func TestSoak(t *testing.T) {
	length := fromEnvironment(t, "DURATION", time.Hour, time.ParseDuration)
	seed := fromEnvironment(t, "SEED", 1, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	topology := fromEnvironment(t, "TOPOLOGY", "wan:50", func(s string) (string, error) { return s, nil })
	w := build(t, topology, fmt.Sprint(seed))
	c := newChurn(w, seed)
	begin, killed, noted := time.Now(), 0, map[string][]Sample{}
	for turn := 1; time.Since(begin) < length; turn++ {
		for end := time.Now().Add(churning); time.Now().Before(end); time.Sleep(step) {
			c.happen()
			if killed < kills && time.Since(begin) > length/10*time.Duration(killed+1)/kills && c.rng.IntN(20) == 0 {
				killed++
				kill(c)
			}
		}
		c.mend()
		w.eventually("at rest, everything is as it was acknowledged", c.settled)
		at, line := time.Since(begin).Seconds(), ""
		for _, name := range slices.Sorted(maps.Keys(bounds)) {
			v := w.note(name)
			noted[name] = append(noted[name], Sample{at, v})
			line += fmt.Sprintf("%s %s, ", name, text(v, bounds[name].unit))
		}
		t.Logf("%s, turn %d: %d intents, killed %d times, %v; %s", time.Since(begin).Round(time.Second), turn,
			len(c.intents), killed, c.counts, line)
		if t.Failed() {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		half, b := SecondHalf(noted[name]), bounds[name]
		if len(half) < 3 {
			t.Fatalf("%d turns in the second half: DURATION is too short to tell anything", len(half))
		}
		rise, err := Rise(half)
		most := max(b.share*half[0].Value, b.least)
		t.Logf("second half: %s rises by %s ± %s, from %s; at most %s", name, text(rise, b.unit), text(err, b.unit),
			text(half[0].Value, b.unit), text(most, b.unit))
		if length < full && (name == "memory" || name == "heap") {
			t.Logf("%s is not judged: that takes DURATION=%s", name, full)
			continue
		}
		if !Flat(half, most) {
			t.Errorf("%s is not flat", name)
		}
	}
}

// kill kills the instance while it is asked for intents.
func kill(c *churn) {
	dead, asking := time.Duration(c.rng.Uint64()%uint64(3*time.Second)), make(chan struct{})
	go func() {
		defer close(asking)
		c.ask(10)
		c.withdraw(10)
	}()
	c.world.kill(dead)
	<-asking
	c.counts["kills"]++
}

// note reads a quantity.
func (w *world) note(name string) float64 {
	w.t.Helper()
	switch name {
	case "memory":
		return w.status(w.node.Process.Pid, "RssAnon:") * 1024
	case "emulator memory":
		return w.status(w.emulator.Process.Pid, "RssAnon:") * 1024
	case "emulator threads":
		return w.status(w.emulator.Process.Pid, "Threads:")
	case "heap":
		return w.metric("go_memstats_heap_inuse_bytes")
	case "goroutines":
		return w.metric("go_goroutines")
	case "descriptors":
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.node.Process.Pid))
		if err != nil {
			w.t.Fatal(err)
		}
		return float64(len(list))
	}
	files, bytes := w.files()
	if name == "files" {
		return files
	}
	return bytes
}

// files are how many files there are in the data directory, and how large they are but for the
// segments of the store's log, which are of one size and counted.
func (w *world) files() (files, bytes float64) {
	err := filepath.WalkDir(w.data(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files come and go
		}
		files++
		if info, err := d.Info(); err == nil && filepath.Ext(path) != ".wal" {
			bytes += float64(info.Size())
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files, bytes
}

// status is a number of /proc/PID/status.
func (w *world) status(pid int, name string) float64 {
	w.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		w.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name)
	if fields := strings.Fields(rest); len(fields) > 0 {
		if v, err := strconv.ParseFloat(fields[0], 64); err == nil {
			return v
		}
	}
	w.t.Fatalf("/proc/%d/status has no %s", pid, name)
	return 0
}

// metric is a number of /metrics.
func (w *world) metric(name string) float64 {
	w.t.Helper()
	answer, err := http.Get("http://" + w.api + "/metrics")
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				return v
			}
		}
	}
	w.t.Fatalf("/metrics has no %s", name)
	return 0
}

// fromEnvironment reads a setting.
func fromEnvironment[T any](t *testing.T, name string, otherwise T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	v, err := parse(text)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return v
}

func text(v float64, unit string) string {
	if unit == "bytes" {
		return fmt.Sprintf("%.2f MiB", v/(1<<20))
	}
	return fmt.Sprintf("%.1f", v)
}
