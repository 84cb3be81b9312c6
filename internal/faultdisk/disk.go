package faultdisk

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/weirnet/weir/internal/need"
)

// block is what is kept or lost of a file as a whole.
const block = 4096

// Disk is one.
type Disk struct {
	Dir        string // where it is mounted
	live, safe string // what there is, and what a power cut leaves
	server     *fuse.Server

	mu      sync.Mutex
	delay   time.Duration
	stalled chan struct{} // closed when it goes on; nil: it does not hang
	synced  int
	pending []func() error              // changes of names and sizes, to be done in safe
	dirty   map[uint64]map[int64]string // blocks by inode, with the path at which they were written
}

// Mount mounts an empty disk on a directory, which is made. It is unmounted when the test ends.
func Mount(t testing.TB, dir string) *Disk {
	t.Helper()
	need.Root(t)
	need.Device(t, "/dev/fuse")
	backing := t.TempDir()
	d := &Disk{Dir: dir, live: filepath.Join(backing, "live"), safe: filepath.Join(backing, "safe")}
	for _, made := range []string{dir, d.live, d.safe} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.mount(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Stall(false)
		if err := d.server.Unmount(); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return d
}

func (d *Disk) mount() error {
	d.pending, d.dirty = nil, map[uint64]map[int64]string{}
	root := &fs.LoopbackRoot{Path: d.live}
	top := &node{LoopbackNode: fs.LoopbackNode{RootData: root}, d: d}
	root.RootNode = top
	var err error
	d.server, err = fs.Mount(d.Dir, top, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, FsName: "faultdisk",
		Name: "faultdisk"}})
	return err
}

// Delay has each synchronisation take so much longer.
func (d *Disk) Delay(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = by
}

// Stall has synchronisations hang, or go on.
func (d *Disk) Stall(hang bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case hang && d.stalled == nil:
		d.stalled = make(chan struct{})
	case !hang && d.stalled != nil:
		close(d.stalled)
		d.stalled = nil
	}
}

// Synchronisations is how many have ended.
func (d *Disk) Synchronisations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced
}

// wait is what a synchronisation waits for.
func (d *Disk) wait() {
	d.mu.Lock()
	delay, stalled := d.delay, d.stalled
	d.mu.Unlock()
	time.Sleep(delay)
	if stalled != nil {
		<-stalled
	}
}

// changed notes a change of names or sizes, which is done in safe by a function.
func (d *Disk) changed(do func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append(d.pending, do)
}

// wrote notes that bytes of a file were written.
func (d *Disk) wrote(inode uint64, path string, off int64, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirty[inode] == nil {
		d.dirty[inode] = map[int64]string{}
	}
	for b := off / block; b*block < off+int64(n); b++ {
		d.dirty[inode][b] = path
	}
}

// sync keeps what has changed of names and sizes, and the bytes of a file; path is where it is now, empty if nowhere.
func (d *Disk) sync(inode uint64, path string) error {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced++
	if err := d.commit(); err != nil {
		return err
	}
	blocks := d.dirty[inode]
	delete(d.dirty, inode)
	if path == "" {
		return nil
	}
	return d.keep(path, blocks, func() bool { return true })
}

// commit does all changes of names and sizes in safe. d.mu is held.
func (d *Disk) commit() error {
	for _, do := range d.pending {
		if err := do(); err != nil {
			return fmt.Errorf("faultdisk: %w", err)
		}
	}
	d.pending = nil
	return nil
}

// keep copies blocks of a file into safe, those that are chosen.
func (d *Disk) keep(path string, blocks map[int64]string, chosen func() bool) error {
	from, err := os.Open(filepath.Join(d.live, path))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(d.safe, path), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer to.Close()
	buf := make([]byte, block)
	for b := range blocks {
		if !chosen() {
			continue
		}
		n, _ := from.ReadAt(buf, b*block) // less at the end of the file
		if _, err := to.WriteAt(buf[:n], b*block); err != nil {
			return err
		}
	}
	return nil
}

// Lose is a power cut. No process uses the disk. With chance all changes of names and sizes are there all the same, and some of
// the blocks that were not synchronised; without, nothing is that was not.
func (d *Disk) Lose(chance *rand.Rand) error {
	if err := d.server.Unmount(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if chance != nil {
		if err := d.commit(); err != nil {
			return err
		}
		for _, blocks := range d.dirty {
			for _, path := range blocks {
				if _, err := os.Stat(filepath.Join(d.live, path)); err == nil { // it was not renamed or removed
					if err := d.keep(path, blocks, func() bool { return chance.IntN(2) == 0 }); err != nil {
						return err
					}
				}
				break
			}
		}
	}
	if err := os.RemoveAll(d.live); err != nil {
		return err
	}
	if err := copyTree(d.safe, d.live); err != nil {
		return err
	}
	return d.mount()
}

// copyTree copies a folder, and leaves out what is zero of files.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		if e.IsDir() {
			return os.Mkdir(at, info.Mode().Perm())
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_CREATE|os.O_WRONLY, info.Mode().Perm())
		if err != nil {
			return err
		}
		for off := 0; off < len(b); off += block {
			if part := b[off:min(off+block, len(b))]; !bytes.Equal(part, zeros[:len(part)]) {
				_, e := f.WriteAt(part, int64(off))
				err = errors.Join(err, e)
			}
		}
		return errors.Join(err, f.Truncate(int64(len(b))), f.Close())
	})
}

var zeros [block]byte
