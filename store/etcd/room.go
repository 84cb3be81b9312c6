package etcd

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/weirnet/weir/store"
)

// free returns the bytes of the directory's disk that are free for this user; MaxInt64 if that is
// unknown.
func free(dir string) int64 {
	var fs syscall.Statfs_t
	err := syscall.Statfs(dir, &fs)
	for errors.Is(err, syscall.ENOENT) && dir != filepath.Dir(dir) { // not created yet: use its parent
		dir = filepath.Dir(dir)
		err = syscall.Statfs(dir, &fs)
	}
	if err != nil {
		return 1 << 62
	}
	return int64(fs.Bavail) * fs.Bsize
}

// free is that of this member's disk.
func (m *member) free() int64 { return m.cfg.free(m.cfg.Dir) }

// spaceShortage returns why nothing can be written; "" if it can.
func (m *member) spaceShortage() string { return m.room(0) }

// room returns why so many bytes cannot be written in addition to the reserve; "" if they can.
func (m *member) room(bytes int64) string {
	if have, want := m.free(), m.cfg.Reserve+bytes; have < want {
		return shortage(m.cfg.Dir, have, want)
	}
	return ""
}

func shortage(dir string, have, want int64) string {
	return fmt.Sprintf("the disk of %s has %d MiB free, and %d MiB are wanted", dir, have>>20, (want+1<<20-1)>>20)
}

// overQuota returns why writes are refused: the file has reached the quota, and has not been below
// nine tenths of it since.
func (m *member) overQuota() string {
	file := m.server.Backend()
	switch size := file.Size(); {
	case size >= m.cfg.Quota:
		m.quotaReached.Store(true)
	case size < m.cfg.Quota/10*9:
		m.quotaReached.Store(false)
	}
	if !m.quotaReached.Load() {
		return ""
	}
	return "its quota is used up: " + usage(store.Status{Size: file.Size(), InUse: file.SizeInUse(), Quota: m.cfg.Quota})
}

// usage describes how much of its quota a store has used.
func usage(now store.Status) string {
	return fmt.Sprintf("its file has %d MiB of %d, of which %d MiB are in use", now.Size>>20, now.Quota>>20, now.InUse>>20)
}
