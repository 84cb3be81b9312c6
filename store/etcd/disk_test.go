package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/compactor"
)

// breakDisk makes every synchronisation of this process fail from now on, as a disk does that is
// broken.
func breakDisk() error {
	const load, jumpEqual, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: jumpEqual, K: unix.SYS_FSYNC, Jt: 2},
		{Code: jumpEqual, K: unix.SYS_FDATASYNC, Jt: 1},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return errno
	}
	return nil
}

// TestSynchronisationFails: when a synchronisation fails the process ends, and acknowledges nothing
// that was not synchronised before; what it acknowledged is there.
func TestSynchronisationFails(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "broken disk", dir, nil)
	fmt.Fprintln(c.in, 0)
	last, after, told, broken := int64(-1), 0, false, false
	for c.out.Scan() {
		line := c.out.Text()
		if rest, ok := strings.CutPrefix(line, "broken: "); ok {
			if broken = true; rest != "<nil>" {
				t.Fatalf("the disk could not be broken: %s", rest)
			}
			continue
		}
		n, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			t.Fatalf("%s\n%s", line, c.err.String())
		}
		last = n
		if broken {
			after++
		} else if n == 100 {
			fmt.Fprintln(c.in, "break it")
			told = true
		}
	}
	err := c.cmd.Wait()
	if err == nil || !told { // it may end before it says that the disk is broken
		t.Fatalf("ended with %v; told to break the disk: %v", err, told)
	}
	// Those that were synchronised already when it broke may be told after: eight are under way at
	// a time.
	if after > 8 {
		t.Errorf("%d turns were acknowledged after the disk had broken", after)
	}
	if last < 100 {
		t.Errorf("it ended after turn %d", last)
	}
	checkTurns(t, dir, last)
}

// TestQuota: where the quota is used up nothing is taken, and it is said; when there is room again
// something is, without a restart.
func TestQuota(t *testing.T) {
	ctx := context.Background()
	said := make(chan string, 100)
	s := start(t, Config{Quota: 16 << 20, Full: func(why string) { said <- why }})
	value := make([]byte, 1<<20)
	put := func(i int) error {
		_, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Put(fmt.Appendf(nil, "k%d", i), value)}})
		return err
	}
	n := 0
	for ; n < 100; n++ {
		if err := put(n); errors.Is(err, store.ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n < 5 || n == 100 {
		t.Fatalf("%d MiB fit into a quota of 16", n)
	}
	next := func() string {
		t.Helper()
		select {
		case why := <-said:
			return why
		case <-time.After(30 * time.Second):
			t.Fatal("nothing is said")
			return ""
		}
	}
	if why := next(); !strings.Contains(why, "quota") {
		t.Errorf("said %q", why)
	}
	if page, err := s.Range(ctx, store.Query{Span: store.Prefix("k"), KeysOnly: true}); err != nil || len(page.Pairs) != n {
		t.Errorf("reading: %d, %v", len(page.Pairs), err)
	}
	if now, err := s.Status(ctx); err != nil || !strings.Contains(now.Full, "quota") {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Delete(store.Prefix("k"))}}); err != nil {
		t.Fatalf("deleting where it is full: %v", err)
	}
	k := compactor.New(s, nil, nil)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		k.Turn(ctx)
		if now, err := s.Status(ctx); err != nil || time.Now().After(end) {
			t.Fatalf("%+v, %v; %+v", now, err, k.Counts())
		} else if now.Full == "" {
			break
		}
	}
	if c := k.Counts(); c.Defragmentations == 0 || c.Failed != 0 {
		t.Errorf("%+v", c)
	}
	why := ""
	for len(said) > 0 {
		why = next()
	}
	if why != "" {
		t.Errorf("said %q last", why)
	}
	if err := put(0); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
