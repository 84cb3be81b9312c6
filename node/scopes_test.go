package node_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	conf "github.com/weirnet/weir/config"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// onStore has instances use one store, one after another or as standbys.
func onStore(st store.Store) func(*node.Config) {
	return func(c *node.Config) {
		usual(c)
		c.OpenStore, c.SharedStore = func() (store.Store, error) { return lasting{st}, nil }, true
	}
}

// named names an instance, by its flag.
func named(name string) func(*node.Config) { return func(c *node.Config) { c.Name = name } }

// in has an instance use a data directory.
func in(dir string) func(*node.Config) { return func(c *node.Config) { c.DataDir = dir } }

// given is what holds for an instance: its name, its further host names, and the LLDP period.
func (i *instance) given() string {
	i.t.Helper()
	e := i.configuration().Effective
	api, _ := e["api"].(map[string]any)
	return fmt.Sprint(e["name"], " ", api["hosts"], " ", e["discovery"].(map[string]any)["lldp_period"])
}

func (i *instance) wantGiven(when, want string) {
	i.t.Helper()
	if got := i.given(); got != want {
		i.t.Errorf("%s: %q is in force, want %q", when, got, want)
	}
}

// stopped ends an instance.
func (i *instance) stopped() {
	i.t.Helper()
	if err := i.stop(); err != nil {
		i.t.Fatal(err)
	}
}

// unsplit is a store as an instance of a name left it with an earlier version, which kept all of its configuration there.
func unsplit(t *testing.T, name, text string) *store.Memory {
	t.Helper()
	body, err := json.Marshal(map[string]any{"text": text, "source": "apply", "by": "admin", "at": "2026-01-01T00:00:00Z",
		"drains": []any{map[string]any{"kind": "switch", "object": "0000000000000002", "since": "2026-01-01T00:00:00Z"}}})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	memory := store.NewMemory(nil)
	if _, err := store.SaveDocument(t.Context(), memory, conf.StateKey, 0,
		[]byte("weir-configuration 1 sha256 "+hex.EncodeToString(sum[:])+"\n"+string(body))); err != nil {
		t.Fatal(err)
	}
	last, _ := json.Marshal(map[string]string{"name": name, "api": "192.0.2.1:8181", "life": "x"})
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put([]byte("instances/last"), last)}}); err != nil {
		t.Fatal(err)
	}
	return memory
}

const unsplitText = "# of the site\n\n# mine\nname: west\napi: {hosts: [west.example]}\n# ours\ndiscovery: {lldp_period: 4s}\n"

// TestSplitAtAStart: what an earlier version kept in one text in a store of several is split at the first start. Only the
// instance that owned the store takes the name and addresses that are in it, however late it comes; others have the network's
// part at once.
func TestSplitAtAStart(t *testing.T) {
	memory := unsplit(t, "west", unsplitText)
	const eastHas, westHas = "east <nil> 4s", "west [west.example] 4s"
	i := start(t, onStore(memory), named("east"))
	i.wantGiven("another one", eastHas)
	i.stopped()
	fresh := start(t, onStore(memory))
	fresh.wantGiven("one that has no name and no past", "weir-1 <nil> 4s")
	fresh.stopped()
	i = start(t, onStore(memory), named("east"), in(i.cfg.DataDir))
	i.wantGiven("another one again", eastHas)
	i.stopped()
	// It has no more than its name left: a new directory is as good as the old one.
	west := start(t, onStore(memory), named("west"))
	west.wantGiven("the one that it is of", westHas)
	c := west.configuration()
	if c.Network.Text != "# of the site\n\n# ours\ndiscovery: {lldp_period: 4s}\n" ||
		c.Instance.Text != "# mine\nname: west\napi: {hosts: [west.example]}\n" || c.Network.By != "admin" || c.Instance.By != "admin" {
		t.Errorf("split into %+v and %+v", c.Network, c.Instance)
	}
	if drains := must[client.Page[client.Drain]](west)(west.api.Drains(t.Context())).Items; len(drains) != 1 {
		t.Errorf("drained: %+v", drains)
	}
	west.stopped()
	west = start(t, onStore(memory), in(west.cfg.DataDir)) // its file has its name now
	west.wantGiven("without the flag", westHas)
	west.stopped()
	again := start(t, onStore(memory), named("west"))
	again.wantGiven("what was taken is in the store no more", "west <nil> 4s")
	again.stopped()
}

// TestSplitOfADirectory: an instance that is alone with its store takes its part, whatever its name; so does one in whose
// directory the older state is. A start that is killed before the store has its part changes nothing: the next one splits.
func TestSplitOfADirectory(t *testing.T) {
	alone := func(m store.Store) func(*node.Config) {
		return func(c *node.Config) { onStore(m)(c); c.SharedStore = false }
	}
	i := start(t, alone(unsplit(t, "other", unsplitText)))
	i.wantGiven("alone", "west [west.example] 4s")
	i.stopped()
	memory := unsplit(t, "west", unsplitText)
	memory.Inject(func(c store.Call) store.Fault {
		if c.Txn != nil && strings.HasPrefix(string(c.Txn.Then[0].Key), conf.StateKey) {
			return store.Full
		}
		return store.None
	})
	i = start(t, alone(memory))
	i.wantGiven("a store that takes nothing", "west [west.example] 4s")
	i.stopped()
	memory.Inject(nil)
	for range 2 {
		i = start(t, alone(memory), in(i.cfg.DataDir))
		i.wantGiven("the next start", "west [west.example] 4s")
		i.stopped()
	}
	b, _, err := store.LoadDocument(t.Context(), memory, conf.StateKey)
	if err != nil || strings.Contains(string(b), "west") && !strings.Contains(string(b), `"name": "west"`) ||
		strings.Contains(string(b), "west.example") {
		t.Errorf("the store has the instance's part: %s, %v", b, err)
	}
}

// TestNewInstanceOnAStore: an instance with an empty directory on a store that others configured has the network's part at
// once, as a standby too, and nothing of their own.
func TestNewInstanceOnAStore(t *testing.T) {
	memory := store.NewMemory(nil)
	first := start(t, onStore(memory), func(c *node.Config) { c.API.Listen = freeAddress(t) })
	first.apply("name: first\napi: {hosts: [first.example]}\ndiscovery: {lldp_period: 4s}\nlimits: {batch_items: 100}\n")
	first = first.again(onStore(memory), func(c *node.Config) { c.API.Listen = first.cfg.API.Listen })
	first.wantGiven("the first", "first [first.example] 4s")
	cfg := config(t)
	onStore(memory)(&cfg)
	cfg.API.Listen = freeAddress(t)
	cfg.ConfigFile = file(t, filepath.Join(t.TempDir(), "second.yaml"), "name: second\napi: {hosts: [second.example]}\n")
	ready := make(chan node.Addresses, 1)
	cfg.Ready = func(at node.Addresses) { ready <- at }
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx, cfg) }()
	first.await("the second to stand by with its own name and address", func() bool {
		page, err := first.api.Members(t.Context())
		return err == nil && len(page.Items) == 2 && page.Items[1].Name == "second" && page.Items[1].Address == cfg.API.Listen
	})
	_ = first.stop() // what it finds still running is the second
	second := &instance{t: t, cfg: cfg, at: <-ready}
	second.api = second.client(second.token("token"))
	defer second.api.Close()
	second.wantGiven("the second", "second [second.example] 4s")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestFilesOfSeveral: each instance has its own --config. What a file says of its instance is the instance's. What it says of the
// network replaces what others said only if the file has changed since that instance read it, and then it is kept, and told whose
// it was; a file that says nothing of the network leaves it.
func TestFilesOfSeveral(t *testing.T) {
	memory, files := store.NewMemory(nil), t.TempDir()
	path := func(name string) string { return filepath.Join(files, name+".yaml") }
	write := func(name, period string) {
		file(t, path(name), "name: "+name+"\napi: {hosts: ["+name+".example]}\n"+period)
	}
	var hup chan os.Signal
	dirs := map[string]string{"west": t.TempDir(), "east": t.TempDir()}
	run := func(name string) *instance {
		t.Helper()
		return start(t, onStore(memory), in(dirs[name]), func(c *node.Config) { c.ConfigFile = path(name); hup = reloads(c) })
	}
	life := func(name, when, want string) {
		t.Helper()
		i := run(name)
		i.wantGiven(when, name+" ["+name+".example] "+want)
		i.stopped()
	}
	write("west", "discovery: {lldp_period: 3s}\n")
	write("east", "discovery: {lldp_period: 4s}\n")
	life("west", "the first file", "3s")
	i := run("east")
	i.wantGiven("a file of a newcomer", "east [east.example] 3s")
	if !strings.Contains(i.log.String(), "differs from that in 1 fields (discovery.lldp_period first)") {
		t.Error("it does not say that its file differs")
	}
	i.stopped()
	life("east", "a file that has not changed", "3s")
	write("east", "discovery: {lldp_period: 5s}\n")
	i = run("east")
	i.wantGiven("a file that has changed", "east [east.example] 5s")
	audit := must[client.Page[client.AuditRecord]](i)(i.api.Audit(t.Context(), "", 1000)).Items
	want := "it replaces what the file " + path("west") + " of instance west says of the network"
	if got := audit[len(audit)-1].Detail; !strings.Contains(got, want) {
		t.Errorf("the audit log says %q", got)
	}
	replaced, err := os.ReadFile(filepath.Join(dirs["east"], conf.ReplacedFile))
	if err != nil || string(replaced) != "discovery: {lldp_period: 3s}\n" {
		t.Errorf("replaced: %q, %v", replaced, err)
	}
	if c := i.configuration(); c.Network.Reader != "east" || c.Network.File != path("east") || c.Source != "file" {
		t.Errorf("%+v", c)
	}
	i.stopped()
	life("west", "a file that has not changed since its instance read it", "5s")
	i = run("west")
	write("west", "")
	hup <- syscall.SIGHUP
	hup <- syscall.SIGHUP
	i.wantGiven("a file that says nothing of the network any more", "west [west.example] 5s")
	i.stopped()
	life("east", "a file that has not changed", "5s")
	write("east", "")
	life("east", "a file that takes back what it said itself", "2s")
	write("west", "discovery: {lldp_period: 6s}\n")
	i = run("west")
	i.wantGiven("the network's part is nobody's", "west [west.example] 6s")
	file(t, path("west"), "name: northwest\napi: {hosts: [northwest.example]}\ndiscovery: {lldp_period: 7s}\n")
	i.stopped()
	i = run("west")
	i.wantGiven("a file that changes the name too", "northwest [northwest.example] 7s")
	i.stopped()
	file(t, path("west"), "name: west\napi: {hosts: [west.example]}\n")
	life("west", "a file that changes the name and takes back what it said", "2s")
}

// TestAppliedOfTheNetwork: a text that is applied and says nothing of the instance takes away nothing that its file says
// of it, but what was applied of it before.
func TestAppliedOfTheNetwork(t *testing.T) {
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"), "name: west\nopenflow: {echo_misses: 4}\n")
	with := func(c *node.Config) { usual(c); c.ConfigFile = path }
	i := start(t, with)
	changes := i.apply("discovery: {lldp_period: 4s}\n")
	if len(changes) != 2 || changes[0].Path != "openflow.echo_misses" || changes[1].Scope != "network" {
		t.Errorf("applied: %+v", changes)
	}
	i = i.again(with)
	i.wantGiven("the network's part applied", "west <nil> 4s")
	changes = i.apply("api: {hosts: [west.example]}\ndiscovery: {lldp_period: 4s}\n")
	if len(changes) != 2 || changes[0].Path != "name" || changes[0].New != "weir-1" || changes[0].Scope != "instance" {
		t.Errorf("applied: %+v", changes)
	}
	c := i.configuration()
	if c.Text != "discovery: {lldp_period: 4s}\napi: {hosts: [west.example]}\n" || c.Instance.Source != "apply" {
		t.Errorf("%+v", c)
	}
	if changes := i.apply(c.Text); len(changes) != 0 {
		t.Errorf("what it says, applied: %+v", changes)
	}
	var backup bytes.Buffer
	if err := i.api.Backup(t.Context(), &backup); err != nil || !strings.Contains(backup.String(), "lldp_period") ||
		strings.Contains(backup.String(), "west.example") {
		t.Errorf("a backup is to have the network's part, and that alone: %v", err)
	}
	i = i.again(with)
	i.wantGiven("both parts applied", "weir-1 [west.example] 4s")
	i.apply("discovery: {lldp_period: 5s}\n")
	i = i.again(with)
	i.wantGiven("the instance's part is not said any more", "weir-1 <nil> 5s")
}

// TestNoRoomForTheInstance: where the data directory takes nothing, a change of the instance's part is refused whole, one of the
// network's is made; and a file that is damaged is named.
func TestNoRoomForTheInstance(t *testing.T) {
	i := start(t, usual)
	inTheWay := filepath.Join(i.cfg.DataDir, conf.InstanceFile+".new")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	var no *client.Problem
	if _, err := i.api.Apply(t.Context(), []byte("api: {hosts: [x.example]}\ndiscovery: {lldp_period: 4s}\n"), false); !errors.As(err,
		&no) || no.Status < 500 || !strings.Contains(no.Detail, conf.InstanceFile) {
		t.Errorf("%v", err)
	}
	i.wantGiven("what could not be kept", "weir-1 <nil> 2s")
	i.apply("discovery: {lldp_period: 5s}\n")
	os.Remove(inTheWay)
	i.apply("name: x\ndiscovery: {lldp_period: 5s}\n")
	i = i.again(usual)
	i.wantGiven("with room again", "x <nil> 5s")
	i.stopped()
	path := filepath.Join(i.cfg.DataDir, conf.InstanceFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file(t, path, string(b[:len(b)-1]))
	wantError(t, "a damaged file", refusedRun(t, in(i.cfg.DataDir)), false, path+" is damaged", "move it away")
}

// TestUnknownOutcomeOfBothParts: where the store does not say what became of a change of both parts, both hold as soon as
// it does, in this life or the next.
func TestUnknownOutcomeOfBothParts(t *testing.T) {
	for _, done := range []bool{false, true} {
		memory := store.NewMemory(nil)
		with := func(c *node.Config) {
			onStore(memory)(c)
			c.SharedStore, c.Limits.StoreAnswer = false, 100*time.Millisecond
		}
		silent := map[bool]store.Fault{false: store.UnknownLost, true: store.UnknownDone}[done]
		i := start(t, with)
		for life := range 2 {
			memory.Inject(func(c store.Call) store.Fault {
				if c.Txn != nil && strings.HasPrefix(string(c.Txn.Then[0].Key), conf.StateKey) {
					return silent
				}
				return store.None
			})
			period := fmt.Sprintf("%ds", 4+life)
			text := "api: {hosts: [of" + period + ".example]}\ndiscovery: {lldp_period: " + period + "}\n"
			var no *client.Problem
			if _, err := i.api.Apply(t.Context(), []byte(text), false); !errors.As(err, &no) || no.Status != 503 {
				t.Errorf("%v", err)
			}
			if c := i.configuration(); strings.Contains(c.Text, period) {
				t.Errorf("what is not known to be kept is in force: %+v", c)
			}
			want := "weir-1 [of" + period + ".example] " + period
			if life == 0 {
				memory.Inject(nil)
				i.await("the change to be kept", func() bool {
					c := i.configuration()
					return strings.Contains(c.Network.Text, period) && strings.Contains(c.Instance.Text, period)
				})
			} else if !done {
				want = "weir-1 [of4s.example] 4s"
			}
			i.stopped()
			memory.Inject(nil)
			i = start(t, with, in(i.cfg.DataDir))
			i.wantGiven(fmt.Sprintf("the next life, the store has done it: %v", done), want)
		}
		i.stopped()
	}
}

// TestPeerOfTheFile: the peer port, and the name that others know it by, are taken from the configuration file and from the
// instance's own, though they are needed before the store is open.
func TestPeerOfTheFile(t *testing.T) {
	address := freeAddress(t)
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"), "name: west\npeer: {listen: \""+address+"\"}\n")
	usual := func(c *node.Config) { usual(c); c.Peer = node.Defaults().Peer }
	i := start(t, usual, func(c *node.Config) { c.ConfigFile = path })
	for _, life := range []string{"the file", "its own file"} {
		all := must[client.Page[client.Member]](i)(i.api.Members(t.Context())).Items
		if len(all) != 1 || all[0].Peer != address || all[0].Name != "west" {
			t.Errorf("of %s: %+v, want west at %s", life, all, address)
		}
		i = i.again(usual)
	}
}
