package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
)

// TestDamagedStore: an instance does not start with a store that has lost anything, again and
// again; it names the file and the cure.
func TestDamagedStore(t *testing.T) {
	for _, c := range []struct {
		file   string
		damage func(path string) error
	}{
		{"0000000000000000-0000000000000000.wal", func(path string) error { return os.Truncate(path, 5000) }},
		{"db", func(path string) error { return os.Truncate(path, 5000) }},
		{"db", func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("no", 50_000)), 0o600) }},
		{"store", os.RemoveAll},
		{"acknowledged", os.Remove},
	} {
		i := start(t, usual)
		i.apply("discovery: {lldp_period: 4s}\n")
		if err := i.stop(); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(i.cfg.DataDir, func(path string, _ os.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == c.file {
				err = errors.Join(c.damage(path), filepath.SkipAll)
			}
			return err
		})
		if err != nil && !errors.Is(err, filepath.SkipAll) {
			t.Fatal(err)
		}
		for range 2 {
			i.cfg.Ready = func(node.Addresses) { t.Error("it starts") }
			err := node.Run(t.Context(), i.cfg)
			if err == nil || !strings.Contains(err.Error(), c.file) || !strings.Contains(err.Error(), "weir restore") {
				t.Errorf("%s: %v", c.file, err)
			}
		}
	}
}

// TestStoreIsDeleted: when the store of a running instance is deleted no request is accepted any
// more, and an alarm says why; a second instance in its directory is refused at once, whatever was
// deleted.
func TestStoreIsDeleted(t *testing.T) {
	i := start(t, usual)
	ask := func(id, to string) error {
		_, err := i.api.CreateIntent(t.Context(), &client.IntentRequest{
			ID: id, Kind: "host-to-host", Src: client.HostEnd("02:00:00:00:00:01"), Dst: client.HostEnd(to),
		}, client.CreateOptions{})
		return err
	}
	if err := ask("before", "02:00:00:00:00:02"); err != nil {
		t.Fatal(err)
	}
	second := i.cfg
	second.Ready = func(node.Addresses) { t.Error("a second instance starts") }
	for _, file := range []string{"lock", filepath.Join(datadir.StoreDir, "acknowledged")} {
		if err := os.Remove(filepath.Join(i.cfg.DataDir, file)); err != nil {
			t.Fatal(err)
		}
		if err := node.Run(context.Background(), second); err == nil ||
			!strings.Contains(err.Error(), "in use by another process") {
			t.Errorf("without %s: %v", file, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(i.cfg.DataDir, datadir.StoreDir)); err != nil {
		t.Fatal(err)
	}
	var problem *client.Problem
	if err := ask("after", "02:00:00:00:00:03"); !errors.As(err, &problem) || problem.Status != 503 ||
		!strings.Contains(problem.Detail, "deleted") {
		t.Errorf("after it was deleted: %v", err)
	}
	i.await("the alarm", func() bool {
		for _, a := range must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items {
			if a.Kind == string(netview.AlarmStore) && a.Active {
				return true
			}
		}
		return false
	})
}
