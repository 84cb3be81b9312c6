//go:build linux

package nic

import (
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// notReadable is how long it takes to look again at a socket that Go's poller has given up for a
// moment: only its queue of sent frames was ready.
const notReadable = 100 * time.Microsecond

// Watch has see called with every frame that goes by, in the order in which the kernel gives them
// for each way, until Close. It waits in Go's poller: in a system call it would keep others from
// running.
func (n *NIC) Watch(see func(*Frame)) {
	n.running.Go(func() {
		for {
			if err := n.watch(see); n.closing.Load() || errors.Is(err, fs.ErrClosed) {
				return
			}
			time.Sleep(notReadable)
		}
	})
}

// watch reads until the poller ends it.
func (n *NIC) watch(see func(*Frame)) error {
	b := newBatch(n.cfg.Kept)
	var failed error
	err := n.raw.Read(func(fd uintptr) bool {
		failed = n.drain(fd, b, see)
		return failed != nil
	})
	return errors.Join(err, failed)
}

// drain reads all that is there, sent frames first: theirs are the older stamps.
func (n *NIC) drain(fd uintptr, b *batch, see func(*Frame)) error {
	for !n.closing.Load() {
		sent, err := n.take(fd, b, unix.MSG_ERRQUEUE, see)
		if err != nil {
			return err
		}
		received, err := n.take(fd, b, 0, see)
		if err != nil {
			return err
		}
		if sent+received == 0 {
			return nil
		}
	}
	return fs.ErrClosed
}

// take reads frames of one queue.
func (n *NIC) take(fd uintptr, b *batch, flags int, see func(*Frame)) (int, error) {
	count, err := b.read(fd, flags)
	for i := range count {
		f := b.frame(i, n.stamps)
		if flags != 0 {
			f.Out = true
			n.stamped.Add(1)
		}
		if f.At == 0 {
			n.unstamped.Add(1)
			continue
		}
		n.seen.Add(1)
		see(&f)
	}
	return count, err
}
