package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/app/catalog"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/settings"
	"github.com/weirnet/weir/southbound"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/owner"
)

// base is what package settings lays a configuration over.
func (c *Config) base() settings.Base {
	with := func(check func(*Config) error) func(*config.Config) error {
		given := *c
		return func(next *config.Config) error {
			cfg := given
			cfg.Config = *next
			return check(&cfg)
		}
	}
	return settings.Base{
		Flags: c.Config, Defaults: Defaults().Config, Given: c.Given, File: c.ConfigFile, Reload: c.Reload, Log: c.Log,
		Check: with((*Config).check), CheckFiles: with((*Config).checkCertificates), Apps: catalog.Schema(c.Extra),
	}
}

// loadSettings loads what is kept in a store and in the data directory.
func (c *Config) loadSettings(ctx context.Context, st store.Store) (*settings.Settings, error) {
	kept := config.NewStore(c.DataDir, st)
	if !c.keepsFiles() {
		kept.Volatile()
	}
	cluster := clusterOf(st)
	place := settings.Place{Alone: !c.shared(st) || cluster != nil && len(cluster.Members()) == 1, Used: c.used}
	if !place.Alone {
		ctx, cancel := context.WithTimeout(ctx, c.storeAnswer())
		defer cancel()
		var err error
		if place.Owner, err = owner.Older(ctx, st); err != nil {
			return nil, err
		}
	}
	return settings.Load(c.base(), kept, place)
}

// early is the Config with what flags, the configuration file and the instance's own file say of its name, its peer port and
// its API, which a store of several is opened and waited for with. What is wrong with them is told when the store is open.
func (c Config) early() Config {
	if !c.keepsFiles() {
		return c
	}
	kept, err := config.LoadFiles(c.DataDir)
	if err == nil {
		said := settings.Early(c.base(), kept)
		c.Name, c.Peer, c.API = said.Name, said.Peer, said.API
	}
	return c
}

// configured is the Config with what the store, the instance's file and the configuration file say now, as far as they can
// be read: what a standby serves, and others are told of it. Nothing is changed. Where the store does not answer it is what it
// was before, if before is not nil.
func (c Config) configured(ctx context.Context, st store.Store, before *Config) *Config {
	if before != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.storeAnswer())
		defer cancel()
	}
	set, err := c.loadSettings(ctx, st)
	if err == nil && set.Check() == nil {
		c.Config = *set.Began()
	} else if before != nil {
		return before
	}
	return &c
}

// checkCertificates reads what a configuration names, so that one that cannot be started with is
// not kept.
func (c *Config) checkCertificates() error {
	if _, err := c.tls(); err != nil {
		return err
	}
	if files := c.peerFiles(); files.Cert != "" {
		if err := files.Check(time.Now()); err != nil {
			return fmt.Errorf("certificate for other instances (--peer-tls-cert): %w", err)
		}
	}
	return southbound.CheckCertificates(c.switchTLS())
}

// checkStart finds what is wrong with a start, as far as that can be said without the store. It
// makes nothing. Errors of what was given are *ConfigError.
func checkStart(cfg Config) error {
	if err := cfg.checkFields(); err != nil {
		return &ConfigError{Err: err}
	}
	if cfg.Store == datadir.Embedded && datadir.HasStore(cfg.DataDir) {
		return nil
	}
	var kept config.Kept
	if cfg.keepsFiles() {
		var err error
		if kept, err = config.LoadFiles(cfg.DataDir); err != nil {
			return err
		}
	}
	return settings.CheckFiles(cfg.base(), kept)
}

// joinSettings opens the audit log, keeps what the instance begins with, and tells the view, before
// any switch can connect.
func (n *node) joinSettings(set *settings.Settings) (err error) {
	n.settings = set
	n.audit, err = audit.Open(audit.Config{Dir: n.cfg.DataDir, Limits: audit.Limits{Answer: n.cfg.storeAnswer()},
		Failed: func(err error) {
			if err != nil {
				n.alarms.Raise(netview.AlarmAudit, "", err.Error())
				return
			}
			n.alarms.Clear(netview.AlarmAudit, "")
		}})
	if err != nil {
		return err
	}
	n.refusals.Store(n.audit)
	if err := set.Join(n.view, n.alarms, n.audit); err != nil {
		return errors.Join(err, n.audit.Close())
	}
	return nil
}

// crossings counts what the applications that have something on links, as far as they are not disabled, and
// the engine of intents know.
func crossings(apps *catalog.Apps, in *intents) func(netview.Point) settings.Crossing {
	return func(at netview.Point) (p settings.Crossing) {
		if in.engine == nil {
			return p
		}
		p.Intents, _ = in.engine.DrainProgress(at) // none of an engine that has ended: at revision 0 nothing is drained
		p.Revision = p.Intents.Revision
		p.Leaving, p.Bound = p.Intents.Leaving, p.Intents.Ends+p.Intents.NoOther
		if apps.Forward != nil {
			q := apps.Forward.Crossing(at)
			p.Revision = min(p.Revision, q.Revision)
			p.Leaving += q.Pairs
			p.Bound += q.Bound
		}
		if apps.Broadcast != nil {
			q := apps.Broadcast.Crossing(at)
			p.Revision = min(p.Revision, q.Revision)
			p.Leaving += q.Leaving
		}
		return p
	}
}

// switchTLS is the TLS with switches.
func (c *Config) switchTLS() southbound.TLS {
	of := &c.OpenFlow
	return southbound.TLS{Cert: of.TLSCert, Key: of.TLSKey, CA: of.TLSCA, Unnamed: of.TLSUnnamed}
}
