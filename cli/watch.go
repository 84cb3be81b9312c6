package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// pollPeriod is the time between two polls of rows without events.
const pollPeriod = 2 * time.Second

// watcher prints the rows of one watch as they change. It keeps what it has printed, so that of a
// snapshot in the middle of the stream only the differences are printed.
type watcher[T any] struct {
	kind  *resource[T]
	id    string
	out   io.Writer
	f     command.Format
	table command.Table
	shown map[string]T
	json  map[string]string // of the shown rows
	stale map[string]bool   // shown before a reset and not put since
	names names             // of the switches as the watch began
}

// now is the time at which a row is shown, by this machine's clock.
func (w *watcher[T]) now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// watch prints the rows, and then each that changes, with op: put or delete.
func (k *resource[T]) watch(ctx context.Context, c *client.Client, out io.Writer, id string, f command.Format) error {
	w := &watcher[T]{kind: k, id: id, out: out, f: f, table: command.Table{W: out},
		shown: map[string]T{}, json: map[string]string{}}
	if k.named {
		var err error
		if w.names, err = namesForFormat(ctx, c, f); err != nil {
			return err
		}
	}
	if k.event == "" {
		return w.poll(ctx, c)
	}
	p, err := k.list(ctx, c, "") // the events continue from its revision
	if err != nil {
		return err
	}
	p.Items = slices.DeleteFunc(p.Items, func(v T) bool { return id != "" && !k.matches(v, id) })
	if err := w.begin(p.Items); err != nil {
		return err
	}
	return c.Watch(ctx, client.Watch{After: p.Revision, Kinds: []string{k.event}}, w.event)
}

func (w *watcher[T]) cells(v T) []string {
	return w.names.replaceIn([][]string{w.kind.columns(w.kind.cells(v), w.f)})[0]
}

func (w *watcher[T]) begin(items []T) error {
	if w.f.IsTable() {
		rows := [][]string{append(append([]string{"OP"}, w.kind.columns(w.kind.header, w.f)...), "SHOWN"), {"delete"}}
		for _, v := range items {
			rows = append(rows, append(append([]string{"put"}, w.cells(v)...), w.now()))
		}
		w.table.Fit(rows...)
		if err := w.table.Write(rows[0]); err != nil {
			return err
		}
	}
	for _, v := range items {
		if err := w.put(v); err != nil {
			return err
		}
	}
	return nil
}

// event takes one event of the stream.
func (w *watcher[T]) event(e client.Event) error {
	switch e.Kind {
	case client.EventReset:
		w.reset()
		return nil
	case client.EventSynced:
		return w.synced()
	}
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return err
	}
	if w.id != "" && !w.kind.matches(v, w.id) {
		return nil
	}
	if e.Delete {
		return w.remove(v)
	}
	return w.put(v)
}

// poll lists the rows periodically and prints the differences. A row that is missing, or a switch
// that does not answer, may be there later.
func (w *watcher[T]) poll(ctx context.Context, c *client.Client) error {
	p, err := w.kind.list(ctx, c, w.id)
	if err != nil {
		return err
	}
	if err := w.begin(p.Items); err != nil {
		return err
	}
	tick := time.NewTicker(pollPeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		p, err := w.kind.list(ctx, c, w.id)
		var no *client.Problem
		if errors.As(err, &no) && no.Status != http.StatusUnauthorized {
			continue
		} else if err != nil {
			return err
		}
		w.reset()
		for _, v := range p.Items {
			if err := w.put(v); err != nil {
				return err
			}
		}
		if err := w.synced(); err != nil {
			return err
		}
	}
}

func (w *watcher[T]) reset() {
	w.stale = make(map[string]bool, len(w.shown))
	for key := range w.shown {
		w.stale[key] = true
	}
}

// synced removes the rows that the snapshot did not have.
func (w *watcher[T]) synced() error {
	for _, key := range slices.Sorted(maps.Keys(w.stale)) {
		if err := w.remove(w.shown[key]); err != nil {
			return err
		}
	}
	w.stale = nil
	return nil
}

func (w *watcher[T]) put(v T) error {
	key := w.kind.key(v)
	delete(w.stale, key)
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if w.json[key] == string(b) {
		return nil
	}
	w.shown[key], w.json[key] = v, string(b)
	return w.write("put", v, b)
}

func (w *watcher[T]) remove(v T) error {
	key := w.kind.key(v)
	delete(w.stale, key)
	delete(w.shown, key)
	delete(w.json, key)
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write("delete", v, b)
}

// write prints a row; b is its JSON.
func (w *watcher[T]) write(op string, v T, b []byte) error {
	if w.f.IsTable() {
		return w.table.Write(append(append([]string{op}, w.cells(v)...), w.now()))
	}
	b = append(bytes.TrimSuffix(b, []byte("}")), `,"op":"`+op+`","shown":"`+w.now()+`"}`...)
	if w.f == command.FormatYAML {
		y, err := command.YAML(b)
		if err != nil {
			return err
		}
		_, err = w.out.Write(append([]byte("---\n"), y...))
		return err
	}
	_, err := w.out.Write(append(command.PlainJSON(b), '\n'))
	return err
}
