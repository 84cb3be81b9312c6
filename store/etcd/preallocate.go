package etcd

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// preallocateBytes is how much of the database file is allocated beyond its end: more than can be
// in flight to it when another process fills the disk, before the next check. The log needs none:
// etcd preallocates its files.
const preallocateBytes = 32 << 20

// preallocator reserves disk space for the database file, in holes and beyond its end: a write
// without space would end the process.
type preallocator struct {
	inode uint64
	upto  int64 // allocated
}

// extend allocates space if less than half of it is left. On a full disk it returns an error; the
// file can do without.
func (a *preallocator) extend(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if inode := info.Sys().(*syscall.Stat_t).Ino; inode != a.inode { // first call, or after a defragmentation
		*a = preallocator{inode: inode}
	}
	if info.Size()+preallocateBytes/2 <= a.upto {
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	upto := info.Size() + preallocateBytes
	err = errors.Join(unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, a.upto, upto-a.upto), f.Close())
	if err == nil {
		a.upto = upto
	}
	return err
}
