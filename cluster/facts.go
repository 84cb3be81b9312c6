package cluster

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/warmstart"
)

// The facts go as bulk streams, one to each peer for as long as it lasts. Each file is some parts: a byte that says whether
// it is the last one, and bytes of the file. A peer that has missed something has a new stream, and the whole file again.
const (
	factsKind = 1
	partBytes = 256 << 10
)

const (
	morePart byte = iota
	lastPart
)

// facts are what the owner remembers of the network, on their way to the others.
type facts struct {
	news func()
	owns func() bool
	keep func(file []byte) error

	sent map[streams.ID]*sent // the loop's

	mu    sync.Mutex            // guards what follows
	file  []byte                // the newest; nil: none was given
	turn  uint64                // of file
	parts map[streams.ID][]byte // received of the file that is coming
}

// sent is what one peer was sent.
type sent struct {
	stream *streams.Bulk
	turn   uint64
}

// set makes a file the newest.
func (f *facts) set(file []byte) {
	f.mu.Lock()
	f.file = append([]byte{}, file...)
	f.turn++
	f.mu.Unlock()
	f.news()
}

// Facts gives the others what this instance, as the owner, remembers of the network: the whole file, which is copied.
func (p *Peers) Facts(file []byte) { p.facts.set(file) }

// send sends the newest file to peers that have not got it. What a peer cannot be sent now it is sent at the next call.
func (f *facts) send(s *streams.Streams, peers []streams.Peer) {
	f.mu.Lock()
	file, turn := f.file, f.turn
	f.mu.Unlock()
	if file == nil || !f.owns() {
		return
	}
	for _, p := range peers {
		to := f.sent[p.ID]
		if to != nil && ended(to.stream) {
			to = nil
		}
		if to != nil && to.turn == turn || !s.Connected(p.ID) {
			continue
		}
		if to == nil {
			stream, err := s.Begin(p.ID, factsKind)
			if err != nil {
				continue
			}
			to = &sent{stream: stream}
			f.sent[p.ID] = to
		}
		if sendParts(to.stream, file) == nil {
			to.turn = turn
		} else {
			delete(f.sent, p.ID)
		}
	}
}

func ended(b *streams.Bulk) bool {
	select {
	case <-b.Done():
		return true
	default:
		return false
	}
}

// sendParts sends a file.
func sendParts(b *streams.Bulk, file []byte) error {
	for first := true; first || len(file) > 0; first = false {
		n := min(len(file), partBytes)
		kind := morePart
		if n == len(file) {
			kind = lastPart
		}
		part := append(append(make([]byte, 0, 1+n), kind), file[:n]...)
		if err := b.Send(part); err != nil { // which keeps the part
			return err
		}
		file = file[n:]
	}
	return nil
}

// began begins what a peer sends anew.
func (f *facts) began(from streams.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.parts, from)
}

// take takes a part of a file.
func (f *facts) take(from streams.ID, part []byte) error {
	if f.owns() {
		return errors.New("this instance owns the store, and knows the network itself")
	}
	if len(part) == 0 || part[0] > lastPart {
		return errors.New("a part of facts that is none")
	}
	f.mu.Lock()
	file := append(f.parts[from], part[1:]...)
	f.parts[from] = file
	if part[0] == lastPart {
		delete(f.parts, from)
	}
	f.mu.Unlock()
	switch {
	case len(file) > warmstart.MaxFile:
		return fmt.Errorf("facts of more than %d bytes", warmstart.MaxFile)
	case part[0] == morePart:
		return nil
	}
	return f.keep(file)
}
