package pcap

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// memory is a file in memory that can be made to fail, or to wait.
type memory struct {
	bytes.Buffer
	fail error
	wait chan struct{}
}

func (m *memory) Write(b []byte) (int, error) {
	if m.wait != nil {
		<-m.wait
	}
	if m.fail != nil {
		return 0, m.fail
	}
	return m.Buffer.Write(b)
}

func (m *memory) Close() error { return nil }

func TestFramesAreRead(t *testing.T) {
	m := &memory{}
	f, err := Write(m)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for i := range 1000 {
				f.Frame(at.Add(time.Duration(i)), bytes.Repeat([]byte{byte(w)}, 60+i))
			}
		}()
	}
	writers.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f.Close() != nil {
		t.Error("a second Close fails")
	}
	f.Frame(at, []byte{1}) // after its end: dropped
	if c := f.Counts(); c != (Counts{Frames: 4000, Dropped: 1}) {
		t.Errorf("%+v", c)
	}
	r, err := pcapgo.NewReader(m)
	if err != nil || r.LinkType() != layers.LinkTypeEthernet {
		t.Fatal(err, r.LinkType())
	}
	n := [4]int{}
	for {
		b, ci, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i := n[b[0]]; len(b) != 60+i || ci.Length != len(b) || !ci.Timestamp.Equal(at.Add(time.Duration(i))) {
			t.Fatalf("frame %d of %d: %d bytes at %v", i, b[0], len(b), ci.Timestamp)
		}
		n[b[0]]++
	}
	if n != [4]int{1000, 1000, 1000, 1000} {
		t.Errorf("read %v", n)
	}
}

func TestSlowDiskHoldsNobodyUp(t *testing.T) {
	m := &memory{wait: make(chan struct{})}
	f, err := Write(m)
	if err != nil {
		t.Fatal(err)
	}
	frame := make([]byte, 1<<16)
	const many = 3 * MaxWaiting / (1 << 16)
	for range many {
		f.Frame(time.Unix(1, 0), frame)
	}
	c := f.Counts()
	if c.Dropped == 0 || c.Frames+c.Dropped != many || c.Frames > 2*MaxWaiting/(1<<16) {
		t.Errorf("%+v of %d", c, many)
	}
	close(m.wait)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if want := 24 + int(c.Frames)*(16+len(frame)); m.Len() != want {
		t.Errorf("%d bytes written, want %d", m.Len(), want)
	}
}

func TestFullDiskIsTold(t *testing.T) {
	full := errors.New("no space left")
	f, err := Write(&memory{fail: full})
	if err != nil {
		t.Fatal(err)
	}
	f.Frame(time.Unix(1, 0), make([]byte, 60))
	if err := f.Close(); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "missing", "x.pcap")); err == nil {
		t.Error("a file in a folder that there is not")
	}
}

// Create begins a file, over one that there was.
func Create(path string) (*File, error) {
	out, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return Write(out)
}
