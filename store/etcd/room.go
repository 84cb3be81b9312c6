package etcd

import (
	"fmt"
	"syscall"

	"github.com/weirnet/weir/store"
)

// free is how many bytes of the directory's disk are free for this user; all if that cannot be said.
func free(dir string) int64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 1 << 62
	}
	return int64(fs.Bavail) * fs.Bsize
}

// shortOfRoom says why nothing can be written; "" if it can.
func (m *member) shortOfRoom() string { return m.room(0) }

// room says why so many bytes cannot be written beside what is to stay free; "" if they can.
func (m *member) room(bytes int64) string {
	if have, want := free(m.cfg.Dir), m.cfg.Reserve+bytes; have < want {
		return fmt.Sprintf("the disk of %s has %d MiB free, and %d MiB are wanted", m.cfg.Dir, have>>20, (want+1<<20-1)>>20)
	}
	return ""
}

// overQuota says why nothing is taken: the file has reached the quota, and not less than nine tenths of it since.
func (m *member) overQuota() string {
	file := m.server.Backend()
	switch size := file.Size(); {
	case size >= m.cfg.Quota:
		m.spent.Store(true)
	case size < m.cfg.Quota/10*9:
		m.spent.Store(false)
	}
	if !m.spent.Load() {
		return ""
	}
	return "its quota is used up: " + usage(store.Status{Size: file.Size(), InUse: file.SizeInUse(), Quota: m.cfg.Quota})
}

// usage is how much of its quota a store has used.
func usage(now store.Status) string {
	return fmt.Sprintf("its file has %d MiB of %d, of which %d MiB are in use", now.Size>>20, now.Quota>>20, now.InUse>>20)
}
