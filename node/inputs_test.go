package node_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/weirnet/weir/api/client"
	conf "github.com/weirnet/weir/config"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/store"
)

// file writes a configuration file whole: an instance may be about to read it.
func file(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// reloads is a channel by which a test has an instance read its file again.
func reloads(c *node.Config) chan os.Signal {
	ch := make(chan os.Signal)
	c.Reload = ch
	return ch
}

func (i *instance) configuration() *client.Configuration {
	i.t.Helper()
	return must[client.Configuration](i)(i.api.Configuration(i.t.Context()))
}

// period is the LLDP period in force.
func (i *instance) period() string {
	i.t.Helper()
	d, _ := i.configuration().Effective["discovery"].(map[string]any)
	return d["lldp_period"].(string)
}

func (i *instance) apply(text string) []client.ConfigChange {
	i.t.Helper()
	return must[client.ConfigResult](i)(i.api.Apply(i.t.Context(), []byte(text), false)).Changes
}

// again runs another life of an instance in its directory.
func (i *instance) again(change ...func(*node.Config)) *instance {
	i.t.Helper()
	if err := i.stop(); err != nil {
		i.t.Fatal(err)
	}
	return start(i.t, append([]func(*node.Config){func(c *node.Config) { c.DataDir = i.cfg.DataDir }}, change...)...)
}

// usual leaves the LLDP period to the configuration.
func usual(c *node.Config) { c.Discovery.LLDPPeriod = node.Defaults().Discovery.LLDPPeriod }

// TestAddressesOfTheFile: where an instance listens is in the configuration file too, from the start
// on, if no flag says otherwise.
func TestAddressesOfTheFile(t *testing.T) {
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"), "openflow: {listen: \"127.0.0.1:0\"}\napi: {listen: \"127.0.0.1:0\"}\n")
	d := node.Defaults()
	i := start(t, func(c *node.Config) {
		c.ConfigFile, c.OpenFlow.Listen, c.API.Listen = path, d.OpenFlow.Listen, d.API.Listen
	})
	if i.at.OpenFlow == d.OpenFlow.Listen || i.at.API == d.API.Listen {
		t.Errorf("it listens at %+v, the addresses of no file", i.at)
	}
}

// TestApplyHoldsAtOnce applies a configuration beneath running switches: names, an edge port and a
// cost show at once, no session ends, and nothing is sent to a switch of which nothing is said.
func TestApplyHoldsAtOnce(t *testing.T) {
	i := start(t)
	n := i.emulate("linear:3", openflow.V13)
	i.converse(n)
	mark := i.journal.mark()
	since := must[client.Switch](i)(i.api.Switch(t.Context(), "2")).Since
	changes := i.apply("switches: {2: {name: middle, location: rack}}\nlinks: {1/2->2/1: {cost: 9}}\nforward: {unknown: flood}\ndiscovery: {lldp_period: 7s}\n")
	holds := map[string]string{}
	for _, c := range changes {
		holds[c.Path] = c.Holds + c.Flag
	}
	for path, want := range map[string]string{"switches[0000000000000002].name": "now",
		"forward.unknown": "restart", "discovery.lldp_period": "never--lldp-period",
		"links[0000000000000001/2->0000000000000002/1].cost": "now"} {
		if holds[path] != want {
			t.Errorf("%s holds %q, want %q", path, holds[path], want)
		}
	}
	sw := must[client.Switch](i)(i.api.Switch(t.Context(), "2"))
	if sw.Name != "middle" || sw.Since != since || !sw.Connected {
		t.Errorf("switch 2: %+v", sw)
	}
	if c := i.configuration(); len(c.Pending) != 1 || c.Pending[0].Path != "forward.unknown" ||
		c.Effective["forward"].(map[string]any)["unknown"] != "controller" || c.By != "admin" {
		t.Errorf("the configuration: %+v", c)
	}
	if again := i.apply("# the same\nswitches: {2: {name: middle, location: rack}}\nlinks: {1/2->2/1: {cost: 9}}\nforward: {unknown: flood}\ndiscovery: {lldp_period: 7s}\n"); len(again) != 0 {
		t.Errorf("the same again changes %+v", again)
	}
	if got := i.journal.since(mark, isFlowMod); len(got) != 0 {
		t.Errorf("flow-mods were sent: %v", texts(got))
	}
	n.Close(t.Context())
	i = i.again()
	if c := i.configuration(); len(c.Pending) != 0 || c.Effective["forward"].(map[string]any)["unknown"] != "flood" {
		t.Errorf("after a restart: %+v", c)
	}
}

// TestLastOneWhoSpoke follows the relation of --config and weir apply over starts and reloads: what
// was said last is in force, and what is replaced is kept.
func TestLastOneWhoSpoke(t *testing.T) {
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"), "discovery: {lldp_period: 3s}\n")
	var hup chan os.Signal
	with := func(c *node.Config) { usual(c); c.ConfigFile = path; hup = reloads(c) }
	expect := func(i *instance, when, want string) {
		t.Helper()
		if got := i.period(); got != want {
			t.Fatalf("%s: %s is in force, want %s", when, got, want)
		}
	}
	i := start(t, with)
	expect(i, "begun with a file", "3s")
	i.apply("discovery: {lldp_period: 4s}\n")
	expect(i, "applied", "4s")
	hup <- syscall.SIGHUP
	hup <- syscall.SIGHUP // the first is done when the second is taken
	expect(i, "told to read a file that has not changed", "4s")
	i = i.again(with)
	expect(i, "a restart with a file that has not changed", "4s")
	file(t, path, "discovery: {lldp_period: 5s}\n")
	hup <- syscall.SIGHUP
	hup <- syscall.SIGHUP
	expect(i, "told to read a file that has changed", "5s")
	replaced, err := os.ReadFile(filepath.Join(i.cfg.DataDir, conf.ReplacedFile))
	if err != nil || string(replaced) != "discovery: {lldp_period: 4s}\n" {
		t.Errorf("replaced: %q, %v", replaced, err)
	}
	i.apply("discovery: {lldp_period: 6s}\n")
	file(t, path, "discovery: {lldp_period: 7s}\n")
	i = i.again(with)
	expect(i, "a restart with a file that has changed", "7s")
	if replaced, _ = os.ReadFile(filepath.Join(i.cfg.DataDir, conf.ReplacedFile)); string(
		replaced) != "discovery: {lldp_period: 6s}\n" {
		t.Errorf("replaced: %q", replaced)
	}
	i = i.again(usual)
	expect(i, "a restart without the file", "7s")
	i = i.again(func(c *node.Config) { usual(c); c.Given = map[string]bool{"lldp-period": true} })
	expect(i, "a flag that says the default", "2s")
	i = i.again(func(c *node.Config) { c.Discovery.LLDPPeriod = 8e9 })
	expect(i, "another value", "8s")
	log := must[client.Page[client.AuditRecord]](i)(i.api.Audit(t.Context(), "", 1000)).Items
	var said []string
	for _, r := range log {
		if r.Result == "done" {
			said = append(said, r.Who)
		}
	}
	if got := strings.Join(said, " "); got != "start admin signal admin start" {
		t.Errorf("the audit log says %q", got)
	}
}

// TestFlagsThatSayNo: a flag that is given holds over the file, though it says false or nothing.
func TestFlagsThatSayNo(t *testing.T) {
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"),
		"api: {insecure: true, hosts: [weir.example]}\napps: {disable: [guard]}\n")
	i := start(t, func(c *node.Config) {
		c.ConfigFile, c.Given = path, map[string]bool{"insecure": true, "api-host": true}
	})
	c := i.configuration().Effective
	api, _ := c["api"].(map[string]any)
	if api["insecure"] != nil || api["hosts"] != nil || c["apps"] == nil {
		t.Errorf("in force: %v", c)
	}
	for _, c := range i.apply("api: {insecure: true}\n") {
		if strings.HasPrefix(c.Path, "api.hosts") && c.Holds != "never" {
			t.Errorf("%+v", c)
		}
	}
}

// TestUnstartableIsNotKept: a file whose certificates are not there is refused at the start, and
// what was applied stays.
func TestUnstartableIsNotKept(t *testing.T) {
	i := start(t, usual)
	i.apply("discovery: {lldp_period: 4s}\n")
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}
	cfg := i.cfg
	cfg.ConfigFile = file(t, filepath.Join(t.TempDir(), "weir.yaml"), "api: {tls_cert: nowhere.pem, tls_key: nowhere.pem}\n")
	if err := node.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "nowhere.pem") {
		t.Fatalf("begun with certificates that are not there: %v", err)
	}
	if i = i.again(usual); i.period() != "4s" {
		t.Errorf("%s is in force", i.period())
	}
}

// TestNobodyProbesFiles: who may not change a file's name does not learn what is there, neither by
// what is refused nor by a dry run.
func TestNobodyProbesFiles(t *testing.T) {
	i := start(t)
	there := file(t, filepath.Join(t.TempDir(), "there.pem"), "something")
	for _, token := range []string{"token-operator", "token-viewer"} {
		c := i.client(i.token(token))
		defer c.Close()
		for _, name := range []string{"nowhere.pem", there} {
			text := []byte(fmt.Sprintf("api: {tls_cert: %q, tls_key: %q}\n", name, name))
			if r, err := c.Apply(t.Context(), text, true); err != nil || len(r.Changes) != 2 {
				t.Errorf("a dry run with %s and %s: %+v, %v", token, name, r, err)
			}
			var no *client.Problem
			if _, err := c.Apply(t.Context(), text, false); !errors.As(err, &no) || no.Status != 403 {
				t.Errorf("applied with %s and %s: %v", token, name, err)
			}
		}
	}
	var no *client.Problem
	if _, err := i.api.Apply(t.Context(), []byte("api: {tls_cert: nowhere.pem, tls_key: nowhere.pem}\n"),
		true); !errors.As(err, &no) || no.Status != 422 {
		t.Errorf("an admin's dry run: %v", err)
	}
}

// TestBadReload: an instance that is told to read a wrong file goes on with what it has, says so,
// and takes the next good one.
func TestBadReload(t *testing.T) {
	path := file(t, filepath.Join(t.TempDir(), "weir.yaml"), "discovery: {lldp_period: 3s}\n")
	var hup chan os.Signal
	i := start(t, func(c *node.Config) { usual(c); c.ConfigFile = path; hup = reloads(c) })
	active := func() string {
		for _, a := range must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items {
			if a.Kind == "configuration" {
				return a.Text
			}
		}
		return ""
	}
	for _, bad := range []string{"discovery: {lldp_period: 4s, indirect: perhaps}\nnmae: x\n",
		"apps: {disable: [nothing]}\n", "api: {tls_cert: nowhere.pem, tls_key: nowhere.pem}\n", ""} {
		if bad == "" { // gone; never empty, which is a file: the last signal may not have been heeded yet
			os.Remove(path)
		} else {
			file(t, path, bad)
		}
		hup <- syscall.SIGHUP
		hup <- syscall.SIGHUP
		if i.period() != "3s" {
			t.Errorf("%q took effect in part: %s", bad, i.period())
		}
		i.await("the alarm", func() bool { return strings.Contains(active(), "refused") })
	}
	file(t, path, "discovery: {lldp_period: 5s}\n")
	hup <- syscall.SIGHUP
	hup <- syscall.SIGHUP
	if i.period() != "5s" {
		t.Errorf("a good file is not taken: %s", i.period())
	}
	i.await("the end of the alarm", func() bool { return active() == "" })
}

// TestBadStart: a wrong file keeps an instance from starting, and nothing is made in its directory.
func TestBadStart(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"nmae: x\ndomain: 0\n":         ":1: unknown field \"nmae\"",
		"apps: {disable: [nothing]}\n": ":1: apps.disable: \"nothing\" given, want ",
		"api: {listen: \"0.0.0.0:1\"}": "without TLS",
	} {
		cfg := config(t)
		cfg.API.Listen, cfg.DataDir = node.Defaults().API.Listen, filepath.Join(dir, "data")
		cfg.ConfigFile = file(t, filepath.Join(dir, "weir.yaml"), text)
		err := node.Run(t.Context(), cfg)
		var bad *node.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if _, err := os.Stat(cfg.DataDir); err == nil {
			t.Errorf("%q: the data directory was made", text)
		}
	}
	cfg := config(t)
	file(t, filepath.Join(cfg.DataDir, conf.StateFile), "nonsense")
	if err := node.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged state: %v", err)
	}
}

// TestDrainsSurvive: what is drained is left by paths, is drained after a restart, and can be taken
// back.
func TestDrainsSurvive(t *testing.T) {
	i := start(t)
	n := i.emulate("ring:4", openflow.V13)
	i.converse(n)
	d := must[client.Drain](i)(i.api.Drain(t.Context(), "switch", "2"))
	if d.Object != dpid(2) || d.By != "admin" {
		t.Errorf("%+v", d)
	}
	must[client.Drain](i)(i.api.Drain(t.Context(), "link", "3/1->2/2"))
	must[client.Drain](i)(i.api.Drain(t.Context(), "switch", "2")) // again
	kinds := func() string {
		var all []string
		for _, d := range must[client.Page[client.Drain]](i)(i.api.Drains(t.Context())).Items {
			all = append(all, d.Kind+" "+d.Object)
		}
		return strings.Join(all, ", ")
	}
	want := kinds()
	if strings.Count(want, ",") != 1 {
		t.Errorf("drained: %s", want)
	}
	for _, l := range i.links() {
		if touches := l.Src.DPID == dpid(2) || l.Dst.DPID == dpid(2); touches != (l.State == "draining") {
			t.Errorf("link %+v", l)
		}
	}
	i.await("what passes to leave", func() bool {
		for _, d := range must[client.Page[client.Drain]](i)(i.api.Drains(t.Context())).Items {
			if d.State == "draining" || d.Passing == nil || *d.Passing != 0 {
				return false
			}
			if want := map[bool]string{true: "bound", false: "drained"}[*d.Bound > 0]; d.State != want {
				t.Errorf("%d pairs have no other path: %s, want %s", *d.Bound, d.State, want)
			}
		}
		return true
	})
	n.Close(t.Context())
	i = i.again()
	if got := kinds(); got != want {
		t.Errorf("after a restart %s is drained, want %s", got, want)
	}
	if err := i.api.Undrain(t.Context(), "switch", "2"); err != nil { // it has not connected yet
		t.Error(err)
	}
	var no *client.Problem
	if err := i.api.Undrain(t.Context(), "switch", "2"); !errors.As(err, &no) || no.Status != 404 {
		t.Errorf("once more: %v", err)
	}
	if got := kinds(); strings.Contains(got, "switch") {
		t.Errorf("drained: %s", got)
	}
}

// lasting is a store that outlives an instance.
type lasting struct{ store.Store }

func (lasting) Close() error { return nil }

// TestNothingUnkept: where the state or the audit log cannot be written nothing is changed, an
// alarm says so, and it goes on by itself when there is room.
func TestNothingUnkept(t *testing.T) {
	memory := store.NewMemory(nil)
	i := start(t, usual, func(c *node.Config) { c.OpenStore = func() (store.Store, error) { return lasting{memory}, nil } })
	refused := func(what string, kind string) {
		t.Helper()
		var no *client.Problem
		_, err := i.api.Apply(t.Context(), []byte("discovery: {lldp_period: 4s}\n"), false)
		if !errors.As(err, &no) || no.Status != 507 {
			t.Errorf("%s: %v", what, err)
		}
		if i.period() != "2s" {
			t.Errorf("%s: it took effect", what)
		}
		i.await("the alarm", func() bool {
			for _, a := range must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items {
				if a.Kind == kind {
					return true
				}
			}
			return false
		})
	}
	memory.Inject(func(c store.Call) store.Fault {
		if c.Txn != nil {
			return store.Full
		}
		return store.None
	})
	refused("a store that is full", "configuration")
	quiet := func(what string) {
		t.Helper()
		i.await("the end of the alarm: "+what, func() bool {
			return len(must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items) == 0
		})
	}
	memory.Inject(nil)
	quiet("nobody changes anything, and the store has room")
	if c := i.configuration(); c.Text != "" || c.Source != "" {
		t.Errorf("after the store was full: %+v", c)
	}
	i.apply("{}")
	i = i.again(usual, func(c *node.Config) {
		log := filepath.Join(c.DataDir, "audit.log")
		os.Remove(log)
		os.Symlink("/dev/full", log)
	})
	refused("a full disk", "audit")
	os.Remove(filepath.Join(i.cfg.DataDir, "audit.log"))
	quiet("nobody writes to the audit log, and its disk has room")
	if changes := i.apply("discovery: {lldp_period: 4s}\n"); len(changes) != 1 || i.period() != "4s" {
		t.Errorf("with room again: %+v, %s", changes, i.period())
	}
	i.await("the end of the alarm", func() bool {
		return len(must[client.Page[client.Alarm]](i)(i.api.Alarms(t.Context(), false)).Items) == 0
	})
	all := i.metrics()
	if i.value(all, "weir_alarms_active", "kind", "audit", "severity", "major") != 0 ||
		i.value(all, "weir_alarms_total", "kind", "audit") == 0 || i.value(all, "weir_audit_total", "kind", "written") == 0 {
		t.Error("the metrics do not tell")
	}
}

// TestWhoMayApply: an operator changes the network, and not who may reach or control the instance.
func TestWhoMayApply(t *testing.T) {
	i := start(t)
	operator := i.client(i.token("token-operator"))
	defer operator.Close()
	for _, text := range []string{"allow: [1]\nswitches: {1: {name: x}}\n", "api: {auth: none}\n",
		"openflow: {listen: \"0.0.0.0:6653\"}\n", "domain: 2\n"} {
		var no *client.Problem
		if _, err := operator.Apply(t.Context(), []byte(text), false); !errors.As(err, &no) || no.Status != 403 ||
			!strings.Contains(no.Detail, "needs role admin") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if c := i.configuration(); c.Text != "" || c.Source != "" {
		t.Errorf("applied: %+v", c)
	}
	i.apply("allow: [1]\n")
	if r, err := operator.Apply(t.Context(), []byte("allow: [1]\nswitches: {1: {name: x}}\n"), false); err != nil ||
		len(r.Changes) != 1 {
		t.Errorf("a name beside what an admin applied: %+v, %v", r, err)
	}
	if _, err := operator.Audit(t.Context(), "", 10); err == nil {
		t.Error("an operator reads the audit log")
	}
}

// TestWhoMayDiff: a dry run changes nothing and is no change in the audit log, so whoever may read
// may ask for one, of every field, and is told what applying it needs.
func TestWhoMayDiff(t *testing.T) {
	i := start(t)
	i.apply("allow: [1]\n")
	records := len(must[client.Page[client.AuditRecord]](i)(i.api.Audit(t.Context(), "", 100)).Items)
	for _, name := range []string{"token", "token-operator", "token-viewer"} {
		c := i.client(i.token(name))
		defer c.Close()
		r, err := c.Apply(t.Context(), []byte("allow: [1, 2]\ndomain: 2\nswitches: {1: {name: x}}\n"), true)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		needs := map[string]string{}
		for _, change := range r.Changes {
			needs[change.Path] = change.Needs
		}
		want := map[string]string{"allow[0000000000000002]": "admin", "domain": "admin",
			"switches[0000000000000001].name": "operator"}
		if !maps.Equal(needs, want) {
			t.Errorf("%s: the changes need %v, want %v", name, needs, want)
		}
	}
	if c := i.configuration(); c.Text != "allow: [1]\n" {
		t.Errorf("a dry run changed the configuration: %q", c.Text)
	}
	viewer := i.client(i.token("token-viewer"))
	defer viewer.Close()
	var no *client.Problem
	if _, err := viewer.Apply(t.Context(), []byte("switches: {1: {name: x}}\n"), false); !errors.As(err, &no) ||
		no.Status != 403 {
		t.Errorf("a viewer applies: %v", err)
	}
	for _, r := range must[client.Page[client.AuditRecord]](i)(i.api.Audit(t.Context(), "", 100)).Items[records:] {
		if r.Result != "refused" {
			t.Errorf("the audit log has a dry run: %+v", r)
		}
	}
}
