package etcd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDatabaseHasRoomAhead: the database file has room on the disk before it needs it, in its holes
// and behind its end, as it grows and when it is another file; its length is as before.
func TestDatabaseHasRoomAhead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	var a preallocator
	for _, size := range []int64{1 << 20, 10 << 20, 40 << 20, 3 << 20} {
		if size == 3<<20 {
			if err := os.Remove(file); err != nil { // as a defragmentation does
				t.Fatal(err)
			}
			other, err := os.Create(file + "-2") // so that it does not get the number of the old one
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
		}
		f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := a.extend(file); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if has := info.Sys().(*syscall.Stat_t).Blocks * 512; has < size+preallocateBytes/2 || info.Size() != size {
			t.Errorf("a file of %d bytes has room for %d, and is %d long", size, has, info.Size())
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if a.extend(file) == nil {
		t.Error("a file that is not there has room")
	}
}
