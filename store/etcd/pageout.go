package etcd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// PageOut releases the pages of the database file from the process's memory, after much of the
// store has been read and will not be read again soon. Errors are ignored: nothing is lost.
func (s *Store) PageOut() {
	if s.member == nil {
		return
	}
	for _, m := range mappings(s.member.cfg.databaseFile()) {
		_, _, errno := unix.Syscall(unix.SYS_MADVISE, m[0], m[1]-m[0], unix.MADV_PAGEOUT)
		if errno != 0 {
			s.member.cfg.Log.Debug("pages of the database stay in memory", "error", errno)
		}
	}
}

// unmap takes the pages of the database file out of the process's memory, after all of it has been read. They
// stay in the kernel's cache, where who needs one soon finds it.
func (m *member) unmap() {
	m.stopping.Lock()
	defer m.stopping.Unlock()
	if m.stopped {
		return
	}
	tx := m.server.Backend().ConcurrentReadTx() // while one is open the file stays where it is mapped
	tx.RLock()
	defer tx.RUnlock()
	for _, at := range mappings(m.cfg.databaseFile()) {
		_, _, errno := unix.Syscall(unix.SYS_MADVISE, at[0], at[1]-at[0], unix.MADV_DONTNEED)
		if errno != 0 {
			m.cfg.Log.Debug("pages of the database stay mapped", "error", errno)
		}
	}
}

// mappings returns the address ranges at which a file is mapped in this process.
func mappings(file string) (list [][2]uintptr) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, upto uintptr
		if line := lines.Text(); !strings.HasSuffix(line, " "+file) {
			continue
		} else if _, err := fmt.Sscanf(line, "%x-%x", &from, &upto); err == nil {
			list = append(list, [2]uintptr{from, upto})
		}
	}
	return list
}
