package etcd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// Tests that end a process, or spoil its disk, run it as a child: this binary with WEIR_STORE_CHILD
// set to what it is to do, and its directory as WEIR_STORE_DIR.

func TestMain(m *testing.M) {
	switch os.Getenv("WEIR_STORE_CHILD") {
	case "":
		os.Exit(m.Run())
	case "write":
		childWrites(false, false)
	case "write and compact":
		childWrites(false, true)
	case "broken disk":
		childWrites(true, false)
	case "small disk":
		childOnSmallDisk()
	}
}

// child is a running one.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	err strings.Builder
}

func startChild(t *testing.T, what, dir string, change func(*exec.Cmd)) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), "WEIR_STORE_CHILD="+what, "WEIR_STORE_DIR="+dir)
	c.cmd.Stderr = &c.err
	if change != nil {
		change(c.cmd)
	}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			c.cmd.Process.Kill()
			c.cmd.Wait()
		}
	})
	return c
}

// kept is how many turns a group of records lives.
const kept = 50

// turn is what turn i of a child appends, all together: three records, and the withdrawal of those
// of an older turn.
func turn(i uint32) (recs []journal.Record) {
	for k := range uint32(3) {
		recs = append(recs, journal.Record{Number: 3*i + k, Data: fmt.Appendf(nil, "turn %d", i)})
	}
	if i >= kept {
		for k := range uint32(3) {
			recs = append(recs, journal.Record{Number: 3*(i-kept) + k, Delete: true})
		}
	}
	return recs
}

// childWrites appends turns as fast as they are durable, eight at a time, beginning at the number
// that it reads, and writes the number of each that is. Where the disk is to break it does when a
// line comes.
func childWrites(breaks, compacts bool) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	var i uint32
	fmt.Sscan(lines.Text(), &i)
	ctx := context.Background()
	s, err := Start(ctx, Config{Dir: os.Getenv("WEIR_STORE_DIR")})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	j, err := journal.Open(ctx, s, journal.Config{Prefix: "j/", BlockMax: 2048})
	if err == nil {
		err = j.Load(ctx, func(journal.Record) error { return nil })
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	if breaks {
		go func() {
			lines.Scan()
			fmt.Println("broken:", breakDisk())
		}()
	}
	if compacts {
		go func() {
			_, saved, _ := store.LoadDocument(ctx, s, "document")
			for {
				now, _ := s.Status(ctx)
				s.Compact(ctx, now.Revision)
				s.Defragment(ctx)
				if at, err := store.SaveDocument(ctx, s, "document", saved, fmt.Append(nil, now.Revision)); err == nil {
					saved = at
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	free := make(chan struct{}, 8)
	go func() {
		for ; ; i++ {
			free <- struct{}{}
			n := i
			if err := j.Append(turn(n), func(_ store.Revision, err error) {
				if err == nil {
					fmt.Println(n)
				}
				<-free
			}); err != nil {
				fmt.Println("error:", err)
				os.Exit(3)
			}
		}
	}()
	j.Run(ctx)
}
