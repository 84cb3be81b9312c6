package netlab

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Count is what ping counted.
type Count struct{ Sent, Received, Duplicates int }

// Lost is the number of echo requests without an answer.
func (c Count) Lost() int { return c.Sent - c.Received }

var summary = regexp.MustCompile(`(\d+) packets transmitted, (\d+) received,(?: \+(\d+) duplicates,)?`)

// parsePing reads the summary of iputils' ping.
func parsePing(out string) (Count, error) {
	m := summary.FindStringSubmatch(out)
	if m == nil {
		return Count{}, fmt.Errorf("no summary in ping's output")
	}
	var c Count
	for i, to := range []*int{&c.Sent, &c.Received, &c.Duplicates} {
		*to, _ = strconv.Atoi(m[i+1])
	}
	return c, nil
}

var answer = regexp.MustCompile(`icmp_seq=(\d+) ttl=`)

// Pinger is a running ping.
type Pinger struct {
	*Process
	read sync.WaitGroup // the reader of its output

	mu       sync.Mutex
	text     []byte
	first    int          // sequence number of the first answer; 0 while there is none
	highest  int          // sequence number of the latest answer, from 1
	answered map[int]bool // sequence numbers
	twice    int          // answers to what was answered already
	slowest  time.Duration
}

// StartPing starts a ping with an echo request every interval, until Stop.
func (h *Host) StartPing(to netip.Addr, interval time.Duration) *Pinger {
	h.lab.t.Helper()
	args := []string{"-n", "-i", fmt.Sprintf("%.3f", interval.Seconds()), to.String()}
	p := &Pinger{Process: &Process{
		lab: h.lab, name: "ping", cmd: exec.Command("nsenter", h.in("ping", args)...), done: make(chan struct{}),
	}, answered: map[int]bool{}}
	r, w := io.Pipe()
	p.read.Add(1)
	go p.follow(r)
	p.begin(w)
	go func() {
		<-p.done
		w.Close()
	}()
	return p
}

func (p *Pinger) follow(r io.Reader) {
	defer p.read.Done()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.text = append(append(p.text, lines.Bytes()...), '\n')
		if m := answer.FindSubmatch(lines.Bytes()); m != nil {
			seq, _ := strconv.Atoi(string(m[1]))
			if p.first == 0 {
				p.first = seq
			}
			p.highest = max(p.highest, seq)
			if p.answered[seq] {
				p.twice++
			}
			p.answered[seq] = true
			if r := roundTrip.FindSubmatch(lines.Bytes()); r != nil {
				ms, _ := strconv.ParseFloat(string(r[2]), 64)
				p.slowest = max(p.slowest, time.Duration(ms*float64(time.Millisecond)))
			}
		}
		p.mu.Unlock()
	}
}

// Latest is the highest sequence number that was answered; 0 when none was.
func (p *Pinger) Latest() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.highest
}

// First is the sequence number of the first answer: so many requests were sent until one was
// answered. 0 when none was.
func (p *Pinger) First() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first
}

// Gaps are the sequence numbers, up to the latest answered one, without an answer: exactly the
// packets lost, but for those that may still be in flight.
func (p *Pinger) Gaps() (lost []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for seq := 1; seq < p.highest; seq++ {
		if !p.answered[seq] {
			lost = append(lost, seq)
		}
	}
	return lost
}

// Twice is how many answers came to what had been answered already.
func (p *Pinger) Twice() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.twice
}

// Slowest is the longest round trip since it was last asked for.
func (p *Pinger) Slowest() (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest, p.slowest = p.slowest, 0
	return longest
}

// Await waits until n requests later than the latest one answered now have been answered too.
func (p *Pinger) Await(n int, limit time.Duration) {
	p.lab.t.Helper()
	AwaitAll([]*Pinger{p}, n, limit)
}

// AwaitAll is Await of several at the same time.
func AwaitAll(pings []*Pinger, n int, limit time.Duration) {
	var from []int
	for _, p := range pings {
		from = append(from, p.Latest())
	}
	for i, p := range pings {
		p.lab.t.Helper()
		p.lab.Eventually(limit, fmt.Sprintf("%d more answers to ping (%d so far)", n, from[i]),
			func() bool { return p.Latest() >= from[i]+n })
	}
}

// Stop ends the ping and returns its counts. A request whose answer is in flight counts as lost.
func (p *Pinger) Stop() Count {
	p.lab.t.Helper()
	p.signal(syscall.SIGINT)
	<-p.done
	p.read.Wait()
	c, err := parsePing(string(p.text))
	if err != nil {
		p.lab.t.Fatalf("%v\n%s", err, p.text)
	}
	return c
}
