package etcd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
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
	case "member":
		childMember()
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

// childMember is a member, alone or of several, that says what it has, and then writes as fast as it can, with a number for
// each key that grows, and says which were acknowledged.
func childMember() {
	fail := func(err error) {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	ctx := context.Background()
	cfg := Config{Dir: os.Getenv("WEIR_STORE_DIR"), Name: os.Getenv("WEIR_STORE_NAME"),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	if at := os.Getenv("WEIR_STORE_ADDRESS"); at != "" {
		l, err := net.Listen("tcp", at)
		if err != nil {
			fail(err)
		}
		cfg.Peer = &Peer{Listener: l, Address: at}
		if join := os.Getenv("WEIR_STORE_JOIN"); join != "" {
			cfg.Peer.Join = []string{join}
		}
	}
	s, err := Start(ctx, cfg)
	if err != nil {
		fail(err)
	}
	next := map[string]int{}
	for from := []byte("k/"); from != nil; {
		page, err := s.Range(ctx, store.Query{Span: store.Span{From: from, To: []byte("k0")}})
		if err != nil {
			fail(err)
		}
		from = nil
		for _, p := range page.Pairs {
			key := strings.TrimPrefix(string(p.Key), "k/")
			n, _ := strconv.Atoi(string(p.Value))
			next[key] = n
			fmt.Println("has", key, n)
			if page.More {
				from = append(p.Key, 0)
			}
		}
	}
	fmt.Println("ready")
	for w := range 4 {
		go func() {
			key := fmt.Sprint(cfg.Name, "/", w)
			for n := next[key] + 1; ; n++ {
				ring, value := fmt.Sprint(key, "/", n%20), []byte(strconv.Itoa(n))
				for {
					both := []store.Op{store.Put([]byte("k/"+key), value), store.Put([]byte("k/"+ring), value)}
					_, err := s.Txn(ctx, store.Txn{Then: both})
					if err == nil {
						break
					}
					time.Sleep(time.Millisecond)
				}
				fmt.Printf("acknowledged %s %d\nacknowledged %s %d\n", key, n, ring, n)
			}
		}()
	}
	for said := "none"; ; time.Sleep(tickEvery) {
		if d := s.Cluster().Disk(); d.Slow != said {
			said = d.Slow
			fmt.Println("slow: " + said)
		}
	}
}
