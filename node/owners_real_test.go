//go:build real

package node_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/internal/need"
)

// cluster is an etcd of one member in a process of its own.
type cluster struct {
	t         *testing.T
	binary    string
	dir       string
	url, peer string
	cmd       *exec.Cmd
}

// newCluster builds etcd at the version that is embedded, and starts it.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	c := &cluster{t: t, binary: filepath.Join(dir, "etcd"), dir: dir, url: "http://" + freeAddress(t),
		peer: "http://" + freeAddress(t)}
	build := exec.Command("go", "build", "-o", c.binary, ".")
	build.Dir = filepath.Join(need.Repository(t), "store", "etcd", "testdata", "etcd")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c.start()
	return c
}

func (c *cluster) start() {
	c.t.Helper()
	c.cmd = exec.Command(c.binary, "--data-dir", filepath.Join(c.dir, "data"), "--log-level", "error",
		"--listen-client-urls", c.url, "--advertise-client-urls", c.url,
		"--listen-peer-urls", c.peer, "--initial-advertise-peer-urls", c.peer, "--initial-cluster", "default="+c.peer)
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	process := c.cmd
	c.t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	await(c.t, "etcd", func() bool {
		r, err := http.Get(c.url + "/health")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		return r.StatusCode == http.StatusOK
	}, func() string { return c.url })
}

func (c *cluster) signal(s syscall.Signal) { c.cmd.Process.Signal(s) }

// owners are instances that share a store, and a network that may be any one's.
type owners struct {
	t       *testing.T
	etcd    *cluster
	list    []*child
	network *emu.Network
	said    []said // by each to the switches
}

// begin starts an instance, which may come to stand by.
func (o *owners) begin(n int) {
	o.t.Helper()
	c := o.list[n]
	c.begin(o.t)
	at := strings.TrimPrefix(c.more[0], "WEIR_NODE_API=")
	await(o.t, "its API", func() bool {
		r, err := http.Get("http://" + at + "/healthz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return true
	}, c.log.String)
	c.connect(o.t, at)
}

// probe asks an instance whether it is ready.
func (o *owners) probe(n int) (status int, text string) {
	r, err := http.Get("http://" + strings.TrimPrefix(o.list[n].more[0], "WEIR_NODE_API=") + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(b)
}

// owns waits until an instance is the owner, has all switches, and they hold what is desired.
func (o *owners) owns(n int) {
	o.t.Helper()
	last := ""
	await(o.t, "the new owner's switches to hold what is wanted", func() bool {
		status, text := o.probe(n)
		if last = text; status != http.StatusOK {
			return false
		}
		c, err := o.list[n].api.Check(o.t.Context())
		last = fmt.Sprintf("%+v %v", c, err)
		return err == nil && c.Agrees && len(c.Switches) == len(o.network.Switches()) && c.Intents["installed"] == wishes
	}, func() string { return last + "\n" + tail(o.list[n].log.String(), 20) })
}

// stands waits until an instance stands by, and the members that both tell are both.
func (o *owners) stands(n, owner int) {
	o.t.Helper()
	var page [2]*client.Page[client.Member]
	await(o.t, "an instance to stand by", func() bool {
		status, text := o.probe(n)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, "instance "+filepath.Base(o.list[owner].dir)) {
			return false
		}
		for i, c := range o.list {
			var err error
			if page[i], err = c.api.Members(o.t.Context()); err != nil || len(page[i].Items) != 2 ||
				!page[i].Items[owner].Leader ||
				page[i].Items[n].State != "standby" {
				return false
			}
		}
		return true
	}, func() string { return fmt.Sprintf("%+v %+v\n%s", page[0], page[1], tail(o.list[n].log.String(), 20)) })
	if !strings.Contains(o.list[n].log.String(), "this instance is a standby") {
		o.t.Error("the log does not say so")
	}
	_, err := o.list[n].api.Switches(o.t.Context())
	refusedFor(o.t, "a list", err, "instance "+filepath.Base(o.list[owner].dir))
}

// pings begins requests from the first host to the last.
func (o *owners) pings(count int) (report func() host.PingReport) {
	hosts := o.network.Hosts()
	var p *host.Ping
	hosts[0].Do(func(s *host.Host, now time.Duration, _ host.Output) {
		var err error
		spec := host.PingSpec{Dst: hosts[len(hosts)-1].Spec().IPv4.Addr(), Count: count,
			Interval: 20 * time.Millisecond, Timeout: time.Second}
		if p, err = s.Ping(spec, now); err != nil {
			o.t.Fatal(err)
		}
	})
	return func() (r host.PingReport) {
		hosts[0].Do(func(*host.Host, time.Duration, host.Output) { r = p.Report() })
		return r
	}
}

// ping pings until the path is installed, and from then on, and returns a check that none was lost
// of those.
func (o *owners) ping() (kept func(when string)) {
	await(o.t, "a path", func() bool {
		first := o.pings(2)
		await(o.t, "the end of a ping", func() bool { return first().Done }, func() string { return "" })
		return first().Received == 2
	}, func() string { return "" })
	report := o.pings(1 << 20)
	return func(when string) {
		o.t.Helper()
		sent := report().Sent
		await(o.t, "answers to all pings, "+when, func() bool {
			r := report()
			return r.Sent > sent && r.Received == r.Sent && r.Unsent == 0
		}, func() string { return fmt.Sprintf("%+v", report()) })
		o.t.Logf("%s: %d pings, none lost", when, report().Sent)
	}
}

// wishes is how many intents there are.
const wishes = 20

// want asks an instance for an intent.
func (o *owners) want(n int, id string, number int) error {
	ends := [2]client.Point{}
	for i, h := range []*emu.Host{o.network.Hosts()[0], o.network.Hosts()[len(o.network.Hosts())-1]} {
		at := h.Spec().At
		ends[i] = client.Point{DPID: fmt.Sprintf("%016x", o.network.Topology().Switches[at.Switch].DPID), Port: at.Port}
	}
	_, err := o.list[n].api.CreateIntent(o.t.Context(), &client.IntentRequest{
		ID: id, Kind: client.PointToPoint, Src: client.PointEnds(ends[0]), Dst: client.PointEnds(ends[1]),
		Selector: client.Selector{"eth_src": fmt.Sprintf("06:00:00:00:00:%02x", number)},
	}, client.CreateOptions{})
	return err
}

// silence stops the store by a function, sees that requests are refused in time and that packets go
// on, has it go on by another, and sees that requests are taken again.
func (o *owners) silence(owner int, what string, kept func(string), stop, resume func()) {
	o.t.Helper()
	stop()
	for i := range 3 {
		err := o.want(owner, fmt.Sprintf("refused-%d", i), 200+i)
		var p *client.Problem
		if !errors.As(err, &p) || p.Status != http.StatusServiceUnavailable {
			o.t.Errorf("%s: %v, want 503", what, err)
		}
	}
	o.list[owner].api.WithdrawIntents(o.t.Context(), []string{"refused-0", "refused-1", "refused-2"}) // refused too
	kept(what)
	resume()
	await(o.t, "requests to be taken again", func() bool {
		_, err := o.list[owner].api.WithdrawIntents(o.t.Context(), []string{"refused-0", "refused-1", "refused-2"})
		return err == nil
	}, func() string { return tail(o.list[owner].log.String(), 20) })
	o.owns(owner)
	kept(what + ", after it")
}

// TestOwners: two instances on one etcd elsewhere. The second stands by, and takes over when the
// first is killed, or stopped; who was stopped writes nothing when it goes on, and stands by. A
// store that is stopped, or killed and started, costs requests, in time, and no packet.
func TestOwners(t *testing.T) {
	o := &owners{t: t, etcd: newCluster(t), said: make([]said, 2)}
	for _, name := range []string{"first", "second"} {
		o.list = append(o.list, &child{dir: filepath.Join(t.TempDir(), name), openflow: freeAddress(t),
			more: []string{"WEIR_NODE_API=" + freeAddress(t), "WEIR_NODE_STORE=" + o.etcd.url}})
	}
	for _, c := range o.list {
		if err := os.Mkdir(c.dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o.begin(0)
	await(t, "the first", func() bool { status, _ := o.probe(0); return status == http.StatusOK }, o.list[0].log.String)
	o.network = network(t, "linear:3", o.list[0].openflow, o.list[1].openflow)
	for _, sw := range o.network.Switches() {
		for n := range o.list {
			if _, err := sw.Control().Capture(n, o.said[n].see()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range wishes {
		if err := o.want(0, fmt.Sprint("wish-", i), i); err != nil {
			t.Fatal(err)
		}
	}
	o.owns(0)
	kept := o.ping()
	kept("before anything")
	o.begin(1)
	o.stands(1, 0)

	o.list[0].kill()
	o.owns(1)
	kept("a takeover from one that was killed")
	_, mods, deletes := o.said[1].count()
	t.Logf("a takeover: %d flow-mods, of which %d delete", mods, deletes)
	if deletes != 0 {
		t.Errorf("the new owner sent %d flow-mods that delete, want none", deletes)
	}
	o.begin(0)
	o.stands(0, 1)

	o.stopped(kept)
	o.outage(kept)
	o.silence(0, "a store that is stopped", kept, func() { need.Stopped(t, o.etcd.cmd.Process) },
		func() { o.etcd.signal(syscall.SIGCONT) })
	o.silence(0, "a store that is killed", kept, func() { o.etcd.signal(syscall.SIGKILL); o.etcd.cmd.Wait() }, o.etcd.start)
}

// outage stops the store until the first instance, beside which the second stands by, has stepped down, and has it go on: one of
// them owns it then. It ends with the first as the only one.
func (o *owners) outage(kept func(string)) {
	o.t.Helper()
	need.Stopped(o.t, o.etcd.cmd.Process)
	await(o.t, "the owner to step down", func() bool {
		return strings.Contains(o.list[0].log.String(), "the store does not confirm that this instance owns it")
	}, func() string { return tail(o.list[0].log.String(), 20) })
	kept("while nobody controls the switches")
	o.etcd.signal(syscall.SIGCONT)
	owner := -1
	await(o.t, "one to own the store", func() bool {
		for n := range o.list {
			if status, _ := o.probe(n); status == http.StatusOK {
				owner = n
			}
		}
		return owner >= 0
	}, func() string { return tail(o.list[0].log.String(), 20) + tail(o.list[1].log.String(), 20) })
	o.owns(owner)
	kept("after an outage of the store")
	o.list[1].kill()
	o.owns(0)
}

// stopped stops the second instance until the first has taken over, with questions of hosts waiting
// for it, and has it go on.
func (o *owners) stopped(kept func(string)) {
	o.t.Helper()
	second := o.list[1].cmd.Process
	need.Stopped(o.t, second)
	o.said[1].reset()
	o.said[0].reset()
	for _, h := range o.network.Hosts() { // news for both
		h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
	}
	o.owns(0)
	before, _, _ := o.said[1].count()
	if _, _, deletes := o.said[0].count(); deletes != 0 {
		o.t.Errorf("the new owner sent %d flow-mods that delete, want none", deletes)
	}
	second.Signal(syscall.SIGCONT)
	o.stands(1, 0)
	if after, mods, _ := o.said[1].count(); after != before {
		o.t.Errorf("an owner that was stopped sent %d writes to switches after it went on, %d of them flow-mods; want none", after-before, mods)
	}
	o.owns(0)
	kept("a takeover from one that was stopped")
}
