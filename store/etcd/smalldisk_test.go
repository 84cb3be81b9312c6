package etcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weirnet/weir/store"
)

// childOnSmallDisk mounts a small disk of its own on its directory, has it filled while it writes,
// and empties it again: first everything is taken, then nothing and it is said, then everything
// again.
func childOnSmallDisk() {
	dir := os.Getenv("WEIR_STORE_DIR")
	fail := func(what string, err error) {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(3)
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		fail("private mounts", err)
	}
	if err := syscall.Mount("small", dir, "tmpfs", 0, "size=320m"); err != nil {
		fail("mount", err)
	}
	ctx := context.Background()
	said := make(chan string, 100)
	s, err := Start(ctx, Config{Dir: filepath.Join(dir, "store"), Reserve: 64 << 20, Full: func(why string) { said <- why }})
	if err != nil {
		fail("start", err)
	}
	put := func() error {
		_, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("k"), make([]byte, 1<<16))}})
		return err
	}
	for range 100 {
		if err := put(); err != nil {
			fail("with room", err)
		}
	}
	filler := filepath.Join(dir, "filler")
	begun := time.Now()
	if err := os.WriteFile(filler, make([]byte, 300<<20), 0o600); err == nil {
		fail("filling", errors.New("all fits"))
	}
	if err := put(); !errors.Is(err, store.ErrFull) {
		fail("a full disk", err)
	}
	why := <-said
	fmt.Printf("full after %d ms: %s\n", time.Since(begun).Milliseconds(), why)
	for range 50 { // for a while: what etcd does by itself must not end it
		if err := put(); !errors.Is(err, store.ErrFull) {
			fail("a full disk", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if _, err := s.Range(ctx, store.Query{Span: store.Key("k")}); err != nil {
		fail("reading", err)
	}
	if err := os.Remove(filler); err != nil {
		fail("emptying", err)
	}
	if err := put(); err != nil {
		fail("with room again", err)
	}
	for why := <-said; why != ""; why = <-said { // the figures change while the filler is written
		if !strings.Contains(why, "MiB free") {
			fail("said", errors.New(why))
		}
	}
	if err := s.Close(); err != nil {
		fail("close", err)
	}
	fmt.Println("done")
}
