package warmstart

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// some are facts of every kind.
func some(hosts int) *Facts {
	f := &Facts{
		Switches: []*netview.Switch{
			{
				DPID: 1, Name: "core", State: netview.SwitchDisconnected, Version: openflow.V13, Tables: 254,
				Buffers: 256, Capabilities: 0x4f,
				Address: "192.0.2.1:4711", Desc: openflow.Desc{Manufacturer: "a", Hardware: "b", Software: "c",
					Serial: "d", Datapath: "core"},
				Ports: []netview.Port{
					{Number: 1, Name: "eth1", MAC: packet.MAC{2, 1}, Up: true, SpeedMbps: 10000, Role: netview.PortLink},
					{Number: 2, Name: "eth2", MAC: packet.MAC{2, 2}, Role: netview.PortEdge},
				},
			},
			{DPID: 0xffffffffffffffff, State: netview.SwitchDisconnected, Version: openflow.V10},
		},
		Trees: []Tree{{DPID: 1, Links: []uint32{1}, Off: []uint32{}}},
	}
	for i, s := range states {
		f.Links = append(f.Links, &netview.Link{
			LinkKey: netview.LinkKey{Src: netview.Point{DPID: 1, Port: uint32(len(f.Links))},
				Dst: netview.Point{DPID: 2, Port: 7}}, Up: true, State: s, Width: netview.LinkWidth(i % 3),
		})
	}
	f.Links = append(f.Links, &netview.Link{
		LinkKey: netview.LinkKey{Src: netview.Point{DPID: 1, Port: 8}, Dst: netview.Point{DPID: 2, Port: 8}},
		State:   netview.LinkUnconfirmed,
	})
	for i := range hosts {
		f.Hosts = append(f.Hosts, &netview.Host{
			HostID: netview.HostID{MAC: packet.MAC{2, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)}, VLAN: uint16(i % 2)},
			IPs:    []netip.Addr{netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), netip.MustParseAddr("2001:db8::1")},
			At:     netview.Point{DPID: 1, Port: 2}, Seen: time.Unix(int64(1_790_000_000+i), 0), State: netview.HostUnconfirmed,
		})
	}
	return f
}

func text(f *Facts) string {
	var b []byte
	for _, s := range f.Switches {
		b = fmt.Appendf(b, "%+v\n", *s)
	}
	b = fmt.Appendf(b, "%v\n", f.Trees)
	for _, l := range f.Links {
		b = fmt.Appendln(b, l.LinkKey, l.Up, l.State, l.Width) // as a whole it is its key
	}
	for _, h := range f.Hosts {
		b = fmt.Appendf(b, "%+v\n", *h)
	}
	return string(b)
}

func TestRoundTrip(t *testing.T) {
	for _, f := range []*Facts{new(Facts), some(0), some(3)} {
		file, stable := appendFile(nil, f)
		got, err := Parse(file)
		if err != nil || text(got) != text(f) {
			t.Errorf("%v\nread\n%s\nwant\n%s", err, text(got), text(f))
		}
		for _, h := range f.Hosts {
			h.Seen = h.Seen.Add(time.Minute)
		}
		if later, same := appendFile(nil, f); !bytes.Equal(stable, same) || len(f.Hosts) > 0 && bytes.Equal(file, later) {
			t.Error("when a host was seen is in the part that says what changed, or not in the file")
		}
	}
}

// What an older version wrote is read: it says nothing of the widths of links.
func TestOlderFormats(t *testing.T) {
	f := some(3)
	for _, l := range f.Links {
		l.Width = netview.WidthUnknown
	}
	file, _ := appendFile(nil, f)
	for v := range uint16(format + 2) {
		old := bytes.Clone(file[:len(file)-sha256.Size])
		binary.BigEndian.PutUint16(old[len(magic):], v)
		sum := sha256.Sum256(old)
		got, err := Parse(append(old, sum[:]...))
		switch known := v >= formats && v <= format; {
		case known && (err != nil || text(got) != text(f)):
			t.Errorf("format %d: %v", v, err)
		case !known && !errors.Is(err, ErrFormat):
			t.Errorf("format %d is read: %v", v, err)
		}
	}
}

// No byte can be changed and none cut off or added.
func TestEveryDamage(t *testing.T) {
	file, _ := appendFile(nil, some(2))
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		if _, err := Parse(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := Parse(file[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := Parse(append(file, 0)); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// FuzzParse gives bodies a right checksum: what is inside may be anything.
func FuzzParse(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		file, _ := appendFile(nil, some(n))
		f.Add(file[headLen : len(file)-32])
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		facts, err := Parse(sealed(body))
		if err != nil {
			if facts != nil || !errors.Is(err, ErrDamaged) {
				t.Errorf("%v, %v", facts, err)
			}
			return
		}
		file, _ := appendFile(nil, facts)
		again, err := Parse(file)
		if err != nil || text(again) != text(facts) {
			t.Errorf("%v\nread again\n%s\nwas\n%s", err, text(again), text(facts))
		}
	})
}

// board takes alarms.
type board struct {
	sync.Mutex
	raised, cleared int
}

func (b *board) Raise(netview.AlarmKind, string, string) { b.Lock(); b.raised++; b.Unlock() }
func (b *board) Clear(netview.AlarmKind, string)         { b.Lock(); b.cleared++; b.Unlock() }

func TestLoadRefusesAndKeepsADamagedFile(t *testing.T) {
	dir := t.TempDir()
	if f, err := Load(dir); err != nil || len(f.Switches) != 0 {
		t.Errorf("without a file: %v, %v", f, err)
	}
	path := filepath.Join(dir, FileName)
	file, _ := appendFile(nil, some(5))
	if err := Save(dir, file); err != nil {
		t.Fatal(err)
	}
	if f, err := Load(dir); err != nil || !reflect.DeepEqual(text(f), text(some(5))) {
		t.Errorf("%v\n%s", err, text(f))
	}
	os.WriteFile(path, file[:100], 0o600)
	if f, err := Load(dir); !errors.Is(err, ErrDamaged) || f != nil {
		t.Errorf("a damaged file: %v, %v", f, err)
	}
	if bad, err := os.ReadFile(path + ".bad"); err != nil || !bytes.Equal(bad, file[:100]) {
		t.Errorf("it was not kept: %v", err)
	}
	if f, err := Load(dir); err != nil || len(f.Switches) != 0 {
		t.Errorf("the next time: %v, %v", f, err)
	}
}

// What changes in the view is in the file soon; when hosts were seen alone is not written; a write
// that fails is tried again.
func TestRecorder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	view, alarms := netview.New(netview.Limits{}), new(board)
	tree := func(_ *netview.Snapshot, dpid netview.DPID) (links, off []uint32, ok bool) {
		return []uint32{1, 2}, []uint32{2}, dpid == 1
	}
	r := New(dir, view, tree, alarms)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	facts := view.Facts()
	put := func(seen int64) {
		facts.Update(func(tx *netview.FactsTx) {
			row := *some(0).Switches[0]
			tx.PutSwitch(&row)
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MAC{2}},
				At: netview.Point{DPID: 1, Port: 2}, Seen: time.Unix(seen, 0)})
		})
	}
	put(1000)
	await(t, "an alarm about a directory that is not there",
		func() bool { alarms.Lock(); defer alarms.Unlock(); return alarms.raised > 0 })
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	await(t, "the file", func() bool { f, err := Load(dir); return err == nil && len(f.Hosts) == 1 })
	put(2000)
	cancel()
	running.Wait()
	f, _ := Load(dir)
	if fmt.Sprint(f.Trees) != "[{0000000000000001 [1 2] [2]}]" || alarms.cleared == 0 {
		t.Errorf("trees %v, %d alarms ended", f.Trees, alarms.cleared)
	}
	if f, _ := Load(dir); f.Hosts[0].Seen.Unix() != 1000 {
		t.Errorf("written for nothing but %v", f.Hosts[0].Seen)
	}
	facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(netview.HostID{MAC: packet.MAC{2}}) })
	r.Run(ctx) // it has ended already: what is new is written all the same
	if f, _ := Load(dir); len(f.Hosts) != 0 {
		t.Error("the end is not in the file")
	}
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 6000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within a minute", what)
}

// A full network.
func BenchmarkAppend(b *testing.B) {
	f := some(131072)
	var file []byte
	b.ReportAllocs()
	for b.Loop() {
		file, _ = appendFile(file[:0], f)
	}
	b.ReportMetric(float64(len(file)), "bytes")
}

func BenchmarkParse(b *testing.B) {
	file, _ := appendFile(nil, some(131072))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(file); err != nil {
			b.Fatal(err)
		}
	}
}
