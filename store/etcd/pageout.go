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
