package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/app/catalog"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/metrics"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/northbound"
	"github.com/weirnet/weir/process"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/settings"
	"github.com/weirnet/weir/southbound"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/store/owner"
	"github.com/weirnet/weir/tenant/table"
	"github.com/weirnet/weir/tenant/tenancy"
	"github.com/weirnet/weir/tokens"
	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/warmstart"
)

// A ConfigError is what is wrong with a configuration. Nothing was opened.
type ConfigError = settings.Error

// Run runs an instance until the context ends, and returns when all of it has. The error is nil
// after an orderly end, a *ConfigError if the configuration is wrong, and else what could not be
// opened or broke. Where another instance owns the store it waits; where another takes it, it steps
// down, and waits.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.used = !datadir.Absent(filepath.Join(cfg.DataDir, client.TokenFile))
	for begun := false; ; {
		err := runOnce(ctx, cfg)
		opened := !errors.As(err, new(notOpened))
		switch {
		case owner.StepsDown(err):
			saysStepped(cfg.Log, err)
		case isStores(err) && (begun || opened && cfg.elsewhere()):
			cfg.Log.Warn("the store does not answer: it is asked again", "error", err)
			if !beat.Sleep(ctx, reopenEvery) {
				return nil
			}
		default:
			return err
		}
		begun = true
	}
}

// reopenEvery is how soon a store that others use too is asked again, if it does not answer any more.
const reopenEvery = time.Second

// notOpened is why the store could not be opened.
type notOpened struct{ error }

func (e notOpened) Unwrap() error { return e.error }

// isStores reports whether an instance could not begin because of its store.
func isStores(err error) bool {
	return errors.As(err, new(notOpened)) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown)
}

// runOnce runs an instance until the context ends, or it is to step down (owner.StepsDown).
func runOnce(ctx context.Context, cfg Config) error {
	if err := checkStart(cfg); err != nil { // nothing is made in a directory for a start that is refused
		return err
	}
	made := datadir.Absent(cfg.DataDir)
	lock, err := datadir.MakeLock(cfg.DataDir)
	if err != nil {
		return err
	}
	defer lock.Close()
	said := new(storeState)
	open := cfg.OpenStore
	early := cfg.early()
	before := newWaiting(ctx, &early)
	defer before.end()
	if open == nil {
		dir := early.dataDir()
		dir.Peer.Waits = before.say
		open = func() (store.Store, error) { return dir.Open(ctx, lock, func(why string) { said.say("", why) }) }
	}
	st, err := open()
	if err != nil && ctx.Err() != nil { // told to end before anything began
		return nil
	} else if err != nil {
		if made {
			datadir.Unmake(cfg.DataDir)
		}
		return notOpened{err}
	}
	defer st.Close()
	if !clusterOf(st).Open() {
		_, err := serve(ctx, cfg, st, said, before, nil)
		return err
	}
	// A member of several keeps its store while its instance is the owner or stands by: the others need its vote.
	for now := (*Config)(nil); ; {
		now, err = serve(ctx, cfg, st, said, before, now)
		switch {
		case owner.StepsDown(err):
			saysStepped(cfg.Log, err)
		case isStores(err): // of those that are not repeated: reads under way when the store's leader changes
			cfg.Log.Warn("the store does not answer: it is asked again", "error", err)
			if !beat.Sleep(ctx, reopenEvery) {
				return nil
			}
		default:
			return err
		}
		said.forget()
	}
}

// saysStepped logs that an instance has stepped down.
func saysStepped(log *slog.Logger, err error) {
	log.Error("this instance has stepped down: it has closed the sessions of all switches", "reason", err)
}

// serve runs an instance with its store, until the context ends, or it is to step down (owner.StepsDown). opened is what was
// served before the store was open, before how it was configured when it stepped down last; nil: it has not. now is how it was
// configured when it began.
func serve(ctx context.Context, cfg Config, st store.Store, said *storeState, opened *waiting, before *Config) (now *Config,
	err error) {
	var own *owner.Claim
	var terms *owner.Terms
	var sb *standby   // nil: nobody else can own the store
	var others *peers // nil: there can be none
	if cfg.shared(st) {
		now = cfg.configured(ctx, st, before)
		members := clusterOf(st)
		own = owner.New(st, owner.Instance{Name: now.Name, API: now.API.Listen, Member: selfOf(members).ID, Life: newLife()})
		defer own.Release()
		if members.Open() {
			if others, err = joinOthers(now, members, own, said); err != nil {
				return now, err
			}
			defer others.Close()
		}
		sb = newStandby(now, st, own, others, opened.handOver())
		defer sb.end()
		said.join(sb.alarms)
		if err := sb.wait(ctx); err != nil && ctx.Err() != nil {
			return now, nil
		} else if err != nil {
			return now, err
		}
		sb.ask()
		var ended func()
		ctx, ended = own.Hold(ctx, func(why string) { said.say("owner", why) })
		defer ended()
		terms = own.Terms()
	} else {
		terms = begunTerm(ctx, &cfg, st)
	}
	set, err := cfg.loadSettings(ctx, st)
	if err == nil {
		err = set.Check()
	}
	if err != nil && ctx.Err() != nil {
		return now, owner.SteppedDown(ctx)
	} else if err != nil {
		return now, err
	}
	cfg.Config = *set.Began()
	n := new(node)
	if sb != nil {
		n = sb.node
	}
	n.others = others
	err = build(ctx, n, cfg, set, st, said, terms)
	if err != nil && ctx.Err() != nil { // told to end while it loaded, or another has taken the store
		return now, owner.SteppedDown(ctx)
	} else if err != nil {
		return now, err
	}
	defer n.audit.Close()
	n.own = own
	switchPort, apiPort := sb.ports()
	if err := listen(cfg, &switchPort, &apiPort); err != nil {
		return now, err
	}
	n.cfg.API.Listen = apiPort.Addr().String() // the system may have chosen the port
	if own != nil {
		switchPort = own.Listener(switchPort)
	}
	sb.handOver(n.api)
	return now, n.run(ctx, switchPort, apiPort, sb.holds())
}

// begunTerm begins the next term of a store that is this process's alone. Where the store takes nothing, the one before goes on.
func begunTerm(ctx context.Context, cfg *Config, st store.Store) *owner.Terms {
	ctx, cancel := context.WithTimeout(ctx, cfg.storeAnswer())
	defer cancel()
	terms, err := owner.Alone(ctx, st)
	if err != nil {
		cfg.Log.Warn("the store takes no new term: the one before goes on", "term", terms.Term(), "error", err)
	}
	return terms
}

// node is a running instance.
type node struct {
	cfg         Config
	terms       southbound.Terms
	view        *netview.View
	maps        *topology.Source // of the view
	alarms      *alarm.Board
	alarmsRun   bool // the standby that this node was runs them
	audit       *audit.Log
	refusals    atomic.Pointer[audit.Log] // audit, once it is there: switches may be refused before
	store       store.Store
	said        *storeState
	ended       atomic.Pointer[string] // a part of run that has ended by itself; nil: none has
	hung        atomic.Pointer[string] // a part of run that does nothing, though it was asked to; nil: none
	others      *peers                 // of a cluster; nil: there can be none
	own         *owner.Claim           // of a store that others may use too; nil: nobody can
	owns        []store.Compare        // what holds while this instance owns such a store; none: nobody else can
	settings    *settings.Settings
	discovery   *discovery.Discovery
	flowsync    *flowsync.Loop
	intents     intents
	followed    *followed // of the standby that it was; nil: nothing was
	tenants     *tenancy.Tenancies
	tables      *journal.Journal // of the tenants' switches; nil: they are kept nowhere
	apps        *catalog.Apps
	answers     northbound.Answers // for the API
	switches    *southbound.Registry
	api         *api.Server
	tokens      *tokens.Table
	definitions *table.Table                    // of the tenants
	storedTrees map[netview.DPID]warmstart.Tree // remembered; read only
	recorder    *warmstart.Recorder
	parts       []*loop.Part // from run, or NewStepped, on
}

// build makes the engines and joins them, in the order in which the data flows, and loads what is
// kept. Nothing runs yet.
func build(ctx context.Context, n *node, cfg Config, set *settings.Settings, st store.Store, said *storeState,
	terms southbound.Terms) error {
	key, err := datadir.ClusterKey(ctx, st, cfg.DataDir, cfg.keepsFiles())
	if err != nil {
		return err
	}
	n.cfg, n.terms, n.store, n.said = cfg, terms, st, said
	if n.view == nil {
		n.view = netview.New(netview.Limits{})
		n.alarms = alarm.New(n.view)
	}
	n.maps = topology.NewSource(n.view)
	n.alarms.Clear(netview.AlarmStore, "owner") // of a standby
	said.join(n.alarms)
	if err := n.joinSettings(set); err != nil {
		return err
	}
	if n.switches == nil {
		if err := n.openSouthbound(); err != nil {
			return err
		}
	}
	n.settings.Certificates(n.switches.ReloadCertificates())
	joinTenants(n, session.Config{}, nil, nil)
	n.join(boot{key: key, life: bootID()})
	n.settings.Crossings(crossings(n.apps, &n.intents))
	n.settings.OnChange(n.apps.Configure)
	n.remember()
	n.recorder = warmstart.NewTo(record(n), time.Now, n.view, n.treeOf, n.alarms)
	n.answers.Recorder = n.recorder
	n.definitions = n.cfg.definitions(n.store, n.alarms)
	n.definitions.OnChange(n.tenants.Set)
	if err := errors.Join(n.definitions.Load(ctx), n.openIntents(ctx, nil), openTables(ctx, n)); err != nil {
		return errors.Join(err, n.audit.Close())
	}
	n.tenants.Begin()
	if err := n.buildAPI(ctx); err != nil {
		return errors.Join(err, n.audit.Close())
	}
	return nil
}

// boot is what distinguishes this run of the instance from the one before; the zero values of seed
// and now mean the engines' defaults.
type boot struct {
	key  []byte // the cluster's
	life uint16
	seed uint64
	now  func() time.Time
}

// batchMin is the least number of flow-mods before a barrier, where there are so many. A barrier
// that takes long because this machine is busy, and not the switch, would have smaller batches make
// it busier.
const batchMin = 64

// join makes the engines, which decide, and joins them to the server's sessions and to one another.
func (n *node) join(as boot) {
	cfg := &n.cfg
	n.discovery = discovery.New(n.view.Facts(), n.discoveryConfig(as))
	now := as.now
	if now == nil {
		now = time.Now
	}
	n.apps = catalog.New(catalog.Engines{Config: &cfg.Config, View: n.view, Maps: n.maps, Alarms: n.alarms,
		Discovery: n.discovery, Log: cfg.Log, Now: now, Generation: as.life, Seed: as.seed}, cfg.Extra)
	n.flowsync = flowsync.New(flowsync.Config{
		Instance: cfg.Name, BatchMin: batchMin,
		UnsolicitedMax: int(cfg.Limits.SwitchNews), ListMax: int(cfg.Limits.SwitchListings),
		Domain: uint16(cfg.Domain), OnTreeEntries: n.found, Leftover: n.adopt, Alarms: n.alarms, Now: as.now,
		OnOutcomes: n.intents.onOutcomes, RemoveLeftover: n.apps.Forward == nil,
	}, n.view)
	n.apps.Stats.OnTenants(n.tenants.Counted)
	n.switches.Join(n.discovery, n.flowsync, append([]southbound.App{n.tenants}, n.apps.InSessions()...)...)
	n.answers.Engines = northbound.Engines{View: n.view, Maps: n.maps, Server: n.switches.Server, Discovery: n.discovery,
		Flowsync: n.flowsync, Forward: n.apps.Forward, Stats: n.apps.Stats, Settings: n.settings, Domain: uint16(cfg.Domain),
		StoreAnswer: cfg.storeAnswer(), Forgotten: n.apps.Forget}
}

// openSouthbound makes what holds the switches' connections.
func (n *node) openSouthbound() (err error) {
	sessions, err := process.RaiseFiles(n.cfg.Log, n.cfg.Limits.Connections)
	if err != nil {
		return err
	}
	limits := &n.cfg.Limits
	return n.newSouthbound(session.Config{MaxSessions: sessions, MaxSource: int(limits.SwitchConnections),
		MaxHeld: int(limits.Handshakes), MaxPorts: int(limits.SwitchPorts)}, time.Now)
}

// newSouthbound makes the registry of switches; now is the clock of what it watches.
func (n *node) newSouthbound(sessions session.Config, now func() time.Time) (err error) {
	of := &n.cfg.OpenFlow
	sessions.EchoInterval, sessions.EchoMisses = of.EchoInterval, int(of.EchoMisses)
	terms := n.terms
	if of.Role == config.OpenFlowEqual {
		terms = nil
		n.alarms.Raise(netview.AlarmUnfenced, "openflow.role", "role: equal: switches take what any controller writes, an "+
			"instance too that was replaced by another one and does not know it")
	}
	n.switches, err = southbound.New(southbound.Config{
		Instance: n.cfg.Name, Terms: terms, TLS: n.cfg.switchTLS(), Session: sessions, View: n.view, Alarms: n.alarms,
		Audit: n.auditRefusal, Log: n.cfg.Log, Now: now,
	})
	return err
}

// auditRefusal writes a switch that was refused into the audit log.
func (n *node) auditRefusal(from, dpid, why string) {
	log := n.refusals.Load()
	if log == nil {
		return
	}
	log.Note(client.AuditRecord{Time: time.Now().UTC(), Who: "switch", From: from, What: "connect", Object: dpid,
		Result: "refused", Detail: why})
}

// buildAPI makes the REST interface.
func (n *node) buildAPI(ctx context.Context) error {
	stack, err := n.cfg.apiStack()
	if err != nil {
		return err
	}
	n.tokens = n.cfg.tokens(n.store, stack.Access.Tokens, n.definitions, n.alarms)
	if err := n.tokens.Load(ctx); err != nil {
		return err
	}
	stack.Access.Issued = n.tokens
	stack.Health = n.healthy
	stack.LimitReached = func(field, text string) { n.alarms.Raise(netview.AlarmLimit, field, text) }
	registry := prometheus.NewRegistry()
	cfg := api.Config{
		StackConfig: stack, View: n.view, Instance: n.cfg.Name,
		Switches: &n.answers, Paths: &n.answers, SoftRules: n.answers.SoftRules, IntentRules: n.flowsync.OrderedRules,
		Groups: n.answers.Groups, Meters: n.answers.Meters,
		Counters: n.apps.Stats.Board().Switch,
		Ready:    n.ready, Members: n.members, Apps: n.apps.Rows, Check: n.answers.Check, Sync: n.answers.Sync,
		Gatherer: registry, Configuration: n.settings, Drains: settings.Drains{Settings: n.settings},
		Forgetter: &n.answers, Audit: n.audit, Tokens: n.tokens, Tenants: n.definitions, TenantStates: tenantStates{n.tenants},
		TenantOf: func(cookie uint64) string {
			return tenantOf(n.definitions.Snapshot(), uint16(n.cfg.Domain), cookie)
		},
		IntentFlows: n.answers.IntentFlows, Backup: n.store.Snapshot,
	}
	if cluster := clusterOf(n.store); cluster.Open() {
		cfg.Roster = roster{cluster, n.tokens}
	}
	if n.intents.engine != nil {
		cfg.Intents = n.intents.engine
	}
	n.api = api.New(cfg)
	n.apps.AddRoutes(n.api.Add)
	registry.MustRegister(n.api)
	metrics.Register(registry, n.sources())
	return nil
}

// sources are what counts.
func (n *node) sources() *metrics.Sources {
	s := &metrics.Sources{
		View: n.view, Server: n.switches.Server, Discovery: n.discovery, Flowsync: n.flowsync, Stats: n.apps.Stats,
		Store: n.store, Alarms: n.alarms, Audit: n.audit, Apps: n.apps.Counts(),
		Unowned: n.switches.Unowned, PortSeries: cmp.Or(n.cfg.PortSeries, defaultPortSeries),
	}
	if n.intents.engine != nil {
		s.Intents = n.intents.engine
		s.Journals = map[string]*journal.Journal{"intents": n.intents.journal, "decisions": n.intents.decisions,
			"tables": n.tables}
	}
	return s
}

// defaultPortSeries is Config.PortSeries where it is 0.
const defaultPortSeries = 10_000

// ready says why requests are refused: the store takes nothing. What there is goes on all the same.
// An instance serves when it has loaded what the store holds.
func (n *node) ready() error {
	if why := n.said.trouble(); why != "" {
		return errors.New("nothing is kept, and what asks for it is refused: " + why)
	}
	return nil
}

// listen opens what the instance listens on, as far as it is not open.
func listen(cfg Config, switchPort, apiPort *net.Listener) (err error) {
	if *switchPort == nil {
		*switchPort, err = net.Listen("tcp", cfg.OpenFlow.Listen)
	}
	if err != nil {
		return fmt.Errorf("cannot listen for switches on %s: %w%s: choose another address with --openflow", cfg.OpenFlow.Listen, cause(err), addressOwner(err))
	}
	if *apiPort == nil {
		*apiPort, err = net.Listen("tcp", cfg.API.Listen)
	}
	if err != nil {
		(*switchPort).Close()
		return fmt.Errorf("cannot listen for the API on %s: %w: choose another address with --api", cfg.API.Listen, cause(err))
	}
	return nil
}

// addressOwner is the hint that is added to the error of an address in use.
func addressOwner(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return " (is another controller running?)"
	}
	return ""
}

// cause strips what net puts around an error of the system.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// tokens returns the table of tokens that are made while the instance runs, which has nothing yet. Tenants may be nil.
func (c *Config) tokens(st store.Store, files []rest.Token, tenants tokens.Tenants, alarms *alarm.Board) *tokens.Table {
	unreadable := func(name, why string) {
		if why == "" {
			alarms.Clear(netview.AlarmToken, name)
		} else {
			alarms.Raise(netview.AlarmToken, name, why+": it is not taken; delete it (weir token rm)")
		}
	}
	return tokens.New(tokens.Config{Store: st, Files: files, Answer: c.storeAnswer(), Tenants: tenants, Unreadable: unreadable})
}

// apiStack returns how the API is served, and makes the tokens of files that are not there yet.
func (c *Config) apiStack() (stack rest.StackConfig, err error) {
	stack = rest.StackConfig{Version: c.Version, Limits: c.apiLimits(), Log: c.Log,
		Access: rest.Access{Open: c.API.Auth == "none", Listen: c.API.Listen, Names: c.API.Hosts}}
	if stack.Access.Tokens, err = rest.LoadTokens(c.DataDir); err != nil {
		return stack, err
	}
	stack.TLS, err = c.tls()
	return stack, err
}

// tls loads the API's certificate; nil without one.
func (c *Config) tls() (*tls.Config, error) {
	if c.API.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.API.TLSCert, c.API.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("certificate of the API (--api-tls-cert %s, --api-tls-key %s): %w", c.API.TLSCert, c.API.TLSKey, err)
	}
	return cert.Config(pair), nil
}

// apiLimits are the limits of the API.
func (c *Config) apiLimits() rest.Limits {
	return rest.Limits{
		Connections: int(c.Limits.Connections), SourceConnections: int(c.Limits.ConnectionsPerSource),
		BatchItems:   int(c.Limits.BatchItems),
		TokenStreams: int(c.Limits.StreamsPerToken),
		StoreAnswer:  c.storeAnswer(),
	}
}
