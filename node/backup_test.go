package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// TestBackup: a backup that is made while the instance is written to is restored elsewhere, with
// the same objects; an instance that starts there has what was applied; and who asked is in the
// audit log.
func TestBackup(t *testing.T) {
	i := start(t)
	i.apply("discovery: {lldp_period: 4s}\n")
	stop, stopped := make(chan struct{}), sync.WaitGroup{}
	stopped.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
				text := fmt.Sprintf("discovery: {lldp_period: %ds}\n", 3+n%2)
				if _, err := i.api.Apply(t.Context(), []byte(text), false); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	var file bytes.Buffer
	err := i.api.Backup(t.Context(), &file)
	close(stop)
	stopped.Wait()
	if err != nil {
		t.Fatal(err)
	}
	want, err := store.ReadSnapshot(bytes.NewReader(file.Bytes()), nil)
	if err != nil || want.Pairs < 2 {
		t.Fatalf("%+v, %v", want, err)
	}
	dir := filepath.Join(t.TempDir(), "elsewhere")
	restore := func(dir string, b []byte) (store.Contents, error) {
		to := datadir.Config{Dir: dir, Store: datadir.Embedded, Log: slog.New(slog.DiscardHandler)}
		return to.Restore(t.Context(), bytes.NewReader(b))
	}
	got, err := restore(dir, file.Bytes())
	if err != nil || got != want {
		t.Fatalf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := restore(dir, file.Bytes()); err == nil || !strings.Contains(err.Error(), "has a store already") {
		t.Errorf("restored twice: %v", err)
	}
	if _, err := restore(i.cfg.DataDir, file.Bytes()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("restored into a directory that is in use: %v", err)
	}
	broken := bytes.Clone(file.Bytes())
	broken[len(broken)/2] ^= 4
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	if _, err := restore(nowhere, broken); !errors.Is(err, store.ErrSnapshot) {
		t.Errorf("a broken backup: %v", err)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a broken backup made a directory")
	}
	records := must[[]client.AuditRecord](i)(auditOf(i))
	if !strings.Contains(fmt.Sprint(records), "GET /v1/backup") {
		t.Errorf("the audit log has %v", records)
	}
	operator := i.client(i.token("token-operator"))
	defer operator.Close()
	var no *client.Problem
	if err := operator.Backup(t.Context(), &file); !errors.As(err, &no) || no.Status != 403 {
		t.Errorf("an operator makes a backup: %v", err)
	}
	if err := i.stop(); err != nil {
		t.Error(err)
	}
	again := start(t, func(c *node.Config) { c.DataDir = dir })
	if text := again.configuration().Text; !strings.HasPrefix(text, "discovery: {lldp_period: ") {
		t.Errorf("%+v", again.configuration())
	}
	all := again.metrics()
	if again.value(all, "weir_store_ready") != 1 || again.value(all, "weir_store_bytes", "kind", "file") == 0 ||
		again.value(all, "weir_store_revision") == 0 {
		t.Error("the metrics do not tell of the store")
	}
	var second bytes.Buffer
	if err := again.api.Backup(t.Context(), &second); err != nil {
		t.Fatal(err)
	}
}

// auditOf is the audit log of an instance.
func auditOf(i *instance) (*[]client.AuditRecord, error) {
	page, err := i.api.Audit(i.t.Context(), "", 1000)
	if err != nil {
		return nil, err
	}
	return &page.Items, nil
}
