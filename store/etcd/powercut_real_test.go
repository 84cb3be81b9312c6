//go:build real

package etcd

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/faultdisk"
	"github.com/weirnet/weir/internal/need"
)

// powered is a member in a process of its own, on a disk of its own, whose power is cut.
type powered struct {
	name, address string
	disk          *faultdisk.Disk
	child         *child
	reader        sync.WaitGroup
	ended         atomic.Bool
	slow          atomic.Pointer[string] // what it says of its disk
}

// ledger is what members have acknowledged: the highest number of each key.
type ledger struct {
	mu    sync.Mutex
	has   map[string]int
	count int
}

func (l *ledger) note(key string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.has[key] = max(n, l.has[key])
	l.count++
}

func (l *ledger) copied() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for k, n := range l.has {
		out[k] = n
	}
	return out
}

// start starts the process, and returns when it serves and has all that was acknowledged before.
func (p *powered) start(t *testing.T, l *ledger, join string) error {
	before := l.copied()
	p.child = startChild(t, "member", filepath.Join(p.disk.Dir, "store"), func(c *exec.Cmd) {
		c.Env = append(c.Env, "WEIR_STORE_NAME="+p.name, "WEIR_STORE_ADDRESS="+p.address, "WEIR_STORE_JOIN="+join)
	})
	late := time.AfterFunc(need.Patience, func() { p.child.cmd.Process.Signal(syscall.SIGQUIT) }) // it says what it waits for
	defer late.Stop()
	has := map[string]int{}
	for p.child.out.Scan() {
		var key string
		var n int
		line := p.child.out.Text()
		if line == "ready" {
			for key, n := range before {
				if has[key] < n {
					return fmt.Errorf("%s: %s was acknowledged with %d, and is %d", p.name, key, n, has[key])
				}
			}
			p.ended.Store(false)
			p.reader.Go(func() {
				for p.child.out.Scan() {
					if slow, ok := strings.CutPrefix(p.child.out.Text(), "slow: "); ok {
						p.slow.Store(&slow)
					} else if _, err := fmt.Sscanf(p.child.out.Text(), "acknowledged %s %d", &key, &n); err == nil {
						l.note(key, n)
					}
				}
				p.ended.Store(true)
			})
			return nil
		}
		if _, err := fmt.Sscanf(line, "has %s %d", &key, &n); err != nil {
			break
		}
		has[key] = n
	}
	return fmt.Errorf("%s did not start: %s %s", p.name, p.child.out.Text(), p.child.err.String())
}

// kill ends the process, and what it has acknowledged is noted.
func (p *powered) kill() {
	p.child.cmd.Process.Kill()
	p.reader.Wait()
	p.child.cmd.Wait()
}

// powerOn starts members.
func powerOn(t *testing.T, members int) (list []*powered, l *ledger) {
	t.Helper()
	l = &ledger{has: map[string]int{}}
	for i := range members {
		p := &powered{name: string(rune('a' + i)), disk: faultdisk.Mount(t, filepath.Join(t.TempDir(), "disk"))}
		if members > 1 {
			c, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			p.address = c.Addr().String()
			c.Close()
		}
		join := ""
		if i > 0 {
			join = list[0].address
		}
		if err := p.start(t, l, join); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list, l
}

// writing waits until members have written something more.
func writing(t *testing.T, l *ledger, list ...*powered) {
	t.Helper()
	before := l.copied()
	need.Await(t, "members to write", func() bool {
		now := l.copied()
		for _, p := range list {
			if p.ended.Load() {
				t.Fatalf("%s has ended: %s", p.name, p.child.err.String())
			}
			if key := p.name + "/0"; now[key] <= before[key] {
				return false
			}
		}
		return true
	})
}

// cutPower kills members that write, again and again, with what their disks had not synchronised, and starts them again. all:
// all at a time; else one.
func cutPower(t *testing.T, members, rounds int, all func(round int) bool) {
	list, l := powerOn(t, members)
	rng := rand.New(rand.NewPCG(uint64(members), 21))
	for round := range rounds {
		writing(t, l, list...)
		time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		victims := []*powered{list[rng.IntN(len(list))]}
		if all(round) {
			victims = list
		}
		var chance *rand.Rand
		if rng.IntN(2) == 0 {
			chance = rng
		}
		for _, p := range victims { // none may acknowledge what another one, whose power is cut too, has
			p.child.cmd.Process.Kill()
		}
		var starts sync.WaitGroup
		errs := make(chan error, len(victims))
		for _, p := range victims {
			p.kill()
			if err := p.disk.Lose(chance); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range victims {
			starts.Go(func() { errs <- p.start(t, l, "") })
		}
		starts.Wait()
		for range victims {
			if err := <-errs; err != nil {
				t.Fatalf("round %d, %d of %d cut, by chance: %t: %v", round, len(victims), members, chance != nil, err)
			}
		}
	}
	for _, p := range list {
		p.kill()
	}
	t.Logf("%d cuts of power, %d acknowledged", rounds, l.count)
	if l.count < 10*rounds {
		t.Errorf("only %d were acknowledged in %d rounds", l.count, rounds)
	}
}

// TestPowerIsCut: a member alone, whose disk loses what was not synchronised when it is killed, has all that it acknowledged.
func TestPowerIsCut(t *testing.T) {
	cutPower(t, 1, need.Rounds(10), func(int) bool { return true })
}

// TestPowerIsCutOfSeveral: the same of three, of which one is killed, or all are.
func TestPowerIsCutOfSeveral(t *testing.T) {
	cutPower(t, 3, need.Rounds(10), func(round int) bool { return round%3 == 2 })
}

// TestStalledMember: members whose disks hang, or are slow, say so, and the others go on meanwhile; they are well again when
// their disks are.
func TestStalledMember(t *testing.T) {
	list, l := powerOn(t, 3)
	writing(t, l, list...)
	says := func(p *powered, want string) {
		t.Helper()
		need.Await(t, p.name+" to say how its disk is", func() bool {
			slow := p.slow.Load()
			return slow != nil && (want == "" && *slow == "" || want != "" && strings.Contains(*slow, want))
		})
	}
	for n, p := range list { // one of them leads
		others := append(slices.Clone(list[:n]), list[n+1:]...)
		p.disk.Stall(true)
		says(p, "a synchronisation has not ended for 2 s")
		writing(t, l, others...)
		p.disk.Stall(false)
		writing(t, l, list...)
	}
	says(list[0], "")
	list[0].disk.Delay(slowSync + slowSync/2)
	says(list[0], "of the last")
	writing(t, l, list[1:]...)
	list[0].disk.Delay(0)
	for _, p := range list[1:] {
		says(p, "")
	}
	for _, p := range list {
		p.kill()
	}
}
